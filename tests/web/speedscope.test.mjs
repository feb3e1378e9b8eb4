// speedscope itself, from its package, opens our files for speedscope, for pprof and for
// flame graphs; its import and its list of functions are checked.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bin, require, root } from '../api/daemon.mjs';
import { launch } from './browser.mjs';

const page = require.resolve('speedscope/dist/release/index.html');
const formats = [['speedscope', 'x.speedscope.json'], ['pprof', 'x.pb.gz'], ['collapsed', 'x.folded']];
// The second one was sampled.
const captures = ['programs/train.cadv', 'pairs/uncoalesced-global-access.bad.cadv']
  .map((name) => path.join(root, 'tests/captures', name));

// The kernels' shares of the time from the report: name to percent.
function shares(capture) {
  const { kernels } = JSON.parse(execFileSync(path.join(bin, 'cudadvise'), ['show', '--json', capture],
    { maxBuffer: 1 << 28 }));
  const sums = new Map();
  for (const k of kernels) sums.set(k.name, (sums.get(k.name) ?? 0) + k.time.total_ns);
  const all = [...sums.values()].reduce((a, b) => a + b, 0);
  return [...sums].map(([name, ns]) => [name, (100 * ns) / all]).sort((a, b) => b[1] - a[1]);
}

// The rows of its sandwich view: [percent with callees, percent alone, name].
async function rows(tab, file, name) {
  const script = file + '.js';
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(readFileSync(file).toString('base64'))})`);
  await tab.goto(`${pathToFileURL(page)}#localProfilePath=${script}&view=sandwich`);
  await tab.waitForSelector('table');
  const texts = await tab.$$eval('table tr', (all) => all.map((tr) => [...tr.querySelectorAll('td')].map((td) => td.textContent)));
  return texts.filter((row) => row.length === 3)
    .map(([total, self, symbol]) => [Number(/([\d.]+)%/.exec(total)[1]), Number(/([\d.]+)%/.exec(self)[1]), symbol]);
}

test('speedscope opens our profiles', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'cudadvise-speedscope-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const browser = await launch();
  t.after(() => browser.close());
  for (const capture of captures) {
    const expected = shares(capture);
    for (const [format, name] of formats) {
      const wrong = [];
      const file = path.join(dir, name);
      execFileSync(path.join(bin, 'cudadvise'), ['show', '--format', format, '-o', file, capture]);
      const context = await browser.newContext({ viewport: { width: 1600, height: 1200 } });
      const tab = await context.newPage();
      tab.on('pageerror', (error) => wrong.push(error.message));
      tab.on('dialog', (dialog) => { wrong.push(dialog.message()); void dialog.dismiss(); });
      const got = await rows(tab, file, name);
      await context.close();
      assert.deepEqual(wrong, [], format);
      for (const [kernel, percent] of expected.slice(0, 3)) {
        const totals = got.filter(([, , symbol]) => symbol === kernel).map(([total]) => total);
        assert.ok(Math.abs(Math.max(...totals) - percent) < 1, `${format}: ${kernel} ${totals}, not ${percent}`);
      }
      // The lines of a function have names of their own.
      if (format === 'speedscope' && capture.includes('pairs')) {
        const lines = got.map(([, , symbol]) => /^(\w+\.cu):(\d+) void dot_rows/.exec(symbol)).filter((m) => m !== null);
        assert.ok(lines.length > 3 && new Set(lines.map((m) => m[2])).size === lines.length, got.map((row) => row[2]).join('\n'));
      }
      // The stall reason is the innermost frame; pprof has it as a label.
      const stalls = got.filter(([, self, symbol]) => /^\[[a-z_]+\]$/.test(symbol) && self > 0);
      assert.equal(stalls.length > 0, capture.includes('pairs') && format !== 'pprof', format);
    }
  }
});
