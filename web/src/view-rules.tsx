import { offline } from './api';
import { measure } from './format';
import { useResource } from './hooks';
import { findingsLink } from './links';
import { Badge, Code, Failure, Loading, Scroll, Text } from './parts';
import type { Rule, RuleList } from './openapi';

export function RulesView() {
  const rules = useResource<RuleList>('/rules');
  if (rules.error && !rules.value) return <Failure error={rules.error} retry={rules.reload} />;
  if (!rules.value) return <Loading what="practices" />;
  const groups = new Map<string, Rule[]>();
  for (const rule of rules.value.items) {
    const name = rule.category ?? 'other';
    groups.set(name, [...(groups.get(name) ?? []), rule]);
  }
  return (
    <>
      <h1>Practices</h1>
      <p>
        {rules.value.items.length} practices. A run checks those that it has the measurements and the code for,
        and says of each whether it was found, is clean or was not measured, with the reason.
      </p>
      {[...groups].map(([name, list]) => (
        <section key={name} aria-labelledby={`group-${name}`}>
          <h2 id={`group-${name}`} class="group">{name}</h2>
          <ul class="catalogue">
            {list.map((rule) => (
              <li key={rule.id}>
                <a href={`#/rules/${encodeURIComponent(rule.id)}`}>{rule.id}</a>
                <span class="sentence">{rule.title}</span>
                <small>needs {rule.needs}</small>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

export function RuleView({ id }: { id: string }) {
  const rule = useResource<Rule>(`/rules/${encodeURIComponent(id)}`);
  if (rule.error && !rule.value) return <Failure error={rule.error} retry={rule.reload} />;
  if (!rule.value) return <Loading what="the practice" />;
  const r = rule.value;
  const chapters: [string, string | null][] = [
    ['Why it matters', r.why],
    ['How it is detected', r.detects],
    ['What to do', r.advice],
    ['How the gain is predicted', r.gain],
    ['What to measure next', r.next],
    ['Sources', r.sources],
  ];
  return (
    <>
      <p class="crumb"><a href="#/rules">All practices</a></p>
      <h1 class="sentence">{r.title ?? r.id}</h1>
      <p class="badges">
        <Badge kind="plain">{r.id}</Badge>
        <Badge kind="plain">{r.category}</Badge>
        <Badge kind={`severity-${r.severity}`}>severity up to {r.severity}</Badge>
        <Badge kind="plain">needs {r.needs}</Badge>
      </p>
      {!offline && <p><a href={findingsLink(r.id)}>Where it was found, in all runs</a></p>}
      {chapters.map(([name, text]) => text && (
        <section key={name}>
          <h2>{name}</h2>
          <p class="prose">{text}</p>
        </section>
      ))}
      {r.manuals.length > 0 && (
        <ul class="links manuals">
          {r.manuals.map((m) => <li key={m.url}><a href={m.url} target="_blank" rel="noopener noreferrer">{m.title}</a></li>)}
        </ul>
      )}
      <div class="examples">
        <Code kind="bad" title="Instead of" text={r.example.bad} />
        <Code kind="good" title="Write" text={r.example.good} />
      </div>
      {r.thresholds.length > 0 && (
        <section aria-labelledby="thresholds">
          <h2 id="thresholds">Thresholds</h2>
          <Scroll label="Thresholds">
            <table>
              <thead>
                <tr><th scope="col">Key</th><th scope="col" class="number">Value</th><th scope="col">Where it comes from</th></tr>
              </thead>
              <tbody>
                {r.thresholds.map((t) => (
                  <tr key={t.key}>
                    <th scope="row"><code>{t.key}</code></th>
                    <td class="number">{measure(t.value, t.unit)}</td>
                    <td><Text value={t.origin} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
      )}
      {r.pair && (
        <section aria-labelledby="pair">
          <h2 id="pair">Try it</h2>
          <pre tabIndex={0}><code>{r.pair.endsWith('.py')
            ? `cudadvise run python3 ${r.pair} bad\ncudadvise run python3 ${r.pair} good`
            : `cudadvise run cudadvise-kernels ${r.pair} --variant bad\ncudadvise run cudadvise-kernels ${r.pair} --variant good`}</code></pre>
        </section>
      )}
    </>
  );
}
