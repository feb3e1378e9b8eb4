// The computations of the timeline, without a browser: windows, rows, columns of pixels. Pure.
import type { Launch, Ranges, Timeline, TimelineRow, WindowItem } from './openapi';

export type IdleRow = Extract<TimelineRow, `idle_${string}`>;
export type WorkRow = Exclude<TimelineRow, IdleRow>;

// ns since the start of the run.
export interface View {
  from: number;
  to: number;
}

export const shortest = 200; // ns: below the resolution of a GPU's clock

export function clamp(view: View, wall: number): View {
  const length = Math.min(Math.max(view.to - view.from, shortest), Math.max(wall, shortest));
  const from = Math.max(0, Math.min(view.from, Math.max(wall, shortest) - length));
  return { from, to: from + length };
}

// ${at}: 0 to 1, the point that stays in place. ${factor} below 1 shows less time.
export function zoom(view: View, at: number, factor: number, wall: number): View {
  const length = (view.to - view.from) * factor;
  const fixed = view.from + at * (view.to - view.from);
  const kept = Math.min(Math.max(length, shortest), Math.max(wall, shortest));
  return clamp({ from: fixed - at * kept, to: fixed + (1 - at) * kept }, wall);
}

// ${by}: of the view's length.
export function pan(view: View, by: number, wall: number): View {
  const step = by * (view.to - view.from);
  return clamp({ from: view.from + step, to: view.to + step }, wall);
}

// "FROM-TO" of an address; null if it is none.
export function viewOf(text: string | undefined): View | null {
  const found = /^(\d{1,16})-(\d{1,16})$/.exec(text ?? '');
  if (found === null) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return to > from ? { from, to } : null;
}

// The window to request for ${view}: larger by half of it on both sides, so that a small
// step needs no request, and on a grid, so that steps request the same.
export function askFor(view: View, wall: number): View {
  const length = view.to - view.from;
  const grid = 2 ** Math.floor(Math.log2(length / 4));
  const from = Math.max(0, Math.floor((view.from - length / 2) / grid) * grid);
  const to = Math.min(Math.max(wall, shortest), Math.ceil((view.to + length / 2) / grid) * grid);
  return { from: Math.floor(from), to: Math.max(Math.ceil(to), Math.floor(from) + 1) };
}

export function covers(outer: View, inner: View): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

// --- rows -------------------------------------------------------------------------

// Selects a row of a timeline's data.
export interface Data {
  device: number | null; // null: of the host
  row: TimelineRow;
}

export interface Row {
  key: string;
  device: number | null;
  row: WorkRow | 'idle' | 'range';
  label: string;
  of?: { track: number; depth: number }; // of ranges
}

export const labels: Record<WorkRow, string> = {
  kernel: 'kernels', h2d: 'copies to the GPU', d2h: 'copies from the GPU', d2d: 'copies in and between GPUs',
  memset: 'memsets', sync: 'host waits', api: 'host calls',
};

// The causes of idle time, in the order in which they are stacked.
export const idles: Record<IdleRow, string> = {
  idle_host: 'idle waiting for the host', idle_sync: 'idle after synchronisation', idle_launch: 'idle launching',
  idle_call: 'idle in CUDA calls', idle_measuring: 'idle while measuring',
};
export const idleRows = Object.keys(idles) as IdleRow[];

function isHost(row: Row['row'] | TimelineRow): boolean {
  return row === 'sync' || row === 'api';
}

const isWork = (row: TimelineRow): row is WorkRow => !row.startsWith('idle_');

// Rows with data, device by device; the host's row comes last, below the ranges that its
// work was in.
export function rowsOf(timeline: Timeline, ranges: Ranges | null = null): Row[] {
  const rows: Row[] = [];
  const many = timeline.devices.length > 1;
  for (const d of timeline.devices) {
    const prefix = many ? `GPU ${d.device} ` : '';
    for (const { row, count } of d.rows)
      if (isWork(row) && !isHost(row) && count.some((n) => n > 0))
        rows.push({ key: `${d.device} ${row}`, device: d.device, row, label: prefix + labels[row] });
    if (d.rows.some(({ row }) => !isWork(row)))
      rows.push({ key: `${d.device} idle`, device: d.device, row: 'idle', label: `${prefix}idle, by cause` });
  }
  if (ranges) rows.push(...rangeRows(ranges));
  for (const row of ['sync', 'api'] as const)
    if (timeline.devices.some((d) => d.rows.some((r) => r.row === row && r.count.some((n) => n > 0))))
      rows.push({ key: `host ${row}`, device: null, row, label: labels[row] });
  return rows;
}

