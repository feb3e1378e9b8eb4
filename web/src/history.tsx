// The runs of one command over time: how long each took, and what it could save.
import { nanoseconds, none, percent, seconds, when } from './format';
import { Scroll } from './parts';
import type { Run } from './openapi';

const width = 640;
const height = 120;
const most = 50;

// ${runs}: the others of its command, newest first.
export function History({ run, runs }: { run: Run; runs: Run[] }) {
  const all = [...runs.slice(0, most), run].sort((a, b) => a.number - b.number);
  const longest = Math.max(...all.map((r) => r.wall_ns ?? 0));
  const room = width / all.length;
  const bar = Math.min(room - 2, 24);
  const y = (ns: number) => (longest > 0 ? (ns / longest) * (height - 20) : 0);
  return (
    <section aria-labelledby="history">
      <h2 id="history">Runs of this command</h2>
      <figure class="history">
        <svg viewBox={`0 0 ${width} ${height}`} role="img"
          aria-label={'Duration, oldest first: ' + all.map((r) => `run ${r.number} ${nanoseconds(r.wall_ns)}`).join(', ')}>
          {all.map((r, i) => {
            const [high, save] = [y(r.wall_ns ?? 0), y(1e9 * (r.worth_it ? r.together_s ?? 0 : 0))];
            const x = i * room + (room - bar) / 2;
            return (
              <g key={r.number}>
                <title>{`run ${r.number}: ${nanoseconds(r.wall_ns)}, would save ${r.worth_it ? seconds(r.together_s) : none}`}</title>
                <rect class={r.number === run.number ? 'wall this' : 'wall'} x={x} y={height - 16 - high} width={bar} height={high} />
                <rect class="save" x={x} y={height - 16 - high} width={bar} height={Math.min(save, high)} />
                {(i % Math.ceil(all.length / 16) === 0 || r.number === run.number) && <text class="tick" x={x + bar / 2} y={height - 3} text-anchor="middle">{r.number}</text>}
              </g>
            );
          })}
        </svg>
        <figcaption>A bar is a run's duration; its top, in another colour, is what that run's findings would save.</figcaption>
      </figure>
      <Scroll label="Runs of this command">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th><th scope="col">Started</th>
              <th scope="col" class="number">Duration</th><th scope="col" class="number">GPU busy</th><th scope="col" class="number">Would save</th>
              <th scope="col">Compare</th>
            </tr>
          </thead>
          <tbody>
            {[...all].reverse().map((r) => (
              <tr key={r.number}>
                <th scope="row"><a href={`#/runs/${r.number}`}>{r.number}</a> {r.label}</th>
                <td class="nowrap">{when(r.started_at ?? null)}</td>
                <td class="number nowrap">{nanoseconds(r.wall_ns)}</td>
                <td class="number">{percent(r.summary?.gpu_busy_ratio)}</td>
                <td class="number nowrap">{r.worth_it ? seconds(r.together_s) : none}</td>
                <td class="nowrap">
                  {r.number === run.number ? 'this run'
                    : <a href={`#/compare/${Math.min(r.number, run.number)}/${Math.max(r.number, run.number)}`}>{r.number < run.number ? 'before' : 'after'} this</a>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
