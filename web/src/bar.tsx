// Where the time went: one bar, with the same numbers in words under it.
import { frameText, placeOf } from './frame';
import { counted, percent, seconds } from './format';
import type { Idle, Summary } from './openapi';

// Phases that occur once are listed from this share of the run on, that of a finding of
// medium severity, as in the terminal.
const phaseShare = 0.02;

interface Part {
  key: string;
  label: string;
  ratio: number;
}

const causes: [keyof Idle, string][] = [
  ['host_ratio', 'waiting for the host'],
  ['after_sync_ratio', 'after synchronisation'],
  ['launch_ratio', 'launching'],
  ['allocation_ratio', 'in allocation calls'],
  ['api_ratio', 'in other CUDA calls'],
  ['elsewhere_ratio', 'while the GPU was elsewhere'],
  ['startup_ratio', 'before the first GPU work'],
  ['shutdown_ratio', 'after the last GPU work'],
  ['measuring_ratio', 'while measuring'],
];

function partsOf(s: Summary): Part[] {
  const kernels = s.kernel_ratio ?? 0;
  const copies = Math.max(0, (s.copy_ratio ?? 0) - (s.copy_hidden_ratio ?? 0));
  const parts: Part[] = [
    { key: 'kernel', label: 'kernels', ratio: kernels },
    { key: 'copy', label: 'copies, not hidden behind kernels', ratio: copies },
  ];
  for (const [key, label] of causes) {
    const ratio = s.idle[key] ?? 0;
    if (ratio > 0) parts.push({ key: 'idle-' + key.replace('_ratio', ''), label: 'idle ' + label, ratio });
  }
  const known = parts.reduce((sum, part) => sum + part.ratio, 0);
  if (s.idle_ratio !== null && 1 - known > 0.005)
    parts.push({ key: 'idle-unknown', label: 'idle, cause not known', ratio: 1 - known });
  return parts.filter((part) => part.ratio > 0);
}

// Phases that are no findings: results that the host checked, one long gap.
function Phases({ summary, wall }: { summary: Summary; wall: number }) {
  const { results, longest_idle: gap } = summary;
  const checked = results != null && results.copy_s >= phaseShare * wall ? results : null;
  const long = gap != null && gap.s >= phaseShare * wall && gap.s > (checked?.host_s ?? 0) && !gap.recurs ? gap : null;
  const elsewhere = summary.idle.elsewhere_ratio ?? 0;
  const until = long?.site?.frames[long.site.first ?? 0];
  const went = long?.site?.call === 'launch' ? 'a kernel was launched' : 'CUDA was called';
  return (
    <>
      {checked && (
        <p class="small">
          Left out of the findings: {counted(checked.copies, 'copy')} to the host ({seconds(checked.copy_s)}) and{' '}
          {seconds(checked.host_s)} of host work after that, probably checking results.
        </p>
      )}
      {elsewhere >= phaseShare && (
        <p class="small">
          Elsewhere: for <b>{seconds(elsewhere * wall)}</b>, {percent(elsewhere)} of the run, the GPU did not begin what was
          launched
          {summary.turn_s != null ? (
            <>: another process has it in turns, as kernels of all kinds last {seconds(summary.turn_s)} longer now and then</>
          ) : (
            ', though nothing else of this program was seen on it: other processes have it in turns, a stream waited for the ' +
            'host or another GPU, or kernels launched kernels'
          )}
          .
        </p>
      )}
      {long && (
        <p class="small">
          One long gap: for <b>{seconds(long.s)}</b>, {percent(long.s / wall)} of the run, the GPU waited at one place {long.cause}
          {until?.file != null && <>, until {went} from <code>{placeOf(until)}</code> {frameText(until)}</>}.
        </p>
      )}
    </>
  );
}

export function SummaryBar({ summary, wall, launches }: { summary: Summary; wall: number; launches: number }) {
  if (summary.gpu_busy_ratio === null)
    return <p>{launches > 0 ? `${counted(launches, 'launch')} so far; how busy the GPU was is known after the next analysis.` : 'No GPU work was recorded.'}</p>;
  const parts = partsOf(summary);
  let x = 0;
  return (
    <div class="bar">
      <p>
        GPU busy <b>{percent(summary.gpu_busy_ratio)}</b> (copies <b>{percent(summary.copy_ratio)}</b>,
        {' '}{percent(summary.copy_hidden_ratio)} hidden behind kernels), idle <b>{percent(summary.idle_ratio)}</b>
      </p>
      <svg viewBox="0 0 1000 40" preserveAspectRatio="none" role="img"
        aria-label={'Share of the run: ' + parts.map((p) => `${p.label} ${percent(p.ratio)}`).join(', ')}>
        {parts.map((part) => {
          const width = Math.max(0, Math.min(part.ratio, 1) * 1000);
          const rect = <rect key={part.key} class={`fill-${part.key}`} x={x} y={0} width={Math.max(1, width - 2)} height={40} />;
          x += width;
          return rect;
        })}
      </svg>
      <ul class="legend">
        {parts.map((part) => (
          <li key={part.key}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class={`fill-${part.key}`} width={10} height={10} rx={2} /></svg>
            <span>{part.label}</span> <b>{percent(part.ratio)}</b>
          </li>
        ))}
      </ul>
      <Phases summary={summary} wall={wall} />
    </div>
  );
}
