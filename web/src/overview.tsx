// A run at a glance: what to change first, where the time went.
import { Activity } from './activity';
import { SummaryBar } from './bar';
import { count, counted, nanoseconds, none, when } from './format';
import { FindingsSection } from './findings';
import { useResource } from './hooks';
import { visible } from './names';
import { Notes } from './notes';
import { OperatorsSection } from './operators';
import { Failure, Loading } from './parts';
import { RangesSection } from './ranges';
import type { DiagnosticList, Findings, RunDocument } from './openapi';
import type { OfRun } from './of-run';

export function OverviewTab({ id, base, run, revision, at }: OfRun) {
  const findings = useResource<Findings>(base + '/findings', revision);
  const diagnostics = useResource<DiagnosticList>(base + '/diagnostics', revision);
  const live = run.state === 'live';
  return (
    <>
      <Facts run={run} />
      {live && <Activity base={base} run={run} revision={revision} />}
      {diagnostics.error && !diagnostics.value && <Failure error={diagnostics.error} retry={diagnostics.reload} />}
      <Notes run={run} diagnostics={diagnostics.value?.items ?? []} />
      {findings.value
        ? <FindingsSection run={id} findings={findings.value} live={live} empty={run.launches === 0} chosen={at[0]} />
        : findings.error && !live ? <Failure error={findings.error} retry={findings.reload} /> : <Loading what="findings" />}
      <section aria-labelledby="time">
        <h2 id="time">Where the time went</h2>
        {run.summary ? <SummaryBar summary={run.summary} wall={(run.wall_ns ?? 0) / 1e9} launches={run.launches ?? 0} /> : <p>Not analysed yet.</p>}
      </section>
      <RangesSection id={id} base={base} revision={revision} live={live} />
      <OperatorsSection base={base} revision={revision} />
    </>
  );
}

// "130 of 4 kernels in 9 launch shapes"; a live run may not be analysed yet.
function launchesOf({ state, launches, kernels = 0, functions = kernels }: RunDocument): string {
  if (launches === undefined) return none;
  if (launches === 0) return state === 'live' ? 'no kernel so far' : 'no kernel';
  return `${count(launches)} of ${counted(functions, 'kernel')}` + (functions < kernels ? ` in ${counted(kernels, 'launch shape')}` : '');
}

function Facts({ run }: { run: RunDocument }) {
  const devices = [...new Set((run.devices_used ?? []).filter((name) => name !== null))];
  const end = run.signal !== null && run.signal !== undefined ? `signal ${run.signal}`
    : run.exit_code !== null && run.exit_code !== undefined ? `exit code ${run.exit_code}` : none;
  const processes = run.processes ?? 0;
  const facts: [string, string][] = [
    ['Duration', nanoseconds(run.wall_ns)],
    ['GPU', devices.join(', ') || none],
    ['Launches', launchesOf(run)],
    ['Started', when(run.started_at ?? null)],
    ['Host', (run.host || none) + (processes > 1 ? `, ${counted(processes, 'process')}` : '')],
    ['Ended with', run.state === 'live' ? 'still running' : end],
  ];
  return (
    <dl class="facts compact">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {run.label && run.command && (
        <div class="wide">
          <dt>Command</dt>
          <dd><code>{visible(run.command)}</code></dd>
        </div>
      )}
    </dl>
  );
}
