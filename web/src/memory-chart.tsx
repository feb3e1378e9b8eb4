// Where a kernel's bytes come from: what its threads asked for, and what each level moved.
import { bytes, percent, rate } from './format';
import type { Kernel, Metric } from './openapi';

interface Level {
  name: string;
  bytes: number | null;
  per_s: number | null;
  ratio: number | null;
  of: string; // the ceiling
  hit: string;
}

// What L2 moved that DRAM did not: no hit rate, which counts sectors and not bytes.
function servedByL2(b: Kernel['bandwidth']): string {
  const [l2, dram] = [b?.l2_bytes ?? null, b?.dram_bytes ?? null];
  return l2 === null || dram === null || !(l2 > 0) || dram > l2 ? '' : `${percent(1 - dram / l2)} without DRAM`;
}

export function MemoryChart({ kernel, metrics }: { kernel: Kernel; metrics: Metric[] }) {
  const of = (name: string) => metrics.find((m) => m.name === name)?.value ?? null;
  const b = kernel.bandwidth;
  const l1 = of('l1tex__t_sector_hit_rate.pct');
  const shared = of('l1tex__data_pipe_lsu_wavefronts_mem_shared.sum');
  const levels: Level[] = [
    { name: 'Threads asked for', bytes: b?.used_bytes ?? null, per_s: b?.used_bytes_per_s ?? null, ratio: b?.used_ratio ?? null, hit: l1 === null ? '' : `L1 hit rate ${percent(l1 / 100)}`, of: 'the DRAM ceiling' },
    { name: 'L2 moved', bytes: b?.l2_bytes ?? null, per_s: b?.l2_bytes_per_s ?? null, ratio: b?.l2_ratio ?? null, hit: servedByL2(b), of: 'L2\'s ceiling' },
    { name: 'DRAM moved', bytes: b?.dram_bytes ?? null, per_s: b?.dram_bytes_per_s ?? null, ratio: b?.dram_ratio ?? null, hit: '', of: 'its ceiling' },
    // A wavefront moves what 32 banks of 4 bytes hold, at most.
    { name: 'Shared memory, at most', bytes: shared === null ? null : shared * 128, per_s: null, ratio: null, hit: '', of: '' },
  ];
  const known = levels.filter((l) => l.bytes !== null);
  return (
    <section aria-labelledby="memory">
      <h2 id="memory">Memory</h2>
      {known.length === 0 ? <p class="notice">Not measured: {b?.reason ?? kernel.not_measured ?? 'no counters of this kernel'}</p> : <Table levels={levels} reason={b?.reason ?? null} />}
    </section>
  );
}

function Table({ levels, reason }: { levels: Level[]; reason: string | null }) {
  const most = Math.max(...levels.map((l) => l.bytes ?? 0));
  return (
    <>
      <table class="bars memory">
        <thead class="hidden"><tr><th scope="col">Level</th><th scope="col">Share</th><th scope="col">Bytes a launch</th><th scope="col">Rate</th></tr></thead>
        <tbody>
          {levels.filter((l) => l.bytes !== null).map((l) => (
            <tr key={l.name}>
              <th scope="row">{l.name}<small>{l.hit}</small></th>
              <td>
                <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="room" width={100} height={10} />
                  <rect class="sure" width={most > 0 ? (100 * l.bytes!) / most : 0} height={10} />
                </svg>
              </td>
              <td class="number nowrap">{bytes(l.bytes)}</td>
              <td class="number nowrap">{l.per_s === null ? '' : rate(l.per_s, 'B/s')}<small>{l.ratio === null ? '' : `${percent(l.ratio)} of ${l.of}`}</small></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="under">Bytes of a launch.{reason !== null && ` Missing: ${reason}`}</p>
    </>
  );
}
