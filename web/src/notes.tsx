// About the measurement: what it cost, what was lost or not measured, and what
// to do about it.
import { count, counted, nanoseconds, percent, seconds } from './format';
import type { Check, Diagnostic, Held, RunDocument } from './openapi';

// For how long measuring held the program, at one place and in all.
function HeldNote({ h, over }: { h: Held; over: boolean }) {
  return (
    <li class={over ? 'severity-warning' : undefined}>
      The program was held {over ? 'for' : 'at most'} {seconds(h.longest_s)} at a time
      {h.limit_s && ` (${over ? 'over the ' : ''}limit: ${seconds(h.limit_s)})`}, {seconds(h.total_s)} in all in {counted(h.count, 'hold')}; set-up {seconds(h.setup_s)}, replays {seconds(h.replay_s)}.
    </li>
  );
}

// Processes of a finished run whose end is not in its capture.
function unendedOf(run: RunDocument): number {
  return run.state === 'finished' ? run.data?.unended ?? 0 : 0;
}

// An excess over the limit that would not be visible in print is ignored.
function isHeldTooLong(held: Held | null | undefined): boolean {
  return held != null && held.limit_s !== null && held.longest_s > held.limit_s &&
    seconds(held.longest_s) !== seconds(held.limit_s);
}

// What disturbed the run's times on a GPU that it used; as in the terminal.
function sufferedOf(run: RunDocument): string[] {
  return (run.conditions?.gpus ?? []).flatMap((gpu, i) => {
    if (!gpu.used) return [];
    const why = [
      gpu.throttled !== null ? `its clocks were lowered: ${gpu.throttled}` : '',
      gpu.others !== null && gpu.others > 0 ? `in use before the run began by ${counted(gpu.others, 'program')}` : '',
    ].filter((text) => text !== '').join('; ');
    return why === '' ? [] : [`GPU ${i}: ${why}`];
  });
}

// All of it, one line each.
export function NoteList({ run, diagnostics }: { run: RunDocument; diagnostics: Diagnostic[] }) {
  const lost = run.data?.lost ?? 0;
  const unended = unendedOf(run);
  const whole = run.state === 'finished' && unended === 0;
  const checks = run.checks ?? [];
  const held = run.overhead?.held;
  const over = isHeldTooLong(held);
  return (
    <ul>
      {run.problem && (
        <li class="severity-error">
          Not all is stored: {run.problem.text}.
          {run.problem.remedy && <span class="remedy">{' '}What to do: {run.problem.remedy}, then cudadvise reanalyze {run.number}</span>}
        </li>
      )}
      {run.overhead && (
        <li>
          Our own cost: {seconds(run.overhead.total_s)} ({percent(run.overhead.ratio)} of the run)
          {run.overhead.profiled_launches > 0 && `, ${counted(run.overhead.profiled_launches, 'launch')} measured with counters`}.
        </li>
      )}
      {held && <HeldNote h={held} over={over} />}
      {sufferedOf(run).map((text) => <li key={text} class="condition severity-warning">{text}.</li>)}
      {checks.map((c, i) => (
        <li key={i} class={c.state === 'done' ? undefined : 'severity-warning'}>{checked(c)}</li>
      ))}
      {byLine(run) && <li>Measured line by line: {byLine(run)}.</li>}
      {run.data && (
        <li>
          {lost === 0
            ? `Nothing dropped${whole ? '' : ' of what arrived'}: ${counted(run.data.records, 'record')}.`
            : `${count(lost)} of ${counted(run.data.records + lost, 'record')} ${lost === 1 ? 'was' : 'were'} dropped (${losses(run)}): totals below are too small.`}
        </li>
      )}
      {run.state === 'killed' && <li>The program was killed: everything up to its last flush is here.</li>}
      {(run.state === 'truncated' || unended > 0) && (
        <li class="severity-warning">The capture ends early: how much is missing is not known.</li>
      )}
      <li>
        {run.calibrated
          ? `Peak rates of this GPU were measured: ${run.ceilings_from ?? ''}.`
          : `Peak rates: from ${run.ceilings_from ?? 'device attributes'}; cudadvise calibrate, once, measures them on this GPU.`}
      </li>
      {diagnostics.map((d, i) => (
        <li key={i} class={`severity-${d.severity}`}>
          <b>{d.severity === 'info' ? 'Note' : d.severity === 'error' ? 'Error' : 'Warning'}:</b>{' '}
          {d.text ?? d.code}{d.count > 1 && ` (${count(d.count)} ×)`}
          {d.remedy && <span class="remedy">{' '}What to do: {d.remedy}</span>}
        </li>
      ))}
    </ul>
  );
}

