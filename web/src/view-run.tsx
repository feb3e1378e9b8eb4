// One run: its heading and its views, each with an address of its own.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ChecklistSection } from './checklist';
import { offline } from './api';
import { CopiesTab } from './copies';
import { DiagnosticsTab } from './diagnostics';
import { useEvents, useResource } from './hooks';
import { KernelsTab } from './kernels';
import { runLink } from './links';
import { middle, titleOf, visible } from './names';
import { OverviewTab } from './overview';
import { Failure, LinkState, Loading, StateBadge } from './parts';
import { RooflineTab } from './roofline';
import { SourceTab } from './source-tab';
import { TimelineTab } from './timeline';
import { CompareTab } from './view-compare';
import { KernelTab } from './view-kernel';
import type { OfRun } from './of-run';
import type { RunDocument } from './openapi';

interface View {
  name: string;
  title: string;
  view: (of: OfRun) => JSX.Element | null;
}

const all: View[] = [
  { name: '', title: 'Overview', view: (of) => <OverviewTab {...of} /> },
  { name: 'timeline', title: 'Timeline', view: (of) => <TimelineTab {...of} /> },
  { name: 'kernels', title: 'Kernels', view: (of) => (of.at[0] === undefined ? <KernelsTab {...of} /> : <KernelTab {...of} key={of.at[0]} kernel={of.at[0]} />) },
  { name: 'roofline', title: 'Roofline', view: (of) => <RooflineTab {...of} /> },
  { name: 'copies', title: 'Copies', view: (of) => <CopiesTab {...of} /> },
  { name: 'source', title: 'Source', view: (of) => <SourceTab {...of} /> },
  { name: 'checklist', title: 'Checklist', view: (of) => <ChecklistSection {...of} /> },
  { name: 'compare', title: 'Compare', view: (of) => <CompareTab {...of} /> },
  { name: 'diagnostics', title: 'Measurement', view: (of) => <DiagnosticsTab {...of} /> },
];

// A file with a single run has no other run to compare with.
const views = all.filter((v) => !(offline && v.name === 'compare'));

// A finding's address leads to the overview, with it open.
export function viewOf(name: string): View | undefined {
  return views.find((v) => v.name === (name === 'findings' ? '' : name));
}

// The views of a run, with their addresses.
export function viewsOf(run: string): { to: string; title: string }[] {
  return views.map((v) => ({ to: v.name === '' ? runLink(run) : runLink(run, v.name), title: v.title }));
}

function Tabs({ run, shown }: { run: string; shown: View }) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const nav = list.current;
    const on = nav?.querySelector<HTMLElement>('[aria-current]');
    // On a narrow screen the row of views scrolls separately.
    if (nav && on) nav.scrollLeft = on.offsetLeft - (nav.clientWidth - on.offsetWidth) / 2;
  }, [shown]);
  return (
    <nav class="tabs" aria-label="Views of the run" ref={list}>
      {views.map((v) => (
        <a key={v.name} href={v.name === '' ? runLink(run) : runLink(run, v.name)} {...(v === shown ? { 'aria-current': 'page' as const } : {})}>{v.title}</a>
      ))}
    </nav>
  );
}

export function RunView({ id, part, at }: { id: string; part: string; at: string[] }) {
  const base = `/runs/${encodeURIComponent(id)}`;
  const run = useResource<RunDocument>(base);
  const live = run.value?.state === 'live';
  const link = useEvents(run.value && !offline ? base + '/events' : null, run.reload);
  const shown = viewOf(part)!;

  if (run.error && !run.value) return <Failure error={run.error} retry={run.reload} />;
  if (!run.value) return <Loading what="the run" />;
  const value = run.value;
  // A live run has a new revision with every update.
  const revision = `${value.revision}/${value.analysis}/${value.launches}`;
  return (
    <>
      {!offline && <p class="crumb"><a href="#/">All runs</a></p>}
      <div class="heading">
        <h1 title={value.label || value.command || value.id}>
          <span class="dim">Run {value.number ?? ''}</span> {middle(visible(titleOf(value)), 200)}
        </h1>
        <StateBadge state={value.state} />
        {(live || link === 'lost' || link === 'refused') && <LinkState link={link} />}
      </div>
      <Tabs run={id} shown={shown} />
      {(run.error || link === 'lost' || link === 'refused') && <p class="notice stale">This is what was known before the connection was lost.</p>}
      {shown.view({ id, base, run: value, revision, at })}
    </>
  );
}
