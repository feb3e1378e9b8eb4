// What a live run does just now: launches a second, and how busy its GPUs were.
import { count, percent, rate, seconds } from './format';
import { useResource } from './hooks';
import type { RunDocument, Timeline } from './openapi';

const bins = 120;

export function Activity({ base, run, revision }: { base: string; run: RunDocument; revision: string }) {
  const timeline = useResource<Timeline>(`${base}/timeline?px=${bins}`, revision);
  const value = timeline.value;
  const rows = (value?.devices ?? []).map((d) => d.rows.find((r) => r.row === 'kernel')).filter((r) => r !== undefined);
  const n = Math.max(0, ...rows.map((r) => r.count.length));
  if (value === null || n === 0) return null;
  const launches = Array.from({ length: n }, (_, i) => rows.reduce((sum, r) => sum + (r.count[i] ?? 0), 0));
  const busy = Array.from({ length: n }, (_, i) => Math.max(0, ...rows.map((r) => r.busy_ratio[i] ?? 0)));
  const bin_s = value.bin_ns / 1e9;
  // The last bin is still filling.
  const recent = launches.slice(-11, -1);
  const now = recent.length > 0 ? recent.reduce((sum, k) => sum + k, 0) / (recent.length * bin_s) : null;
  const text = `GPU busy with kernels, over ${seconds(n * bin_s)}: ${percent(busy.at(-2) ?? busy.at(-1))} of late`;
  return (
    <section class="activity" aria-label="What it does now">
      <p>
        <b>{count(run.launches)}</b> launches so far{now !== null && <>, <b>{rate(now, 'launches/s')}</b> in the last {seconds(recent.length * bin_s)}</>}
      </p>
      <svg viewBox={`0 0 ${n} 30`} preserveAspectRatio="none" role="img" aria-label={text}>
        <title>{text}</title>
        {busy.map((b, i) => b > 0 && <rect key={i} class="fill-kernel" x={i} y={30 - 30 * Math.min(1, b)} width={1} height={30 * Math.min(1, b)} />)}
      </svg>
    </section>
  );
}
