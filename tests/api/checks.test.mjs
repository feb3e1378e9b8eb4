// A run of `cudadvise sanitize`: its tools and findings in every document must match
// config/openapi.json. compute-sanitizer is replaced by the stand-in of tests/cli.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bin, daemonForTests, root, taken } from './daemon.mjs';
import { conforms } from './schema.mjs';

const seeds = path.join(root, 'tests/fuzz/seeds/fuzz_sanitizer');
let base;

const daemon = daemonForTests(async () => {
  for (const [tool, log] of [['memcheck', 'memcheck-2025'], ['racecheck', 'racecheck-2025'],
    ['initcheck', 'clean'], ['synccheck', 'no-gpu']])
    copyFileSync(path.join(seeds, `${log}.log`), path.join(daemon.dir, `${tool}.log`));
  const capture = path.join(daemon.dir, 'checked.cadv');
  const done = spawnSync(path.join(bin, 'cudadvise'), ['sanitize', '-q', '--no-daemon', '-o', capture, 'true'], {
    env: { ...daemon.env, FAKE_LOGS: daemon.dir,
      CUDADVISE_COMPUTE_SANITIZER: path.join(root, 'tests/cli/sanitize/compute-sanitizer') },
  });
  assert.equal(done.status, 1, String(done.stderr));
  base = `/api/v1/runs/${taken(conforms('POST', '/api/v1/runs', await daemon.uploadBytes(readFileSync(capture)))).number}`;
});

async function get(target) {
  const answer = conforms('GET', target, await daemon.get(target));
  assert.equal(answer.status, 200, target);
  return answer.json;
}

test('the run names its tools and how they ended', async () => {
  const run = await get(base);
  assert.deepEqual(run.checks.map((c) => [c.tool, c.state, c.errors]), [['memcheck', 'partial', 4],
    ['racecheck', 'done', 2], ['initcheck', 'done', 0], ['synccheck', 'no_gpu', 0]]);
  assert.equal(run.checks[0].version, '2025.3.1');
  assert.equal(run.processes, 0);
  const listed = await get('/api/v1/runs');
  assert.equal(listed.items.length, 1);
});

test('the findings have lines, call sites and examples', async () => {
  const findings = await get(`${base}/findings`);
  assert.ok(findings.items.every((f) => f.rule === 'sanitizer-findings' && f.category === 'correctness'));
  const bounds = findings.items.find((f) => f.where === 'shift_rows');
  assert.equal(bounds.hot_lines[0].line, 41);
  assert.equal(bounds.site.line, 88);
  assert.equal(bounds.saves.s, null);
  assert.ok(bounds.evidence.some((e) => e.name === 'example_1_bytes' && /thread \(255,0,0\)/.test(e.label)));
  assert.deepEqual(await get(`${base}/findings/${bounds.id}`), { schema_version: 1, ...bounds });
});

test('every other document is there', async () => {
  for (const part of ['processes', 'devices', 'diagnostics', 'copies', 'kernels', 'checklist', 'timeline', 'export?format=json'])
    await get(`${base}/${part}`);
});