// --- NVTX ranges --------------------------------------------------------------------

export interface Span extends View {
  name: string;
}

const mostRangeRows = 10;
const mostDepth = 5;

const spansKnown = new WeakMap<Ranges, Map<string, Span[]>>();

// By track and depth, each in the order of time; the same for every frame.
function allSpans(ranges: Ranges): Map<string, Span[]> {
  let spans = spansKnown.get(ranges);
  if (spans !== undefined) return spans;
  spans = new Map();
  for (const [name, track, depth, start, duration] of ranges.drawn) {
    const key = `${track} ${depth}`;
    const list = spans.get(key) ?? [];
    spans.set(key, list);
    list.push({ name: ranges.names[name!] ?? '', from: start!, to: start! + duration! });
  }
  spansKnown.set(ranges, spans);
  return spans;
}

export function spansOf(ranges: Ranges | null, row: Row): Span[] {
  return (ranges && row.of && allSpans(ranges).get(`${row.of.track} ${row.of.depth}`)) || [];
}

// The threads with the most time in ranges first, and of each the outermost.
function rangeRows(ranges: Ranges): Row[] {
  const spans = allSpans(ranges);
  const length = (track: number) => (spans.get(`${track} 0`) ?? []).reduce((sum, s) => sum + s.to - s.from, 0);
  const tracks = ranges.tracks.map((t, track) => ({ ...t, track, ns: length(track) })).sort((a, b) => b.ns - a.ns);
  const rows: Row[] = [];
  for (const { track, thread } of tracks)
    for (let depth = 0; depth < mostDepth && rows.length < mostRangeRows; depth++)
      if (spans.has(`${track} ${depth}`))
        rows.push({
          key: `range ${track} ${depth}`, device: null, row: 'range', of: { track, depth },
          label: depth > 0 ? '' : thread === null ? 'NVTX ranges' : `NVTX ranges, thread ${thread}`,
        });
  return rows;
}

// The drawn ranges within ${view}, by name, longest first.
export function rangesIn(ranges: Ranges, view: View): { name: string; ns: number; count: number }[] {
  const sums = new Map<string, { name: string; ns: number; count: number }>();
  for (const list of allSpans(ranges).values())
    for (const s of list) {
      const ns = Math.min(s.to, view.to) - Math.max(s.from, view.from);
      if (ns < 0 || s.from >= view.to) continue;
      const sum = sums.get(s.name) ?? { name: s.name, ns: 0, count: 0 };
      sums.set(s.name, { name: s.name, ns: sum.ns + ns, count: sum.count + 1 });
    }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}

// --- launches -------------------------------------------------------------------------

// The selected launch or copy. device null: not known.
export interface Chosen {
  row: WorkRow;
  kernel: number | null;
  device: number | null;
  start: number;
  duration: number;
  launch: number | null; // when the host called
}

export function chosenOf(item: WindowItem): Chosen | null {
  return !isWork(item.row) || isHost(item.row) ? null
    : { row: item.row, kernel: item.kernel_id, device: item.device, start: item.start_ns, duration: item.duration_ns, launch: item.launch_ns };
}

export function chosenLaunch(kernel: number, launch: Launch): Chosen {
  return { row: 'kernel', kernel, device: null, start: launch.start_ns, duration: launch.duration_ns, launch: launch.launch_delay_ns === null ? null : launch.start_ns - launch.launch_delay_ns };
}

// The next launch of a kernel after ${t}, or the last before: ${list} has those that
// began in [from, to), not always in the order of time, and not always all.
export async function beside(list: (from: number, to: number) => Promise<{ items: Launch[]; all: boolean }>, t: number, later: boolean, step: number, wall: number): Promise<Launch | null> {
  const best = (items: Launch[]) => items.reduce<Launch | null>((b, l) => (b === null || (later ? l.start_ns < b.start_ns : l.start_ns > b.start_ns) ? l : b), null);
  for (let length = Math.max(1000, Math.ceil(step)); ; length *= 8) {
    let from = later ? t + 1 : Math.max(0, t - length);
    let to = later ? Math.min(wall + 1, t + 1 + length) : t;
    const over = later ? to > wall : from === 0;
    let found: Launch | null = null;
    while (from < to) {
      const { items, all } = await list(from, to);
      found = best(found === null ? items : [found, ...items]);
      if (all || items.length === 0 || found === null) break;
      // There are more: a better one lies on this side of the best so far.
      if (later) to = found.start_ns;
      else from = found.start_ns + 1;
    }
    if (found !== null || over) return found;
  }
}

