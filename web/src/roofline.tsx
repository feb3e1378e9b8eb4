// The performance of kernels against the GPU's ceilings: a chart if operations were
// counted, and always a table with the same numbers.
import { compact, counted, none, percent, plain, rate } from './format';
import { useResource } from './hooks';
import { shortName } from './names';
import { Failure, Loading, Scroll, ReasonList, reasonsOf, Unmeasured } from './parts';
import { kernelLink } from './links';
import type { OfRun } from './of-run';
import { ticksOf, type Box } from './roofline-data';
import { Zoom, type Plot } from './roofline-zoom';
import type { Ceiling, Device, DeviceList, Kernel, KernelList } from './openapi';

const most = 50;

export function RooflineTab({ id: run, base, revision }: OfRun) {
  const kernels = useResource<KernelList>(`${base}/kernels?limit=${most}`, revision);
  const devices = useResource<DeviceList>(`${base}/devices`, revision);
  if (kernels.error && !kernels.value) return <Failure error={kernels.error} retry={kernels.reload} />;
  if (!kernels.value || !devices.value) return <Loading what="rooflines" />;
  const rows = kernels.value.items.filter((k) => k.roofline && k.bandwidth);
  if (rows.length === 0)
    return <p class="notice">{kernels.value.items.length === 0 ? 'No kernel was launched.' : 'Nothing was measured that places a kernel under its roofs.'}</p>;
  const device = devices.value.items[0];
  return (
    <section aria-labelledby="roofline">
      <h2 id="roofline">Rooflines and bandwidth</h2>
      {device?.ceilings && <Ceilings device={device} />}
      {device?.ceilings && <RooflineChart rows={rows} ceilings={device.ceilings.items} run={run} />}
      <Table run={run} rows={rows} />
      <dl class="meanings">
        <div><dt>Effective</dt><dd>bytes that threads asked for, a second; over 100 % where caches serve them</dd></div>
        <div><dt>Intensity</dt><dd>floating-point operations per byte moved; a fused multiply-add is two</dd></div>
        <div><dt>Limit</dt><dd>what is near its ceiling; latency where nothing is</dd></div>
      </dl>
      {kernels.value.next_cursor !== null && <p>The {most} kernels with the most time; the others are in the API.</p>}
    </section>
  );
}

const from: Record<Ceiling['source'], string> = { measured: '', model: ' (from other GPUs of this model)', attribute: ' (from attributes)' };

function Ceilings({ device }: { device: Device }) {
  return (
    <p class="ceilings">
      Ceilings of {device.name ?? 'the GPU'}, {device.ceilings!.from}:{' '}
      {device.ceilings!.items.map((c) => `${c.label} ${rate(c.value, c.unit)}${from[c.source]}`).join('; ')}.
    </p>
  );
}

const width = 760;
const height = 340;
const pad = { left: 92, right: 34, top: 14, bottom: 42 };
const plot: Plot = { x: pad.left, y: pad.top, width: width - pad.left - pad.right, height: height - pad.top - pad.bottom };

// Decades from the one below ${low} to the one above ${high}.
function decades(low: number, high: number): [number, number] {
  const from = Math.floor(Math.log10(low));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(high)))];
}

// A kernel's place under the roofs; null where it has none.
function placeOf(k: Kernel | undefined): { x: number; y: number } | null {
  const [x, y] = [k?.roofline?.dram_flop_per_byte ?? 0, k?.roofline?.flops_per_s ?? 0];
  return x > 0 && y > 0 ? { x, y } : null;
}

const clear = 34; // px that a roof's name needs around it

