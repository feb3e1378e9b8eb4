// The contents of the view or the selection, in words and numbers.
import { bytes, compact, count, nanoseconds, none, percent } from './format';
import { kernelLink } from './links';
import { middle, visible } from './names';
import { Scroll } from './parts';
import { busyOf, causesOf, idleRows, idles, rangesIn, sumOf, type Row, type View } from './timeline-data';
import type { Ranges, Timeline, Window } from './openapi';

// With the causes that bins lack, for single operations.
const words = { ...idles, outside: 'idle before the first or after the last GPU work', unknown: 'idle, cause not known' };
type Cause = keyof typeof words;
const causes = Object.keys(words) as Cause[];

export function Inspector({ id, whole, close, single, rows, view, selected, window, stale, names, live, ranges }: {
  id: string; whole: Timeline; close: Timeline | null; single: Window | null; rows: Row[]; view: View; selected: boolean; window: Window | null; stale: boolean; names: Map<number, string>; live: boolean; ranges: Ranges | null;
}) {
  const of = close && close.from_ns <= view.from && close.to_ns >= view.to && close.bin_ns < whole.bin_ns ? close : whole;
  // A bin that is longer than the view tells nothing about it.
  const fine = of.bin_ns <= (view.to - view.from) / 2;
  const exact = window !== null && window.reason === null && window.operations !== null;
  return (
    <section aria-labelledby="inview" class="inspector">
      <h2 id="inview">{selected ? 'In the selection' : 'In view'} <small class="beside">{nanoseconds(view.to - view.from)}</small></h2>
      <Scroll label="Busy in view">
        <table class="busy">
          <thead><tr><th scope="col">Row</th><th scope="col" class="number">Share of time</th><th scope="col" class="number">Operations</th></tr></thead>
          <tbody>
            {rows.flatMap((row) => {
              const { device, row: kind, label } = row;
              if (kind === 'range') return [];
              if (kind !== 'idle') {
                const sum = single ? busyOf(single.items, row, view) : fine ? sumOf(of, { device, row: kind }, view) : null;
                return [<Busy key={row.key} kind={kind} label={label} busy={sum?.busy ?? null} operations={sum?.count ?? null} />];
              }
              // Bins have the causes, single operations the times.
              const gaps = single && causesOf(whole, single.items, row, view);
              const known = whole.bin_ns <= (view.to - view.from) / 2;
              const share = (cause: Cause) => (gaps ? (gaps.get(cause) ?? 0) / (view.to - view.from)
                : known && cause in idles ? sumOf(whole, { device, row: cause as (typeof idleRows)[number] }, view)?.busy ?? 0 : 0);
              return causes.map((cause) => ({ cause, busy: share(cause) })).filter(({ busy }) => busy > 0)
                .map(({ cause, busy }) => <Busy key={row.key + cause} kind={cause in idles ? cause : 'idle_measuring'} label={label.replace('idle, by cause', words[cause])} busy={busy} operations={null} />);
            })}
          </tbody>
        </table>
      </Scroll>
      {ranges && ranges.drawn.length > 0 && <RangesInView ranges={ranges} view={view} />}
      {exact ? <div class={stale ? 'stale' : ''} aria-busy={stale}><Sums id={id} window={window} names={names} /></div>
        : <p class="notice">{live ? 'What ran is listed when the run has ended.' : window?.reason ? `Not listed by kernel: ${window.reason}.` : 'Looking …'}</p>}
    </section>
  );
}

function Busy({ kind, label, busy, operations }: { kind: string; label: string; busy: number | null; operations: number | null }) {
  return (
    <tr>
      <th scope="row"><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class={`row-${kind}`} width={10} height={10} rx={2} /></svg> {label}</th>
      <td class="number">{busy === null ? none : percent(busy)}</td>
      <td class="number">{operations === null ? none : operations < 1e5 ? count(operations) : compact(operations)}</td>
    </tr>
  );
}

const mostRanges = 8;

function RangesInView({ ranges, view }: { ranges: Ranges; view: View }) {
  const list = rangesIn(ranges, view);
  const short = ranges.count - ranges.drawn.length;
  return (
    <Scroll label="NVTX ranges in view">
      <table class="sums">
        <thead><tr><th scope="col">NVTX range</th><th scope="col" class="number">Time</th><th scope="col" class="number">Ranges</th></tr></thead>
        <tbody>
          {list.slice(0, mostRanges).map((r) => (
            <tr key={r.name}><th scope="row" class="program">{middle(visible(r.name), 80)}</th><td class="number nowrap">{nanoseconds(r.ns)}</td><td class="number">{count(r.count)}</td></tr>
          ))}
        </tbody>
      </table>
      <p class="under">
        {list.length > mostRanges && `${count(list.length - mostRanges)} more names take less. `}
        {short > 0 && `The ${count(ranges.drawn.length)} longest ranges of the run are drawn; ${count(short)} are shorter.`}
      </p>
    </Scroll>
  );
}

const rowNames: Record<string, string> = {
  kernel: 'graph', h2d: 'copy to the GPU', d2h: 'copy from the GPU', d2d: 'copy in or between GPUs', memset: 'memset', sync: 'host wait', api: 'host call',
};

function Sums({ id, window, names }: { id: string; window: Window; names: Map<number, string> }) {
  // Launch shapes of one function: their numbers tell them apart.
  const nameOf = (kernel: number) => names.get(kernel) ?? `kernel ${kernel}`;
  const alike = (kernel: number) => window.sums.some((s) => s.kernel_id !== null && s.kernel_id !== kernel && nameOf(s.kernel_id) === nameOf(kernel));
  if (window.sums.length === 0) return <p class="notice">Nothing ran there: the GPU was idle.</p>;
  return (
    <Scroll label="What ran">
      <table class="sums">
        <thead><tr><th scope="col">What</th><th scope="col" class="number">Time</th><th scope="col" class="number">Operations</th><th scope="col" class="number">Bytes</th></tr></thead>
        <tbody>
          {window.sums.map((s, i) => (
            <tr key={i}>
              <th scope="row" class="program">
                {s.kernel_id !== null ? <a class="name" href={kernelLink(id, s.kernel_id)}>{middle(nameOf(s.kernel_id), 80)}{alike(s.kernel_id) && ` #${s.kernel_id}`}</a> : s.call ?? rowNames[s.row]}
              </th>
              <td class="number nowrap">{nanoseconds(s.busy_ns)}</td>
              <td class="number">{count(s.count)}</td>
              <td class="number nowrap">{s.bytes > 0 ? bytes(s.bytes) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {window.sums_left_out > 0 && <p class="under">{count(window.sums_left_out)} more kinds of operations take less.</p>}
    </Scroll>
  );
}
