// The kernels of a run, filtered and sorted by the daemon, because the page has only some.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import { count, counted, nanoseconds, percent, shape } from './format';
import { useResource } from './hooks';
import { kernelLink } from './links';
import { middle, nameOf, shortName, visible } from './names';
import { Failure, Loading, ReasonList, reasonsOf, Scroll, Unmeasured } from './parts';
import type { Headline, Kernel, KernelList } from './openapi';
import type { OfRun } from './of-run';

type Sort = '-gpu_time_ns' | 'gpu_time_ns' | '-launches' | 'launches' | 'name' | '-name';
type Group = '' | 'function' | 'operator' | 'library';

const headlines: [keyof Kernel['headline'], string][] = [
  ['occupancy', 'Occupancy'],
  ['coalescing', 'Coalescing'],
  ['bank_conflicts', 'Bank conflicts'],
  ['divergence', 'Idle lanes'],
];

// The typed text after a pause, to avoid a request for each letter.
function useSettled<T>(value: T, ms: number): T {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function KernelsTab({ id: run, base, revision, run: { kernels: total } }: OfRun) {
  const [sort, setSort] = useState<Sort>('-gpu_time_ns');
  const [group, setGroup] = useState<Group>('');
  const [typed, type] = useState('');
  const match = useSettled(typed.trim(), 150);
  const [more, setMore] = useState<{ of: string; items: Kernel[]; next: string | null } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const path = `${base}/kernels?limit=50&sort=${sort}` + (match === '' ? '' : `&match=${encodeURIComponent(match)}`);
  const first = useResource<KernelList>(path, revision);
  const of = `${path} ${revision}`;
  const latest = useRef(of);
  latest.current = of;
  const old = useRef<KernelList | null>(null);
  if (first.value) old.current = first.value;
  const page = first.value ?? old.current; // shown until the next one arrives

  if (first.error && !first.value) return <Failure error={first.error} retry={first.reload} />;
  if (!page) return <Loading what="kernels" />;
  const grown = more?.of === of ? more : null;
  const kernels = [...page.items, ...(grown?.items ?? [])];
  const next = grown ? grown.next : page.next_cursor;
  const load = async () => {
    try {
      const answer = await get<KernelList>(`${path}&cursor=${encodeURIComponent(next!)}`);
      if (latest.current !== of) return; // the order was changed meanwhile
      setMore({ of, items: [...(grown?.items ?? []), ...answer.items], next: answer.next_cursor });
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };

  return (
    <section aria-labelledby="kernels">
      <h2 id="kernels">Kernels</h2>
      <div class="tools">
        <label><span>Name has</span> <input type="search" value={typed} onInput={(e) => type(e.currentTarget.value)} maxLength={200} data-search /></label>
        <label>
          <span>Group by</span>{' '}
          <select value={group} onChange={(e) => setGroup(e.currentTarget.value as Group)}>
            <option value="">nothing</option><option value="function">function</option>
            <option value="operator">operator</option><option value="library">library</option>
          </select>
        </label>
        <span class="dim" role="status">
          {next !== null ? `${count(kernels.length)} shown${match === '' && total !== undefined ? ` of ${count(total)}` : ''}` : counted(kernels.length, 'launch shape')}
        </span>
      </div>
      {kernels.length === 0 ? <p class="notice">{match === '' ? 'No kernel was launched.' : `No kernel's name has “${visible(match)}”.`}</p> : (
        <>
          <Table run={run} kernels={kernels} sort={sort} setSort={setSort} group={group} />
          <Meanings kernel={kernels[0]!} />
        </>
      )}
      {error && <Failure error={error} />}
      {next !== null && <button type="button" class="more" onClick={load}>Show more kernels</button>}
    </section>
  );
}

function SortHead({ name, down, up, sort, setSort, text }: {
  name: string; down: Sort; up: Sort; sort: Sort; setSort: (s: Sort) => void; text?: boolean;
}) {
  const on = sort === down || sort === up;
  const first = text ? up : down;
  const other = sort === first ? (text ? down : up) : first;
  return (
    <th scope="col" class={text ? '' : 'number'} aria-sort={!on ? 'none' : sort === down ? 'descending' : 'ascending'}>
      <button type="button" class="sort" onClick={() => setSort(on ? other : first)}>
        {name}<span aria-hidden="true">{on ? (sort === down ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

interface Rows {
  key: string;
  title: string | null;
  kernels: Kernel[];
}

// The key of ${k}'s group, and the group's name.
function groupOf(k: Kernel, by: Exclude<Group, ''>): { key: string; title: string } {
  if (by === 'library') return { key: k.library ?? '', title: k.library ?? 'the program\'s own' };
  if (by === 'operator') return { key: k.operator ?? '', title: visible(k.operator ?? 'no operator known') };
  return {
    key: String(k.function?.id ?? k.id),
    title: `${shortName(k)}: ${nanoseconds(k.function?.total_ns ?? k.time.total_ns)} in ${counted(k.function?.shapes ?? 1, 'launch shape')}`,
  };
}

function grouped(kernels: Kernel[], by: Group): Rows[] {
  if (by === '') return [{ key: '', title: null, kernels }];
  const groups = new Map<string, Rows>();
  for (const k of kernels) {
    const { key, title } = groupOf(k, by);
    const group = groups.get(key) ?? { key, title, kernels: [] };
    groups.set(key, group);
    group.kernels.push(k);
  }
  return [...groups.values()];
}

function Table({ run, kernels, sort, setSort, group }: {
  run: string; kernels: Kernel[]; sort: Sort; setSort: (s: Sort) => void; group: Group;
}) {
  const longest = Math.max(1, ...kernels.map((k) => k.time.max_ns ?? 0));
  const reasons = reasonsOf(kernels.flatMap((k) => headlines.map(([key]) => k.headline[key]).filter((h) => h?.value === null).map((h) => h?.reason)));
  return (
    <>
    <Scroll label="Kernels">
      <table class="kernels">
        <thead>
          <tr>
            <SortHead name="Kernel" up="name" down="-name" sort={sort} setSort={setSort} text />
            <SortHead name="GPU time" up="gpu_time_ns" down="-gpu_time_ns" sort={sort} setSort={setSort} />
            <th scope="col" class="number">Share of run</th>
            <SortHead name="Launches" up="launches" down="-launches" sort={sort} setSort={setSort} />
            <th scope="col" class="number">Mean ± sd</th>
            {headlines.map(([key, name]) => <th key={key} scope="col" class="number">{name}</th>)}
            <th scope="col">Limit</th>
          </tr>
        </thead>
        {grouped(kernels, group).map((rows) => (
          <tbody key={rows.key}>
            {rows.title !== null && <tr class="grouphead"><th scope="rowgroup" colSpan={10}>{rows.title} <small class="beside">{counted(rows.kernels.length, 'row')}</small></th></tr>}
            {rows.kernels.map((kernel) => <Row key={kernel.id} run={run} kernel={kernel} longest={longest} reasons={reasons} />)}
          </tbody>
        ))}
      </table>
    </Scroll>
    <ReasonList reasons={reasons} />
    </>
  );
}

function Row({ run, kernel, longest, reasons }: { run: string; kernel: Kernel; longest: number; reasons: string[] }) {
  const { time } = kernel;
  return (
    <tr data-kernel={kernel.id}>
      <th scope="row" class="program" title={kernel.name ?? ''}>
        <a class="name" href={kernelLink(run, kernel.id)} aria-label={nameOf(kernel).length > 96 ? shortName(kernel) : undefined}>{shortName(kernel)}</a>
        <small>
          grid {shape(kernel.grid)}, block {shape(kernel.block)}
          {kernel.function && kernel.function.shapes > 1
            && `, 1 of ${kernel.function.shapes} shapes (all: ${nanoseconds(kernel.function.total_ns)})`}
        </small>
        {kernel.operator && <small class="name">{middle(visible(kernel.operator), 80)}</small>}
      </th>
      <td class="number nowrap">{nanoseconds(time.total_ns)}</td>
      <td class="number">{percent(kernel.share_ratio)}</td>
      <td class="number">{count(kernel.launches)}</td>
      <td class="number nowrap">{nanoseconds(time.mean_ns)}<small>± {nanoseconds(time.sd_ns)}</small><Spread time={time} longest={longest} /></td>
      <Metrics headline={kernel.headline} reasons={reasons} />
      <td>{kernel.bound ?? <span class="dim">not known</span>}</td>
    </tr>
  );
}

// From the shortest to the longest, with the median and the 95th percentile marked; logarithmic scale.
function Spread({ time, longest }: { time: Kernel['time']; longest: number }) {
  const { min_ns, p50_ns, p95_ns, max_ns } = time;
  if (min_ns === null || max_ns === null) return <span class="dim">–</span>;
  const x = (ns: number | null) => (100 * Math.log10(1 + Math.max(0, ns ?? 0))) / Math.log10(1 + longest);
  const text = `${nanoseconds(min_ns)} to ${nanoseconds(max_ns)}, half under ${nanoseconds(p50_ns)}, 95 % under ${nanoseconds(p95_ns)}`;
  return (
    <svg class="spread" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <rect class="room" width={100} height={10} />
      <rect class="perhaps" x={x(min_ns)} width={Math.max(1.5, x(max_ns) - x(min_ns))} height={10} />
      <rect class="sure" x={x(min_ns)} width={Math.max(0, x(p95_ns) - x(min_ns))} height={10} />
      <rect class="expected" x={x(p50_ns)} width={1.5} height={10} />
    </svg>
  );
}

// The four headline metrics of a kernel as facts; a common reason is given once.
export function headlineFacts(kernel: Kernel): [string, string, string?][] {
  const all = headlines.map(([key, name]) => ({ name, value: kernel.headline[key]?.value ?? null, reason: kernel.headline[key]?.reason ?? 'no reason given' }));
  if (all.every((h) => h.value === null && h.reason === all[0]!.reason))
    return [[all.map((h) => h.name).join(', '), 'not measured', all[0]!.reason]];
  return all.map((h) => (h.value === null ? [h.name, 'not measured', h.reason] : [h.name, percent(h.value)]));
}

// The same as cells of a table.
function Metrics({ headline, reasons }: { headline: Kernel['headline']; reasons: string[] }) {
  const first = headline[headlines[0]![0]];
  const all = headlines.every(([key]) => headline[key]?.value === null && headline[key]?.reason === first?.reason);
  if (first && all)
    return <Unmeasured reasons={reasons} reason={first.reason} span={headlines.length} />;
  return <>{headlines.map(([key]) => <Metric key={key} headline={headline[key]} reasons={reasons} />)}</>;
}

function Metric({ headline, reasons }: { headline: Headline | undefined; reasons: string[] }) {
  if (headline === undefined) return <td class="number dim">–</td>;
  if (headline.value === null) return <Unmeasured reasons={reasons} reason={headline.reason} />;
  return <td class="number" title={`${headline.meaning} (${headline.source})`}>{percent(headline.value)}</td>;
}

function Meanings({ kernel }: { kernel: Kernel }) {
  return (
    <dl class="meanings">
      {headlines.map(([key, name]) => kernel.headline[key] && (
        <div key={key}>
          <dt>{name}</dt>
          <dd>{kernel.headline[key].meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
