// The path of a kernel's bytes: from its threads through L1 or shared memory and L2 to
// DRAM, with the measurements of each part, or the reason why there is none.
import type { ComponentChildren } from 'preact';
import { bytes, compact, percent, plain, rate } from './format';
import type { Kernel, Metric } from './openapi';

const sector = 32; // bytes
const wavefront = 128; // bytes of shared memory, at most: 32 banks of 4

interface Flow {
  name: string;
  back: boolean | null; // towards the threads; null: both ways
  bytes: number | null;
  more: string; // '': nothing more
  why: string; // why there are no bytes
}

// A counter's value for one launch, and the reason if it has none.
interface Counters {
  of: (name: string, scale?: number) => number | null;
  why: (name: string) => string;
}

function counters(metrics: Metric[]): Counters {
  const find = (name: string) => metrics.find((m) => m.name === name);
  return {
    of: (name, scale = 1) => {
      const value = find(name)?.value;
      return value == null ? null : value * scale;
    },
    why: (name) => find(name)?.reason ?? 'its counters were not collected',
  };
}

const sumOf = (...values: (number | null)[]) => (values.some((v) => v === null) ? null : values.reduce((a: number, v) => a + v!, 0));

const per = (sectors: number | null, of: number | null, what: string) => (sectors === null || of === null || !(of > 0) ? '' : `${plain(sectors / of)} sectors ${what}`);

// The share of bytes that L2 moved without DRAM: not a hit rate, which counts sectors.
function servedByL2(b: Kernel['bandwidth']): string | null {
  const [l2, dram] = [b?.l2_bytes ?? null, b?.dram_bytes ?? null];
  return l2 === null || dram === null || !(l2 > 0) || dram > l2 ? null : `${percent(1 - dram / l2)} served without DRAM`;
}

function ways({ of, why }: Counters, { bandwidth, local_bytes }: Kernel) {
  const global = (op: string, name: string, back: boolean): Flow => {
    const counter = `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`;
    const sectors = of(counter);
    return {
      name, back, bytes: of(counter, sector), why: why(counter),
      more: per(sectors, of(`l1tex__t_requests_pipe_lsu_mem_global_op_${op}.sum`), 'a request') || per(sectors, of(`smsp__inst_executed_op_global_${op}.sum`), "a warp's instruction"),
    };
  };
  const local = (op: string, name: string, back: boolean): Flow => {
    const counter = `l1tex__t_sectors_pipe_lsu_mem_local_op_${op}.sum`;
    return { name, back, bytes: of(counter, sector), why: why(counter), more: back ? 'registers spilled, or an indexed array' : '' };
  };
  const shared = (op: string, name: string, back: boolean): Flow => {
    const counter = `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`;
    const [all, lost] = [of(counter), of(`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`)];
    return {
      name, back, bytes: of(counter, wavefront), why: why(counter),
      more: all === null || lost === null || !(all > 0) ? '' : `${percent(Math.min(1, lost / all))} of it bank conflicts`,
    };
  };
  const plainly = (counter: string, scale: number, name: string, back: boolean | null): Flow => ({ name, back, bytes: of(counter, scale), why: why(counter), more: '' });
  // If one of the two is missing, shows their sum.
  const either = (flows: Flow[], all: number | null | undefined): Flow[] => (all == null || flows.every((f) => f.bytes !== null) ? flows
    : [{ name: 'read and written', back: null, bytes: all, why: '', more: '' }]);
  return {
    l1: [global('ld', 'global loads', true), global('st', 'global stores', false), local('ld', 'local loads', true), local('st', 'local stores', false)]
      .filter((f) => !f.name.startsWith('local') || (f.bytes === null ? local_bytes > 0 : f.bytes > 0)),
    shared: [shared('ld', 'loads, at most', true), shared('st', 'stores, at most', false)],
    l2: either([plainly('lts__t_sectors_op_read.sum', sector, 'read', true), plainly('lts__t_sectors_op_write.sum', sector, 'written', false)],
      of('lts__t_sectors_srcunit_tex.sum', sector) ?? bandwidth?.l2_bytes),
    dram: either([plainly('dram__bytes_read.sum', 1, 'read', true), plainly('dram__bytes_write.sum', 1, 'written', false)], bandwidth?.dram_bytes),
    outside: [plainly('lts__t_sectors_aperture_sysmem.sum', sector, 'host memory', null), plainly('lts__t_sectors_aperture_peer.sum', sector, 'other GPUs', null)]
      .filter((f) => (f.bytes ?? 0) > 0),
  };
}

// The share of sectors that threads got from L1.
function hitOf({ of }: Counters, asked: Flow[]): string | null {
  const rate_ = of('l1tex__t_sector_hit_rate.pct');
  if (rate_ !== null) return `hit rate ${percent(rate_ / 100)}`;
  const below = of('lts__t_sectors_srcunit_tex.sum', sector);
  const all = sumOf(...asked.map((f) => f.bytes));
  return below === null || all === null || !(all > 0) || below > all ? null : `${percent(1 - below / all)} served without L2`;
}

