// The run over time. The drawn data is bounded, whatever the length of the run: bins of the
// whole run, finer ones of the view, and single operations if the view has few.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, offline } from './api';
import { instant, nanoseconds } from './format';
import { useResource } from './hooks';
import { runLink, windowLink } from './links';
import { nameOf, visible } from './names';
import { Failure, Loading } from './parts';
import { Canvas, type Moves } from './timeline-canvas';
import { askFor, beside, chosenLaunch, chosenOf, clamp, covers, labels, manyIn, rowsOf, viewAround, viewOf, type Chosen, type View } from './timeline-data';
import { Inspector } from './timeline-inspector';
import type { Kernel, LaunchList, Ranges, RunDocument, Timeline, Window } from './openapi';
import type { OfRun } from './of-run';

const bins = 4096; // as many as the daemon keeps
const singles = 2000; // operations: about one a pixel
const tooMany = 4 * singles; // by the bins: the answer would not have all
const settled = 120; // ms without a move, before closer data is asked for

export function TimelineTab({ id, base, run, revision, at }: OfRun) {
  const whole = useResource<Timeline>(`${base}/timeline?px=${bins}`, revision);
  const kept = useRef<Timeline | null>(null);
  if (whole.value) kept.current = whole.value;
  const value = whole.value ?? kept.current;
  if (whole.error && !value) return <Failure error={whole.error} retry={whole.reload} />;
  if (!value) return <Loading what="the timeline" />;
  if (rowsOf(value).length === 0)
    return (
      <p class="notice">
        {run.state === 'live' ? 'Nothing ran on a GPU so far; the program is still running.'
          : 'Nothing ran on a GPU: no launch, no copy and no wait was recorded.'}
      </p>
    );
  return <Chart id={id} base={base} run={run} revision={revision} whole={value} at={at[0]} />;
}

// The kernel in the address, whose first launches are shown.
function markedOf(at: string | undefined): number | null {
  const found = /^kernel-(\d{1,9})$/.exec(at ?? '');
  return found === null ? null : Number(found[1]);
}

// The answer of ${path} for a window slightly larger than ${view}, after the view has stopped moving.
function useClose<T extends { from_ns: number; to_ns: number }>(path: (ask: View) => string | null, view: View, wall: number, revision: string): T | null {
  const [value, set] = useState<T | null>(null);
  const ask = useMemo(() => askFor(view, wall), [view.from, view.to, wall]);
  const target = path(ask);
  useEffect(() => {
    if (target === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get<T>(target, abort.signal).then(set, () => {
        // The coarser picture stays; the next move sends a new request.
      });
    }, settled);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [target, revision]);
  return value;
}

// ${window}, if it has every operation of ${view}.
function singleFor(window: Window | null, view: View): Window | null {
  return window !== null && window.reason === null && window.complete && covers({ from: window.from_ns, to: window.to_ns }, view) ? window : null;
}

// Kernel names from all answers so far: they are the same in every window.
function useNames(windows: (Window | null)[], marked: Kernel | null): Map<number, string> {
  const names = useRef(new Map<number, string>()).current;
  for (const window of windows)
    for (const { kernel_id, name } of window?.sums ?? [])
      if (kernel_id !== null && name !== null) names.set(kernel_id, visible(name));
  if (marked !== null) names.set(marked.id, nameOf(marked));
  return names;
}

