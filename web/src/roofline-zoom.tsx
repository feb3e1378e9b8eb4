// A chart that can be zoomed by wheel, by drawing a box and by keys.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moved, partOf, same, zoomed, type Box } from './roofline-data';

interface Point { x: number; y: number }

export interface Plot { x: number; y: number; width: number; height: number }

interface Shown {
  whole: Box;
  plot: Plot; // the part of the picture that is zoomed
  centre: Point; // in decades: what keys and buttons keep in sight
  width: number;
  height: number;
  label: string;
  picture: (view: Box) => ComponentChildren;
  children: ComponentChildren; // the caption
}

const nearer = 0.7; // factor of the visible part, for each key
const step = 0.15; // share of the visible part, for each arrow key
const drawn = 8; // px: a smaller box is a click

export function Zoom({ whole, plot, centre, width, height, label, picture, children }: Shown) {
  const svg = useRef<SVGSVGElement>(null);
  const [chosen, choose] = useState<Box | null>(null);
  const [drag, setDrag] = useState<{ from: Point; to: Point } | null>(null);
  const view = chosen ?? whole;
  const show = (to: Box) => choose(same(to, whole) ? null : to);
  const now = useRef({ view, whole });
  now.current = { view, whole };

  const pointOf = (e: MouseEvent): Point => {
    const r = svg.current!.getBoundingClientRect();
    return { x: ((e.clientX - r.left) / r.width) * width, y: ((e.clientY - r.top) / r.height) * height };
  };
  const shareOf = (p: Point): Point => ({ x: (p.x - plot.x) / plot.width, y: 1 - (p.y - plot.y) / plot.height });

  useEffect(() => {
    const element = svg.current!;
    const wheel = (e: WheelEvent) => {
      const to = zoomed(now.current.view, now.current.whole, 1.0018 ** (e.deltaY * (e.deltaMode === 1 ? 30 : 1)), shareOf(pointOf(e)));
      if (same(to, now.current.view)) return; // then the wheel scrolls the page
      e.preventDefault();
      show(to);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const share = (v: number, from: number, to: number) => Math.min(1, Math.max(0, (v - from) / (to - from)));
  const by = (factor: number) => zoomed(view, whole, factor, { x: share(centre.x, view.x0, view.x1), y: share(centre.y, view.y0, view.y1) });
  const press = (e: KeyboardEvent) => {
    const to = {
      '+': by(nearer), '=': by(nearer), '-': by(1 / nearer), '0': whole, Escape: whole,
      ArrowLeft: moved(view, whole, -step, 0), ArrowRight: moved(view, whole, step, 0),
      ArrowUp: moved(view, whole, 0, step), ArrowDown: moved(view, whole, 0, -step),
    }[e.key];
    if (!to || e.ctrlKey || e.metaKey || e.altKey || same(to, view)) return;
    e.preventDefault();
    show(to);
  };
  const down = (e: PointerEvent) => {
    if (e.button !== 0 || e.pointerType === 'touch') return;
    setDrag({ from: pointOf(e), to: pointOf(e) });
  };
  const move = (e: PointerEvent) => {
    if (drag) setDrag({ from: drag.from, to: pointOf(e) });
  };
  const up = () => {
    if (drag && Math.abs(drag.to.x - drag.from.x) > drawn && Math.abs(drag.to.y - drag.from.y) > drawn)
      show(partOf(view, whole, shareOf(drag.from), shareOf(drag.to)));
    setDrag(null);
  };

  return (
    <figure class="roofline" tabIndex={0} aria-label="Roofline" onKeyDown={press}>
      <svg ref={svg} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerLeave={() => setDrag(null)}>
        <clipPath id="plot"><rect x={plot.x} y={chosen ? plot.y : 0} width={chosen ? plot.width : width} height={chosen ? plot.height : height} /></clipPath>
        {picture(view)}
        {drag && (
          <rect class="drawn" x={Math.min(drag.from.x, drag.to.x)} y={Math.min(drag.from.y, drag.to.y)}
            width={Math.abs(drag.to.x - drag.from.x)} height={Math.abs(drag.to.y - drag.from.y)} />
        )}
      </svg>
      <p class="zoom">
        <button type="button" onClick={() => show(by(nearer))}>Zoom in</button>{' '}
        <button type="button" disabled={!chosen} onClick={() => show(by(1 / nearer))}>Zoom out</button>{' '}
        <button type="button" disabled={!chosen} onClick={() => choose(null)}>Reset</button>{' '}
        <small>wheel, a drawn box, or + − 0 and arrows</small>
      </p>
      <figcaption>{children}</figcaption>
    </figure>
  );
}