export function MemoryChart({ kernel, metrics }: { kernel: Kernel; metrics: Metric[] }) {
  const c = counters(metrics);
  const b = kernel.bandwidth;
  const w = ways(c, kernel);
  const hit = hitOf(c, w.l1);
  const atomics = sumOf(c.of('l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum'), c.of('l1tex__t_requests_pipe_lsu_mem_global_op_red.sum'));
  const uses = kernel.shared_static_bytes + kernel.shared_dynamic_bytes > 0 || w.shared.some((f) => (f.bytes ?? 0) > 0);
  const flows = [...w.l1, ...(uses ? w.shared : []), ...w.l2, ...w.dram, ...w.outside];
  const most = Math.max(0, ...flows.map((f) => f.bytes ?? 0));
  const reasons = new Set([...flows.filter((f) => f.bytes === null).map((f) => f.why), ...(hit === null ? [c.why('l1tex__t_sector_hit_rate.pct')] : []), ...(b?.reason ? [b.reason] : [])]);
  if (flows.every((f) => f.bytes === null))
    return (
      <section aria-labelledby="memory">
        <h2 id="memory">Memory</h2>
        <p class="notice">Not measured: {b?.reason ?? kernel.not_measured ?? [...reasons][0] ?? 'no counters of this kernel'}</p>
      </section>
    );
  const reached = (per_s: number | null, ratio: number | null, ceiling: string) => (per_s === null ? null : `${rate(per_s, 'B/s')}${ratio === null ? '' : `, ${percent(ratio)} of ${ceiling}`}`);
  const asked = b?.used_bytes ?? null;
  const unused = asked === null || !(most > 0) ? null : reached(b?.used_bytes_per_s ?? null, null, '');
  return (
    <section aria-labelledby="memory">
      <h2 id="memory">Memory <small class="beside">bytes of a launch</small></h2>
      <ol class={`memorymap${uses ? ' shares' : ''}${w.outside.length > 0 ? ' leaves' : ''}`}>
        <Box at="threads" title="Threads">
          {asked === null ? 'what they asked for: not measured' : <>asked for {bytes(asked)}{unused && <>: {unused}</>}</>}
        </Box>
        <Way at="to-l1" flows={w.l1} most={most}>{atomics !== null && atomics > 0 && `${compact(atomics)} atomic requests`}</Way>
        <Box at="l1" title="L1">{hit ?? 'hit rate: not measured'}</Box>
        <Way at="to-l2" flows={w.l2} most={most} />
        <Box at="l2" title="L2">{[reached(b?.l2_bytes_per_s ?? null, b?.l2_ratio ?? null, 'its ceiling'), servedByL2(b)].filter((s) => s !== null).join('; ') || 'rate: not measured'}</Box>
        <Way at="to-dram" flows={w.dram} most={most} />
        <Box at="dram" title="DRAM">{reached(b?.dram_bytes_per_s ?? null, b?.dram_ratio ?? null, 'its ceiling') ?? 'rate: not measured'}</Box>
        {uses && <Way at="to-shared" flows={w.shared} most={most} />}
        {uses && <Box at="shared" title="Shared memory">{kernel.shared_static_bytes + kernel.shared_dynamic_bytes > 0 ? `${bytes(kernel.shared_static_bytes + kernel.shared_dynamic_bytes)} a block` : 'used'}</Box>}
        {w.outside.length > 0 && <Way at="to-outside" flows={w.outside} most={most} />}
        {w.outside.length > 0 && <Box at="outside" title="Over the bus">PCIe or NVLink</Box>}
      </ol>
      {reasons.size > 0 && <p class="under">Not measured: {[...reasons].join('; ')}</p>}
    </section>
  );
}

function Box({ at, title, children }: { at: string; title: string; children: ComponentChildren }) {
  return <li class={`box at-${at}`}><b>{title}</b><small>{children}</small></li>;
}

// The line is as thick as its share of the most bytes.
function Way({ at, flows, most, children }: { at: string; flows: Flow[]; most: number; children?: ComponentChildren }) {
  return (
    <li class={`way at-${at}`}>
      <ul>
        {flows.map((f) => (
          <li key={f.name}>
            <span>{f.back === null ? '↔' : f.back ? '←' : '→'} {f.name} <b class="number">{f.bytes === null ? 'not measured' : bytes(f.bytes)}</b></span>
            <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class="room" width={100} height={10} />
              <rect class="sure" x={f.back && most > 0 ? 100 - (100 * (f.bytes ?? 0)) / most : 0} width={most > 0 ? (100 * (f.bytes ?? 0)) / most : 0} height={10} />
            </svg>
            {f.more !== '' && <small>{f.more}</small>}
          </li>
        ))}
      </ul>
      {children && <small>{children}</small>}
    </li>
  );
}
