// The answers must have exactly the fields of config/openapi.json: over all committed
// captures, invented, live and truncated runs, comparisons and problems, every served
// field is described (schema.mjs), and every described field is served.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bin, daemonForTests, root, runId, taken } from './daemon.mjs';
import { askAll, askCloseUp } from './documents.mjs';
import { connect, made, until } from './ingest.mjs';
import { allFields, conforms, fields, validate } from './schema.mjs';

// Fields that none of the answers below has, with the reason.
const unseen = new Map([
  ['RunPatch', 'what is asked; tests/api/api.test.mjs'],
  ['DashboardRequest', 'what is asked; tests/api/access.test.mjs'],
  ['Health.problem', 'a full disk: tests/e2e/full.bats'],
  ['RunDocument.problem', 'a full disk: tests/e2e/full.bats'],
  ['Run.signal', 'a program that a signal ended: tests/e2e/kills.bats'],
  ['Check.signal', 'a correctness tool that a signal ended'],
  ['Conditions.signal', 'a program that a signal ended'],
  ['Roofline.pipes.lsu_ratio', 'no metric set of config/metrics has its counter'],
  ['Roofline.pipes.tensor_ratio', 'no metric set of config/metrics has its counter'],
  ['Summary.turn_s', 'another process on the GPU; tests/unit/text_phases.c'],
  ['Saves.behind', 'no capture has a wait that bars a graph; tests/unit/rank.c'],
]);

// Optional fields that some answer lacks only if it comes early.
const early = ['Run.conditions', 'Run.devices_used']; // a live run is listed before it is analysed

const daemon = daemonForTests();
const captures = path.join(root, 'tests/captures');
const runs = new Map(); // run numbers by capture

const get = async (target) => conforms('GET', target, await daemon.get(target));

const upload = async (bytes) => taken(conforms('POST', '/api/v1/runs', await daemon.uploadBytes(bytes))).number;

test('every committed capture', async () => {
  const names = readdirSync(captures, { recursive: true }).filter((name) => name.endsWith('.cadv'));
  assert.ok(names.length > 100);
  for (const name of names) {
    const number = await upload(readFileSync(path.join(captures, name)));
    runs.set(name, number);
    await askAll(daemon, number);
  }
  await get('/api/v1/runs?limit=1000');
  const all = await get('/api/v1/findings?limit=1000');
  assert.ok(all.json.items.length > 100);
});

test('every pair is compared', async () => {
  const run = `/api/v1/runs/${runs.get('pairs/low-ilp.bad.cadv')}`;
  conforms('PATCH', run, await daemon.send('PATCH', run, { label: 'before' }));
  await get(run);
  await get(`/api/v1/findings?run=${runs.get('pairs/low-ilp.bad.cadv')}`);
  for (const [name, base] of runs) {
    const target = runs.get(name.replace('.bad.', '.good.'));
    if (target !== base) await get(`/api/v1/compare?base=${base}&target=${target}`);
  }
});

test('a made-up run, whole and cut', async () => {
  const answer = conforms('POST', '/api/v1/runs', await daemon.upload('--source', '--ranges', '--run', runId(7)));
  await askAll(daemon, answer.json.number);
  await askCloseUp(daemon, answer.json.number);
  const capture = await get(`/api/v1/runs/${answer.json.number}/capture`);
  await upload(capture.bytes.subarray(0, -3));
});

test('a live run', async () => {
  const sockets = [];
  const seen = async () => (await get('/api/v1/runs')).json.items.find((r) => r.id === runId(1));
  for (const frames of made(daemon, '--open', '--run', runId(1))) sockets.push(await connect(daemon, frames));
  const run = await until(seen, 'the run is listed');
  const base = `/api/v1/runs/${run.number}`;
  await until(async () => (await get(base)).json.launches > 1000, 'its launches are counted while it runs');
  await askAll(daemon, run.number);
  sockets.forEach((socket) => socket.destroy());
});

test('what commands print is the same', () => {
  const print = (...words) => JSON.parse(execFileSync(path.join(bin, 'cudadvise'), [...words, '--json'], { env: daemon.env }));
  const capture = path.join(captures, 'pairs/low-ilp.bad.cadv');
  validate('FindingsDocument', print('findings', capture));
  validate('ChecklistDocument', print('checklist', capture));
  validate('SourceDocument', print('annotate', capture));
  validate('SourceDocument', print('annotate', '--sass', capture));
  validate('Compare', print('compare', capture, capture.replace('bad', 'good')));
  validate('RuleDocument', print('explain', 'low-ilp'));
  for (const kernel of print('kernels', capture).items) validate('Kernel', kernel);
  const report = print('show', capture);
  validate('Findings', report.findings);
  for (const kernel of report.kernels) validate('Kernel', kernel);
  for (const diagnostic of report.diagnostics) validate('Diagnostic', diagnostic);
});

test('the daemon itself, and problems', async () => {
  for (const target of ['version', 'health', 'rules', 'rules/low-ilp', 'runs?limti=3', 'runs/999999'])
    await get(`/api/v1/${target}`);
  for (const open of [false, true])
    conforms('POST', '/api/v1/dashboard', await daemon.send('POST', '/api/v1/dashboard', { open }));
  const run = `/api/v1/runs/${runs.values().next().value}`;
  conforms('PATCH', run, await daemon.send('PATCH', run, { label: 7 }));
  // Cut inside a character, so that the rest is not valid UTF-8.
  await get(`${run}/kernels/${'x'.repeat(63)}%C3%A9`);
});

test('events, until the daemon is told to stop', async () => {
  let text = '';
  await daemon.request({ path: '/api/v1/events', onStream: (response) => response.on('data', (piece) => (text += piece)).on('error', () => {}) });
  await daemon.upload('--launches', '3', '--run', runId(8));
  const event = await until(() => /event: run\ndata: (.*)\n/.exec(text), 'an event of the run');
  validate('RunEvent', JSON.parse(event[1]));
  conforms('POST', '/api/v1/shutdown', await daemon.request({ method: 'POST', path: '/api/v1/shutdown' }));
});

test('every field that is described is served', () => {
  const isExcused = (name) => [...unseen.keys()].some((known) => name === known || name.startsWith(`${known}.`));
  const never = allFields().map((field) => field.name).filter((name) => !fields.get(name)?.filled);
  assert.deepEqual(never.filter((name) => !isExcused(name)), [], 'never served: take it out, or say why in unseen');
  for (const known of unseen.keys())
    assert.ok(never.some((name) => name === known || name.startsWith(`${known}.`)), `${known} is served: take it out of unseen`);
});

test('a field that is always there is required', () => {
  const always = allFields().filter((field) => field.isOptional)
    .map((field) => ({ ...field, ...fields.get(field.name) }))
    .filter((field) => field.objects > 0 && field.present === field.objects)
    .map((field) => field.name).filter((name) => !early.includes(name));
  assert.ok(always.length === 0, `in every answer: require ${always.join(' ')}`);
});
