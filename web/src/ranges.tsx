// Where the kernels' time goes by the program's own names for its phases: NVTX ranges.
import { ApiError } from './api';
import { count, counted, none, percent, seconds } from './format';
import { useResource } from './hooks';
import { runLink } from './links';
import { middle, visible } from './names';
import { Failure, Scroll } from './parts';
import type { Range, Ranges } from './openapi';

const shown = 8; // as many as are read at a glance
const least = 0.02; // of the kernels' time: less saves under 2 %

// Nothing for a program without ranges, nor for a run that an older version analysed.
export function RangesSection({ id, base, revision, live }: { id: string; base: string; revision: string; live: boolean }) {
  const ranges = useResource<Ranges>(`${base}/ranges`, revision);
  if (ranges.error && !ranges.value)
    return ranges.error instanceof ApiError && ranges.error.status === 404 ? null : <Failure error={ranges.error} retry={ranges.reload} />;
  if (!ranges.value || (ranges.value.count === 0 && (live || ranges.value.reason === null))) return null;
  if (ranges.value.reason !== null) return <p class="notice">NVTX ranges are not known: {ranges.value.reason}.</p>;
  const { items, rows, kernel_s, inside_s, left_out } = ranges.value;
  const large = items.filter((r, i) => i < shown && r.share_ratio >= least);
  const first = large.length > 0 ? large : items.slice(0, shown);
  const rest = items.slice(first.length);
  return (
    <section aria-labelledby="ranges">
      <h2 id="ranges">By NVTX range <small class="beside">{percent(kernel_s > 0 ? inside_s / kernel_s : null)} of the kernels' {seconds(kernel_s)} launched in one; <a href={runLink(id, 'timeline')}>on the timeline</a></small></h2>
      <Table items={first} />
      {rest.length > 0 && (
        <details class="fold">
          <summary>{counted(rows - first.length, 'more range')}</summary>
          <Table items={rest} />
          {rows > items.length && <p class="under">{counted(rows - items.length, 'name')} with less {rows - items.length === 1 ? 'is' : 'are'} not listed.</p>}
        </details>
      )}
      {left_out > 0 && <p class="under">{counted(left_out, 'range')} beyond what is kept: their kernels are in the outer ranges only.</p>}
    </section>
  );
}

function Table({ items }: { items: Range[] }) {
  return (
    <Scroll label="NVTX ranges">
      <table class="operators stacked">
        <thead>
          <tr>
            <th scope="col">Range</th>
            <th scope="col" class="number">Kernels launched within</th>
            <th scope="col" class="number">Share of kernels</th>
            <th scope="col" class="number">Not in an inner range</th>
            <th scope="col" class="number">On the host</th>
            <th scope="col" class="number">Ranges</th>
          </tr>
        </thead>
        <tbody>
          {items.map((r, i) => (
            <tr key={i}>
              <th scope="row" class="program"><span class="name" title={visible(r.name)}>{middle(visible(r.name), 80)}</span>{r.domain !== null && <small>{visible(r.domain)}</small>}</th>
              <td class="number nowrap" data-label="Kernels launched within">{seconds(r.kernel_s)}</td>
              <td class="number" data-label="Share of kernels">
                {percent(r.share_ratio)}
                <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="room" width={100} height={10} />
                  <rect class="sure" width={100 * Math.min(1, r.share_ratio)} height={10} />
                </svg>
              </td>
              <td class="number nowrap" data-label="Not in an inner range">{r.kernel_s > 0 ? seconds(r.own_s) : none}</td>
              <td class="number nowrap" data-label="On the host">{seconds(r.host_s)}</td>
              <td class="number" data-label="Ranges">{count(r.count)}<small>{counted(r.launches, 'launch')}</small></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
