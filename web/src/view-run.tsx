import { SummaryBar } from './bar';
import { bytes, count, counted, nanoseconds, none, percent, rate, seconds, when } from './format';
import { useEvents, useResource } from './hooks';
import { ChecklistSection } from './checklist';
import { FindingsSection } from './findings';
import { KernelsSection } from './kernels';
import { Failure, LinkState, Loading, Scroll, StateBadge } from './parts';
import { RooflineSection } from './roofline';
import { CompareWith } from './view-compare';
import type { Check, Copy, CopyList, Diagnostic, DiagnosticList, Findings, Held, RunDocument } from './openapi';

export function RunView({ id, finding }: { id: string; finding?: string | undefined }) {
  const base = `/runs/${encodeURIComponent(id)}`;
  const run = useResource<RunDocument>(base);
  const findings = useResource<Findings>(base + '/findings');
  const diagnostics = useResource<DiagnosticList>(base + '/diagnostics');
  const copies = useResource<CopyList>(base + '/copies');
  const live = run.value?.state === 'live';
  const link = useEvents(run.value ? base + '/events' : null, () => {
    run.reload();
    findings.reload();
    diagnostics.reload();
    copies.reload();
  });

  if (run.error && !run.value) return <Failure error={run.error} retry={run.reload} />;
  if (!run.value) return <Loading what="the run" />;
  const value = run.value;
  const revision = `${value.analysis}/${value.launches}`;
  const said = diagnostics.value?.items ?? [];
  const warned = isDoubtful(value, said);
  const notes = <Notes run={value} diagnostics={said} warned={warned} />;
  return (
    <>
      <p class="crumb"><a href="#/">All runs</a></p>
      <div class="heading">
        <h1>
          <span class="dim">Run {value.number}</span> {value.label || value.command || value.id}
        </h1>
        <StateBadge state={value.state} />
        {live ? <LinkState link={link} /> : <CompareWith run={value} />}
      </div>
      <Facts run={value} />
      {warned && notes}
      {findings.value
        ? <FindingsSection run={id} findings={findings.value} live={live} chosen={finding} />
        : findings.error && !live ? <Failure error={findings.error} retry={findings.reload} /> : <Loading what="findings" />}
      <section aria-labelledby="time">
        <h2 id="time">Where the time went</h2>
        {value.summary ? <SummaryBar summary={value.summary} wall={(value.wall_ns ?? 0) / 1e9} /> : <p>Not analysed yet.</p>}
      </section>
      {!warned && notes}
      <ChecklistSection run={id} base={base} revision={revision} live={live} />
      <KernelsSection run={id} base={base} revision={revision} />
      <RooflineSection run={id} base={base} revision={revision} />
      <CopiesSection copies={copies.value?.items ?? []} />
    </>
  );
}

// "130 of 4 kernels in 9 launch shapes"; a live run may not be analysed yet.
function launchesOf({ launches, kernels = 0, functions = kernels }: RunDocument): string {
  if (launches === undefined) return none;
  return `${count(launches)} of ${counted(functions, 'kernel')}` + (functions < kernels ? ` in ${counted(kernels, 'launch shape')}` : '');
}

function Facts({ run }: { run: RunDocument }) {
  const devices = [...new Set((run.devices ?? []).filter((name) => name !== null))];
  const end = run.signal !== null && run.signal !== undefined ? `signal ${run.signal}`
    : run.exit_code !== null && run.exit_code !== undefined ? `exit code ${run.exit_code}` : none;
  const facts: [string, string][] = [
    ['Duration', nanoseconds(run.wall_ns)],
    ['GPU', devices.join(', ') || none],
    ['Launches', launchesOf(run)],
    ['Started', when(run.started_at ?? null)],
    ['Host', run.host || none],
    ['Ended with', run.state === 'live' ? 'still running' : end],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {run.label && run.command && (
        <div class="wide">
          <dt>Command</dt>
          <dd><code>{run.command}</code></dd>
        </div>
      )}
    </dl>
  );
}

// For how long the program stood still for us, at one place and in all.
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

function isHeldTooLong(held: Held | null | undefined): boolean {
  return held != null && held.limit_s !== null && held.longest_s > held.limit_s;
}

