// The findings of all runs, newest run first: what programs have in common, and since when.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import { interval, none, seconds, when } from './format';
import { useResource } from './hooks';
import { findingLink, findingsLink, ruleLink } from './links';
import { middle, shortCommand, visible } from './names';
import { Badge, Failure, Loading, Scroll } from './parts';
import type { FindingItem, FindingList, RuleList } from './openapi';

const page = 50;
const pages = 20; // requested at most, if the previous ones were empty
const severities = ['info', 'low', 'medium', 'high'];
const days: [string, string][] = [['', 'any time'], ['1', 'a day'], ['7', 'a week'], ['30', '30 days']];

interface Wanted {
  rule: string;
  severity: string;
  program: string;
  since: string; // days before today
  all: boolean; // also findings that are not worth a change
}

function pathOf(wanted: Wanted): string {
  const query = new URLSearchParams({ limit: String(page) });
  if (wanted.rule !== '') query.set('rule', wanted.rule);
  if (wanted.severity !== '') query.set('severity', wanted.severity);
  if (wanted.program !== '') query.set('program', wanted.program);
  if (wanted.since !== '') query.set('since', new Date(Date.now() - Number(wanted.since) * 864e5).toISOString().slice(0, 10));
  if (!wanted.all) query.set('worth_it', 'true');
  return `/findings?${query.toString()}`;
}

interface Found {
  path: string;
  items: FindingItem[];
  next: string | null;
}

// A page may be empty and still have a next one: continue until something is found.
async function more(found: Found, signal: AbortSignal): Promise<Found> {
  let { items, next } = found;
  for (let i = 0; i < pages; i++) {
    const got = await get<FindingList>(found.path + (next === null ? '' : `&cursor=${encodeURIComponent(next)}`), signal);
    items = [...items, ...got.items];
    next = got.next_cursor;
    if (got.items.length > 0 || next === null) break;
  }
  return { path: found.path, items, next };
}

// ${rule}: of this practice, or all.
export function FindingsView({ rule }: { rule: string }) {
  const rules = useResource<RuleList>('/rules');
  const [wanted, want] = useState<Wanted>({ rule, severity: '', program: '', since: '', all: false });
  const [found, set] = useState<Found | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const asked = useRef<AbortController | null>(null);
  const path = pathOf(wanted);

  const load = (from: Found) => {
    asked.current?.abort();
    const abort = new AbortController();
    asked.current = abort;
    more(from, abort.signal).then(
      (all) => { set(all); setError(null); },
      (failure: Error) => { if (!abort.signal.aborted) setError(failure); },
    );
  };
  useEffect(() => {
    // Not for each typed letter.
    const timer = setTimeout(() => load({ path, items: [], next: null }), found === null ? 0 : 200);
    return () => clearTimeout(timer);
  }, [path]);
  useEffect(() => () => asked.current?.abort(), []);
  useEffect(() => want((old) => ({ ...old, rule })), [rule]);

  const change = (part: Partial<Wanted>) => want((old) => ({ ...old, ...part }));
  const stale = found !== null && found.path !== path;
  return (
    <>
      <p class="crumb"><a href="#/">All runs</a></p>
      <div class="heading"><h1>Findings of all runs</h1></div>
      <div class="tools">
        <label>
          <span>Practice</span>{' '}
          <select value={wanted.rule} onChange={(e) => { location.hash = findingsLink(e.currentTarget.value); }}>
            <option value="">all</option>
            {(rules.value?.items ?? (rule === '' ? [] : [{ id: rule }])).map((r) => <option key={r.id} value={r.id}>{r.id}</option>)}
          </select>
        </label>
        <label>
          <span>Severity from</span>{' '}
          <select value={wanted.severity} onChange={(e) => change({ severity: e.currentTarget.value })}>
            {severities.map((s, i) => <option key={s} value={i === 0 ? '' : s}>{s}</option>)}
          </select>
        </label>
        <label>
          <span>Within</span>{' '}
          <select value={wanted.since} onChange={(e) => change({ since: e.currentTarget.value })}>
            {days.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        </label>
        <label><span>Program has</span> <input type="search" maxLength={50} value={wanted.program} onInput={(e) => change({ program: e.currentTarget.value.trim() })} data-search /></label>
        <label><input type="checkbox" checked={wanted.all} onChange={(e) => change({ all: e.currentTarget.checked })} /> <span>Also what is below the noise</span></label>
      </div>
      {error && <Failure error={error} retry={() => load({ path, items: [], next: null })} />}
      {found === null ? error === null && <Loading what="findings" />
        : found.items.length === 0 ? <p class="notice">{found.next === null ? 'No such finding in any run.' : 'None in the runs looked at so far.'}</p>
        : <Table items={found.items} stale={stale} />}
      {found !== null && found.next !== null && !stale && <button type="button" class="more" onClick={() => load(found)}>Show older findings</button>}
    </>
  );
}

function Table({ items, stale }: { items: FindingItem[]; stale: boolean }) {
  return (
    <Scroll label="Findings">
      <table class={`stacked everywhere${stale ? ' stale' : ''}`}>
        <thead>
          <tr>
            <th scope="col">What to change</th>
            <th scope="col" class="number">Would save</th>
            <th scope="col">Severity</th>
            <th scope="col">Run</th>
            <th scope="col">Practice</th>
          </tr>
        </thead>
        <tbody>
          {items.map((f) => (
            <tr key={`${f.run.number}-${f.id}`}>
              <th scope="row" class="program">
                <a class="sentence" href={findingLink(f.run.number, f.id)}>{f.title}</a>
                <small class="name">{middle(visible(f.where ?? 'the run'), 80)}</small>
                {f.change && <small>{f.change}</small>}
              </th>
              <td class="number" data-label="Would save">
                {f.saves.s === null ? none : seconds(f.saves.s)}
                {f.saves.s !== null && <small>{interval(f.saves.s, f.saves.low_s, f.saves.high_s)}</small>}
              </td>
              <td data-label="Severity"><Badge kind={f.worth_it ? `severity-${f.severity}` : 'plain'}>{f.worth_it ? f.severity : 'below the noise'}</Badge></td>
              <td data-label="Run"><a href={`#/runs/${f.run.number}`}>{f.run.number}</a> {middle(visible(f.run.label || shortCommand(f.run.command || '')), 60)}<small>{when(f.run.started_at)}</small></td>
              <td data-label="Practice"><a href={ruleLink(f.rule)}>{f.rule}</a></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
