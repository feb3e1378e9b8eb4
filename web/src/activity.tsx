// The current activity of a live run: launches a second, and how busy its GPUs were.
import { useRef } from 'preact/hooks';
import { count, percent, rate, seconds } from './format';
import { useResource } from './hooks';
import type { RunDocument, Timeline } from './openapi';

const bins = 120;
const recent = 10; // s: the period that the rate is taken over

interface Point {
  s: number; // since the start of the run
  launches: number;
}

// Launches a second since the first recent one of ${points}; null: too few points.
function speed(points: Point[]): number | null {
  const last = points.at(-1);
  const first = points.find((p) => last !== undefined && last.s - p.s <= recent);
  return first === undefined || last === undefined || last.s <= first.s ? null : (last.launches - first.launches) / (last.s - first.s);
}

// Every update of the run adds a point; the daemon counts launches before it has sorted them.
function usePoints(run: RunDocument): Point[] {
  const points = useRef<Point[]>([]);
  const [s, launches] = [(run.wall_ns ?? 0) / 1e9, run.launches ?? 0];
  const last = points.current.at(-1);
  if (last === undefined || s > last.s) points.current = [...points.current.slice(-99), { s, launches }];
  return points.current;
}

export function Activity({ base, run, revision }: { base: string; run: RunDocument; revision: string }) {
  const timeline = useResource<Timeline>(`${base}/timeline?px=${bins}`, revision);
  const now = speed(usePoints(run));
  if (run.launches === undefined) return null; // before its first analysis
  return (
    <section class="activity" aria-label="What it does now">
      <p>
        <b>{count(run.launches)}</b> {run.launches === 1 ? 'launch' : 'launches'} so far
        {now !== null && <>, <b>{rate(now, 'launches/s')}</b> of late</>}
      </p>
      {timeline.value && <Strip value={timeline.value} />}
    </section>
  );
}

function Strip({ value }: { value: Timeline }) {
  const rows = value.devices.map((d) => d.rows.find((r) => r.row === 'kernel')).filter((r) => r !== undefined);
  const n = Math.max(0, ...rows.map((r) => r.count.length));
  if (n === 0) return null; // nothing is sorted yet
  const busy = Array.from({ length: n }, (_, i) => Math.max(0, ...rows.map((r) => r.busy_ratio[i] ?? 0)));
  const text = `GPU busy with kernels, the first ${seconds((n * value.bin_ns) / 1e9)}: ${percent(busy.reduce((sum, b) => sum + b, 0) / n)}`;
  return (
    <svg viewBox={`0 0 ${n} 30`} preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {busy.map((b, i) => b > 0 && <rect key={i} class="fill-kernel" x={i} y={30 - 30 * Math.min(1, b)} width={1} height={30 * Math.min(1, b)} />)}
    </svg>
  );
}
