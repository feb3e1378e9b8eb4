// The listing: lines of a source file, or instructions, each with its heat and
// its numbers. Long stretches without code are folded.
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { compact, counted, percent, plain, times } from './format';
import { lanes, lanesOf, pieces, ratioOf, share, type Heat, type Piece, type Sum } from './source-data';
import { StallBar } from './stalls';

// One row with numbers, by its place in the listing.
export interface Entry {
  label: string; // of the place: "12", "0x00a0"
  own: Sum;
  all: Sum;
  below: ComponentChildren; // findings; null
}

export interface Column {
  key: string;
  head: string;
  title: string;
  cell: (sum: Sum) => ComponentChildren;
}

function amount(sum: Sum, name: string): ComponentChildren {
  const value = sum.values.get(name) ?? 0;
  return value > 0 ? compact(value) : null;
}

function against(counted: string, ideal: string) {
  return (sum: Sum) => {
    const ratio = ratioOf(sum, counted, ideal);
    return (
      <>
        {amount(sum, counted)}
        {ratio !== null && <b class={ratio >= 1.25 ? 'times much' : 'times'}>{times(ratio)}</b>}
      </>
    );
  };
}

const columns: (Column & { needs: string })[] = [
  { key: 'inst', needs: 'inst', head: 'Inst.', title: 'Warp instructions executed', cell: (sum) => amount(sum, 'inst') },
  {
    key: 'lanes', needs: 'inst', head: 'Lanes', title: `Lanes at work in an instruction, of ${lanes}`,
    cell: (sum) => {
      const on = lanesOf(sum);
      return on === null ? null : <span class={on < 24 ? 'much' : ''}>{plain(on)}</span>;
    },
  },
  {
    key: 'global', needs: 'global_sectors', head: 'Sectors ×ideal', title: 'Global memory: 32-byte sectors, and how many times the ideal',
    cell: against('global_sectors', 'global_ideal'),
  },
  {
    key: 'shared', needs: 'shared_wavefronts', head: 'Wavefronts ×ideal', title: 'Shared memory: wavefronts, and how many times the ideal',
    cell: against('shared_wavefronts', 'shared_ideal'),
  },
  { key: 'local', needs: 'local_sectors', head: 'Local', title: 'Local memory: sectors', cell: (sum) => amount(sum, 'local_sectors') },
  {
    key: 'branch', needs: 'branch_divergent', head: 'Diverg.', title: 'Branches that split their warp, of all branches',
    cell: (sum) => {
      const [split, uniform] = [sum.values.get('branch_divergent') ?? 0, sum.values.get('branch_uniform') ?? 0];
      return split > 0 ? <span class="much">{percent(split / (split + uniform))}</span> : null;
    },
  },
];

export function columnsOf(total: Sum): Column[] {
  return columns.filter((column) => (total.values.get(column.needs) ?? 0) > 0);
}

export interface ListingProps {
  label: string;
  what: string; // a row is: "Line"
  head: string; // of the last column
  last: number; // rows are 1 to this
  entries: Map<number, Entry>;
  wanted: number[] | null; // places that are not folded; null: all of ${entries}
  bare: boolean; // nothing but the entries is known of the text: no folds
  content: (place: number) => ComponentChildren; // should be stable, as select
  total: Sum;
  heat: Heat;
  inclusive: boolean;
  selected: number | null;
  turn: number; // grows when the selected row is to be brought into view
  select: (place: number) => void;
  detail: ComponentChildren; // under the selected row; null: shown elsewhere
}

// The places to show if ${entries} has too many: the hottest.
export function worthShowing(entries: Map<number, Entry>, heat: Heat): number[] | null {
  if (entries.size <= 1000) return null;
  const part = (place: number) => heat.of(entries.get(place)!.all) ?? 0;
  return [...entries.keys()].sort((a, b) => part(b) - part(a)).slice(0, 120);
}

const step = 200; // lines that one press of a fold's button shows

