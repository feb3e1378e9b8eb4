import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { basename, count, counted, interval, measure, none, percent, seconds, shape, times } from './format';
import { Badge, Code, Scroll } from './parts';
import { Copied } from './copy';
import { Editor } from './editor';
import { kernelLink, launchesLink, ruleLink, sourceLink, stepLink } from './links';
import { middle, visible } from './names';
import { Together, SavingBar } from './saving';
import { frameText, placeOf } from './frame';
import type { Evidence, Finding, Findings, Site, Verdict } from './openapi';

const leftTold = 0.9; // of its seconds: if more is left, the difference is not shown

const SMALL_SHARE = 0.005; // of the whole run: less is not noticeable

// One fault at several places, which one change fixes: the first place, and the others.
interface Kin {
  first: Finding;
  rest: Finding[];
}

// Of runs that an older version analysed each finding is an entry.
function kinOf(findings: Finding[]): Kin[] {
  const all: Kin[] = [];
  for (const f of findings) {
    const kin = all.find(({ first }) => f.same_as === first.rank);
    if (kin) kin.rest.push(f);
    else all.push({ first: f, rest: [] });
  }
  return all;
}

// ${empty}: no kernel ran. ${chosen}: the finding that the address names; it is open and in view.
export function FindingsSection({ run, findings, live, empty, chosen }: {
  run: string; findings: Findings; live: boolean; empty: boolean; chosen?: string | undefined;
}) {
  const worth = findings.items.filter((f) => f.worth_it);
  const scale = Math.max(0, ...worth.map((f) => f.saves.high_s ?? f.saves.s ?? 0));
  // Findings that are called the same are told apart by their launch shapes.
  const alike = (f: Finding) => findings.items.some((g) => g !== f && g.where === f.where && g.title === f.title);
  const item = (f: Finding, open: boolean) =>
    <Item key={f.id} run={run} finding={f} alike={alike(f)} scale={scale} open={open || f.id === chosen} chosen={f.id === chosen} />;
  const kin = kinOf(worth);
  const rest = findings.items.filter((f) => !f.worth_it);
  const small = worth.filter((f) => f.saves.share_ratio !== null && f.saves.share_ratio < SMALL_SHARE).length;
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">What to change first</h2>
      {worth.length > 0 ? (
        <>
          <Together findings={findings} count={kin.length} />
          <ol class="findings">
            {kin.flatMap(({ first, rest: more }, i) => [
              item(first, i === 0),
              more.length > 0 && <More key={`more-${first.id}`} first={first} more={more} open={more.some((f) => f.id === chosen)}>{more.map((f) => item(f, false))}</More>,
            ])}
          </ol>
          {small > 0 && (
            <p class="small">
              {worth.length === 1 ? 'It saves' : small === 1 ? '1 of them saves' : `${small} of them save`} less than 0.5 % of the whole run:
              judged against GPU work and the gaps in it.
            </p>
          )}
        </>
      ) : (
        <p class="notice">
          {live ? 'Nothing found so far; the program is still running.'
            : findings.unmeasured ? `Not measured: ${findings.unmeasured}`
            : empty && findings.items.length === 0 && findings.rules.every((r) => r.state === 'not_measured')
            ? 'No kernel was launched while it was measured: there is nothing to check. Does the program use this machine\'s GPU? `cudadvise doctor` looks.'
            : findings.rules.length === 0 ? 'No practice could be evaluated.'
            : 'Nothing that would save more than the noise of the run'
              + (findings.noise_s !== null ? ` (${seconds(findings.noise_s)})` : '') + '.'}
        </p>
      )}
      {rest.length > 0 && (
        <details class="fold" open={rest.some((f) => f.id === chosen)}>
          <summary>Below this run's noise: {counted(rest.length, 'finding')}</summary>
          <p>Present in the program, but a change would save less than the noise of the run{findings.noise_s !== null && ` (${seconds(findings.noise_s)})`}.</p>
          <ol class="findings" start={worth.length + 1}>
            {rest.map((f) => item(f, false))}
          </ol>
        </details>
      )}
      <Verdicts rules={findings.rules} />
    </section>
  );
}

