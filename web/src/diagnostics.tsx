// The quality of the measurement: costs, losses, processes, practices not checked.
import { count, counted, nanoseconds, none, seconds } from './format';
import { useResource } from './hooks';
import { offline } from './api';
import { Keeping } from './keeping';
import { NoteList } from './notes';
import { Failure, Loading, Scroll } from './parts';
import type { DiagnosticList, Process, ProcessList, RunDocument } from './openapi';
import type { OfRun } from './of-run';

const shown = 100;

export function DiagnosticsTab({ base, run, revision }: OfRun) {
  const said = useResource<DiagnosticList>(`${base}/diagnostics`, revision);
  const processes = useResource<ProcessList>(`${base}/processes`, revision);
  if (said.error && !said.value) return <Failure error={said.error} retry={said.reload} />;
  if (!said.value) return <Loading what="what was measured" />;
  return (
    <>
      <section class="notes" aria-labelledby="notes">
        <h2 id="notes">About this measurement</h2>
        <NoteList run={run} diagnostics={said.value.items} />
      </section>
      {!offline && <Keeping key={`${run.label} ${run.pinned}`} base={base} run={run} />}
      <Cost run={run} />
      {processes.error && !processes.value ? <Failure error={processes.error} retry={processes.reload} />
        : processes.value ? <Processes items={processes.value.items} /> : <Loading what="processes" />}
    </>
  );
}

// The names that the terminal report uses.
const costs: Record<string, string> = {
  setup_s: 'set-up', counters_s: 'counters', source_s: 'counting by line', sampling_s: 'sampling', cupti_s: 'CUPTI',
  callback_s: 'callbacks', wait_s: 'other threads\u2019 waits', kernels_s: 'kernels longer while they were measured',
};

function Cost({ run }: { run: RunDocument }) {
  const parts = Object.entries(run.overhead?.by ?? {}).filter(([, s]) => typeof s === 'number' && s > 0) as [string, number][];
  if (parts.length === 0) return null;
  const sum = parts.reduce((n, [, s]) => n + s, 0);
  return (
    <section aria-labelledby="cost">
      <h2 id="cost">What measuring cost</h2>
      <table class="bars">
        <thead class="hidden"><tr><th scope="col">Part</th><th scope="col">Share</th><th scope="col">Seconds</th></tr></thead>
        <tbody>
          {parts.sort((a, b) => b[1] - a[1]).map(([name, s]) => (
            <tr key={name}>
              <th scope="row">{costs[name] ?? name.replace(/_s$/, '').replaceAll('_', ' ')}</th>
              <td><svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="room" width={100} height={10} /><rect class="sure" width={100 * s / sum} height={10} /></svg></td>
              <td class="number nowrap">{seconds(s)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Processes({ items }: { items: Process[] }) {
  const unended = items.filter((p) => !p.ended).length;
  return (
    <section aria-labelledby="processes">
      <h2 id="processes">Processes</h2>
      <p>{counted(items.length, 'process')} measured{unended > 0 && `, ${counted(unended, 'process')} without an end in the capture`}.</p>
      <Scroll label="Processes">
        <table class="processes">
          <thead>
            <tr>
              <th scope="col" class="number">Process</th><th scope="col">Program</th><th scope="col">Host</th>
              <th scope="col" class="number">From</th><th scope="col" class="number">To</th>
              <th scope="col" class="number">Records</th><th scope="col" class="number">Lost</th><th scope="col">End</th>
            </tr>
          </thead>
          <tbody>
            {items.slice(0, shown).map((p) => (
              <tr key={p.stream}>
                <td class="number">{p.pid}</td>
                <th scope="row" class="program"><span class="clip" title={p.command ?? ''}>{p.command ?? p.exe ?? none}</span></th>
                <td>{p.host ?? none}</td>
                <td class="number nowrap">{nanoseconds(p.start_ns)}</td>
                <td class="number nowrap">{nanoseconds(p.end_ns)}</td>
                <td class="number">{count(p.records)}</td>
                <td class="number">{count(Object.values(p.lost).reduce((n, k) => n + k, 0))}</td>
                <td>{p.bye ?? (p.ended ? 'ended' : 'not in the capture')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {items.length > shown && <p>{counted(items.length - shown, 'process')} more; the API has them all.</p>}
    </section>
  );
}