// The reasons to doubt the numbers, in a few words each; the notes have the details.
function doubts(run: RunDocument, diagnostics: Diagnostic[]): string[] {
  const lost = run.data?.lost ?? 0;
  const warnings = diagnostics.filter((d) => d.severity !== 'info').length;
  const unchecked = (run.checks ?? []).filter((c) => c.state !== 'done').length;
  return [
    run.problem ? 'not all is stored' : '',
    lost > 0 ? `${counted(lost, 'record')} dropped` : '',
    run.state === 'killed' ? 'the program was killed' : '',
    run.state === 'truncated' || unendedOf(run) > 0 ? 'the capture ends early' : '',
    isHeldTooLong(run.overhead?.held) ? 'the program was held longer than allowed' : '',
    (run.conditions?.gpus ?? []).some((gpu) => gpu.used && gpu.throttled !== null) ? 'the GPU\u2019s clocks were lowered' : '',
    unchecked > 0 ? `${counted(unchecked, 'check')} incomplete` : '',
    warnings > 0 ? counted(warnings, 'warning') : '',
  ].filter((text) => text !== '');
}

// Folded; the first line has the doubts that matter for the findings.
export function Notes({ run, diagnostics }: { run: RunDocument; diagnostics: Diagnostic[] }) {
  const doubtful = doubts(run, diagnostics);
  const cost = run.overhead ? `, own cost ${percent(run.overhead.ratio)} of the run` : '';
  return (
    <details class={doubtful.length > 0 ? 'notes warning' : 'notes'}>
      <summary>
        <b>{doubtful.length > 0 ? 'Before you believe it' : 'About this measurement'}:</b>{' '}
        {doubtful.length > 0 ? doubtful.join(', ') : `nothing dropped${cost}`}
      </summary>
      <NoteList run={run} diagnostics={diagnostics} />
    </details>
  );
}

const endings: Record<string, string> = {
  partial: 'the program failed before its end: code after the failure was not checked',
  timeout: 'it was ended at the time limit: what came after it was not checked',
  no_gpu: 'the program used no GPU',
  failed: 'it wrote no report',
};

function checked(c: Check): string {
  const counts = [
    c.errors > 0 ? counted(c.errors, 'error') : '',
    c.warnings > 0 ? counted(c.warnings, 'warning') : '',
  ].filter((text) => text !== '').join(', ') || 'nothing';
  const unwritten = c.unreported > 0 ? ` (${count(c.unreported)} not written out)` : '';
  const ending = c.state === 'done' ? '' : `; ${endings[c.state] ?? 'how it ended is not known'}`;
  const words = c.state !== 'done' && c.text ? ` (${c.text})` : '';
  return `${c.tool}: ${counts}${unwritten} in ${nanoseconds(c.end_ns - c.start_ns)}${ending}${words}.`;
}

function byLine({ source }: RunDocument): string {
  if (!source) return '';
  const parts: string[] = [];
  if (source.kernels_counted > 0) parts.push(`${counted(source.kernels_counted, 'kernel')} counted exactly, in ${counted(source.launches, 'launch')}`);
  if (source.kernels_sampled > 0) parts.push(`${counted(source.kernels_sampled, 'kernel')} sampled, ${counted(source.samples, 'time')}`);
  if (source.samples_dropped > 0) parts.push(`${counted(source.samples_dropped, 'sample')} ${source.samples_dropped === 1 ? 'was' : 'were'} dropped`);
  return parts.join('; ');
}

function losses(run: RunDocument): string {
  return Object.entries(run.data?.lost_by ?? {})
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name} ${count(n)}`)
    .join(', ');
}

