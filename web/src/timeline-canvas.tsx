// The picture, and how it is moved: by wheel, pointer and keyboard.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { instant, nanoseconds, bytes } from './format';
import { visible } from './names';
import { coloursOf, draw, heightOf, hit, idleAt, rangeAt, shows, topsOf, type Colours, type Scene } from './timeline-draw';
import { pan, streamsOf, workOf, zoom, type Chosen, type Row, type Span, type View } from './timeline-data';
import type { Ranges, Timeline, Window, WindowItem } from './openapi';

export interface Moves {
  setView: (view: View) => void;
  select: (view: View | null) => void;
  open: (item: WindowItem) => void;
  step: (later: boolean) => void; // to another launch of the kernel that is marked
}

interface Shown {
  wall: number;
  view: View;
  rows: Row[];
  whole: Timeline;
  close: Timeline | null;
  window: Window | null;
  names: Map<number, string>;
  marked: number | null;
  selection: View | null;
  ranges: Ranges | null;
  chosen: Chosen | null;
  live: boolean;
  moves: Moves;
}

const click = 4; // px: a shorter drag is a click
const labels = 8; // px before a row's name

function wordsOf(item: WindowItem, names: Map<number, string>): string {
  const name = item.kernel_id !== null ? names.get(item.kernel_id) ?? `kernel ${item.kernel_id}` : item.call ?? (item.row === 'kernel' ? 'graph' : item.row);
  const where = item.stream === null ? '' : `, stream ${item.stream}`;
  const called = item.launch_ns === null ? '' : `, ${nanoseconds(item.start_ns - item.launch_ns)} after the call${item.thread === null ? '' : ` in thread ${item.thread}`}`;
  return `${name}: ${nanoseconds(item.duration_ns)} from ${instant(item.start_ns)}${item.bytes === null ? '' : `, ${bytes(item.bytes)}`}${where}${called}`;
}

function rangeWords(span: Span | null): string | null {
  return span && `${visible(span.name)}: ${nanoseconds(span.to - span.from)} from ${instant(span.from)}`;
}

// Draws when something changed, at most once a frame.
function useFrame(paint: () => void): () => void {
  const asked = useRef(0);
  const latest = useRef(paint);
  latest.current = paint;
  useEffect(() => () => cancelAnimationFrame(asked.current), []);
  // A pending request stays: a new one within a frame would delay it.
  return () => {
    if (asked.current !== 0) return;
    asked.current = requestAnimationFrame(() => {
      asked.current = 0;
      latest.current();
    });
  };
}

