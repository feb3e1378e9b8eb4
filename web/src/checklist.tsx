// The optimisation checklist: each line with its state and the evidence for it.
import { ApiError } from './api';
import { counted, percent, seconds } from './format';
import { useResource } from './hooks';
import { findingLink } from './links';
import { Badge, Failure, Loading } from './parts';
import type { OfRun } from './of-run';
import type { Checklist, ChecklistFact, ChecklistLine, ChecklistState } from './openapi';

const states: Record<ChecklistState, string> = { passed: 'passed', failed: 'failed', no_gain: 'no gain', not_measured: 'not measured' };

// Runs that an older version analysed lack one of the counts.
function counts(of: Partial<Record<ChecklistState, number>>): string {
  return (Object.keys(states) as ChecklistState[])
    .filter((state) => (of[state] ?? 0) > 0)
    .map((state) => `${of[state]} ${states[state]}`)
    .join(', ');
}

export function ChecklistSection({ id: run, base, revision, run: { state } }: OfRun) {
  const live = state === 'live';
  const list = useResource<Checklist>(`${base}/checklist`, revision);
  if (!list.value) {
    if (!list.error) return <Loading what="the checklist" />;
    if (live) return <p class="notice">The checklist is answered at the run's first analysis.</p>;
    if (!(list.error instanceof ApiError) || list.error.problem.status !== 404)
      return <Failure error={list.error} retry={list.reload} />;
  }
  return (
    <section aria-labelledby="checklist">
      <h2 id="checklist">Checklist</h2>
      {!list.value ? (
        <p class="notice">This run was analysed by an older version: <code>cudadvise reanalyze {run}</code> adds its checklist.</p>
      ) : (
        <>
          <p>{counts(list.value)}. A line fails where a finding is worth a change. No gain: not as it should be, but to change it would save nothing here.</p>
          <div class="checklist">
            {list.value.groups.map((group) => (
              <section key={group.id} class="checks" aria-labelledby={`check-${group.id}`}>
                <h3 id={`check-${group.id}`}>{group.title} <small>{counts(group)}</small></h3>
                <ul>
                  {group.lines.map((line) => <Line key={line.id} run={run} line={line} />)}
                </ul>
              </section>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function Line({ run, line }: { run: string; line: ChecklistLine }) {
  const unchecked = line.rules.filter((r) => r.state === 'not_measured');
  return (
    <li data-check={line.id} data-state={line.state}>
      <Badge kind={`check-${line.state}`}>{states[line.state]}</Badge>
      <div>
        <span class="check-title">{line.title}</span>
        {line.facts.map((fact) => <Fact key={fact.name} fact={fact} />)}
        {line.findings.map((f) => (
          <small key={f.id}>
            <a href={findingLink(run, f.id)}>{f.rule}</a>
            {f.where && ` in ${f.where}`}{f.saves_s !== null && `, would save ${seconds(f.saves_s)}`}
          </small>
        ))}
        {line.findings_count > line.findings.length && <small>{counted(line.findings_count - line.findings.length, 'more finding')}</small>}
        {line.minor_count > 0 && <small>{counted(line.minor_count, 'finding')} not worth a change</small>}
        {line.state === 'not_measured'
          ? line.reason && <small>{line.reason}</small>
          : unchecked.length > 0 && (
            <small>{unchecked.length} of {counted(line.rules.length, 'practice')} not checked: {unchecked[0]!.reason ?? 'no reason given'}</small>
          )}
      </div>
    </li>
  );
}

function Fact({ fact }: { fact: ChecklistFact }) {
  if (fact.value === null) return null;
  const part = fact.covered_ratio !== null && fact.covered_ratio < 0.995;
  return (
    <small class="fact">
      {fact.unit === 'ratio' && <b>{percent(fact.value)} </b>}{fact.label}
      {part && ` (measured: ${percent(fact.covered_ratio)}${fact.covered_of ? ` of the ${fact.covered_of}` : ''})`}
    </small>
  );
}