// ${before}: the same kernel before a change, from where an arrow leads.
export function RooflineChart({ rows, ceilings, run, before }: { rows: Kernel[]; ceilings: Ceiling[]; run: string; before?: Map<Kernel, Kernel> }) {
  const ceiling = (name: string) => ceilings.find((c) => c.name === name)?.value ?? 0;
  const dots = rows.filter((k) => placeOf(k) !== null);
  const dram = ceiling('dram_bytes_per_s');
  const l2 = ceiling('l2_bytes_per_s');
  const tensor = dots.some((k) => k.roofline!.compute === 'tensor');
  const roofs = [['fp32_flops', 'FP32'], ['fp64_flops', 'FP64'], ...(tensor ? [['tensor_flops', 'tensor, FP16']] : [])]
    .map(([name, label]) => ({ label: label!, value: ceiling(name!) }))
    .filter((r) => r.value > 0);
  if (dots.length === 0) {
    const why = rows.find((k) => k.roofline!.no_flops !== null)?.roofline!.no_flops;
    return <p class="notice">No kernel is on the roofline chart{why ? `: ${why}` : ': none does floating-point operations'}.</p>;
  }
  if (!(dram > 0) || roofs.length === 0) return null;
  const top = Math.max(...roofs.map((r) => r.value));
  const olds = dots.map((k) => placeOf(before?.get(k)));
  const rings = l2 > 0 && !before ? dots.filter((k) => (k.roofline!.l2_flop_per_byte ?? 0) > 0) : [];
  const xs = [...dots.map((k) => k.roofline!.dram_flop_per_byte!), ...rings.map((k) => k.roofline!.l2_flop_per_byte!), ...olds.flatMap((old) => old?.x ?? [])];
  const ys = [...dots.map((k) => k.roofline!.flops_per_s!), ...olds.flatMap((old) => old?.y ?? [])];
  const [left, right] = decades(Math.min(0.1, ...xs), Math.max((10 * top) / dram, ...xs));
  const [bottom, above] = decades(Math.min(top / 1e4, ...ys), Math.max(top, ...ys));
  const whole: Box = { x0: left, x1: right, y0: bottom, y1: above };
  const longest = placeOf(dots.reduce((a, b) => (b.time.total_ns > a.time.total_ns ? b : a)))!;
  const total = dots.reduce((sum, k) => sum + k.time.total_ns, 0);
  const picture = ({ x0, x1, y0, y1 }: Box) => {
    const x = (v: number) => pad.left + ((Math.log10(v) - x0) / (x1 - x0)) * (width - pad.left - pad.right);
    const y = (v: number) => height - pad.bottom - ((Math.log10(v) - y0) / (y1 - y0)) * (height - pad.top - pad.bottom);
    const clampX = (v: number) => Math.min(Math.max(v, 10 ** x0), 10 ** x1);
    const low = clampX(10 ** y0 / dram);
    // The place along the slope where no kernel covers the roof's name.
    const high = clampX(top / dram);
    const marks = [...dots.map((k) => placeOf(k)!), ...rings.map((k) => ({ x: k.roofline!.l2_flop_per_byte!, y: k.roofline!.flops_per_s! })), ...olds.flatMap((old) => old ?? [])];
    const free = [0, 0.25, 0.5, 0.75].map((part) => low ** (1 - part) * high ** part)
      .find((at) => marks.every((m) => Math.hypot(x(m.x) - x(at) - clear, y(m.y) - y(at * dram)) > clear)) ?? low;
    return (
      <>
        {ticksOf(x0, x1).map((d) => (
          <g key={`x${d}`}>
            <line class="grid" x1={x(10 ** d)} x2={x(10 ** d)} y1={pad.top} y2={height - pad.bottom} />
            <text class="tick" x={x(10 ** d)} y={height - pad.bottom + 16} text-anchor="middle">{compact(10 ** d)}</text>
          </g>
        ))}
        {ticksOf(y0, y1).map((d) => (
          <g key={`y${d}`}>
            <line class="grid" x1={pad.left} x2={width - pad.right} y1={y(10 ** d)} y2={y(10 ** d)} />
            <text class="tick" x={pad.left - 6} y={y(10 ** d) + 4} text-anchor="end">{rate(10 ** d, 'FLOP/s')}</text>
          </g>
        ))}
        <text class="tick" x={(pad.left + width) / 2} y={height - 6} text-anchor="middle">FLOP per byte moved</text>
        <g clip-path="url(#plot)">
        <line class="roof" x1={x(low)} y1={y(low * dram)} x2={x(high)} y2={y(high * dram)} />
        <text class="roofname" x={x(free) + 16} y={y(free * dram) + 4}>DRAM</text>
        {rings.length > 0 && (
          <>
            <line class="roof2" x1={x(clampX(10 ** y0 / l2))} y1={y(clampX(10 ** y0 / l2) * l2)} x2={x(clampX(top / l2))} y2={y(clampX(top / l2) * l2)} />
            <text class="roofname" x={x(clampX(10 ** y0 / l2)) + 4} y={y(clampX(10 ** y0 / l2) * l2) - 12}>L2</text>
          </>
        )}
        {rings.map((k) => (
          <circle key={`l2 ${k.id}`} class="dot2" cx={x(k.roofline!.l2_flop_per_byte!)} cy={y(k.roofline!.flops_per_s!)} r={4 + 12 * Math.sqrt(k.time.total_ns / total)}>
            <title>{`${shortName(k)}: ${plain(k.roofline!.l2_flop_per_byte)} FLOP per byte that L2 moved`}</title>
          </circle>
        ))}
        {roofs.map((r, i) => (
          <g key={r.label}>
            <line class="roof" x1={x(clampX(r.value / dram))} x2={width - pad.right} y1={y(r.value)} y2={y(r.value)} />
            <text class="roofname" x={x(clampX(r.value / dram)) + 8} y={y(r.value) + (i === 1 ? 14 : -5)}>{r.label}</text>
          </g>
        ))}
        {before && (
          <>
            <marker id="arrowhead" viewBox="0 0 10 10" refX={9} refY={5} markerWidth={7} markerHeight={7} orient="auto"><path class="arrowhead" d="M0 0 10 5 0 10z" /></marker>
            {dots.map((k, i) => olds[i] && (
              <g key={`old ${k.id}`}>
                <circle class="dot2" cx={x(olds[i]!.x)} cy={y(olds[i]!.y)} r={4} />
                <line class="arrow" x1={x(olds[i]!.x)} y1={y(olds[i]!.y)} x2={x(placeOf(k)!.x)} y2={y(placeOf(k)!.y)} marker-end="url(#arrowhead)" />
              </g>
            ))}
          </>
        )}
        {dots.map((k) => (
          <circle key={k.id} class="dot" onClick={() => { location.hash = kernelLink(run, k.id); }} cx={x(k.roofline!.dram_flop_per_byte!)} cy={y(k.roofline!.flops_per_s!)}
            r={4 + 12 * Math.sqrt(k.time.total_ns / total)}>
            <title>{`${shortName(k)}: ${rate(k.roofline!.flops_per_s, 'FLOP/s')}, ${k.roofline!.bound ?? ''}`}</title>
          </circle>
        ))}
        </g>
      </>
    );
  };
  return (
    <Zoom whole={whole} plot={plot} centre={{ x: Math.log10(longest.x), y: Math.log10(longest.y) }} width={width} height={height} picture={picture}
      label={`${counted(dots.length, 'kernel')}: ` + dots.slice(0, 10).map((k) =>
        `${shortName(k)} ${plain(k.roofline!.dram_flop_per_byte!)} FLOP per byte, ${rate(k.roofline!.flops_per_s, 'FLOP/s')}`).join('; ')}>
      {before && 'An arrow leads from before the change to after it. '}Each kernel by its operations per byte and a second; the area is its time. Full: bytes of DRAM{rings.length > 0 && ', under the full slope; rings: bytes of L2, under the dashed one'}. What is under the slope waits for DRAM, what is under a level line could compute more.
    </Zoom>
  );
}

