// The durations of a kernel's launches: a histogram, and links to the longest.
import { compact, count, counted, nanoseconds, none } from './format';
import { useResource } from './hooks';
import { windowLink } from './links';
import { Failure, Loading, Scroll } from './parts';
import type { Kernel, LaunchList, LaunchTimes } from './openapi';

const width = 640;
const height = 150;
const shown = 20;

export function Histogram({ path, revision, run, kernel, live }: { path: string; revision: string; run: string; kernel: Kernel; live: boolean }) {
  const times = useResource<LaunchTimes>(`${path}/launch-times`, revision);
  const launches = useResource<LaunchList>(live ? null : `${path}/launches?limit=${shown}`, revision);
  return (
    <section aria-labelledby="launches">
      <h2 id="launches">Launches</h2>
      {times.value ? <Bars times={times.value} /> : times.error ? <Failure error={times.error} retry={times.reload} /> : <Loading what="launch times" />}
      <p>Half take under {nanoseconds(kernel.time.p50_ns)}, 95 % under {nanoseconds(kernel.time.p95_ns)}.</p>
      {live ? <p class="notice">Single launches are listed when the run has ended.</p>
        : launches.value ? <Single run={run} list={launches.value} of={kernel.launches} />
        : launches.error ? <p class="notice">Single launches are not known: {launches.error.message}</p> : <Loading what="launches" />}
    </section>
  );
}

function Bars({ times }: { times: LaunchTimes }) {
  if (times.buckets.length === 0) return <p class="notice">No launch was timed.</p>;
  const low = times.buckets[0]![0]!, high = times.buckets.at(-1)![0]!;
  const from = (i: number) => 2 ** (i / times.per_octave);
  const n = high - low + 1;
  const most = Math.max(...times.buckets.map(([, k]) => k!));
  const room = Math.min(width / n, 60);
  const text = times.buckets.map(([i, k]) => `${counted(k!, 'launch')} from ${nanoseconds(from(i!))}`).join(', ');
  const step = Math.max(1, Math.ceil(n / 8));
  const end = Math.min(n * room + 8, width - 90); // of the bars; a word fits beside them
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Launches by duration: ${text}`}>
        {times.buckets.map(([i, k]) => {
          const h = Math.max(1.5, (k! / most) * (height - 34));
          return (
            <rect key={i} class="fill-kernel" x={(i! - low) * room + 1} y={height - 18 - h} width={Math.max(1, room - 2)} height={h}>
              <title>{`${counted(k!, 'launch')} of ${nanoseconds(from(i!))} to ${nanoseconds(from(i! + 1))}`}</title>
            </rect>
          );
        })}
        {Array.from({ length: n }, (_, j) => j).filter((j) => j % step === 0).map((j) => (
          <text key={j} class="tick" x={j * room + 1} y={height - 4}>{nanoseconds(from(low + j))}</text>
        ))}
        <text class="tick" x={end} y={12}>highest: {compact(most)}</text>
      </svg>
      <figcaption>Launches by how long they took; each bar is {times.per_octave === 4 ? '19 % ' : ''}longer than the one before.</figcaption>
    </figure>
  );
}

// The first launches, each a link into the timeline.
function Single({ run, list, of }: { run: string; list: LaunchList; of: number }) {
  if (list.items.length === 0) return null;
  return (
    <details class="fold">
      <summary>The first {counted(list.items.length, 'launch')} of {count(of)}</summary>
      <Scroll label="The first launches">
        <table>
          <thead>
            <tr><th scope="col" class="number">At</th><th scope="col" class="number">Took</th><th scope="col" class="number">Stream</th><th scope="col" class="number">After the call</th><th scope="col">Timeline</th></tr>
          </thead>
          <tbody>
            {list.items.map((l, i) => (
              <tr key={i}>
                <td class="number nowrap">{nanoseconds(l.start_ns)}</td>
                <td class="number nowrap">{nanoseconds(l.duration_ns)}{l.profiled && <small>while measured</small>}</td>
                <td class="number">{count(l.stream)}</td>
                <td class="number nowrap">{l.launch_delay_ns === null ? none : nanoseconds(l.launch_delay_ns)}</td>
                <td><a href={windowLink(run, Math.max(0, l.start_ns - 4 * l.duration_ns), l.start_ns + 5 * l.duration_ns)} aria-label={`Show the launch at ${nanoseconds(l.start_ns)}`}>show</a></td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
