// Draws the timeline from the data so far, fast enough for every frame.
import { instant, nanoseconds } from './format';
import { visible } from './names';
import { activeOf, causeAt, columns, idleOf, idleRows, idles, isIn, lanesOf, queueOf, spansOf, ticksOf, type Chosen, type Data, type Row, type Span, type View } from './timeline-data';
import type { Ranges, Timeline, TimelineRow, Window, WindowItem } from './openapi';

export const axis = 24;
const rowHeight = 34;
const rangeHeight = 20;
const gap = 6;
const labelled = 46; // px that a name needs
const mostLanes = 8;

export interface Colours {
  text: string;
  dim: string;
  line: string;
  card: string;
  sunk: string;
  accent: string;
  rows: Record<TimelineRow, string>;
  kernels: string[]; // of single launches: neighbours of two kernels are told apart
}

export function coloursOf(element: Element): Colours {
  const computed = (colour: string) => {
    // light-dark() is resolved only where it is used as a colour.
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const of = (name: string) => computed(`var(${name})`);
  const probe = document.createElement('span');
  element.append(probe);
  const colours: Colours = {
    text: of('--text'), dim: of('--dim'), line: of('--line'), card: of('--card'), sunk: of('--sunk'), accent: of('--accent'),
    rows: {
      kernel: of('--kernel'), h2d: of('--copy'), d2h: of('--idle-3'), d2d: of('--info'), memset: of('--idle-4'),
      sync: of('--idle-2'), api: of('--idle-1'),
      // As in the bar of the whole run.
      idle_host: of('--idle-1'), idle_sync: of('--idle-2'), idle_launch: of('--idle-3'), idle_call: of('--info'), idle_measuring: of('--idle-4'),
    },
    // Towards the text's colour, so that names on them can be read as well.
    kernels: [100, 74, 50].map((share) => computed(`color-mix(in srgb, var(--kernel) ${share}%, var(--text))`)),
  };
  probe.remove();
  return colours;
}

export interface Scene {
  wall: number;
  view: View;
  rows: Row[];
  whole: Timeline; // all of the run
  close: Timeline | null; // a part of it, with finer bins
  window: Window | null; // its single operations
  names: Map<number, string>;
  marked: number | null; // a kernel
  selection: View | null;
  hover: WindowItem | null;
  ranges: Ranges | null;
  chosen: Chosen | null; // a launch
  live: boolean; // what comes after the last GPU work is not known yet
  beside: boolean; // the names of rows stand beside the picture, not on it
}

const known = new WeakMap<Window, Map<string, number>>();

// The same for every frame of one answer.
function lanesFor(window: Window): Map<string, number> {
  const lanes = known.get(window) ?? lanesOf(window.items);
  known.set(window, lanes);
  return lanes;
}

const roomOf = (row: Row) => (row.row === 'range' ? rangeHeight : rowHeight);

// Where each row begins, and then where the last one ends.
export function topsOf(rows: Row[]): number[] {
  const tops = [axis];
  for (const row of rows) tops.push(tops.at(-1)! + roomOf(row));
  return tops;
}

export function heightOf(rows: Row[]): number {
  return topsOf(rows).at(-1)! + 4;
}

function rowAt(rows: Row[], y: number): number {
  return topsOf(rows).findIndex((top, i) => y >= top && i < rows.length && y < top + roomOf(rows[i]!));
}

type Context = CanvasRenderingContext2D;

export function draw(c: Context, scene: Scene, width: number, colours: Colours): void {
  const height = heightOf(scene.rows);
  const tops = topsOf(scene.rows);
  c.clearRect(0, 0, width, height);
  c.font = '12px system-ui, sans-serif';
  c.textBaseline = 'middle';
  drawAxis(c, scene.view, width, height, colours);
  const single = shows(scene) ? scene.window : null;
  const lanes = single ? lanesFor(single) : null;
  const heights = new Float32Array(Math.max(1, Math.round(width)));
  scene.rows.forEach((row, i) => {
    const y = tops[i]!;
    if (row.row === 'range') drawRanges(c, scene, row, y, width, colours);
    else if (row.row === 'idle') drawIdle(c, scene, single, row, y, heights, colours);
    else if (single && lanes) drawItems(c, scene, single, lanes, row, y, width, colours);
    else drawBins(c, scene, { device: row.device, row: row.row }, y, heights, colours);
  });
  drawChosen(c, scene, tops, lanes, width, colours);
  drawSelection(c, scene, width, height, colours);
}

// Where the row's own name ends, if it lies on the picture.
function labelEnd(c: Context, { beside }: Scene, { label }: Row): number {
  return beside || label === '' ? 0 : c.measureText(label).width + 14;
}

// Ranges that are too short to be seen apart are one stroke.
function drawRanges(c: Context, scene: Scene, row: Row, y: number, width: number, colours: Colours): void {
  const { ranges, view, marked } = scene;
  const scale = width / (view.to - view.from);
  const taken = labelEnd(c, scene, row);
  let until = -1;
  for (const s of spansOf(ranges, row)) {
    if (s.to < view.from || s.from > view.to) continue;
    const x = Math.max((s.from - view.from) * scale, -2);
    const w = Math.max(1, Math.min((s.to - view.from) * scale, width + 2) - x - 1);
    if (x + w <= until) continue;
    until = x + w;
    c.globalAlpha = marked === null ? 0.22 : 0.12;
    c.fillStyle = colours.accent;
    c.fillRect(x, y + 1, w, rangeHeight - 3);
    c.globalAlpha = 1;
    c.fillRect(x, y + 1, Math.min(w, 1.5), rangeHeight - 3);
    const right = Math.min(x + w, width);
    const left = Math.max(x, taken);
    if (right - left > labelled) write(c, visible(s.name), left, right, { y: y + 1, h: rangeHeight - 3 }, colours.text);
  }
}

// The selected launch or copy: a frame, and an arrow from the call on the host.
function drawChosen(c: Context, { chosen, view, rows, window }: Scene, tops: number[], lanes: Map<string, number> | null, width: number, colours: Colours): void {
  const i = rows.findIndex((r) => r.row === chosen?.row && (chosen.device === null || r.device === chosen.device));
  if (chosen === null || i < 0) return;
  const x = (t: number) => ((t - view.from) / (view.to - view.from)) * width;
  const item = lanes && window?.items.find((o) => o.row === chosen.row && o.kernel_id === chosen.kernel && o.start_ns === chosen.start);
  const box = item && lanes ? boxOf(item, lanes, tops[i]!) : { y: tops[i]! + gap / 2, h: rowHeight - gap };
  const [a, b] = [x(chosen.start), x(chosen.start + chosen.duration)];
  c.strokeStyle = colours.text;
  c.lineWidth = 2;
  c.strokeRect(a - 1, box.y - 1, Math.max(2, b - a) + 2, box.h + 2);
  if (chosen.launch === null) return;
  const host = rows.findIndex((r) => r.row === 'api' || r.row === 'sync' || r.row === 'range');
  const from = { x: x(chosen.launch), y: host < 0 ? axis - 4 : tops[host]! + 2 };
  const to = { x: a, y: from.y < box.y ? box.y - 2 : box.y + box.h + 2 };
  const bend = (to.y - from.y) / 2;
  c.beginPath();
  c.arc(from.x, from.y, 3, 0, 7);
  c.moveTo(from.x, from.y);
  c.bezierCurveTo(from.x, from.y + bend, to.x, to.y - bend, to.x, to.y);
  const tip = Math.sign(bend) * 6;
  c.moveTo(to.x - 4, to.y - tip);
  c.lineTo(to.x, to.y);
  c.lineTo(to.x + 4, to.y - tip);
  c.stroke();
}

// Whether the single operations of the whole view are loaded.
export function shows({ window, view }: Scene): boolean {
  return window !== null && window.complete && window.reason === null && window.from_ns <= view.from && window.to_ns >= Math.floor(view.to);
}

function drawAxis(c: Context, view: View, width: number, height: number, colours: Colours): void {
  const { step, first, base } = ticksOf(view, width / 130);
  const x = (t: number) => ((t - view.from) / (view.to - view.from)) * width;
  c.strokeStyle = colours.line;
  c.fillStyle = colours.dim;
  c.lineWidth = 1;
  c.beginPath();
  for (let t = first; t <= view.to; t += step) {
    const at = Math.round(x(t)) + 0.5;
    c.moveTo(at, axis - 6);
    c.lineTo(at, height);
    const text = base === 0 ? nanoseconds(t) : t === base ? instant(base) : `+${nanoseconds(t - base)}`;
    if (x(t) + 8 < width) c.fillText(text, at + 4, 10);
    if (!(step > 0)) break;
  }
  c.stroke();
}

function drawBins(c: Context, scene: Scene, row: Data, y: number, heights: Float32Array, colours: Colours): void {
  heights.fill(0);
  columns(scene.whole, row, scene.view, heights);
  if (scene.close && scene.close.bin_ns < scene.whole.bin_ns) columns(scene.close, row, scene.view, heights);
  const room = rowHeight - gap;
  const bottom = y + rowHeight - gap / 2;
  c.fillStyle = colours.rows[row.row];
  c.globalAlpha = scene.marked !== null ? 0.45 : 1;
  c.beginPath();
  for (let x = 0; x < heights.length;) {
    let end = x + 1;
    while (end < heights.length && heights[end] === heights[x]) end++;
    const h = heights[x]! * room;
    if (h > 0) c.rect(x, bottom - Math.max(1.5, h), end - x, Math.max(1.5, h));
    x = end;
  }
  c.fill();
  c.globalAlpha = 1;
}

// Draws why the GPU was idle: the causes of each column stacked; where single operations
// are drawn, each gap with its most likely cause.
function drawIdle(c: Context, scene: Scene, single: Window | null, row: Row, y: number, heights: Float32Array, colours: Colours): void {
  const { view, whole, live } = scene;
  const room = rowHeight - gap;
  const bottom = y + rowHeight - gap / 2;
  const x = (t: number) => ((t - view.from) / (view.to - view.from)) * heights.length;
  c.globalAlpha = scene.marked !== null ? 0.45 : 1;
  if (single) {
    for (const g of idleOf(single.items, row, view)) {
      c.fillStyle = colours.rows[causeAt(whole, row.device, (g.from + g.to) / 2) ?? 'idle_measuring'];
      c.fillRect(x(g.from), bottom - room, Math.max(0.5, x(g.to) - x(g.from)), room);
    }
    c.globalAlpha = 1;
    return;
  }
  const active = activeOf(whole, row.device);
  c.fillStyle = colours.rows.idle_measuring;
  for (const [from, to] of [[view.from, Math.min(active.from, view.to)], [live ? view.to : Math.max(active.to, view.from), view.to]] as const)
    if (to > from) c.fillRect(x(from), bottom - room, x(to) - x(from), room);
  const below = new Float32Array(heights.length);
  for (const cause of idleRows) {
    heights.fill(0);
    columns(whole, { device: row.device, row: cause }, view, heights);
    c.fillStyle = colours.rows[cause];
    for (let i = 0; i < heights.length; i++) {
      const h = Math.min(heights[i]!, 1 - below[i]!);
      if (!(h > 0)) continue;
      c.fillRect(i, bottom - (below[i]! + h) * room, 1, h * room);
      below[i] = below[i]! + h;
    }
  }
  c.globalAlpha = 1;
}

// The cause of idle time at a point of the picture, in words; '' in other rows.
export function idleAt(scene: Scene, x: number, y: number, width: number): string {
  const row = scene.rows[rowAt(scene.rows, y)];
  if (row?.row !== 'idle') return '';
  const t = scene.view.from + (x / width) * (scene.view.to - scene.view.from);
  const { from, to } = activeOf(scene.whole, row.device);
  if (t < from || t > to) return t < from ? 'idle before the first GPU work' : scene.live ? 'not known yet' : 'idle after the last GPU work';
  const cause = causeAt(scene.whole, row.device, t);
  return cause === null ? '' : `mostly ${idles[cause]}`;
}

function drawItems(c: Context, scene: Scene, window: Window, lanes: Map<string, number>, row: Row, y: number, width: number, colours: Colours): void {
  const scale = width / (scene.view.to - scene.view.from);
  const taken = labelEnd(c, scene, row);
  for (const item of window.items) {
    if (!isIn(item, row)) continue;
    const a = (item.start_ns - scene.view.from) * scale;
    const b = (item.start_ns + item.duration_ns - scene.view.from) * scale;
    if (b < 0 || a > width) continue;
    const box = boxOf(item, lanes, y);
    const x = Math.max(a, -2);
    const w = Math.max(1, Math.min(b, width + 2) - x - (b - a > 3 ? 1 : 0));
    const on = scene.marked === null || item.kernel_id === scene.marked;
    c.globalAlpha = item === scene.hover ? 0.75 : on ? 1 : 0.25;
    c.fillStyle = item.row === 'kernel' && item.kernel_id !== null ? colours.kernels[item.kernel_id % colours.kernels.length]! : colours.rows[item.row];
    c.fillRect(x, box.y, w, box.h);
    c.globalAlpha = 1;
    const right = Math.min(x + w, width);
    const left = Math.max(x, box.y < y + 14 ? taken : 0);
    if (right - left > labelled && box.h >= 12) drawName(c, scene, item, left, right, box, colours, on);
  }
}

function boxOf(item: WindowItem, lanes: Map<string, number>, y: number): { y: number; h: number } {
  const name = `${item.device} ${item.row}`;
  const n = Math.min(mostLanes, lanes.get(name) ?? 1);
  const lane = Math.min(lanes.get(`${name} ${queueOf(item)}`) ?? 0, n - 1);
  const h = (rowHeight - gap) / n;
  return { y: y + gap / 2 + lane * h, h: n > 1 ? h - 1 : h };
}

function drawName(c: Context, scene: Scene, item: WindowItem, from: number, to: number, box: { y: number; h: number }, colours: Colours, on: boolean): void {
  const name = item.kernel_id !== null ? scene.names.get(item.kernel_id) : item.call;
  if (name) write(c, name, from, to, box, on ? colours.card : colours.text);
}

function write(c: Context, text: string, from: number, to: number, box: { y: number; h: number }, colour: string): void {
  c.save();
  c.beginPath();
  c.rect(from, box.y, to - from - 3, box.h);
  c.clip();
  c.fillStyle = colour;
  c.fillText(text, from + 5, box.y + box.h / 2 + 0.5);
  c.restore();
}

function drawSelection(c: Context, { selection, view }: Scene, width: number, height: number, colours: Colours): void {
  if (selection === null) return;
  const x = (t: number) => ((t - view.from) / (view.to - view.from)) * width;
  const [a, b] = [Math.max(-2, x(selection.from)), Math.min(width + 2, x(selection.to))];
  if (b < 0 || a > width) return;
  c.globalAlpha = 0.15;
  c.fillStyle = colours.accent;
  c.fillRect(a, 0, Math.max(1, b - a), height);
  c.globalAlpha = 1;
  c.strokeStyle = colours.accent;
  c.lineWidth = 1.5;
  c.strokeRect(a, 0.5, Math.max(1, b - a), height - 1);
}

// The operation at a point of the picture.
export function hit(scene: Scene, x: number, y: number, width: number): WindowItem | null {
  if (!shows(scene) || scene.window === null) return null;
  const i = rowAt(scene.rows, y);
  const row = scene.rows[i];
  if (row === undefined || row.row === 'range') return null;
  const top = topsOf(scene.rows)[i]!;
  const scale = width / (scene.view.to - scene.view.from);
  const lanes = lanesFor(scene.window);
  let best: WindowItem | null = null;
  let distance = 3; // px
  for (const item of scene.window.items) {
    if (!isIn(item, row)) continue;
    const box = boxOf(item, lanes, top);
    if (y < box.y || y > box.y + box.h + 1) continue;
    const a = (item.start_ns - scene.view.from) * scale;
    const b = a + item.duration_ns * scale;
    const d = x < a ? a - x : x > b ? x - b : 0;
    if (d < distance) [best, distance] = [item, d];
  }
  return best;
}

// The range at a point of the picture.
export function rangeAt(scene: Scene, x: number, y: number, width: number): Span | null {
  const row = scene.rows[rowAt(scene.rows, y)];
  if (row?.row !== 'range') return null;
  const scale = (scene.view.to - scene.view.from) / width;
  const t = scene.view.from + x * scale;
  return spansOf(scene.ranges, row).find((s) => s.from <= t + scale && s.to >= t - scale) ?? null;
}
