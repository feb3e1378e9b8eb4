// Two runs: which is faster, the outcome of the predictions, and the change of every kernel.
import { count, counted, interval, measure, none, seconds, times } from './format';
import { useResource } from './hooks';
import { Badge, Failure, Loading, Scroll } from './parts';
import { Deltas } from './deltas';
import { History } from './history';
import { compareLink, findingLink, kernelLink, runLink } from './links';
import { middle, titleOf, visible } from './names';
import { RooflineChart } from './roofline';
import { Change, Saved, VerdictBadge, VerdictSection } from './verdict';
import type { OfRun } from './of-run';
import type { Compare, CompareFinding, CompareKernel, DeviceList, Kernel, KernelList, Run, RunList, TrialKernel } from './openapi';

const shown = 100;

// The runs that this one may be compared with, its own command's first.
export function CompareTab({ id, run }: OfRun) {
  const runs = useResource<RunList>('/runs?limit=100');
  const others = (runs.value?.items ?? []).filter((r) => r.number !== run.number && r.state !== 'live');
  const same = others.filter((r) => r.command === run.command);
  const rest = others.filter((r) => r.command !== run.command);
  const option = (r: Run) => <option key={r.number} value={r.number}>run {r.number}: {(r.label || r.command || r.id).slice(0, 100)}</option>;
  const go = (other: string) => {
    if (other === '') return;
    const [a, b] = Number(other) < run.number ? [other, run.number] : [run.number, other];
    location.hash = compareLink(a!, b!);
  };
  if (runs.error && !runs.value) return <Failure error={runs.error} retry={runs.reload} />;
  if (!runs.value) return <Loading what="runs" />;
  if (run.state === 'live') return <p class="notice">A run is compared when it has ended.</p>;
  if (others.length === 0)
    return <p class="notice">There is no other run yet. Change the program, run it again, and compare: <code>cudadvise compare {id} NEW</code></p>;
  return (
    <>
      <label class="comparewith">
        Compare with{' '}
        <select value="" onChange={(e) => go(e.currentTarget.value)}>
          <option value="">choose a run</option>
          {same.length > 0 && <optgroup label="Same command">{same.map(option)}</optgroup>}
          {rest.length > 0 && <optgroup label="Other commands">{rest.map(option)}</optgroup>}
        </select>
      </label>
      <p>Times with their intervals, what became of each prediction, and kernels, side by side; a change is told from noise.</p>
      {same.length > 0 && <History run={run} runs={same} />}
    </>
  );
}

export function CompareView({ base, target, allowed }: { base: string; target: string; allowed: string[] }) {
  const query = new URLSearchParams({ base, target });
  if (allowed.length > 0) query.set('allow', allowed.join(','));
  const compare = useResource<Compare>(`/compare?${query}`);
  if (compare.error && !compare.value) return <Failure error={compare.error} retry={compare.reload} />;
  if (!compare.value) return <Loading what="the comparison" />;
  const value = compare.value;
  return (
    <>
      <p class="crumb"><a href="#/">All runs</a></p>
      <div class="heading">
        <h1>
          <span class="dim">Run</span> <a href={runLink(base)}>{value.base.number ?? base}</a>
          {' '}<span class="dim">and</span> <a href={runLink(target)}>{value.target.number ?? target}</a>
        </h1>
        <a href={compareLink(target, base, allowed)}>The other way round</a>
      </div>
      <p>{[...new Set([value.base, value.target].map(titleOf))].map((title) => middle(visible(title), 200)).join(' → ')}</p>
      <VerdictSection value={value} base={base} target={target} allowed={allowed} />
      <Predictions value={value} base={base} target={target} />
      <Deltas kernels={value.kernels.filter((k) => isTold(k, value))} />
      <Roofs value={value} base={base} target={target} />
      <Kernels value={value} base={base} target={target} />
    </>
  );
}

const fates: Record<CompareFinding['state'], string> = {
  gone: 'gone', still: 'still there', new: 'new', unknown: 'not known',
};

