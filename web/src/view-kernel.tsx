// One kernel: how long it takes, what limits it, and what would help.
import { useMemo } from 'preact/hooks';
import { Histogram } from './histogram';
import { bytes, count, counted, measure, nanoseconds, none, percent, plain, seconds, shape } from './format';
import { useResource } from './hooks';
import { headlineFacts } from './kernels';
import { findingLink, launchesLink, runLink, sourceLink } from './links';
import { MemoryChart } from './memory-chart';
import { shortName } from './names';
import { whatIf } from './occupancy';
import { Badge, Failure, Loading, Scroll } from './parts';
import { RooflineChart } from './roofline';
import { StallKinds, StallLegend, StallTable } from './stalls';
import type { DeviceList, Device, Finding, Findings, Kernel, MetricList, Source } from './openapi';
import type { OfRun } from './of-run';

export function KernelTab({ id, base, run, revision, kernel: kid }: OfRun & { kernel: string }) {
  const path = `${base}/kernels/${encodeURIComponent(kid)}`;
  const kernel = useResource<Kernel>(path, revision);
  const devices = useResource<DeviceList>(`${base}/devices`, revision);
  const findings = useResource<Findings>(`${base}/findings`, revision);
  const metrics = useResource<MetricList>(`${path}/metrics`, revision);
  const k = kernel.value;
  const about = useMemo(() => (findings.value?.items ?? []).filter((f) =>
    k !== null && (f.kernel_id === k.id || f.shapes?.items.some((s) => s.kernel_id === k.id))), [findings.value, k?.id]);
  if (kernel.error && !k) return <Failure error={kernel.error} retry={kernel.reload} />;
  if (!k) return <Loading what="the kernel" />;
  const device = devices.value?.items.find((d) => d.name === k.device) ?? devices.value?.items[0];
  return (
    <div class="kernelpage">
      <div class="heading">
        <h2 class="mono" title={k.name ?? ''}>{shortName(k, 160)}</h2>
        {k.library && <Badge kind="plain">{k.library}</Badge>}
      </div>
      <p class="links">
        <a href={sourceLink(id, k.id)}>Source</a> <a href={launchesLink(id, k.id)}>On the timeline</a>
        {k.function && k.function.shapes > 1 && <> <a href={runLink(id, 'kernels')}>{counted(k.function.shapes, 'launch shape')} of this function</a></>}
      </p>
      <Facts k={k} />
      <About run={id} findings={about} loaded={findings.value !== null} />
      <Busy k={k} />
      <Limits k={k} device={device} />
      <MemoryChart kernel={k} metrics={metrics.value?.items ?? []} />
      {device?.ceilings && k.roofline && (k.roofline.dram_flop_per_byte ?? 0) > 0 && (
        <section aria-labelledby="position">
          <h2 id="position">Roofline</h2>
          <RooflineChart rows={[k]} ceilings={device.ceilings.items} run={id} />
        </section>
      )}
      <Histogram path={path} revision={revision} run={id} kernel={k} live={run.state === 'live'} />
      <Stalls path={path} revision={revision} live={run.state === 'live'} />
      <Measured metrics={metrics.value} error={metrics.error} />
    </div>
  );
}

function Facts({ k }: { k: Kernel }) {
  const facts: [string, string, string?][] = [
    ['GPU time', `${k.time.at_least ? 'at least ' : ''}${nanoseconds(k.time.total_ns)}`, `${percent(k.share_ratio)} of the run`],
    ['Launches', count(k.launches), k.graph_launches > 0 ? `${count(k.graph_launches)} out of graphs` : undefined],
    ['A launch', nanoseconds(k.time.mean_ns), `± ${nanoseconds(k.time.sd_ns)}; ${nanoseconds(k.time.min_ns)} to ${nanoseconds(k.time.max_ns)}`],
    ['Limited by', k.bound ?? 'not known', k.bound === null ? k.not_measured ?? undefined : undefined],
    ['Shape', `grid ${shape(k.grid)}`, `block ${shape(k.block)}${k.cluster.some((n) => n > 1) ? `, cluster ${shape(k.cluster)}` : ''}`],
    ['A thread', counted(k.registers, 'register'), k.local_bytes > 0 ? `${bytes(k.local_bytes)} of local memory` : undefined],
    ['A block', `${bytes(k.shared_static_bytes + k.shared_dynamic_bytes)} of shared memory`,
      k.shared_dynamic_bytes > 0 ? `${bytes(k.shared_dynamic_bytes)} of it dynamic` : undefined],
    ...headlineFacts(k),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text, more]) => (
        <div key={name}><dt>{name}</dt><dd>{text}{more && <small>{more}</small>}</dd></div>
      ))}
    </dl>
  );
}

