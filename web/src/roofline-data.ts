// The visible part of a roofline chart, in decades of both scales. Pure.

export interface Box { x0: number; x1: number; y0: number; y1: number }

const least = 0.5; // decades that stay in sight

// The interval ${from} to ${to}, limited to ${low} to ${high}.
function within(from: number, to: number, low: number, high: number): [number, number] {
  const span = Math.min(high - low, Math.max(least, to - from));
  const begin = Math.min(Math.max((from + to - span) / 2, low), high - span);
  return [begin, begin + span];
}

function boxOf([x0, x1]: [number, number], [y0, y1]: [number, number]): Box {
  return { x0, x1, y0, y1 };
}

// The part of ${view} between two points, given in shares of its width from the left and
// of its height from below; shares outside 0 to 1 show more.
export function partOf(view: Box, whole: Box, a: { x: number; y: number }, b: { x: number; y: number }): Box {
  const [w, h] = [view.x1 - view.x0, view.y1 - view.y0];
  return boxOf(
    within(view.x0 + w * Math.min(a.x, b.x), view.x0 + w * Math.max(a.x, b.x), whole.x0, whole.x1),
    within(view.y0 + h * Math.min(a.y, b.y), view.y0 + h * Math.max(a.y, b.y), whole.y0, whole.y1),
  );
}

// ${factor} times as much; the point ${at} stays in place.
export function zoomed(view: Box, whole: Box, factor: number, at = { x: 0.5, y: 0.5 }): Box {
  const lower = (share: number) => share * (1 - factor);
  return partOf(view, whole, { x: lower(at.x), y: lower(at.y) }, { x: lower(at.x) + factor, y: lower(at.y) + factor });
}

export function moved(view: Box, whole: Box, x: number, y: number): Box {
  return partOf(view, whole, { x, y }, { x: 1 + x, y: 1 + y });
}

export function same(a: Box, b: Box): boolean {
  return (['x0', 'x1', 'y0', 'y1'] as const).every((side) => Math.abs(a[side] - b[side]) < 1e-9);
}

// Decades, at most eight of them; where fewer than two are in sight, 1, 2 and 5 of each.
export function ticksOf(from: number, to: number): number[] {
  const all: number[] = [];
  const step = Math.ceil((to - from) / 7);
  for (let d = Math.floor(from); d <= to; d++)
    for (const part of to - from < 2 ? [1, 2, 5] : [1])
      if (d + Math.log10(part) >= from && d + Math.log10(part) <= to) all.push(d + Math.log10(part));
  return all.filter((_, i) => i % step === 0);
}
