import { measure, none, percent, seconds } from './format';
import { Badge, Code, Scroll } from './parts';
import type { Evidence, Finding, Findings, Verdict } from './types';

export function FindingsSection({ findings, live }: { findings: Findings; live: boolean }) {
  const worth = findings.items.filter((f) => f.worth_it);
  const rest = findings.items.filter((f) => !f.worth_it);
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">What to change first</h2>
      {worth.length > 0 ? (
        <>
          <ol class="findings">
            {worth.map((f) => <Item key={f.id} finding={f} open={f.rank === 1} />)}
          </ol>
          <p class="together">
            Together at most <b>{seconds(findings.together_s)}</b>
            {findings.overlap && ': some of these fix the same time, so their sum is not what you get'}.
          </p>
        </>
      ) : (
        <p class="notice">
          {live ? 'Nothing found so far; the program is still running.'
            : findings.rules.length === 0 ? 'No practice could be evaluated.'
            : 'Nothing that would save more than the noise of the run'
              + (findings.noise_s !== null ? ` (${seconds(findings.noise_s)})` : '') + '.'}
        </p>
      )}
      {rest.length > 0 && (
        <details class="fold">
          <summary>Found, not worth it: {rest.length}</summary>
          <p>Present in the program, but fixing them would save less than the noise of the run.</p>
          <ol class="findings" start={worth.length + 1}>
            {rest.map((f) => <Item key={f.id} finding={f} open={false} />)}
          </ol>
        </details>
      )}
      <Verdicts rules={findings.rules} />
    </section>
  );
}

function interval(f: Finding): string {
  const { low_s: low, high_s: high } = f.saves;
  return low === null || high === null ? '' : `${seconds(low)} to ${seconds(high)}`;
}

function Item({ finding: f, open }: { finding: Finding; open: boolean }) {
  return (
    <li class="finding" id={`finding-${f.id}`} data-finding={f.id}>
      <details open={open}>
        <summary>
          <span class="rank" aria-hidden="true">{f.rank}</span>
          <span class="what">
            <span class="where">{f.where ?? 'the run'}</span>
            <span class="title">{f.title}</span>
          </span>
          <span class="saves">
            <b>{f.saves.s === null ? 'not predicted' : seconds(f.saves.s)}</b>
            {f.saves.s !== null && <small>{interval(f)}</small>}
          </span>
        </summary>
        <div class="body">
          <p class="measured">{f.summary}</p>
          {f.limiter && <p class="limiter"><span class="dim">What limits it:</span> {f.limiter}</p>}
          {f.advice && <p class="advice">{f.advice}</p>}
          <p class="badges">
            <Badge kind={`severity-${f.severity}`}>severity {f.severity}</Badge>
            <Badge kind="plain">confidence {f.confidence}</Badge>
            {f.saves.share_ratio !== null && <Badge kind="plain">{percent(f.saves.share_ratio)} of the run</Badge>}
            {f.saves.kernel_speedup_ratio !== null && (
              <Badge kind="plain">kernel {f.saves.kernel_speedup_ratio.toFixed(2)} × faster</Badge>
            )}
          </p>
          <dl class="place">
            <dt>Where</dt>
            <dd>{f.location ?? none}{f.location_missing && <small>{f.location_missing}</small>}</dd>
            {f.saves.note && <><dt>Prediction</dt><dd>{f.saves.note}</dd></>}
            {f.next && <><dt>Next</dt><dd><code>{f.next}</code></dd></>}
            <dt>Practice</dt>
            <dd><a href={`#/rules/${encodeURIComponent(f.rule)}`}>{f.rule}</a></dd>
          </dl>
          <EvidenceTable evidence={f.evidence} of={f.title} />
          <div class="examples">
            <Code kind="bad" title="Instead of" text={f.example.bad} />
            <Code kind="good" title="Write" text={f.example.good} />
          </div>
        </div>
      </details>
    </li>
  );
}

function EvidenceTable({ evidence, of }: { evidence: Evidence[]; of: string }) {
  if (evidence.length === 0) return null;
  return (
    <Scroll label={`Evidence of ${of}`}>
      <table class="evidence">
        <caption>Evidence</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">Value</th>
            <th scope="col" class="number">Threshold</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {evidence.map((e) => (
            <tr key={e.name}>
              <th scope="row">{e.label ?? e.name}</th>
              <td class="number">{measure(e.value, e.unit)}</td>
              <td class="number">
                {e.threshold === null ? none : measure(e.threshold, e.unit)}
                {e.threshold_origin && <small>{e.threshold_origin}</small>}
              </td>
              <td>{e.source ?? none}{e.from && <small class="from">{e.from}</small>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Verdicts({ rules }: { rules: Verdict[] }) {
  const clean = rules.filter((r) => r.state === 'clean');
  const missing = rules.filter((r) => r.state === 'not_measured');
  return (
    <>
      {clean.length > 0 && (
        <details class="fold">
          <summary>Clean: {clean.length} {clean.length === 1 ? 'practice' : 'practices'}</summary>
          <ul class="rules">
            {clean.map((r) => <li key={r.rule}><RuleLink rule={r.rule} /></li>)}
          </ul>
        </details>
      )}
      {missing.length > 0 && (
        <details class="fold">
          <summary>Not measured: {missing.length} {missing.length === 1 ? 'practice' : 'practices'}</summary>
          <ul class="reasons">
            {missing.map((r) => <li key={r.rule}><RuleLink rule={r.rule} />: {r.reason ?? 'no reason given'}</li>)}
          </ul>
        </details>
      )}
    </>
  );
}

function RuleLink({ rule }: { rule: string }) {
  return <a href={`#/rules/${encodeURIComponent(rule)}`}>{rule}</a>;
}