// Is there something to know before the findings are believed?
function isDoubtful(run: RunDocument, diagnostics: Diagnostic[]): boolean {
  return run.problem !== undefined
    || (run.data?.lost ?? 0) > 0
    || unendedOf(run) > 0
    || isHeldTooLong(run.overhead?.held)
    || (run.state !== 'live' && run.state !== 'finished')
    || (run.checks ?? []).some((c) => c.state !== 'done')
    || diagnostics.some((d) => d.severity !== 'info');
}

// Before the findings where it ${warned}, else behind them.
function Notes({ run, diagnostics, warned }: { run: RunDocument; diagnostics: Diagnostic[]; warned: boolean }) {
  const lost = run.data?.lost ?? 0;
  const unended = unendedOf(run);
  const whole = run.state === 'finished' && unended === 0;
  const checks = run.checks ?? [];
  const held = run.overhead?.held;
  const over = isHeldTooLong(held);
  return (
    <section class={warned ? 'notes warning' : 'notes'} aria-labelledby="notes">
      <h2 id="notes">About this measurement</h2>
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
            ? `Ceilings of this GPU were measured: ${run.ceilings_from ?? ''}.`
            : `Ceilings: ${run.ceilings_from ?? 'device attributes'}; cudadvise calibrate, once, measures them on this GPU.`}
        </li>
        {diagnostics.map((d, i) => (
          <li key={i} class={`severity-${d.severity}`}>
            <b>{d.severity === 'info' ? 'Note' : d.severity === 'error' ? 'Error' : 'Warning'}:</b>{' '}
            {d.text ?? d.code}{d.count > 1 && ` (${count(d.count)} ×)`}
            {d.remedy && <span class="remedy">{' '}What to do: {d.remedy}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const endings: Record<string, string> = {
  partial: 'the program failed before its end: what it did not come to was not checked',
  timeout: 'it was ended at the time limit: what came after it was not checked',
  no_gpu: 'the program used no GPU',
  failed: 'it wrote no report',
};

function checked(c: Check): string {
  const counts = [
    c.errors > 0 ? counted(c.errors, 'error') : '',
    c.warnings > 0 ? counted(c.warnings, 'warning') : '',
  ].filter((text) => text !== '').join(', ') || 'nothing';
  const unwritten = c.unreported > 0 ? ` (${count(c.unreported)} of them not written out)` : '';
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

function CopiesSection({ copies }: { copies: Copy[] }) {
  if (copies.length === 0) return null;
  return (
    <section aria-labelledby="copies">
      <h2 id="copies">Copies and memsets</h2>
      <Scroll label="Copies and memsets">
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">From, to</th>
              <th scope="col">Call</th>
              <th scope="col" class="number">Size from</th>
              <th scope="col" class="number">Count</th>
              <th scope="col" class="number">Bytes</th>
              <th scope="col" class="number">GPU time</th>
              <th scope="col" class="number">Bandwidth</th>
              <th scope="col" class="number">Possible</th>
            </tr>
          </thead>
          <tbody>
            {copies.map((copy, i) => (
              <tr key={i}>
                <th scope="row">{copy.kind}</th>
                <td class="nowrap">{copy.memset ? copy.dst : `${copy.src} → ${copy.dst}`}</td>
                <td>{copy.async ? 'asynchronous' : 'synchronous'}</td>
                <td class="number">{bytes(copy.size_class_bytes)}</td>
                <td class="number">{count(copy.count)}</td>
                <td class="number">{bytes(copy.bytes)}</td>
                <td class="number">{nanoseconds(copy.gpu_ns)}</td>
                <td class="number">{rate(copy.bandwidth_bytes_per_s, 'B/s')}</td>
                <td class="number">
                  {copy.ceiling_bytes_per_s == null
                    ? <span class="dim">{copy.ceiling_missing ?? none}</span>
                    : <>{rate(copy.ceiling_bytes_per_s, 'B/s')}<small>{percent(copy.ceiling_ratio)} of it reached</small></>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="under">Possible: what large copies from pinned memory reach on this machine; inside the GPU, its DRAM.</p>
    </section>
  );
}