export function Listing(props: ListingProps) {
  const { entries, last, selected, turn, inclusive, heat, total } = props;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const { wanted, bare } = props;
  const shown = useMemo<Piece[]>(() => (bare
    ? [...entries.keys()].sort((a, b) => a - b).map((at) => ({ kind: 'lines', from: at, to: at }))
    : pieces(last, [...(wanted ?? entries.keys()), ...opened, ...(selected === null ? [] : [selected])])),
  [last, entries, wanted, bare, opened, selected]);
  const cols = useMemo(() => columnsOf(total), [total]);
  const whole = heat.of(total);
  const most = useMemo(() => {
    let n = 0;
    for (const entry of entries.values()) n = Math.max(n, (inclusive ? entry.all : entry.own).samples?.all ?? 0);
    return n;
  }, [entries, inclusive]);
  const places = useMemo(() => [...new Set([...(wanted ?? entries.keys()), ...(selected !== null && entries.has(selected) ? [selected] : [])])]
    .sort((a, b) => a - b), [entries, wanted, selected]);
  const sampled = total.samples !== null && total.samples.all > 0;
  const wide = cols.length + (sampled ? 1 : 0) + 3;
  // One stop of the Tab key; the arrows move between lines that have numbers.
  const stop = selected !== null && entries.has(selected) ? selected : places[0];

  // Scrolls it to the middle of the listing; the window itself scrolls only if the
  // user asked for the line.
  useEffect(() => {
    const list = box.current;
    const row = list?.querySelector<HTMLElement>(`tr[data-place="${selected}"]`);
    if (!list || !row) return;
    const at = row.getBoundingClientRect();
    const room = list.getBoundingClientRect();
    list.scrollTop += at.top - room.top - (list.clientHeight - at.height) / 2;
    if (turn > 0) row.scrollIntoView({ block: 'nearest' });
  }, [turn, last, bare]);

  const move = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (!target.matches('button.ln')) return;
    const at = places.indexOf(Number(target.dataset.place));
    const to = { ArrowDown: places[at + 1], ArrowUp: places[at - 1], Home: places[0], End: places.at(-1) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    props.select(to);
    box.current?.querySelector<HTMLElement>(`button[data-place="${to}"]`)?.focus();
  };

  const open = (from: number, to: number) => {
    const next = new Set(opened);
    for (let line = from; line <= Math.min(to, from + step - 1); line++) next.add(line);
    setOpened(next);
  };

  const row = (place: number) => {
    const entry = entries.get(place);
    const on = place === selected;
    return [
      <Row key={place} place={place} entry={entry} on={on} stop={place === stop} what={props.what} columns={cols} heat={heat}
        whole={whole} inclusive={inclusive} most={sampled ? most : null} content={props.content} select={props.select} />,
      entry?.below && <tr class="below" key={`${place}b`}><td class="text" colSpan={wide}>{entry.below}</td></tr>,
      on && entry && props.detail && <tr class="detail" key={`${place}d`}><td colSpan={wide}>{props.detail}</td></tr>,
    ];
  };

  return (
    <div class="listing" role="region" aria-label={props.label} tabIndex={0} ref={box} onKeyDown={move}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="ln"><abbr title={props.what}>#</abbr></th>
            <th scope="col" class="heat" title={heat.meaning}>{heat.label}</th>
            {sampled && <th scope="col" class="extra" title="Why warps waited, as wide as the line's samples">Stalls</th>}
            {cols.map((column) => <th key={column.key} scope="col" class="number extra" title={column.title}>{column.head}</th>)}
            <th scope="col">{props.head}</th>
          </tr>
        </thead>
        <tbody>
          {shown.flatMap((piece) => {
            if (piece.kind === 'gap') {
              const n = piece.to - piece.from + 1;
              return [
                <tr key={`g${piece.from}`} class="gap">
                  <td colSpan={wide}>
                    <button type="button" onClick={() => open(piece.from, piece.to)}>
                      {n <= step ? `Show ${counted(n, 'more line')}` : `Show ${step} of ${counted(n, 'more line')}`}
                    </button>
                  </td>
                </tr>,
              ];
            }
            const rows = [];
            for (let place = piece.from; place <= piece.to; place++) rows.push(...row(place));
            return rows;
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  place: number;
  entry: Entry | undefined;
  on: boolean;
  stop: boolean;
  what: string;
  columns: Column[];
  heat: Heat;
  whole: number | null;
  inclusive: boolean;
  most: number | null; // samples of the row that has most; null: not sampled
  content: (place: number) => ComponentChildren;
  select: (place: number) => void;
}

// Selecting a row must not render the thousands of others again.
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ place, entry, on, stop, what, columns, heat, whole, inclusive, most, content, select }: RowProps) {
    if (entry === undefined)
      return (
        <tr data-place={place} class={on ? 'quiet on' : 'quiet'}>
          <th scope="row" class="ln">{place}</th>
          <td class="heat" />
          {most !== null && <td class="extra" />}
          {columns.map((column) => <td key={column.key} class="extra" />)}
          <td class="text">{content(place)}</td>
        </tr>
      );
    const sum = inclusive ? entry.all : entry.own;
    return (
      <tr data-place={place} class={on ? 'on' : ''} onClick={() => select(place)}>
        <th scope="row" class="ln">
          <button type="button" class="ln" data-place={place} tabIndex={stop ? 0 : -1}
            aria-pressed={on} aria-label={`${what} ${entry.label}`}>{entry.label}</button>
        </th>
        <HeatCell own={share(heat.of(entry.own), whole)} all={inclusive ? share(heat.of(entry.all), whole) : null} />
        {most !== null && (
          <td class="stallcell extra">
            {sum.samples !== null && most > 0 && <StallBar samples={sum.samples} width={sum.samples.all / most} />}
          </td>
        )}
        {columns.map((column) => <td key={column.key} class="number extra">{column.cell(sum)}</td>)}
        <td class="text">{content(place)}</td>
      </tr>
    );
  }
}

// A share as text on a bar of that length: the line's own part is darker than the part
// that is inlined at it.
function HeatCell({ own, all }: { own: number | null; all: number | null }) {
  const sum = all ?? own;
  if (sum === null || sum <= 0) return <td class="heat" />;
  const mine = Math.max(0, Math.min(own ?? 0, 1)) * 100;
  const rest = Math.max(0, Math.min(sum, 1) * 100 - mine);
  const title = rest > 0.05 ? `${percent(own ?? 0)} its own, ${percent(rest / 100)} of code inlined here` : undefined;
  return (
    <td class="heat" title={title}>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="heat-own" x={0} y={0} width={mine} height={10} />
        <rect class="heat-rest" x={mine} y={0} width={rest} height={10} />
      </svg>
      <span>{percent(sum)}</span>
    </td>
  );
}
