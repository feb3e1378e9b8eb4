// The contents of a zoomed roofline, without a browser.
import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { require, root } from '../api/daemon.mjs';

let data;

before(async () => {
  const { outputFiles } = await require('esbuild').build({
    entryPoints: [path.join(root, 'web/src/roofline-data.ts')], bundle: true, write: false, format: 'esm', platform: 'neutral',
  });
  data = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
});

const whole = { x0: -1, x1: 3, y0: 8, y1: 14 };
const near = (a, b) => assert.ok(data.same(a, b), JSON.stringify(a));

test('what is under the pointer stays there', () => {
  const at = { x: 0.25, y: 0.75 };
  const half = data.zoomed(whole, whole, 0.5, at);
  near(half, { x0: -0.5, x1: 1.5, y0: 10.25, y1: 13.25 });
  near(data.zoomed(half, whole, 2, at), whole);
});

test('no more than the whole is shown, and no less than half a decade', () => {
  near(data.zoomed(whole, whole, 3, { x: 0.1, y: 0.9 }), whole);
  const close = data.zoomed(whole, whole, 1e-6);
  near(close, { x0: 0.75, x1: 1.25, y0: 10.75, y1: 11.25 });
  near(data.moved(close, whole, 100, -100), { x0: 2.5, x1: 3, y0: 8, y1: 8.5 });
});

test('a drawn box is what is shown, in whatever direction it was drawn', () => {
  const box = { x0: 0, x1: 2, y0: 9.5, y1: 12.5 };
  near(data.partOf(whole, whole, { x: 0.25, y: 0.25 }, { x: 0.75, y: 0.75 }), box);
  near(data.partOf(whole, whole, { x: 0.75, y: 0.25 }, { x: 0.25, y: 0.75 }), box);
});

test('ticks are decades, and 1, 2 and 5 of them where few are in sight', () => {
  assert.deepEqual(data.ticksOf(-1, 3), [-1, 0, 1, 2, 3]);
  assert.deepEqual(data.ticksOf(0, 14), [0, 2, 4, 6, 8, 10, 12, 14]);
  assert.deepEqual(data.ticksOf(0.5, 1.5).map((d) => Math.round(10 ** d)), [5, 10, 20]);
  for (let from = 0; from < 1; from += 0.01) assert.ok(data.ticksOf(from, from + 0.5).length > 0);
});
