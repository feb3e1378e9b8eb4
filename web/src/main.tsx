import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { haveToken, offline, takeToken } from './api';
import { runLink } from './links';
import { useRoute } from './hooks';
import { NeedToken } from './parts';
import { Search } from './search';
import { CompareView } from './view-compare';
import { FindingsView } from './view-findings';
import { RuleView, RulesView } from './view-rules';
import { RunView, viewOf } from './view-run';
import { RunsView } from './view-runs';
import { SourceView } from './view-source';

function Page({ route }: { route: string[] }) {
  if (!haveToken()) return <NeedToken />;
  const [noun = 'runs', id, part, at, what, ...rest] = route;
  if (noun === 'runs') {
    if (id === undefined && !offline) return <RunsView />;
    if (id === undefined) return null;
    if (part === 'kernels' && at !== undefined && what === 'source')
      return <SourceView key={`${id}/${at}`} id={id} kernel={at} wanted={rest} />;
    if (viewOf(part ?? '') !== undefined)
      return <RunView key={id} id={id} part={part ?? ''} at={route.slice(3)} />;
  }
  if (noun === 'compare' && id !== undefined && part !== undefined && what === undefined)
    return <CompareView key={`${id}/${part}/${at}`} base={id} target={part} allowed={at === undefined ? [] : at.split(',')} />;
  if (noun === 'findings' && part === undefined && !offline) return <FindingsView rule={id ?? ''} />;
  if (noun === 'rules') return id === undefined ? <RulesView /> : <RuleView key={id} id={id} />;
  return (
    <div class="notice">
      <h1>No such page</h1>
      <p><a href={offline ? runLink(offline.run) : '#/'}>{offline ? 'The run' : 'All runs'}</a></p>
    </div>
  );
}

function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  // The parts after the view's name are a place in it.
  const view = route.slice(0, 5);
  const at = view.join('/');
  const first = useRef(true);
  useEffect(() => {
    document.title = [...view].reverse().concat('cudadvise').join(' · ');
    // A new view starts at its top, also for screen readers.
    if (!first.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    first.current = false;
  }, [at]);
  const here = (...nouns: string[]) => (nouns.includes(route[0] ?? 'runs') ? { 'aria-current': 'page' as const } : {});
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>Skip to the content</a>
      <header>
        <a class="brand" href={offline ? runLink(offline.run) : '#/'}>{!offline && <img src="/icon.svg" alt="" width={24} height={24} />}cudadvise</a>
        <nav aria-label="Main">
          <a href={offline ? runLink(offline.run) : '#/'} {...here('runs', 'findings', 'compare')}>{offline ? 'Run' : 'Runs'}</a>
          <a href="#/rules" {...here('rules')}>Practices</a>
        </nav>
        {haveToken() && <Search run={route[0] === 'runs' ? route[1] : undefined} />}
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Page route={route} />
      </main>
    </>
  );
}

takeToken();
if (offline && location.hash.length < 3) location.replace(runLink(offline.run));
// The dashboard's address, typed into a tab that has the page already, changes
// the fragment only.
addEventListener('hashchange', () => {
  if (takeToken()) location.reload();
});
render(<App />, document.getElementById('app')!);