export function Canvas(shown: Shown) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useRef<Colours | null>(null);
  // The current state of the pointer, which React does not render at every step.
  const now = useRef<{ view: View; selection: View | null; hover: WindowItem | null; range: Span | null; width: number; at: number | null }>({ view: shown.view, selection: null, hover: null, range: null, width: 0, at: null });
  const [said, say] = useState('');
  const props = useRef(shown);
  props.current = shown;
  const height = heightOf(shown.rows);
  const tops = topsOf(shown.rows);

  const scene = (): Scene => ({ ...props.current, beside: (canvas.current?.offsetLeft ?? 0) > 0, view: now.current.view, selection: now.current.selection, hover: now.current.hover });
  const frame = useFrame(() => {
    const element = canvas.current;
    const c = element?.getContext('2d');
    const { width } = now.current;
    if (!element || !c || width <= 0) return;
    colours.current ??= coloursOf(box.current!);
    const dpr = Math.min(3, devicePixelRatio || 1);
    const [w, h] = [Math.round(width * dpr), Math.round(heightOf(props.current.rows) * dpr)];
    if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    draw(c, scene(), width, colours.current);
    element.dataset.painted = String(Number(element.dataset.painted ?? 0) + 1);
  });

  useLayoutEffect(() => {
    canvas.current!.style.height = `${height}px`;
    frame();
  });
  useLayoutEffect(() => {
    now.current.view = shown.view;
  }, [shown.view]);
  useLayoutEffect(() => {
    now.current.selection = shown.selection;
  }, [shown.selection]);
  useLayoutEffect(() => {
    const element = canvas.current!;
    const resized = new ResizeObserver(() => {
      now.current.width = element.clientWidth;
      frame();
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => {
      colours.current = null;
      frame();
    };
    scheme.addEventListener('change', changed);
    // Not passive, because the chart handles the wheel.
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      const { wall } = props.current;
      const size = e.deltaMode === 1 ? 30 : 1;
      if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) move(pan(now.current.view, ((e.deltaX || e.deltaY) * size) / now.current.width, wall));
      else move(zoom(now.current.view, at(e), 1.0018 ** (e.deltaY * size), wall));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', changed);
      element.removeEventListener('wheel', wheel);
    };
  }, []);

  const later = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const move = (to: View) => {
    now.current.view = to;
    frame();
    // The rest of the page is updated when the pointer rests.
    clearTimeout(later.current);
    later.current = setTimeout(() => props.current.moves.setView(now.current.view), 60);
  };
  const at = (e: MouseEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (e.clientX - left) / width));
  };
  const timeAt = (e: MouseEvent) => now.current.view.from + at(e) * (now.current.view.to - now.current.view.from);

  const drag = useRef<{ x: number; view: View; time: number; moving: boolean; id: number } | null>(null);
  const down = (e: PointerEvent) => {
    if (e.button > 1) return;
    drag.current = { x: e.clientX, view: now.current.view, time: timeAt(e), moving: e.shiftKey || e.button === 1 || e.pointerType === 'touch', id: e.pointerId };
    canvas.current!.setPointerCapture(e.pointerId);
  };
  const pointed = (e: PointerEvent) => {
    const d = drag.current;
    now.current.at = at(e);
    if (d === null) {
      const rect = canvas.current!.getBoundingClientRect();
      const [x, y] = [e.clientX - rect.left, e.clientY - rect.top];
      const found = hit(scene(), x, y, now.current.width);
      now.current.range = rangeAt(scene(), x, y, now.current.width);
      say(found !== null ? wordsOf(found, props.current.names) : rangeWords(now.current.range) ?? idleAt(scene(), x, y, now.current.width));
      if (found !== now.current.hover) {
        now.current.hover = found;
        frame();
      }
      return;
    }
    if (Math.abs(e.clientX - d.x) < click) return;
    if (d.moving) return move(pan(d.view, (d.x - e.clientX) / now.current.width, props.current.wall));
    const t = timeAt(e);
    now.current.selection = { from: Math.min(t, d.time), to: Math.max(t, d.time) };
    frame();
  };
  const up = (e: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    if (d === null) return;
    const { moves } = props.current;
    if (Math.abs(e.clientX - d.x) >= click) {
      if (!d.moving) moves.select(now.current.selection);
    } else if (now.current.hover !== null) moves.open(now.current.hover);
    else moves.select(now.current.range);
  };

  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { wall, moves, selection } = props.current;
    const { view } = now.current;
    const centre = now.current.at ?? 0.5; // the pointer, where it is over the chart
    const closer = () => zoom(view, centre, 0.7, wall);
    const farther = () => zoom(view, centre, 1 / 0.7, wall);
    const to = {
      w: closer, '+': closer, s: farther, '-': farther,
      a: () => pan(view, -0.15, wall), ArrowLeft: () => pan(view, -0.15, wall), d: () => pan(view, 0.15, wall), ArrowRight: () => pan(view, 0.15, wall),
      '0': () => ({ from: 0, to: wall }), g: () => workOf(props.current.whole, wall) ?? view, Home: () => pan(view, -1e9, wall), End: () => pan(view, 1e9, wall),
      Enter: () => selection ?? view,
    }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (e.key === 'Escape') return moves.select(null);
    if (e.key === '.' || e.key === ',') return moves.step(e.key === '.');
    if (to === undefined) return;
    e.preventDefault();
    move(to());
  };
  const press = (key: string) => () => keys(new KeyboardEvent('keydown', { key }));
  // Letters work wherever the focus is; keys that scroll the page or close a field only
  // if the chart has the focus.
  const latestKeys = useRef(keys);
  latestKeys.current = keys;
  useEffect(() => {
    const anywhere = (e: KeyboardEvent) => {
      const target = e.target as HTMLElement;
      if (/^[wasdg0+,.-]$/i.test(e.key) && !/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !box.current!.contains(target)) latestKeys.current(e);
    };
    addEventListener('keydown', anywhere);
    return () => removeEventListener('keydown', anywhere);
  }, []);
  const single = shows(scene()) ? shown.window : null;

  return (
    <>
      <div class="tools" role="group" aria-label="Move the timeline">
        <button type="button" onClick={press('a')} aria-label="Earlier">◀</button>
        <button type="button" onClick={press('d')} aria-label="Later">▶</button>
        <button type="button" onClick={press('w')} aria-label="Zoom in">+</button>
        <button type="button" onClick={press('s')} aria-label="Zoom out">−</button>
        <button type="button" onClick={press('0')}>All</button>
        <button type="button" onClick={press('g')}>GPU work</button>
        {shown.selection && <button type="button" onClick={press('Enter')}>Zoom to the selection</button>}
        <span class="dim window">{instant(Math.round(shown.view.from))} to {instant(Math.round(shown.view.to))}: {nanoseconds(shown.view.to - shown.view.from)}</span>
      </div>
      <div class="chart" ref={box} tabIndex={0} role="group" aria-label="Timeline; keys W, A, S, D zoom and move, comma and full stop go to another launch of the marked kernel. What is in view is in the table below." onKeyDown={keys}>
        <canvas ref={canvas} height={height} aria-hidden="true"
          onPointerDown={down} onPointerMove={pointed} onPointerUp={up} onPointerCancel={() => { drag.current = null; }}
          onPointerLeave={() => { say(''); now.current.at = null; if (now.current.hover) { now.current.hover = null; frame(); } }}
          onDblClick={(e) => move(zoom(now.current.view, at(e), 0.25, props.current.wall))} />
        {shown.rows.map((row, i) => row.label !== '' && <RowLabel key={row.key} text={row.label} streams={single ? streamsOf(single.items, row) : []} top={tops[i]!} />)}
      </div>
      <p class="hover">{said}&nbsp;</p>
    </>
  );
}

function RowLabel({ text, streams, top }: { text: string; streams: string[]; top: number }) {
  const label = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    label.current!.style.top = `${top}px`;
    label.current!.style.left = `${labels}px`;
  }, [top]);
  return (
    <span class="rowlabel" ref={label} aria-hidden="true">
      {text}
      {streams.length > 0 && <small title={`streams, from the top: ${streams.join(', ')}`}>streams {streams.join(', ')}</small>}
    </span>
  );
}
