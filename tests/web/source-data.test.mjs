// The computations of the source view, without a browser: sums over inline contexts,
// folds, tokens.
import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { require, root } from '../api/daemon.mjs';
import { source, stallGroups, stallRows, texts } from './source-fixture.mjs';

let data;
let highlight;

before(async () => {
  const { outputFiles } = await require('esbuild').build({
    stdin: {
      contents: "export * as data from './source-data'; export { highlight } from './highlight';",
      resolveDir: path.join(root, 'web/src'),
    },
    bundle: true, write: false, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'],
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  ({ data, highlight } = await import(`data:text/javascript;base64,${code}`));
});

const samples = (n) => ({ all: n, not_issued: n, stalls: { wait: n } });
const line = (index, file, at, inlined_at, n) => ({
  index, file, line: at, inlined_at, function: null, instructions: 1, values: { inst: n }, samples: samples(n), findings: [],
});
const made = (lines) => ({
  ...source(1), metrics: [{ name: 'inst', unit: '', label: '' }, { name: 'threads_on', unit: '', label: '' }], lines,
  totals: { values: { inst: 100 }, samples: samples(100) },
});
const inst = (spot, which) => spot[which].values.get('inst');

test('a line has its own and, apart, what is inlined at it', () => {
  // 1 calls 2, which calls 3: 3 counts at 2 and at 1, once each.
  const model = data.build(made([line(0, 0, 1, null, 5), line(1, 1, 2, 0, 7), line(2, 2, 3, 1, 11)]));
  const spot = (key) => model.spots.get(key);
  assert.deepEqual([inst(spot('0:1'), 'own'), inst(spot('0:1'), 'all')], [5, 23]);
  assert.deepEqual([inst(spot('1:2'), 'own'), inst(spot('1:2'), 'all')], [7, 18]);
  assert.deepEqual([inst(spot('2:3'), 'own'), inst(spot('2:3'), 'all')], [11, 11]);
  assert.equal(spot('0:1').all.samples.stalls.wait, 23);
  assert.equal(model.total.values.get('inst'), 100);
});

test('one line in two contexts is one line', () => {
  const model = data.build(made([line(0, 0, 1, null, 5), line(1, 0, 2, null, 6), line(2, 1, 9, 0, 10), line(3, 1, 9, 1, 20)]));
  assert.equal(inst(model.spots.get('1:9'), 'own'), 30);
  assert.equal(model.spots.get('1:9').contexts.length, 2);
  assert.equal(inst(model.spots.get('0:1'), 'all'), 15);
  assert.equal(data.hottest(model, data.heatOf('inst'), 9)[0], model.spots.get('1:9'));
});

test('recursion counts once; circles and wild indexes end', () => {
  const model = data.build(made([line(0, 0, 1, null, 1), line(1, 0, 1, 0, 2), line(2, 0, 1, 1, 4)]));
  assert.equal(inst(model.spots.get('0:1'), 'all'), 7);
  const circle = made([line(0, 0, 1, 1, 1), line(1, 0, 2, 0, 2), line(2, 0, 3, 2, 4), line(3, 0, 4, 77, 8)]);
  const round = data.build(circle);
  assert.equal(data.callers(circle, circle.lines[2]).length, 1);
  assert.equal(inst(round.spots.get('0:4'), 'all'), 8);
});

test('left out is 0, null is not measured', () => {
  const rows = [{ ...line(0, 0, 1, null, 0), values: {} }, { ...line(1, 0, 2, null, 0), values: { inst: null } }];
  const model = data.build(made(rows));
  assert.equal(inst(model.spots.get('0:1'), 'own'), 0);
  assert.equal(model.spots.get('0:2').own.values.has('inst'), false);
  assert.equal(data.heatOf('inst').of(model.spots.get('0:2').own), null);
  assert.equal(data.heatOf('excess_sectors').of(model.spots.get('0:1').own), null, 'nobody counted sectors');
  assert.equal(data.lanesOf(model.spots.get('0:1').own), null);
});

test('stalls are summed by group, in the order of the kinds', () => {
  const kinds = ['barrier', 'long_scoreboard', 'lg_throttle', 'wait'].map((name) => stallRows.find((row) => row.name === name));
  const some = { all: 60, not_issued: 60, stalls: { lg_throttle: 20, barrier: 10, long_scoreboard: 30 } };
  assert.deepEqual(data.byGroup(kinds, some), [
    { key: 'sync', label: 'waiting for other warps', n: 10 }, { key: 'memory', label: 'memory', n: 50 },
  ]);
});

test('every group of stalls has its colour', () => {
  const css = readFileSync(path.join(root, 'web/src/source.css'), 'utf8');
  assert.ok(stallRows.length > 10 && stallGroups.length > 5);
  const coloured = [...css.matchAll(/^\.stall-(\w+) \{ fill: var\(--stall-\1\); \}$/gm)].map((match) => match[1]);
  assert.deepEqual(coloured.sort(), stallGroups.map(({ key }) => key).sort());
  for (const { key } of stallGroups) assert.ok(css.includes(`  --stall-${key}: light-dark(`), key);
});

test('the metrics it names are those that are counted', () => {
  const def = readFileSync(path.join(root, 'daemon/model/lines/source.def'), 'utf8');
  const counted = new Set([...def.matchAll(/SOURCE_METRIC\(([A-Z_]+),/g)].map((match) => match[1].toLowerCase()));
  const total = data.newSum();
  data.add(total, [...counted], Object.fromEntries([...counted].map((name) => [name, name.includes('ideal') ? 1 : 2])), samples(1), 1);
  total.values.set('inst', 3);
  assert.deepEqual(data.usable(total).map((heat) => heat.key), data.heats.map((heat) => heat.key));
});

test('what practices have their lines coloured by are colours', () => {
  const rules = readFileSync(path.join(root, 'daemon/rules/engine/rules.def'), 'utf8');
  const wanted = [...rules.matchAll(/\.heat = "([a-z_]+)",/g)].map((match) => match[1]);
  assert.ok(wanted.length >= 18);
  for (const heat of wanted) assert.ok(data.heats.some((one) => one.key === heat), heat);
});

test('folds cover every line once', () => {
  const check = (last, wanted) => {
    let next = 1;
    for (const piece of data.pieces(last, wanted)) {
      assert.equal(piece.from, next);
      assert.ok(piece.to >= piece.from);
      if (piece.kind === 'gap')
        for (const line of wanted) assert.ok(line < piece.from || line > piece.to, `${line} is folded`);
      next = piece.to + 1;
    }
    assert.equal(next, last + 1);
  };
  check(0, []);
  check(1, [1]);
  check(500, []);
  check(500, [250]);
  check(500, [1, 500]);
  check(500, [9, 10, 40, 41, 300, 499, 9000]);
  assert.deepEqual(data.pieces(30, [10]).map((p) => p.kind), ['lines', 'lines', 'gap'], 'three lines are not worth a fold');
});

test('tokens are the text, whatever it is', () => {
  const join = (lines) => lines.map((tokens) => tokens.map((t) => t.text).join('')).join('\n');
  const odd = '/* a\n b */ "x\\\ny" R"(raw\n)" \'c\' #define A(x) \\\n x\n\n\t\u0000é😀<b>\n';
  for (const [name, text] of [['a.cu', texts[0]], ['a.cuh', texts[1]], ['a.py', odd], ['a.cu', odd], ['a.txt', odd], ['', ''], ['a.cu', 'x'.repeat(700000)]])
    assert.equal(join(highlight(name, text)), text, name);
  const kinds = (name, text) => highlight(name, text).flat().filter((t) => t.kind !== '').map((t) => `${t.kind} ${t.text.trim()}`);
  assert.ok(kinds('a.cu', '__global__ void f(float *a) { a[threadIdx.x] = 1.0f; } // b').includes('keyword __global__'));
  assert.ok(kinds('a.cu', 'int i = threadIdx.x;').includes('call threadIdx'));
  assert.ok(kinds('a.py', '@triton.jit\ndef f(x):\n  return tl.load(x) # b').includes('keyword def'));
  // A comment of two lines is recognised on both.
  assert.deepEqual(highlight('a.cu', '/* a\nb */ int c;').map((tokens) => tokens[0].kind), ['comment', 'comment']);
  assert.deepEqual(kinds('a.txt', 'int main()'), []);
});