function Predictions({ value, base, target }: { value: Compare; base: string; target: string }) {
  const { items, left_out } = value.findings;
  return (
    <section aria-labelledby="predictions">
      <h2 id="predictions">What became of the predictions</h2>
      {items.length === 0 ? <p class="notice">Neither run has a finding that is worth a change.</p> : (
        <Scroll label="Predictions">
          <table class="predictions stacked">
            <thead>
              <tr>
                <th scope="col">Finding</th>
                <th scope="col">Now</th>
                <th scope="col" class="number">Predicted</th>
                <th scope="col" class="number">Achieved</th>
              </tr>
            </thead>
            <tbody>
              {items.map((f, i) => <Prediction key={i} finding={f} base={base} target={target} />)}
            </tbody>
          </table>
        </Scroll>
      )}
      {left_out > 0 && <p>{count(left_out)} more {left_out === 1 ? 'is' : 'are'} not compared.</p>}
    </section>
  );
}

function Prediction({ finding: f, base, target }: { finding: CompareFinding; base: string; target: string }) {
  const [run, id] = f.base_id !== null ? [base, f.base_id] : [target, f.target_id];
  const kind = f.state === 'gone' ? 'check-passed' : f.state === 'unknown' ? 'check-not_measured' : 'check-failed';
  return (
    <tr data-state={f.state} data-rule={f.rule}>
      <th scope="row" class="program">
        <a href={findingLink(run, id!)}>{f.title ?? f.rule}</a>
        <small>{middle(visible(f.where ?? 'the run'), 120)}</small>
      </th>
      <td data-label="Now"><Badge kind={kind}>{fates[f.state]}</Badge>{f.state === 'unknown' && <small>{f.reason}</small>}</td>
      <td class="number nowrap" data-label="Predicted">
        {f.predicted === null ? none : seconds(f.predicted.s)}
        {f.predicted && <small>{interval(f.predicted.s, f.predicted.low_s, f.predicted.high_s)}</small>}
      </td>
      <td class="number" data-label="Achieved">
        {f.achieved === null ? <span class="dim">{f.state === 'gone' ? f.reason ?? none : none}</span> : <b>{seconds(f.achieved.s)}</b>}
        {f.achieved?.kernel_speedup_ratio != null && <small>kernel {times(f.achieved.kernel_speedup_ratio)} faster</small>}
        {f.within !== null && <small>{f.within ? 'as predicted' : 'outside of the prediction'}</small>}
        {f.shared_with > 0 && <small>together with {counted(f.shared_with, 'other')} that {f.shared_with > 1 ? 'are' : 'is'} gone from the same place</small>}
      </td>
    </tr>
  );
}

// Kernels under the roofs, from before to after. Nothing if neither run counted operations.
function Roofs({ value, base, target }: { value: Compare; base: string; target: string }) {
  const [old, now] = [useResource<KernelList>(`/runs/${base}/kernels?limit=50`), useResource<KernelList>(`/runs/${target}/kernels?limit=50`)];
  const devices = useResource<DeviceList>(`/runs/${target}/devices`);
  const ceilings = devices.value?.items[0]?.ceilings?.items;
  if (!old.value || !now.value || !ceilings) return null;
  const of = (list: KernelList, side: CompareKernel['base']) => list.items.find((k) => side?.ids.includes(k.id) && (k.roofline?.flops_per_s ?? 0) > 0);
  const before = new Map<Kernel, Kernel>();
  for (const k of value.kernels) {
    const [a, b] = [of(old.value, k.base), of(now.value, k.target)];
    if (k.match !== null && a && b) before.set(b, a);
  }
  if (before.size === 0) return null;
  return (
    <section aria-labelledby="roofs">
      <h2 id="roofs">Under the roofs</h2>
      <RooflineChart rows={[...before.keys()]} before={before} ceilings={ceilings} run={target} />
    </section>
  );
}