const idle = 0.005; // of a launch: a smaller utilisation rounds to zero

// The units that the kernel uses, the busiest first.
function Busy({ k }: { k: Kernel }) {
  const units = (k.busy ?? []).filter((u) => u.ratio >= idle).sort((a, b) => b.ratio - a.ratio);
  if (units.length === 0) return null;
  return (
    <section aria-labelledby="busy">
      <h2 id="busy">How busy each unit was</h2>
      <Scroll label="How busy each unit was">
        <table class="busy">
          <thead><tr><th scope="col">Unit</th><th scope="col" class="number">Busy</th><th scope="col"><span class="hidden">The same as a bar</span></th></tr></thead>
          <tbody>
            {units.map(({ unit, ratio }) => (
              <tr key={unit}>
                <th scope="row">{unit}{unit === k.bound && <> <Badge kind="severity-medium">the limit</Badge></>}</th>
                <td class="number nowrap">{percent(ratio)}</td>
                <td>
                  <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="room" width={100} height={10} />
                    <rect class="sure" width={100 * Math.min(1, ratio)} height={10} />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="under">
        The share of a launch's time that each unit needs at its ceiling. From about 80 % on a unit limits the kernel; where all stay
        below 40 % latency does.
      </p>
    </section>
  );
}

function About({ run, findings, loaded }: { run: string; findings: Finding[]; loaded: boolean }) {
  if (!loaded) return null;
  return (
    <section aria-labelledby="about">
      <h2 id="about">What to change</h2>
      {findings.length === 0 ? <p class="notice">No finding is about this kernel.</p> : (
        <ul class="abouts">
          {findings.map((f) => (
            <li key={f.id}>
              <b class="number">{f.worth_it && f.saves.s !== null ? seconds(f.saves.s) : none}</b>
              <span>
                <a class="sentence" href={findingLink(run, f.id)}>{f.title}</a>
                {!f.worth_it && <small>below the noise of the run</small>}
                {f.worth_it && f.advice && <span class="say">{f.advice}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const limiters: [keyof Kernel['occupancy']['limits'], string, string][] = [
  ['warps', 'Warps', 'a block size that divides the threads an SM holds'],
  ['blocks', 'Blocks', 'larger blocks, so that fewer fill the SM'],
  ['registers', 'Registers', 'fewer registers a thread: __launch_bounds__, smaller tiles'],
  ['shared', 'Shared memory', 'less shared memory a block'],
  ['barriers', 'Barriers', 'fewer named barriers'],
];

// Warps resident on an SM, by what limits them.
function Limits({ k, device }: { k: Kernel; device: Device | undefined }) {
  const o = k.occupancy;
  if (o.theoretical_ratio === null)
    return <section aria-labelledby="limits"><h2 id="limits">Occupancy</h2><p class="notice">Not known: the limits of the GPU were not recorded.</p></section>;
  const least = Math.min(...limiters.map(([key]) => o.limits[key]).filter((n) => n > 0));
  const if_ = device ? whatIf(device, k) : null;
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Occupancy</h2>
      <p>
        Possible <b>{percent(o.theoretical_ratio)}</b>, achieved <b>{percent(o.achieved_ratio)}</b>
        {o.blocks_per_sm !== null && `: ${counted(o.blocks_per_sm, 'block')} of ${shape(k.block)} on an SM`}
        {o.waves !== null && `; waves of blocks: ${plain(o.waves)}`}.
      </p>
      <Scroll label="What limits occupancy">
        <table class="limiters">
          <thead><tr><th scope="col">Limit</th><th scope="col" class="number">Blocks on an SM</th><th scope="col">What would raise it</th></tr></thead>
          <tbody>
            {limiters.map(([key, name, remedy]) => (
              <tr key={key} class={o.limits[key] === least ? 'limiter' : undefined}>
                <th scope="row">{name}{o.limits[key] === least && <> <Badge kind="severity-medium">the limit</Badge></>}</th>
                <td class="number">{o.limits[key] === 0 ? none : count(o.limits[key])}</td>
                <td>{o.limits[key] === least && o.theoretical_ratio! < 1 ? remedy : none}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {if_ && (
        <>
          <h3>Occupancy that would be possible</h3>
          <Scroll label="Occupancy that would be possible">
            <table class="whatif">
              <thead>
                <tr><th scope="col">Registers a thread</th>{if_.blocks.map((b) => <th key={b} scope="col" class="number">block of {b}</th>)}</tr>
              </thead>
              <tbody>
                {if_.registers.map((r) => (
                  <tr key={r}>
                    <th scope="row">{r}</th>
                    {if_.blocks.map((b) => {
                      const { ratio } = if_.fit(b, r);
                      const here = b === if_.at[0] && r === if_.at[1];
                      return <td key={b} class={here ? 'number asis' : ratio > o.theoretical_ratio! ? 'number better' : 'number'}>{ratio === 0 ? 'does not run' : percent(ratio)}{here && <small>now</small>}</td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          <p class="under">With the shared memory of a block as it is. More resident warps help only a kernel that waits for latency.</p>
        </>
      )}
    </section>
  );
}

function Stalls({ path, revision, live }: { path: string; revision: string; live: boolean }) {
  const source = useResource<Source>(live ? null : `${path}/source`, revision);
  const samples = source.value?.totals.samples ?? null;
  return (
    <section aria-labelledby="stalls">
      <h2 id="stalls">Why warps waited</h2>
      {samples !== null && samples.all > 0 ? (
        <StallKinds.Provider value={source.value!.stalls ?? []}>
          <p>{counted(samples.all, 'sample')}, {percent(samples.not_issued / samples.all)} of them while no warp could issue.</p>
          <StallLegend samples={samples} />
          <StallTable samples={samples} />
        </StallKinds.Provider>
      ) : live ? <p class="notice">Samples are there when the run has ended.</p>
        : source.error ? <Failure error={source.error} retry={source.reload} />
        : source.value === null ? <Loading what="samples" />
        : <p class="notice">Not sampled: {source.value.missing.samples ?? 'no sample fell into this kernel'}</p>}
    </section>
  );
}

function Measured({ metrics, error }: { metrics: MetricList | null; error: Error | null }) {
  if (error && !metrics) return <Failure error={error} />;
  if (!metrics) return null;
  const known = metrics.items.filter((m) => m.value !== null);
  const reasons = new Map<string, number>();
  for (const m of metrics.items) if (m.value === null) reasons.set(m.reason ?? 'no reason given', (reasons.get(m.reason ?? 'no reason given') ?? 0) + 1);
  return (
    <details class="fold">
      <summary>Everything measured: {counted(known.length, 'value')}</summary>
      {[...reasons].map(([why, n]) => <p key={why} class="dim">{counted(n, 'value')} missing: {why}</p>)}
      {known.length > 0 && (
        <Scroll label="Everything measured">
          <table>
            <thead><tr><th scope="col">What</th><th scope="col" class="number">Value</th><th scope="col">Source</th><th scope="col">Name</th></tr></thead>
            <tbody>
              {known.map((m) => (
                <tr key={m.name}><th scope="row">{m.label}</th><td class="number nowrap">{measure(m.value, m.unit)}</td><td>{m.source ?? none}</td><td><code>{m.name}</code></td></tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  );
}
