// Small pieces that every view uses.
import type { ComponentChildren } from 'preact';
import { ApiError, type Link } from './api';
import { Copied } from './copy';
import { none } from './format';
import type { RunState } from './openapi';

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const problem = error instanceof ApiError ? error.problem : null;
  if (problem?.status === 401) return <NeedToken />;
  return (
    <div class="notice error" role="alert">
      <h2>{problem?.title ?? 'Something went wrong'}</h2>
      <p>{error.message}</p>
      {problem?.help && <p>{problem.help}</p>}
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </div>
  );
}

export function NeedToken() {
  return (
    <div class="notice" role="alert">
      <h2>This tab has no key</h2>
      <p>
        The daemon answers only to pages that were opened with its key. Run
        this and open the address that it prints:
      </p>
      <pre><code>cudadvise dashboard</code></pre>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return <p class="loading" role="status">Loading {what} …</p>;
}

export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  // Wide tables scroll separately, also with the keyboard.
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

// The reasons why something was not measured, each once; cells show the number.
export function reasonsOf(all: (string | null | undefined)[]): string[] {
  return [...new Set(all.map((reason) => reason ?? unexplained))];
}

const unexplained = 'no reason given';

export function Unmeasured({ reasons, reason, span }: { reasons: string[]; reason: string | null | undefined; span?: number }) {
  const why = reason ?? unexplained;
  return <td class="number unmeasured" {...(span === undefined ? {} : { colSpan: span })} title={why}>not measured ({reasons.indexOf(why) + 1})</td>;
}

export function ReasonList({ reasons }: { reasons: string[] }) {
  if (reasons.length === 0) return null;
  return <ul class="footnotes" aria-label="Why not measured">{reasons.map((reason, i) => <li key={reason}>({i + 1}) {reason}</li>)}</ul>;
}

const states: Record<RunState, string> = {
  live: 'running',
  finished: 'finished',
  killed: 'killed',
  truncated: 'incomplete',
};

export function StateBadge({ state }: { state: RunState }) {
  return <span class={`badge state-${state}`}>{states[state] ?? state}</span>;
}

export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export function LinkState({ link }: { link: Link }) {
  const text = {
    connecting: 'connecting', live: 'up to date', lost: 'connection lost, trying again',
    refused: 'the daemon was started anew, and this tab has the key of the one before: open the address that ',
  }[link];
  return <span class={`link link-${link}`} role="status">{text}{link === 'refused' && <><code>cudadvise dashboard</code> prints</>}</span>;
}

export function Code({ title, text, kind }: { title: string; text: string | null; kind: string }) {
  if (text === null || text === '') return null;
  return (
    <figure class={`code ${kind}`}>
      <figcaption>{title} <Copied text={text} what={`code: ${title}`} /></figcaption>
      <pre tabIndex={0}><code>{text}</code></pre>
    </figure>
  );
}

export function Text({ value }: { value: string | null | undefined }) {
  return <>{value == null || value === '' ? none : value}</>;
}