// The entries below ${first}: launch shapes of its kernel, other places.
function More({ first, more, open, children }: { first: Finding; more: Finding[]; open: boolean; children: ComponentChildren }) {
  const s = more.reduce((sum, f) => sum + (f.saves.s ?? 0), 0);
  const shapes = more.every((f) => f.kernel_id !== null && f.where === first.where);
  return (
    <li class="more">
      <details open={open}>
        <summary>The same at {counted(more.length, shapes ? 'more launch shape' : 'more place')}{s > 0 && `: up to ${seconds(s)} more`}</summary>
        <ol class="findings">{children}</ol>
      </details>
    </li>
  );
}

function Item({ run, finding: f, alike, scale, open, chosen }: { run: string; finding: Finding; alike: boolean; scale: number; open: boolean; chosen: boolean }) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (chosen) here.current?.scrollIntoView({ block: 'start' });
  }, [chosen]);
  return (
    <li class={chosen ? 'finding chosen' : 'finding'} id={`finding-${f.id}`} data-finding={f.id} ref={here}>
      <details open={open}>
        <summary>
          <span class="rank" aria-hidden="true">{f.rank}</span>
          <span class="what">
            <span class="where" title={f.where ?? ''}>{middle(visible(f.where ?? 'the run'), 160)}</span>
            <span class="title">{f.title}</span>
            {alike && f.location?.text && <small>{f.location.text}</small>}
          </span>
          <span class="saves">
            <b>{f.saves.s === null ? 'not predicted' : seconds(f.saves.s)}</b>
            {f.saves.s !== null && <small>{interval(f.saves.s, f.saves.low_s, f.saves.high_s)}</small>}
            <SavingBar saves={f.saves} scale={scale} />
          </span>
        </summary>
        <div class="body">
          {f.advice && <Advice finding={f} />}
          <p class="measured">{f.summary}</p>
          {f.limiter && <p class="limiter sentence">{f.limiter}</p>}
          <p class="badges">
            <Badge kind={`severity-${f.severity}`}>severity {f.severity}</Badge>
            <Badge kind="plain">confidence {f.confidence}</Badge>
            {f.saves.share_ratio !== null && <Badge kind="plain">{percent(f.saves.share_ratio)} of the run</Badge>}
            {f.saves.kernel_speedup_ratio !== null && (
              <Badge kind="plain">kernel {times(f.saves.kernel_speedup_ratio)} faster</Badge>
            )}
          </p>
          <dl class="place">
            <dt>Where</dt>
            <dd>{f.location?.text ?? none}{f.location_missing && <small>{f.location_missing}</small>}</dd>
            {f.saves.after !== null && f.saves.left_s !== null && f.saves.s !== null && f.saves.left_s < leftTold * f.saves.s && (
              <><dt>Overlaps</dt><dd>finding {f.saves.after} saves the same time: {f.saves.left_s > 0 ? `${seconds(f.saves.left_s)} remain` : 'nothing remains'} once that is fixed</dd></>
            )}
            {f.saves.note && <><dt>Prediction</dt><dd>{f.saves.note}</dd></>}
            {f.next && <><dt>Next</dt><dd class="command"><code>{f.next}</code> <Copied text={f.next} what="the command" /></dd></>}
            <dt>Practice</dt>
            <dd><a href={ruleLink(f.rule)}>{f.rule}</a></dd>
            {f.kernel_id !== null && (
              <>
                <dt>Look at</dt>
                <dd class="links">
                  <a href={kernelLink(run, f.kernel_id)}>the kernel</a> <a href={launchesLink(run, f.kernel_id)}>its launches on the timeline</a>
                </dd>
              </>
            )}
          </dl>
          <Shapes run={run} finding={f} />
          <HotLines run={run} finding={f} />
          {f.site && <LaunchSite site={f.site} />}
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

// The change is marked; how to make it, and explanations, follow.
function Advice({ finding: { advice, change } }: { finding: Finding }) {
  if (advice === null || change == null || !advice.startsWith(change)) return <p class="advice"><b>{advice}</b></p>;
  return <p class="advice"><b>{change}</b>{advice.slice(change.length)}</p>;
}

// The launch shapes that one change fixes.
function Shapes({ run, finding: { shapes } }: { run: string; finding: Finding }) {
  return shapes && shapes.count > 1 ? (
    <details class="stack">
      <summary>{counted(shapes.count, 'launch shape')}</summary>
      <ol>
        {shapes.items.map((s) => (
          <li key={s.kernel_id}>
            <a href={kernelLink(run, s.kernel_id)}>grid {shape(s.grid)}, block {shape(s.block)}</a>
            <code>{seconds(s.saves.s)}{s.measured ? '' : ', not measured'}</code>
          </li>
        ))}
      </ol>
    </details>
  ) : null;
}

// The lines that a finding is about, each with its share.
function HotLines({ run, finding: f }: { run: string; finding: Finding }) {
  const lines = f.hot_lines ?? [];
  if (lines.length === 0) {
    if (f.kernel_id === null) return null;
    return <p class="show"><a href={sourceLink(run, f.kernel_id)}>Show the kernel's source</a></p>;
  }
  return (
    <section class="hot" aria-label={`Lines of ${f.title}`}>
      <h3>Where in the code</h3>
      <ol class="hotlines">
        {lines.map((hot, i) => {
          const name = hot.file === null ? `instruction 0x${hot.pc.toString(16)}` : `${basename(hot.file)}:${hot.line ?? '?'}`;
          return (
            <li key={i}>
              <span class="share">{percent(hot.share_ratio)}</span>
              <span>
                {f.kernel_id === null ? <span class="to">{name}</span>
                  : <a class="to" href={hot.file === null ? stepLink(run, f.kernel_id, hot.pc) : sourceLink(run, f.kernel_id, hot.file, hot.line, f.heat)} title={hot.file ?? ''}
                    aria-label={`Show ${hot.file === null ? '' : 'the line '}${name}`}>{name}</a>}
                {' '}<Editor file={hot.file} line={hot.line} />
              </span>
              <code>{hot.text ?? hot.sass}</code>
              {(hot.what || hot.called_file) && (
                <small>
                  {hot.what}{hot.what && hot.called_file && ', '}
                  {hot.called_file && `inlined at ${basename(hot.called_file)}:${hot.called_line ?? '?'}`}
                </small>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function LaunchSite({ site }: { site: Site }) {
  const shown = site.frames[site.first ?? 0];
  if (shown === undefined) return null;
  return (
    <section class="hot" aria-label="Where the host calls it">
      <h3>{site.call === 'launch' ? 'Launched from' : site.call.startsWith('(') ? 'Seen in' : `Called from (${site.call})`}</h3>
      <p class="site">
        {placeOf(shown) && <code>{placeOf(shown)}</code>} {frameText(shown)} <Editor file={shown.file} line={shown.line} />
        {site.count > 1 && <small>{count(site.count)} calls seen from there</small>}
      </p>
      {site.frames.length > 1 && (
        <details class="stack">
          <summary>Call stack: {site.frames.length} frames</summary>
          <ol>
            {site.frames.map((frame, i) => (
              <li key={i} class={i === site.first ? 'first' : ''}>
                <span>{frameText(frame)}{frame.inlined && <small>inlined</small>}</span>
                {placeOf(frame) && <code>{placeOf(frame)}</code>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
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
  const idle = rules.filter((r) => r.state === 'not_measured' && r.reason_code === 'library');
  const missing = rules.filter((r) => r.state === 'not_measured' && r.reason_code !== 'library');
  return (
    <>
      {clean.length > 0 && (
        <details class="fold">
          <summary>Clean: {counted(clean.length, 'practice')}</summary>
          <ul class="rules">
            {clean.map((r) => <li key={r.rule}><RuleLink rule={r.rule} /></li>)}
          </ul>
        </details>
      )}
      {idle.length > 0 && (
        <details class="fold">
          <summary>{counted(idle.length, 'practice')} {idle.length === 1 ? 'does' : 'do'} not apply: the kernels are a library's</summary>
          <ul class="reasons">
            {idle.map((r) => <li key={r.rule}><RuleLink rule={r.rule} />: {r.reason ?? 'no reason given'}</li>)}
          </ul>
        </details>
      )}
      {missing.length > 0 && (
        <details class="fold">
          <summary>Not measured: {counted(missing.length, 'practice')}</summary>
          <ul class="reasons">
            {missing.map((r) => <li key={r.rule}><RuleLink rule={r.rule} />: {r.reason ?? 'no reason given'}</li>)}
          </ul>
        </details>
      )}
    </>
  );
}

function RuleLink({ rule }: { rule: string }) {
  return <a href={ruleLink(rule)}>{rule}</a>;
}
