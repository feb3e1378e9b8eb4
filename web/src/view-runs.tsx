import { useState } from 'preact/hooks';
import { get } from './api';
import { count, nanoseconds, none, percent, seconds, when } from './format';
import { useEvents, useResource } from './hooks';
import { findingsLink } from './links';
import { middle, titleOf, visible } from './names';
import { Failure, LinkState, Loading, Scroll, StateBadge } from './parts';
import type { Run, RunList } from './openapi';

export function RunsView() {
  const first = useResource<RunList>('/runs?limit=50');
  const [more, setMore] = useState<{ runs: Run[]; next: string | null } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [typed, type] = useState('');
  const link = useEvents('/events', () => {
    setMore(null);
    first.reload();
  });

  if (first.error && !first.value) return <Failure error={first.error} retry={first.reload} />;
  if (!first.value) return <Loading what="runs" />;
  const runs = [...first.value.items, ...(more?.runs ?? [])];
  const next = more ? more.next : first.value.next_cursor;
  const wanted = typed.trim().toLowerCase();
  const shown = wanted === '' ? runs : runs.filter((run) =>
    [run.label, run.command, run.id, String(run.number), ...(run.devices_used ?? [])].some((text) => text?.toLowerCase().includes(wanted)));

  const load = async () => {
    try {
      const page = await get<RunList>(`/runs?limit=50&cursor=${encodeURIComponent(next!)}`);
      setMore({ runs: [...(more?.runs ?? []), ...page.items], next: page.next_cursor });
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };

  return (
    <>
      <div class="heading">
        <h1>Runs</h1>
        <LinkState link={link} />
        {runs.length > 0 && <a class="aside" href={findingsLink()}>Findings of all runs</a>}
      </div>
      {runs.length > 1 && (
        <div class="tools">
          <label><span>Program, label or GPU has</span> <input type="search" value={typed} onInput={(e) => type(e.currentTarget.value)} data-search /></label>
          <span class="dim" role="status">{typed.trim() !== '' && `${count(shown.length)} of ${count(runs.length)}`}</span>
        </div>
      )}
      {runs.length === 0 ? <Empty /> : shown.length === 0 ? <p class="notice">None of the {count(runs.length)} newest runs has it.</p> : <RunTable runs={shown} />}
      {error && <Failure error={error} />}
      {next !== null && <button type="button" class="more" onClick={load}>Show older runs</button>}
    </>
  );
}

function Empty() {
  return (
    <div class="notice">
      <h2>No runs yet</h2>
      <p>Put the command before any CUDA program; it appears here while it runs:</p>
      <pre><code>cudadvise run ./app</code></pre>
      <p>A capture that was recorded elsewhere is taken in by:</p>
      <pre><code>cudadvise import FILE</code></pre>
    </div>
  );
}

function RunTable({ runs }: { runs: Run[] }) {
  return (
    <Scroll label="Runs">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col" class="number">Run</th>
            <th scope="col">Program</th>
            <th scope="col">State</th>
            <th scope="col">Started</th>
            <th scope="col" class="number">Duration</th>
            <th scope="col" class="number">GPU busy</th>
            <th scope="col" class="number">Findings</th>
            <th scope="col" class="number">Would save</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => <RunRow key={run.number} run={run} />)}
        </tbody>
      </table>
    </Scroll>
  );
}

function RunRow({ run }: { run: Run }) {
  return (
    <tr>
      <td class="number">{run.number}</td>
      <th scope="row" class="program">
        <a href={`#/runs/${run.number}`} title={run.command ?? undefined}>{middle(visible(titleOf(run)), 160)}</a>
        {run.pinned && <small>pinned: never deleted by itself</small>}
        {run.label && run.command && <small>{middle(visible(run.command), 160)}</small>}
        <small>{[...new Set((run.devices_used ?? []).filter((d) => d !== null))].join(', ')}</small>
      </th>
      <td><StateBadge state={run.state} /></td>
      <td class="nowrap">{when(run.started_at ?? null)}</td>
      <td class="number">{nanoseconds(run.wall_ns)}</td>
      <td class="number">{percent(run.summary?.gpu_busy_ratio)}</td>
      <td class="number">{count(run.changes ?? run.worth_it)}</td>
      <td class="number">{run.worth_it && (run.together_s ?? 0) > 0 ? seconds(run.together_s) : none}</td>
    </tr>
  );
}
