// Kernels of two runs: the seconds by which each became faster or slower.
import { seconds } from './format';
import { middle, visible } from './names';
import type { CompareKernel } from './openapi';

const most = 12;

// ${kernels}: those that changed.
export function Deltas({ kernels }: { kernels: CompareKernel[] }) {
  const list = kernels.filter((k) => k.saved_s !== null && k.saved_s !== 0).slice(0, most);
  if (list.length === 0) return null;
  const scale = Math.max(...list.map((k) => Math.abs(k.saved_s!)));
  return (
    <section aria-labelledby="deltas">
      <h2 id="deltas">What became faster, and what slower</h2>
      <table class="bars deltas">
        <thead class="hidden"><tr><th scope="col">Kernel</th><th scope="col">Of the largest</th><th scope="col">Saved</th></tr></thead>
        <tbody>
          {list.map((k, i) => {
            const w = (50 * Math.abs(k.saved_s!)) / scale;
            return (
              <tr key={i}>
                <th scope="row"><span class="name" title={k.name ?? ''}>{middle(visible(k.name ?? 'unnamed'), 60)}</span></th>
                <td>
                  <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="room" width={100} height={10} />
                    <rect class={k.saved_s! > 0 ? 'sure' : 'slower'} x={k.saved_s! > 0 ? 50 - w : 50} width={w} height={10} />
                    <rect class="expected" x={49.75} width={0.5} height={10} />
                  </svg>
                </td>
                <td class={`number nowrap ${k.saved_s! > 0 ? 'better' : 'worse'}`}>{seconds(k.saved_s)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="under">To the left: faster; to the right: slower. What runs differ by anyway is left out.</p>
    </section>
  );
}
