// Whether the second of two runs is faster or slower, how sure that is, and under
// which conditions both were made.
import { Fragment } from 'preact';
import { change, none, percent, plain, seconds } from './format';
import { compareLink } from './links';
import { visible } from './names';
import { Badge, Scroll } from './parts';
import type { Compare, Conditions, TrialMeasure, TrialVerdict } from './openapi';

export const verdicts: Record<TrialVerdict, string> = {
  faster: 'faster', slower: 'slower', same: 'no change', inconclusive: 'inconclusive',
};

export function VerdictBadge({ verdict }: { verdict: TrialVerdict | null }) {
  return verdict === null ? <span class="dim">too small to judge</span> : <Badge kind={`verdict-${verdict}`}>{verdicts[verdict]}</Badge>;
}

// The limits of "no change" and the interval of a change, on a logarithmic scale from half
// to twice the time.
const edge = Math.log(2);

// The end of an interval, without meaningless digits if it is very uncertain.
const end = (ratio: number) => (ratio > 10 ? 'over +1,000 %' : change(ratio));

export function Change({ measure: m, margin }: { measure: TrialMeasure; margin: number }) {
  if (m.change_ratio === null || m.low_ratio === null || m.high_ratio === null) return <>{none}</>;
  const x = (ratio: number) => 50 + (50 * Math.max(-edge, Math.min(edge, Math.log1p(ratio)))) / edge;
  const [low, high] = [x(m.low_ratio), x(m.high_ratio)];
  const middle = x(-margin);
  return (
    <>
      <span class="nowrap">{change(m.change_ratio)}</span>
      {change(m.low_ratio) !== change(m.high_ratio) && <small>{end(m.low_ratio)} to {end(m.high_ratio)}</small>}
      <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="room" width={100} height={10} />
        <rect class="margin" x={middle} width={x(margin) - middle} height={10} />
        <rect class={m.verdict === 'slower' ? 'slower' : m.verdict === 'faster' ? 'sure' : 'unsure'}
          x={Math.min(low, 98)} width={Math.max(2, high - low)} height={10} />
      </svg>
    </>
  );
}

// The seconds by which the second run is shorter.
export function Saved({ value }: { value: number | null }) {
  if (value === null) return <>{none}</>;
  return <span class={value < 0 ? 'worse' : 'better'}>{seconds(value)}</span>;
}

// ${base}, ${target}: the ids of the runs in the address.
export function VerdictSection({ value, base, target, allowed }: { value: Compare; base: string; target: string; allowed: string[] }) {
  const { trial } = value;
  const { verdict, reasons, hint, margin_ratio: margin, error_ratio: error } = trial;
  // "Nothing in common" cannot be allowed: there would be nothing to compare.
  const codes = [...new Set(reasons.map((r) => r.code))].filter((code) => code !== 'no-kernels');
  return (
    <section aria-labelledby="verdict">
      <h2 id="verdict" class={`verdict ${verdict}`}>
        {verdicts[verdict][0]!.toUpperCase() + verdicts[verdict].slice(1)}
        {reasons.length === 0 && <small>GPU time {change(trial.gpu.change_ratio)}</small>}
      </h2>
      {reasons.length > 0 && (
        <div class="notes warning">
          <ul>{reasons.map((r) => <li key={r.code + r.text}>{visible(r.text)}</li>)}</ul>
          {codes.length > 0 && <p><a href={compareLink(base, target, [...allowed, ...codes])}>Compare them all the same</a></p>}
        </div>
      )}
      {hint && <p>{hint[0]!.toUpperCase() + hint.slice(1)}.</p>}
      <Scroll label="Verdict">
        <table class="stacked compared-times">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Verdict</th>
              <th scope="col" class="number">Change</th>
              <th scope="col" class="number">Before</th>
              <th scope="col" class="number">After</th>
              <th scope="col" class="number">Saved</th>
            </tr>
          </thead>
          <tbody>
            <Whole name="GPU time" about="kernels and copies" measure={trial.gpu} margin={margin} />
            <Whole name="Time at work" about="without start-up, end and measuring" measure={trial.active} margin={margin} />
            <tr>
              <th scope="row" class="program">The run</th>
              <td data-label="Verdict" class="dim">not judged</td>
              <td class="number" data-label="Change">{none}</td>
              <td class="number" data-label="Before">{seconds(value.base.wall_s)}</td>
              <td class="number" data-label="After">{seconds(value.target.wall_s)}</td>
              <td class="number" data-label="Saved"><Saved value={value.wall_saved_s} /></td>
            </tr>
          </tbody>
        </table>
      </Scroll>
      <p class="under">
        A change below {percent(margin)} counts as none. All intervals hold together in {plain((1 - error) * 100)} % of comparisons.
        {!trial.one_session && ' They are wider here: the runs are from several sessions or GPUs.'}
      </p>
      <ConditionsTable base={trial.conditions.base} target={trial.conditions.target} />
    </section>
  );
}

function Whole({ name, about, measure: m, margin }: { name: string; about: string; measure: TrialMeasure; margin: number }) {
  return (
    <tr>
      <th scope="row" class="program">{name}<small>{about}</small></th>
      <td data-label="Verdict"><VerdictBadge verdict={m.verdict} /></td>
      <td class="number" data-label="Change"><Change measure={m} margin={margin} /></td>
      <td class="number" data-label="Before">{seconds(m.base_s)}</td>
      <td class="number" data-label="After">{seconds(m.target_s)}</td>
      <td class="number" data-label="Saved"><Saved value={m.base_s === null || m.target_s === null ? null : m.base_s - m.target_s} /></td>
    </tr>
  );
}

// "13.0", as CUDA writes 13000.
const cudaVersion = (v: unknown) => (typeof v === 'number' ? `${Math.floor(v / 1000)}.${Math.floor((v % 1000) / 10)}` : v);

const told: [keyof Conditions, string, ((v: unknown) => unknown)?][] = [
  ['gpu', 'GPU'], ['driver', 'CUDA driver', cudaVersion], ['cupti', 'CUPTI'], ['level', 'Level of measuring'], ['program', 'Program'],
  ['arguments', 'Arguments'], ['exit_code', 'Exit status'], ['signal', 'Ended by signal'], ['complete', 'Record is complete'],
  ['checked', 'Under a correctness tool'], ['host', 'Machine'], ['started_at', 'Started'],
];

// These differ from run to run and do not prevent a comparison.
const free = new Set<keyof Conditions>(['host', 'started_at', 'program']);

function said(value: unknown): string {
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return visible(Array.isArray(value) ? value.join(', ') : String(value));
}

function ConditionsTable({ base, target }: { base: Conditions; target: Conditions }) {
  const rows = told.map(([key, name, as = (v: unknown) => v]) => ({
    key, name, values: [said(as(base[key])), said(as(target[key]))] as const,
    differs: base[key] !== null && target[key] !== null && JSON.stringify(base[key]) !== JSON.stringify(target[key]),
  }));
  const differ = rows.filter((r) => r.differs && !free.has(r.key)).length;
  return (
    <details class="fold">
      <summary>Conditions: {differ === 0 ? 'alike' : `${differ} of ${rows.length - free.size} differ`}</summary>
      <Scroll label="Conditions">
        <table class="stacked conditions">
          <thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
          <tbody>
            {rows.map(({ key, name, values, differs }) => (
              <tr key={key} data-differs={differs}>
                <th scope="row">{name}{differs && <Fragment> <Badge kind={free.has(key) ? '' : 'check-failed'}>differs</Badge></Fragment>}</th>
                <td data-label="Before">{values[0]}</td>
                <td data-label="After">{values[1]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
