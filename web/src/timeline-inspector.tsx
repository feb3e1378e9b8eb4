// What is in the view or the selection, in words and numbers.
import { bytes, compact, count, nanoseconds, none, percent } from './format';
import { kernelLink } from './links';
import { middle } from './names';
import { Scroll } from './parts';
import { busyOf, sumOf, type Row, type View } from './timeline-data';
import type { Timeline, Window } from './openapi';

export function Inspector({ id, whole, close, single, rows, view, selected, window, stale, names, live }: {
  id: string; whole: Timeline; close: Timeline | null; single: Window | null; rows: Row[]; view: View; selected: boolean; window: Window | null; stale: boolean; names: Map<number, string>; live: boolean;
}) {
  const of = close && close.from_ns <= view.from && close.to_ns >= view.to && close.bin_ns < whole.bin_ns ? close : whole;
  // A bin that is longer than what is looked at says nothing of it.
  const fine = of.bin_ns <= (view.to - view.from) / 2;
  const exact = window !== null && window.reason === null && window.operations !== null;
  return (
    <section aria-labelledby="inview" class="inspector">
      <h2 id="inview">{selected ? 'In the selection' : 'In view'} <small class="beside">{nanoseconds(view.to - view.from)}</small></h2>
      <Scroll label="Busy in view">
        <table class="busy">
          <thead><tr><th scope="col">Row</th><th scope="col" class="number">Busy</th><th scope="col" class="number">Operations</th></tr></thead>
          <tbody>
            {rows.map((row) => {
              const sum = single ? busyOf(single.items, row, view) : fine ? sumOf(of, row, view) : null;
              return (
                <tr key={row.key}>
                  <th scope="row"><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class={`row-${row.row}`} width={10} height={10} rx={2} /></svg> {row.label}</th>
                  <td class="number">{sum === null ? none : percent(sum.busy)}</td>
                  <td class="number">{sum === null ? none : sum.count < 1e5 ? count(sum.count) : compact(sum.count)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {exact ? <div class={stale ? 'stale' : ''} aria-busy={stale}><Sums id={id} window={window} names={names} /></div>
        : <p class="notice">{live ? 'What ran is listed when the run has ended.' : window?.reason ? `Not listed by kernel: ${window.reason}.` : 'Looking …'}</p>}
    </section>
  );
}

const rowNames: Record<string, string> = {
  kernel: 'graph', h2d: 'copy to the GPU', d2h: 'copy from the GPU', d2d: 'copy in or between GPUs', memset: 'memset', sync: 'host wait', api: 'host call',
};

function Sums({ id, window, names }: { id: string; window: Window; names: Map<number, string> }) {
  if (window.sums.length === 0) return <p class="notice">Nothing ran there: the GPU was idle.</p>;
  return (
    <Scroll label="What ran">
      <table class="sums">
        <thead><tr><th scope="col">What</th><th scope="col" class="number">Time</th><th scope="col" class="number">Operations</th><th scope="col" class="number">Bytes</th></tr></thead>
        <tbody>
          {window.sums.map((s, i) => (
            <tr key={i}>
              <th scope="row" class="program">
                {s.kernel_id !== null ? <a class="name" href={kernelLink(id, s.kernel_id)}>{middle(names.get(s.kernel_id) ?? `kernel ${s.kernel_id}`, 80)}</a> : s.call ?? rowNames[s.row]}
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