// ${view} moved to show ${chosen}, close enough for it to be visible.
export function viewAround(view: View, { start, duration }: Chosen, wall: number): View {
  const length = Math.min(view.to - view.from, Math.max(duration, 100) * 400);
  if (length === view.to - view.from && start >= view.from && start + duration <= view.to) return view;
  const middle = start + duration / 2;
  return clamp({ from: middle - length / 2, to: middle + length / 2 }, wall);
}

// The data of ${row} in one answer. The host's row is in the first device.
export function binsOf(timeline: Timeline, row: Data): { busy: (number | null)[]; count: number[] } | null {
  for (const d of timeline.devices) {
    if (row.device !== null && d.device !== row.device) continue;
    const found = d.rows.find((r) => r.row === row.row && (row.device !== null || r.count.some((n) => n > 0)));
    if (found) return { busy: found.busy_ratio, count: found.count };
    if (row.device !== null) return null;
  }
  return null;
}

// The approximate number of operations in ${view}.
export function manyIn(timeline: Timeline, rows: Row[], view: View): number {
  return rows.reduce((n, { device, row }) => n + (row === 'idle' || row === 'range' ? 0 : sumOf(timeline, { device, row }, view)?.count ?? 0), 0);
}

// --- columns -----------------------------------------------------------------------

// Writes how busy each column of ${view} is, 0 to 1, to ${out}; a column in which an
// operation began is at least visible. Only columns that ${timeline} covers are written.
export function columns(timeline: Timeline, row: Data, view: View, out: Float32Array): void {
  const bins = binsOf(timeline, row);
  if (bins === null) return;
  const scale = out.length / (view.to - view.from);
  const first = Math.max(0, Math.floor((view.from - timeline.from_ns) / timeline.bin_ns));
  const end = Math.min(bins.busy.length, Math.ceil((view.to - timeline.from_ns) / timeline.bin_ns));
  let cleared = -1;
  for (let i = first; i < end; i++) {
    const at = timeline.from_ns + i * timeline.bin_ns;
    const a = Math.max(0, Math.floor((at - view.from) * scale));
    const b = Math.min(out.length, Math.max(a + 1, Math.ceil((Math.min(at + timeline.bin_ns, timeline.to_ns) - view.from) * scale)));
    const busy = bins.busy[i] ?? 0;
    const height = Math.max(busy > 0 ? Math.min(1, busy) : 0, bins.count[i]! > 0 ? 0.08 : 0);
    for (let x = a; x < b; x++) {
      // The first bin of a column replaces the value of a coarser answer.
      out[x] = x > cleared ? height : Math.max(out[x]!, height);
      if (x > cleared) cleared = x;
    }
  }
}

// Sums over ${view}: the share that was busy, and how many began. null: not known there.
export function sumOf(timeline: Timeline, row: Data, view: View): { busy: number; count: number } | null {
  const bins = binsOf(timeline, row);
  if (bins === null || view.to <= view.from) return null;
  let busy = 0;
  let count = 0;
  for (let i = Math.max(0, Math.floor((view.from - timeline.from_ns) / timeline.bin_ns)); i < bins.busy.length; i++) {
    const at = timeline.from_ns + i * timeline.bin_ns;
    if (at >= view.to) break;
    const part = Math.min(at + timeline.bin_ns, view.to) - Math.max(at, view.from);
    if (part <= 0) continue;
    busy += (bins.busy[i] ?? 0) * part;
    count += (bins.count[i]! * part) / timeline.bin_ns;
  }
  return { busy: busy / (view.to - view.from), count };
}

// The parts of ${view} in which none of ${items} ran, and the number of those that did.
function gapsOf(items: WindowItem[], view: View): { gaps: View[]; count: number } {
  const spans = items.filter((item) => item.start_ns < view.to && item.start_ns + item.duration_ns >= view.from)
    .map((item): [number, number] => [Math.max(item.start_ns, view.from), Math.min(item.start_ns + item.duration_ns, view.to)])
    .sort((a, b) => a[0] - b[0]);
  const gaps: View[] = [];
  let until = view.from;
  for (const [from, to] of spans) {
    if (from > until) gaps.push({ from: until, to: from });
    until = Math.max(until, to);
  }
  if (view.to > until) gaps.push({ from: until, to: view.to });
  return { gaps, count: spans.length };
}

// The same from single operations: operations at the same time count once.
export function busyOf(items: WindowItem[], row: Row, view: View): { busy: number; count: number } {
  const { gaps, count } = gapsOf(items.filter((item) => isIn(item, row)), view);
  return { busy: 1 - gaps.reduce((sum, g) => sum + g.to - g.from, 0) / (view.to - view.from), count };
}

