// The savings of findings as bars on one scale: the interval is pale, the expected value marked.
import { counted, percent, seconds } from './format';
import type { Finding, Findings } from './openapi';

const width = 100;

// ${scale}: the seconds that fill the bar.
export function SavingBar({ saves, scale }: { saves: Finding['saves']; scale: number }) {
  const { s, low_s, high_s } = saves;
  if (s === null || !(scale > 0)) return null;
  const x = (v: number) => Math.max(0, Math.min(1, v / scale)) * width;
  const [low, high] = [x(low_s ?? s), x(high_s ?? s)];
  return (
    <svg class="saving" viewBox={`0 0 ${width} 10`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width={width} height={10} />
      <rect class="sure" width={low} height={10} />
      <rect class="perhaps" x={low} width={Math.max(0, high - low)} height={10} />
      <rect class="expected" x={Math.max(0, x(s) - 0.75)} width={1.5} height={10} />
    </svg>
  );
}

// The whole list: never more than the run has.
// ${count}: how many findings it has, those of one cause as one.
export function Together({ findings, count }: { findings: Findings; count: number }) {
  const { together_s, active_s, overlap } = findings;
  if (together_s === null) return null;
  const share = active_s !== null && active_s > 0 ? Math.min(1, together_s / active_s) : null;
  const text = share === null ? '' : `${percent(share)} of GPU work and the gaps in it (${seconds(active_s)})`;
  return (
    <div class="together">
      <p>
        {count > 1 ? `${count > 2 ? `All ${counted(count, 'finding')}` : 'Both findings'} together save at most ` : 'It saves at most '}<b>{seconds(together_s)}</b>
        {text && `, ${text}`}
        {overlap && count > 1 && '; savings overlap, so this is less than their sum'}.
      </p>
      {share !== null && (
        <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
          <rect class="room" width={100} height={10} />
          <rect class="sure" width={100 * share} height={10} />
        </svg>
      )}
    </div>
  );
}
