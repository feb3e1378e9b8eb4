// The computations of the timeline, without a browser: windows, columns, sums, round times.
import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { require, root } from '../api/daemon.mjs';

let data;
let fit;
let whatIf;

before(async () => {
  const { outputFiles } = await require('esbuild').build({
    stdin: { contents: "export * as data from './timeline-data'; export { fit, whatIf } from './occupancy';", resolveDir: path.join(root, 'web/src') },
    bundle: true, write: false, format: 'esm', platform: 'neutral',
  });
  ({ data, fit, whatIf } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`));
});

const kernels = { key: '0 kernel', device: 0, row: 'kernel', label: 'kernels' };
const timeline = (busy, count, from = 0, bin = 100) => ({
  from_ns: from, to_ns: from + busy.length * bin, bin_ns: bin,
  devices: [{ device: 0, name: null, rows: [{ row: 'kernel', busy_ratio: busy, count }] }],
});

test('idle time: by cause in bins, where nothing ran among single operations', () => {
  const bins = timeline([0, 0.5, 0, 0, 0], [0, 1, 0, 0, 0]);
  bins.devices[0].rows.push({ row: 'idle_host', busy_ratio: [0, 0.2, 0.9, 0, 0], count: [0, 0, 0, 0, 0] },
    { row: 'idle_launch', busy_ratio: [0, 0.3, 0.1, 0, 0], count: [0, 0, 0, 0, 0] });
  const rows = data.rowsOf(bins);
  assert.deepEqual(rows.map((r) => [r.row, r.label]), [['kernel', 'kernels'], ['idle', 'idle, by cause']]);
  assert.deepEqual([50, 150, 250, 350].map((t) => data.causeAt(bins, 0, t)), [null, 'idle_launch', 'idle_host', null]);
  assert.deepEqual(data.activeOf(bins, 0), { from: 100, to: 300 });
  assert.equal(data.manyIn(bins, rows, { from: 0, to: 500 }), 1);
  const item = (row, start_ns, duration_ns, device = 0) => ({ row, start_ns, duration_ns, device });
  const items = [item('kernel', 20, 20), item('h2d', 30, 30), item('api', 0, 100), item('kernel', 0, 100, 1)];
  assert.deepEqual(data.idleOf(items, rows[1], { from: 0, to: 100 }), [{ from: 0, to: 20 }, { from: 60, to: 100 }]);
});

test('single operations: when the GPU was idle, and mostly why', () => {
  const bins = timeline([0, 0.5, 0, 0.1, 0], [0, 1, 0, 1, 0]);
  bins.devices[0].rows.push({ row: 'idle_host', busy_ratio: [0, 0.5, 0.4, 0, 0], count: [0, 0, 0, 0, 0] }, { row: 'idle_sync', busy_ratio: [0, 0, 0.6, 0, 0], count: [0, 0, 0, 0, 0] });
  const idle = data.rowsOf(bins)[1];
  const items = [[110, 50], [350, 10]].map(([start_ns, duration_ns]) => ({ row: 'kernel', device: 0, start_ns, duration_ns }));
  assert.deepEqual([...data.causesOf(bins, items, idle, { from: 100, to: 350 })], [['idle_host', 10], ['idle_sync', 190]]);
  assert.deepEqual([...data.causesOf(bins, items, idle, { from: 350, to: 500 })], [['outside', 140]]);
  assert.deepEqual([...data.causesOf(bins, [items[0]], idle, { from: 300, to: 380 })], [['unknown', 80]]);
});

const ranges = {
  count: 9, tracks: [{ process: 'a', thread: 1 }, { process: 'a', thread: null }, { process: 'a', thread: 7 }], names: ['outer', 'inner', 'all'],
  drawn: [[0, 0, 0, 100, 50], [1, 0, 1, 110, 10], [1, 0, 1, 130, 20], [2, 1, 0, 0, 500], [1, 2, 0, 100, 20]],
};

test('ranges: a row for each thread and depth, the longest thread first; the host below', () => {
  const bins = timeline([1], [1]);
  bins.devices[0].rows.push({ row: 'api', busy_ratio: [0], count: [3] });
  const rows = data.rowsOf(bins, ranges);
  assert.deepEqual(rows.map((r) => r.label), ['kernels', 'NVTX ranges', 'NVTX ranges, thread 1', '', 'NVTX ranges, thread 7', 'host calls']);
  assert.deepEqual(data.spansOf(ranges, rows[3]), [{ name: 'inner', from: 110, to: 120 }, { name: 'inner', from: 130, to: 150 }]);
  assert.deepEqual(data.spansOf(ranges, rows[0]), []);
  assert.deepEqual(data.rangesIn(ranges, { from: 115, to: 135 }), [{ name: 'outer', ns: 20, count: 1 }, { name: 'all', ns: 20, count: 1 }, { name: 'inner', ns: 15, count: 3 }]);
  const many = { ...ranges, drawn: Array.from({ length: 400 }, (_, i) => [0, i % 20, Math.floor(i / 20), 0, 10]), tracks: Array.from({ length: 20 }, () => ranges.tracks[0]) };
  assert.equal(data.rowsOf(timeline([], []), many).length, 10);
});

test('the launch before and after: wherever they are, and in whatever order they are told', async () => {
  const starts = [5000, 7, 900000, 5400, 5200, 40];
  for (const page of [1, 2, 100]) {
    const asked = [];
    const list = async (from, to) => {
      asked.push([from, to]);
      const found = starts.filter((s) => s >= from && s < to);
      return { items: found.slice(0, page).map((start_ns) => ({ start_ns })), all: found.length <= page };
    };
    const beside = async (t, later) => (await data.beside(list, t, later, 100, 1e6))?.start_ns ?? null;
    const before = { 8: 7, 7: null, 5300: 5200, 5400: 5200, 900000: 5400, 1000000: 900000 };
    for (const [t, want] of Object.entries(before)) assert.equal(await beside(Number(t), false), want, `before ${t}, ${page}`);
    const after = { [-1]: 7, 7: 40, 5000: 5200, 5400: 900000, 900000: null };
    for (const [t, want] of Object.entries(after)) assert.equal(await beside(Number(t), true), want, `after ${t}, ${page}`);
    assert.ok(asked.every(([from, to]) => from < to && Number.isInteger(from)), JSON.stringify(asked));
  }
});

test('a launch is brought into view, large enough to be seen', () => {
  const at = (view, start, duration) => data.viewAround(view, { start, duration }, 1e9);
  assert.deepEqual(at({ from: 0, to: 1000 }, 500, 100), { from: 0, to: 1000 });
  assert.deepEqual(at({ from: 0, to: 1000 }, 5000, 100), { from: 4550, to: 5550 });
  assert.deepEqual(at({ from: 0, to: 1e9 }, 500000, 1000), { from: 300500, to: 700500 });
});

test('a window stays in the run, and is never shorter than a clock tells', () => {
  const wall = 1e9;
  for (const view of [{ from: -5e8, to: 5e8 }, { from: 9e8, to: 2e9 }, { from: 5, to: 5 }, { from: 3, to: 1 }, { from: -1e18, to: 1e18 }]) {
    const { from, to } = data.clamp(view, wall);
    assert.ok(from >= 0 && to <= wall && to - from >= data.shortest, JSON.stringify([view, from, to]));
  }
  let view = { from: 0, to: wall };
  for (let i = 0; i < 200; i++) view = data.zoom(view, 0.25, 0.5, wall);
  assert.equal(view.to - view.from, data.shortest);
  assert.ok(Math.abs(view.from + data.shortest / 4 - wall / 4) < data.shortest, 'what is pointed at stays');
  for (let i = 0; i < 200; i++) view = data.zoom(view, 0.25, 2, wall);
  assert.deepEqual(view, { from: 0, to: wall });
  assert.deepEqual(data.pan({ from: 10, to: 1010 }, -5, wall), { from: 0, to: 1000 });
});

test('what is asked for covers the view, and small steps ask for the same', () => {
  const wall = 4836133175296;
  const asks = new Set();
  for (let i = 0; i < 20; i++) {
    const view = { from: 1e12 + i * 1e3, to: 1e12 + 1e9 + i * 1e3 };
    const ask = data.askFor(view, wall);
    assert.ok(data.covers(ask, view) && Number.isInteger(ask.from) && Number.isInteger(ask.to) && ask.to - ask.from <= 3e9);
    asks.add(`${ask.from}-${ask.to}`);
  }
  assert.equal(asks.size, 1);
  assert.deepEqual(data.viewOf('5-10'), { from: 5, to: 10 });
  for (const wrong of ['', '5', '10-5', '5-5', '-1-5', '1e3-2e3', '99999999999999999-5', 'kernel-3', undefined]) assert.equal(data.viewOf(wrong), null, wrong);
});

test('columns: bins wider and narrower than a pixel; a start is always seen', () => {
  const out = new Float32Array(8);
  data.columns(timeline([1, 0.5], [1, 1]), kernels, { from: 0, to: 200 }, out);
  assert.deepEqual([...out], [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]);
  const fine = new Float32Array(2);
  data.columns(timeline([0, 0.25, 1, 0], [0, 0, 0, 0]), kernels, { from: 0, to: 400 }, fine);
  assert.deepEqual([...fine], [0.25, 1]);
  const started = new Float32Array(1);
  data.columns(timeline([0], [1]), kernels, { from: 0, to: 100 }, started);
  assert.ok(started[0] > 0);
  // A finer answer replaces a coarser one only within its window.
  const both = new Float32Array(4);
  data.columns(timeline([1, 1], [1, 1], 0, 200), kernels, { from: 0, to: 400 }, both);
  data.columns(timeline([0.5, 0], [0, 0], 100), kernels, { from: 0, to: 400 }, both);
  assert.deepEqual([...both], [1, 0.5, 0, 1]);
  // Unknown, above one, or of another device: no invalid values.
  const odd = new Float32Array(2);
  data.columns(timeline([null, 7], [0, 0]), kernels, { from: 0, to: 200 }, odd);
  assert.deepEqual([...odd], [0, 1]);
  data.columns(timeline([1, 1], [1, 1]), { ...kernels, device: 3 }, { from: 0, to: 200 }, odd);
  assert.deepEqual([...odd], [0, 1]);
});

test('sums: of bins in part, of operations at the same time once', () => {
  const sum = data.sumOf(timeline([1, 0, 0.5], [10, 0, 4]), kernels, { from: 50, to: 250 });
  assert.deepEqual(sum, { busy: (50 + 25) / 200, count: 7 });
  const item = (start_ns, duration_ns, stream = 1) => ({ row: 'kernel', device: 0, kernel_id: 1, call: null, start_ns, duration_ns, stream, process: 'a', bytes: null });
  const items = [item(0, 60), item(10, 20, 2), item(90, 100), item(500, 10)];
  assert.deepEqual(data.busyOf(items, kernels, { from: 0, to: 100 }), { busy: 0.7, count: 3 });
  assert.deepEqual([...data.lanesOf(items)], [['0 kernel a 1', 0], ['0 kernel a 2', 1], ['0 kernel', 2]]);
  assert.deepEqual(data.streamsOf(items, kernels), ['1', '2']);
  assert.deepEqual(data.streamsOf([...items, item(0, 1, 14)], kernels), ['1', '2', '14']);
  assert.deepEqual(data.streamsOf([item(0, 60), item(90, 100)], kernels), []);
});

test('ticks are round, few, and told from the first where digits would not do', () => {
  for (const view of [{ from: 0, to: 4.8e12 }, { from: 826785323945, to: 826785324145 }, { from: 12, to: 812 }]) {
    const { step, first, base } = data.ticksOf(view, 9);
    const n = Math.floor((view.to - first) / step) + 1;
    assert.ok(n >= 2 && n <= 10, `${n}`);
    assert.ok(first >= view.from && /^[125]0*$/.test(String(step)), `${step}`);
    assert.equal(base, view.from > 1000 ? first : 0);
  }
});

test('rows: only those with anything, the host once', () => {
  const row = (name, n) => ({ row: name, busy_ratio: [0], count: [n] });
  const device = (d, ...rows) => ({ device: d, name: null, rows });
  const of = (...devices) => data.rowsOf({ ...timeline([], []), devices }).map((r) => r.label);
  assert.deepEqual(of(), []);
  assert.deepEqual(of(device(0, row('kernel', 1), row('h2d', 0), row('sync', 2))), ['kernels', 'host waits']);
  assert.deepEqual(of(device(0, row('kernel', 1), row('api', 2)), device(1, row('kernel', 1))), ['GPU 0 kernels', 'GPU 1 kernels', 'host calls']);
});

test('occupancy of other blocks: only where the rules give what the daemon says', () => {
  const h200 = { max_warps_per_sm: 64, max_threads_per_block: 1024, max_blocks_per_sm: 32, max_threads_per_sm: 2048, warp_size: 32, regs_per_sm: 65536, regs_per_block: 65536 };
  assert.equal(fit(h200, 32, 40, Infinity).ratio, 0.5); // 32 blocks of a warp
  assert.equal(fit(h200, 256, 32, Infinity).ratio, 1);
  assert.equal(fit(h200, 1024, 128, Infinity).ratio, 0); // no block may have so many registers
  assert.equal(fit(h200, 256, 128, 1).ratio, 0.125); // shared memory for one block
  const kernel = { block: [32, 1, 1], registers: 40, occupancy: { theoretical_ratio: 0.5, limits: { shared: 228 } } };
  assert.deepEqual(whatIf(h200, kernel).at, [32, 40]);
  assert.equal(whatIf(h200, kernel).fit(256, 40).ratio, 0.75);
  assert.equal(whatIf(h200, { ...kernel, occupancy: { ...kernel.occupancy, theoretical_ratio: 0.4 } }), null);
  assert.equal(whatIf({ ...h200, warp_size: 0 }, kernel), null);
});
