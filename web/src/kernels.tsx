import { useEffect, useState } from 'preact/hooks';
import { get } from './api';
import { count, nanoseconds, percent, shape } from './format';
import { useResource } from './hooks';
import { Failure, Loading, Scroll } from './parts';
import { sourceLink } from './source-link';
import type { Headline, Kernel, KernelList } from './openapi';

type Sort = '-gpu_time_ns' | '-launches' | 'name';

export const headlines: [keyof Kernel['headline'], string][] = [
  ['occupancy', 'Occupancy'],
  ['coalescing', 'Coalescing'],
  ['bank_conflicts', 'Bank conflicts'],
  ['divergence', 'Idle lanes'],
];

export function KernelsSection({ run, base, revision }: { run: string; base: string; revision: string }) {
  const [sort, setSort] = useState<Sort>('-gpu_time_ns');
  const [more, setMore] = useState<{ items: Kernel[]; next: string | null } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const path = `${base}/kernels?limit=25&sort=${sort}`;
  const first = useResource<KernelList>(path, revision);

  useEffect(() => setMore(null), [revision, sort]);

  if (first.error && !first.value) return <Failure error={first.error} retry={first.reload} />;
  if (!first.value) return <Loading what="kernels" />;
  const kernels = [...first.value.items, ...(more?.items ?? [])];
  const next = more ? more.next : first.value.next_cursor;
  const load = async () => {
    try {
      const page = await get<KernelList>(`${path}&cursor=${encodeURIComponent(next!)}`);
      setMore({ items: [...(more?.items ?? []), ...page.items], next: page.next_cursor });
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };

  return (
    <section aria-labelledby="kernels">
      <h2 id="kernels">Kernels</h2>
      {kernels.length === 0 ? <p class="notice">No kernel was launched.</p> : (
        <>
          <Table run={run} kernels={kernels} sort={sort} setSort={setSort} />
          <Meanings kernel={kernels[0]!} />
        </>
      )}
      {error && <Failure error={error} />}
      {next !== null && <button type="button" class="more" onClick={load}>Show more kernels</button>}
    </section>
  );
}

function SortHead({ name, value, sort, setSort, text }: {
  name: string; value: Sort; sort: Sort; setSort: (s: Sort) => void; text?: boolean;
}) {
  const on = sort === value;
  return (
    <th scope="col" class={text ? '' : 'number'} aria-sort={!on ? 'none' : value.startsWith('-') ? 'descending' : 'ascending'}>
      <button type="button" class="sort" onClick={() => setSort(value)}>
        {name}<span aria-hidden="true">{on ? (value.startsWith('-') ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

function Table({ run, kernels, sort, setSort }: { run: string; kernels: Kernel[]; sort: Sort; setSort: (s: Sort) => void }) {
  return (
    <Scroll label="Kernels">
      <table class="kernels">
        <thead>
          <tr>
            <SortHead name="Kernel" value="name" sort={sort} setSort={setSort} text />
            <SortHead name="GPU time" value="-gpu_time_ns" sort={sort} setSort={setSort} />
            <th scope="col" class="number">Share of run</th>
            <SortHead name="Launches" value="-launches" sort={sort} setSort={setSort} />
            <th scope="col" class="number">Mean ± sd</th>
            {headlines.map(([key, name]) => <th key={key} scope="col" class="number">{name}</th>)}
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {kernels.map((kernel) => <Row key={kernel.id} run={run} kernel={kernel} />)}
        </tbody>
      </table>
    </Scroll>
  );
}

function Row({ run, kernel }: { run: string; kernel: Kernel }) {
  const { time } = kernel;
  return (
    <tr data-kernel={kernel.id}>
      <th scope="row" class="program" title={kernel.name ?? ''}>
        <a class="name" href={sourceLink(run, kernel.id)}>{kernel.short_name || kernel.name || 'unnamed'}</a>
        <small>
          grid {shape(kernel.grid)}, block {shape(kernel.block)}
          {kernel.function && kernel.function.shapes > 1
            && `, 1 of ${kernel.function.shapes} shapes (all: ${nanoseconds(kernel.function.total_ns)})`}
        </small>
      </th>
      <td class="number">{nanoseconds(time.total_ns)}</td>
      <td class="number">{percent(kernel.share_ratio)}</td>
      <td class="number">{count(kernel.launches)}</td>
      <td class="number nowrap">{nanoseconds(time.mean_ns)}<small>± {nanoseconds(time.sd_ns)}</small></td>
      <Metrics headline={kernel.headline} />
      <td>{kernel.bound ?? <span class="dim">not known</span>}</td>
    </tr>
  );
}

// What has one reason is said once.
function Metrics({ headline }: { headline: Kernel['headline'] }) {
  const first = headline[headlines[0]![0]];
  const all = headlines.every(([key]) => headline[key]?.value === null && headline[key]?.reason === first?.reason);
  if (first && all)
    return <td class="unmeasured" colSpan={headlines.length}>not measured<small>{first.reason ?? 'no reason given'}</small></td>;
  return <>{headlines.map(([key]) => <Metric key={key} headline={headline[key]} />)}</>;
}

function Metric({ headline }: { headline: Headline | undefined }) {
  if (headline === undefined) return <td class="number dim">–</td>;
  if (headline.value === null) {
    const why = headline.reason ?? 'no reason given';
    return <td class="number unmeasured" title={why}>not measured<small>{why}</small></td>;
  }
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