// The verdict of the trial on a kernel; the trial only has the largest.
function trialOf(k: CompareKernel, { trial }: Compare): TrialKernel | undefined {
  const has = (side: CompareKernel['base'], id: number | null) => id !== null && side !== null && side.ids.includes(id);
  return trial.kernels.find((t) => has(k.base, t.base_id) || has(k.target, t.target_id));
}

// Whether it changed by more than the variation between runs.
function isTold(k: CompareKernel, value: Compare): boolean {
  const verdict = trialOf(k, value)?.verdict;
  return verdict ? verdict === 'faster' || verdict === 'slower' : k.significant !== false;
}

function Kernels({ value, base, target }: { value: Compare; base: string; target: string }) {
  const left = value.kernels_left_out + Math.max(0, value.kernels.length - shown);
  if (value.kernels.length === 0) return null;
  return (
    <section aria-labelledby="kernels">
      <h2 id="kernels">Kernels</h2>
      <Scroll label="Kernels">
        <table class="compared stacked">
          <thead>
            <tr>
              <th scope="col">Kernel, and what moved</th>
              <th scope="col">Verdict</th>
              <th scope="col" class="number">Change</th>
              <th scope="col" class="number">Before</th>
              <th scope="col" class="number">After</th>
              <th scope="col" class="number">Saved</th>
            </tr>
          </thead>
          <tbody>
            {value.kernels.slice(0, shown).map((k, i) => <KernelRow key={i} kernel={k} trial={trialOf(k, value)} value={value} runs={[base, target]} />)}
          </tbody>
        </table>
      </Scroll>
      {left > 0 && <p>{count(left)} more {left === 1 ? 'differs' : 'differ'} less; the API has {left === 1 ? 'it' : 'them'}.</p>}
    </section>
  );
}

const matches = { shape: null, name: 'launch shapes differ', rest: 'names differ: the only kernel left on either side' };

function KernelRow({ kernel: k, trial, value, runs }: { kernel: CompareKernel; trial: TrialKernel | undefined; value: Compare; runs: [string, string] }) {
  const told = isTold(k, value);
  const name = k.name ?? 'unnamed';
  const link = (run: string, side: CompareKernel['base'], text: string) => side?.ids[0] !== undefined
    && <> <a href={kernelLink(run, side.ids[0])} aria-label={`${middle(visible(name), 60)}, ${text}`}>{text}</a></>;
  const side = (s: CompareKernel['base']) => s === null ? none : (
    <>
      {seconds(k.match === 'shape' ? s.mean_s : s.total_s)}
      <small>{k.match === 'shape' ? 'a launch' : 'all launches'}, {count(s.launches)} ×</small>
    </>
  );
  return (
    <tr>
      <th scope="row" class="program">
        <span class="name" title={k.name ?? ''}>{middle(visible(name), 120)}</span>
        <small>its page:{link(runs[0], k.base, 'before')}{link(runs[1], k.target, 'after')}</small>
        {k.match !== null && matches[k.match] && <small>{matches[k.match]}</small>}
        {told && trial?.counters.map((c) => (
          <small key={c.label}>{c.label}: {measure(c.base, c.unit)} → {measure(c.target, c.unit)}</small>
        ))}
        {told && trial?.location?.text && <small>{visible(trial.location.text)}</small>}
      </th>
      <td data-label="Verdict">
        {k.match === null ? <span class="dim">{k.base === null ? 'new' : 'gone'}</span> : <VerdictBadge verdict={trial?.verdict ?? null} />}
      </td>
      <td class="number" data-label="Change">
        {k.match === null || trial === undefined ? none : <Change measure={trial} margin={value.trial.margin_ratio} />}
        {told && k.speedup_ratio !== null && k.speedup_ratio >= 2 && <small>{times(k.speedup_ratio)} faster</small>}
      </td>
      <td class="number nowrap" data-label="Before">{side(k.base)}</td>
      <td class="number nowrap" data-label="After">{side(k.target)}</td>
      <td class="number" data-label="Saved">{told ? <Saved value={k.saved_s} /> : none}</td>
    </tr>
  );
}
