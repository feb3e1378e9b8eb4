// Finds a view, a kernel, a finding, a practice or a run; "/" goes there from anywhere.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import { findingLink, kernelLink, ruleLink, runLink } from './links';
import { middle, nameOf, titleOf, visible } from './names';
import { viewsOf } from './view-run';
import type { Findings, KernelList, RuleList, RunList } from './openapi';

interface Hit {
  to: string;
  kind: string;
  text: string;
}

const most = 6; // of each kind

async function quiet<T>(path: string, signal: AbortSignal): Promise<T | null> {
  try {
    return await get<T>(path, signal);
  } catch {
    return null; // a missing resource has no hits
  }
}

// The API accepts at most 100 bytes.
function cut(text: string): string {
  let short = text;
  while (new TextEncoder().encode(short).length > 100) short = short.slice(0, -1);
  return short;
}

async function hitsOf(text: string, run: string | undefined, signal: AbortSignal): Promise<Hit[]> {
  const wanted = text.toLowerCase();
  const has = (...parts: (string | null | undefined)[]) => parts.some((part) => part?.toLowerCase().includes(wanted));
  const base = run === undefined ? null : `/runs/${encodeURIComponent(run)}`;
  const [kernels, findings, rules, runs] = await Promise.all([
    base === null ? null : quiet<KernelList>(`${base}/kernels?limit=${most}&match=${encodeURIComponent(cut(text))}`, signal),
    base === null ? null : quiet<Findings>(`${base}/findings`, signal),
    quiet<RuleList>('/rules', signal),
    quiet<RunList>('/runs?limit=100', signal),
  ]);
  const views = run === undefined ? [] : viewsOf(run).filter((v) => has(v.title)).map((v) => ({ to: v.to, kind: 'view', text: v.title }));
  return [
    ...views,
    ...(kernels?.items ?? []).map((k) => ({ to: kernelLink(run!, k.id), kind: 'kernel', text: middle(nameOf(k), 80) })),
    ...(findings?.items ?? []).filter((f) => has(f.title, f.where, f.rule)).slice(0, most)
      .map((f) => ({ to: findingLink(run!, f.id), kind: 'finding', text: `${f.title}, ${middle(visible(f.where ?? 'the run'), 60)}` })),
    ...(rules?.items ?? []).filter((r) => has(r.id, r.title)).slice(0, most).map((r) => ({ to: ruleLink(r.id), kind: 'practice', text: r.id })),
    ...(runs?.items ?? []).filter((r) => has(r.label, r.command) || String(r.number) === text).slice(0, most)
      .map((r) => ({ to: runLink(r.number), kind: `run ${r.number}`, text: middle(visible(titleOf(r)), 80) })),
  ];
}

export function Search({ run }: { run: string | undefined }) {
  const [typed, type] = useState('');
  const [hits, setHits] = useState<{ of: string; list: Hit[] } | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const text = typed.trim();

  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const on = e.target as HTMLElement;
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(on.tagName)) return;
      e.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  useEffect(() => {
    if (text === '') return setHits(null);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void hitsOf(text, run, abort.signal).then((list) => {
        if (!abort.signal.aborted) setHits({ of: text, list });
      });
    }, 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, run]);

  const close = () => type('');
  const step = (e: KeyboardEvent, by: number) => {
    const places = [field.current!, ...form.current!.querySelectorAll<HTMLElement>('a')];
    const i = places.indexOf(document.activeElement as HTMLElement);
    e.preventDefault();
    places[Math.max(0, Math.min(places.length - 1, i + by))]?.focus();
  };
  const keys = (e: KeyboardEvent) => {
    if (e.key === 'Escape') {
      close();
      field.current?.focus();
    } else if (e.key === 'ArrowDown') step(e, 1);
    else if (e.key === 'ArrowUp') step(e, -1);
  };
  const submit = (e: Event) => {
    e.preventDefault();
    const first = hits?.of === text ? hits.list[0] : undefined;
    if (first === undefined) return;
    location.hash = first.to;
    close();
  };
  return (
    <form role="search" class="search" ref={form} onSubmit={submit} onKeyDown={keys}>
      <input type="search" ref={field} value={typed} placeholder="Search  /" aria-label="Search" maxLength={100} onInput={(e) => type(e.currentTarget.value)} />
      {hits !== null && (
        <div class="hits">
          <p role="status" class={hits.list.length > 0 ? 'hidden' : 'dim'}>{hits.list.length > 0 ? `${hits.list.length} found` : `Nothing has “${visible(hits.of)}”`}</p>
          <ul>
            {hits.list.map((hit) => <li key={`${hit.kind} ${hit.to}`}><a href={hit.to} onClick={close}><span>{hit.text}</span> <small>{hit.kind}</small></a></li>)}
          </ul>
        </div>
      )}
    </form>
  );
}