// --- idle time ------------------------------------------------------------------------

// When the GPU of ${row} was idle, from its single operations.
export function idleOf(items: WindowItem[], row: Row, view: View): View[] {
  return gapsOf(items.filter((item) => item.device === row.device && !isHost(item.row)), view).gaps;
}

// The main cause of idle time in the bin at ${t}. null: before the GPU's first work, after
// its last, or not known.
export function causeAt(timeline: Timeline, device: number | null, t: number): IdleRow | null {
  const i = Math.floor((t - timeline.from_ns) / timeline.bin_ns);
  let best: IdleRow | null = null;
  let most = 0;
  for (const row of idleRows) {
    const busy = binsOf(timeline, { device, row })?.busy[i] ?? 0;
    if (busy > most) [best, most] = [row, busy];
  }
  return best;
}

// From the first to the last bin in which the GPU did something or waited for it.
export function activeOf(timeline: Timeline, device: number | null): View {
  const rows = timeline.devices.find((d) => d.device === device)?.rows.filter(({ row }) => !isHost(row)) ?? [];
  const is = (i: number) => rows.some((r) => (r.busy_ratio[i] ?? 0) > 0 || r.count[i]! > 0);
  const bins = Math.max(0, ...rows.map((r) => r.count.length));
  let [first, last] = [0, bins - 1];
  while (first < bins && !is(first)) first++;
  while (last > first && !is(last)) last--;
  return { from: timeline.from_ns + first * timeline.bin_ns, to: timeline.from_ns + (last + 1) * timeline.bin_ns };
}

// The same for all GPUs: the run without start-up and exit. null: no GPU did anything.
export function workOf(timeline: Timeline, wall: number): View | null {
  const all = timeline.devices.map((d) => activeOf(timeline, d.device));
  const [from, to] = [Math.min(...all.map((v) => v.from)), Math.max(...all.map((v) => v.to))];
  return to > from ? clamp({ from, to }, wall) : null;
}

// How long the GPU of ${row} was idle in ${view} for each cause: the single operations
// tell when, the bins the main cause.
export function causesOf(timeline: Timeline, items: WindowItem[], row: Row, view: View): Map<IdleRow | 'outside' | 'unknown', number> {
  const sums = new Map<IdleRow | 'outside' | 'unknown', number>();
  const active = activeOf(timeline, row.device);
  for (const g of idleOf(items, row, view)) {
    const middle = (g.from + g.to) / 2;
    const cause = middle < active.from || middle > active.to ? 'outside' : causeAt(timeline, row.device, middle) ?? 'unknown';
    sums.set(cause, (sums.get(cause) ?? 0) + g.to - g.from);
  }
  return sums;
}

// --- the axis ----------------------------------------------------------------------

// About ${n} round times, and the base that they are relative to.
export function ticksOf(view: View, n: number): { step: number; first: number; base: number } {
  const rough = (view.to - view.from) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const first = Math.ceil(view.from / step) * step;
  // Far from the start, three digits would not distinguish adjacent times.
  return { step, first, base: view.to / step >= 500 ? first : 0 };
}

// --- single operations ----------------------------------------------------------------

// The lane of each queue in its row: simultaneous operations are in different lanes.
export function lanesOf(items: WindowItem[]): Map<string, number> {
  const lanes = new Map<string, Set<string>>();
  for (const item of items) {
    const row = `${item.device} ${item.row}`;
    const set = lanes.get(row) ?? new Set();
    lanes.set(row, set);
    set.add(queueOf(item));
  }
  const out = new Map<string, number>();
  for (const [row, set] of lanes) {
    [...set].sort(inOrder).forEach((queue, i) => out.set(`${row} ${queue}`, i));
    out.set(row, set.size);
  }
  return out;
}

export function queueOf(item: WindowItem): string {
  return `${item.process} ${item.stream ?? ''}`;
}

const { compare: inOrder } = new Intl.Collator('en', { numeric: true });

// The streams of a row's lanes, from the top; none where it has but one lane.
export function streamsOf(items: WindowItem[], row: Row): string[] {
  const queues = new Map(items.filter((item) => item.stream !== null && isIn(item, row)).map((item) => [queueOf(item), String(item.stream)]));
  return queues.size < 2 ? [] : [...queues.keys()].sort(inOrder).map((queue) => queues.get(queue)!);
}

export function isIn(item: WindowItem, row: Row): boolean {
  return item.row === row.row && (row.device === null || item.device === row.device);
}