function Chart({ id, base, run, revision, whole, at }: {
  id: string; base: string; run: RunDocument; revision: string; whole: Timeline; at: string | undefined;
}) {
  const wall = Math.max(run.wall_ns ?? 0, whole.to_ns, 1);
  const all = { from: 0, to: wall };
  const [view, setView] = useState<View>(() => clamp(viewOf(at) ?? all, wall));
  const [selection, select] = useState<View | null>(null);
  const [marked, mark] = useState<number | null>(() => markedOf(at));
  const [chosen, choose] = useState<Chosen | null>(null);
  // A run that an older version analysed has none.
  const ranges = useResource<Ranges>(`${base}/ranges`, revision).value;
  const rows = useMemo(() => rowsOf(whole, ranges), [whole, ranges]);
  const live = run.state === 'live';
  const unlisted = live || offline !== null; // no single launches
  const window = useClose<Window>((a) => (live || manyIn(whole, rows, a) > tooMany ? null : `${base}/window?from_ns=${a.from}&to_ns=${a.to}&limit=${singles}`), view, wall, revision);
  // Single operations suffice; otherwise bins of one or two pixels.
  const single = singleFor(window, view) !== null;
  const close = useClose<Timeline>((a) => (single || a.to - a.from > wall / 2 ? null : `${base}/timeline?from_ns=${a.from}&to_ns=${a.to}&px=${bins}`), view, wall, revision);
  const asked = selection ?? view;
  const exact = { from: Math.floor(asked.from), to: Math.max(Math.ceil(asked.to), Math.floor(asked.from) + 1) };
  const looked = useClose<Window>(() => (live ? null : `${base}/window?from_ns=${exact.from}&to_ns=${exact.to}&limit=1`), asked, wall, revision);
  const stale = looked !== null && (looked.from_ns !== exact.from || looked.to_ns !== exact.to);
  const about = useResource<Kernel>(marked === null ? null : `${base}/kernels/${marked}`);
  const names = useNames([window, looked], about.value);

  // A new address, typed or followed, moves the view.
  useEffect(() => {
    const to = viewOf(at);
    const kernel = markedOf(at);
    mark(kernel);
    choose(null);
    if (to !== null) setView(clamp(to, wall));
    if (kernel === null || unlisted) return;
    const abort = new AbortController();
    get<LaunchList>(`${base}/kernels/${kernel}/launches?limit=3`, abort.signal).then(({ items }) => {
      const [first, last] = [items[0], items.at(-1)];
      if (!first || !last) return;
      const end = last.start_ns + last.duration_ns;
      const around = Math.max(end - first.start_ns, first.duration_ns) / 2;
      setView(clamp({ from: first.start_ns - around, to: end + around }, wall));
    }, () => {});
    return () => abort.abort();
  }, [at]);

  // The address follows the view, so that a reload shows the same; but an address that
  // already leads elsewhere, about which this view was not notified yet, stays.
  useEffect(() => {
    const timer = setTimeout(() => {
      const own = runLink(id, 'timeline');
      const shown = view.from <= 0 && view.to >= wall ? own : windowLink(id, view.from, view.to);
      if (marked === null && location.hash !== shown && `${location.hash}/`.startsWith(`${own}/`)) history.replaceState(null, '', location.pathname + shown);
    }, 300);
    return () => clearTimeout(timer);
  }, [view, marked]);

  const show = (to: Chosen) => {
    choose(to);
    mark(to.kernel);
    setView((old) => viewAround(old, to, wall));
  };
  const searching = useRef<AbortController | null>(null);
  const step = (later: boolean) => {
    const kernel = marked;
    if (kernel === null || unlisted) return;
    searching.current?.abort();
    const abort = searching.current = new AbortController();
    const list = async (from: number, to: number) => {
      const answer = await get<LaunchList>(`${base}/kernels/${kernel}/launches?limit=1000&from_ns=${Math.max(0, Math.floor(from))}&to_ns=${Math.ceil(to)}`, abort.signal);
      return { items: answer.items, all: answer.next_cursor === null };
    };
    const from = chosen?.kernel === kernel ? chosen.start : later ? Math.floor(view.from) - 1 : Math.ceil(view.to);
    beside(list, from, later, (4 * wall) / Math.max(1, about.value?.launches ?? 1), wall)
      .then((found) => { if (found !== null) show(chosenLaunch(kernel, found)); }, () => {});
  };
  const moves: Moves = {
    setView: (to) => setView(clamp(to, wall)), select, step,
    open: (item) => {
      const to = chosenOf(item);
      if (to === null) return;
      choose(to);
      mark(to.kernel);
    },
  };
  return (
    <section class="timeline" aria-label="Timeline">
      <Canvas wall={wall} view={view} rows={rows} whole={whole} close={close} window={window} names={names}
        marked={marked} selection={selection} ranges={ranges} chosen={chosen} live={live} moves={moves} />
      {(marked !== null || chosen !== null) && (
        <p class="marked">
          Marked: {marked !== null ? <a href={runLink(id, 'kernels', marked)} class="name">{names.get(marked) ?? `kernel ${marked}`}</a> : labels[chosen!.row]}
          {chosen !== null && `: ${nanoseconds(chosen.duration)} from ${instant(chosen.start)}`}
          {chosen !== null && chosen.launch !== null && `, ${nanoseconds(chosen.start - chosen.launch)} after the host called for it`}{' '}
          {!unlisted && marked !== null && <><button type="button" onClick={() => step(false)}>Previous launch</button>{' '}</>}
          {!unlisted && marked !== null && <><button type="button" onClick={() => step(true)}>Next launch</button>{' '}</>}
          <button type="button" onClick={() => { mark(null); choose(null); }}>Clear</button>
        </p>
      )}
      <Inspector id={id} whole={whole} close={close} rows={rows} view={asked} single={singleFor(window, asked)} selected={selection !== null}
        window={looked} stale={stale} names={names} live={live} ranges={ranges} />
      <p class="under">
        Wheel or <kbd>W</kbd> <kbd>S</kbd> zoom, <kbd>A</kbd> <kbd>D</kbd> or the arrow keys move, dragging selects a time,
        with <kbd>Shift</kbd> it moves, <kbd>0</kbd> shows all of {nanoseconds(wall)}, <kbd>G</kbd> from the first to the last GPU work, <kbd>Esc</kbd> drops the selection.{' '}
        {live && 'The rows of the GPU end some seconds before those of the host: their records are put in order first. '}
        A click on a launch marks its kernel; <kbd>,</kbd> and <kbd>.</kbd> go to its previous and next launch.
      </p>
    </section>
  );
}