function Table({ run, rows }: { run: string; rows: Kernel[] }) {
  const reasons = reasonsOf(rows.flatMap(({ roofline, bandwidth: b }) => [
    ...(roofline!.no_flops !== null ? [roofline!.no_flops] : []),
    ...([b!.used_bytes_per_s, b!.dram_bytes_per_s, b!.l2_bytes_per_s].includes(null) ? [b!.reason] : []),
  ]));
  return (
    <>
    <Scroll label="Rooflines">
      <table class="rooflines">
        <thead>
          <tr>
            <th scope="col">Kernel</th>
            <th scope="col" class="number">Compute</th>
            <th scope="col" class="number">Intensity, DRAM / L2</th>
            <th scope="col" class="number">Effective</th>
            <th scope="col" class="number">DRAM</th>
            <th scope="col" class="number">L2</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((kernel) => <Row key={kernel.id} run={run} kernel={kernel} reasons={reasons} />)}
        </tbody>
      </table>
    </Scroll>
    <ReasonList reasons={reasons} />
    </>
  );
}

function Row({ run, kernel, reasons }: { run: string; kernel: Kernel; reasons: string[] }) {
  const roof = kernel.roofline!;
  const bytes = kernel.bandwidth!;
  const bandwidth = (value: number | null, ratio: number | null) => value === null
    ? <Unmeasured reasons={reasons} reason={bytes.reason} />
    : <td class="number nowrap">{rate(value, 'B/s')}<small>{percent(ratio)} of the ceiling</small></td>;
  return (
    <tr data-roofline={kernel.id}>
      <th scope="row" class="program" title={kernel.name ?? ''}>
        <a class="name" href={kernelLink(run, kernel.id)}>{shortName(kernel)}</a>
        <small>{percent(kernel.share_ratio)} of the run</small>
      </th>
      {roof.no_flops !== null ? (
        <Unmeasured reasons={reasons} reason={roof.no_flops} span={2} />
      ) : (
        <>
          <td class="number nowrap">{rate(roof.flops_per_s, 'FLOP/s')}<small>{roof.compute ? `${percent(roof.compute_ratio)} of ${roof.compute}` : none}</small></td>
          <td class="number nowrap">{plain(roof.dram_flop_per_byte)} / {plain(roof.l2_flop_per_byte)}</td>
        </>
      )}
      {bandwidth(bytes.used_bytes_per_s, bytes.used_ratio)}
      {bandwidth(bytes.dram_bytes_per_s, bytes.dram_ratio)}
      {bandwidth(bytes.l2_bytes_per_s, bytes.l2_ratio)}
      <td>{roof.bound ?? <span class="dim">not known</span>}</td>
    </tr>
  );
}
