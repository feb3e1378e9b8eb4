// Copies and memsets by class, each compared with what this machine reaches.
import { bytes, count, nanoseconds, none, percent, rate } from './format';
import { useResource } from './hooks';
import { Failure, Loading, Scroll } from './parts';
import type { Copy, CopyList } from './openapi';

export function CopiesTab({ base, revision }: { base: string; revision: string }) {
  const copies = useResource<CopyList>(`${base}/copies`, revision);
  if (copies.error && !copies.value) return <Failure error={copies.error} retry={copies.reload} />;
  if (!copies.value) return <Loading what="copies" />;
  if (copies.value.items.length === 0)
    return <p class="notice">No copy and no memset was recorded: the program moves no memory by calls, or has not come to it.</p>;
  return <Table copies={copies.value.items} />;
}

function Table({ copies }: { copies: Copy[] }) {
  return (
    <section aria-labelledby="copies">
      <h2 id="copies">Copies and memsets</h2>
      <Scroll label="Copies and memsets">
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">From, to</th>
              <th scope="col">Call</th>
              <th scope="col" class="number">Size from</th>
              <th scope="col" class="number">Count</th>
              <th scope="col" class="number">Bytes</th>
              <th scope="col" class="number">GPU time</th>
              <th scope="col" class="number">Bandwidth</th>
              <th scope="col" class="number">Possible</th>
            </tr>
          </thead>
          <tbody>
            {copies.map((copy, i) => (
              <tr key={i}>
                <th scope="row">{copy.kind}</th>
                <td class="nowrap">{copy.memset ? copy.dst : `${copy.src} → ${copy.dst}`}</td>
                <td>{copy.async ? 'asynchronous' : 'synchronous'}</td>
                <td class="number">{bytes(copy.size_class_bytes)}</td>
                <td class="number">{count(copy.count)}</td>
                <td class="number">{bytes(copy.bytes)}</td>
                <td class="number">{nanoseconds(copy.gpu_ns)}</td>
                <td class="number">{rate(copy.bandwidth_bytes_per_s, 'B/s')}</td>
                <td class="number">
                  {copy.ceiling_bytes_per_s == null
                    ? <span class="dim">{copy.ceiling_missing ?? none}</span>
                    : <>{rate(copy.ceiling_bytes_per_s, 'B/s')}<small>{percent(copy.ceiling_ratio)} of it reached</small></>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="under">Possible: what large copies from pinned memory reach on this machine; inside the GPU, its DRAM.</p>
    </section>
  );
}
