// Captures that each lack one kind of record: every document and every command must
// give an answer, and the daemon must survive. The kinds come from the protocol's own
// table: one of the captures below must contain each new kind.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bin, daemonForTests, root, taken } from './daemon.mjs';
import { askAll, askCloseUp } from './documents.mjs';
import { conforms } from './schema.mjs';

const daemon = daemonForTests(() => {
  execFileSync(path.join(bin, 'make_capture'), [made, '--source', '--graph', '--launches', '50']);
});
const tool = path.join(bin, 'drop_kind');
const recorded = (name) => path.join(root, 'tests/captures', name);
const lines = (text) => String(text).trim().split('\n');
const made = path.join(daemon.dir, 'made.cadv');
// For each kind the first capture that contains it is used; most are real ones.
const captures = [recorded('programs/graphs.cadv'), recorded('pairs/unchecked-errors.bad.cadv'),
  recorded('pairs/jit-at-startup.bad.cadv'), recorded('pairs/peer-access-off.bad.cadv'), made,
  recorded('pairs/unified-memory-faults.bad.cadv'), recorded('pairs/sanitizer-findings.bad.cadv'),
  recorded('looks/busyloop.cadv')];
const held = new Map(); // the kinds that a capture contains, by its name
const commands = ['show', 'kernels', 'findings', 'roofline', 'checklist', 'annotate', 'compare'];
// With a sanitizer two of the commands read each kind, and each command reads some of the
// kinds. A command analyses the capture as the daemon did, and the daemon then
// answers for all of it; what a command adds is printed with a sanitizer by tests/cli, too.
const sanitized = Boolean(process.env.SANITIZE);
let turn = 0;
const ofTurn = () => (sanitized ? [turn++, turn++].map((i) => commands[i % commands.length]) : commands);

function command(...words) {
  const done = spawnSync(path.join(bin, 'cudadvise'), words, { env: daemon.env, encoding: 'utf8', timeout: 60000 });
  assert.ok(done.status === 0 || done.status === 1, `${words}: ${done.status} ${done.signal}\n${done.stderr}`);
  assert.doesNotMatch(done.stderr, /Sanitizer|runtime error/);
  return done;
}

function kindsOf(capture) {
  if (!held.has(capture)) held.set(capture, lines(execFileSync(tool, [capture])));
  return held.get(capture);
}

// Imports ${capture}, reads it in every way, and deletes it.
async function survives(capture) {
  const run = taken(conforms('POST', '/api/v1/runs', await daemon.uploadBytes(readFileSync(capture)))).number;
  await askAll(daemon, run);
  await askCloseUp(daemon, run);
  assert.equal(command('reanalyze', String(run)).status, 0);
  assert.equal(command('export', '-o', path.join(daemon.dir, 'out'), String(run)).status, 0);
  for (const name of ofTurn()) command(name, capture, ...(name === 'compare' ? [capture] : []));
  assert.equal(command('rm', String(run)).status, 0);
}

test('a capture with all of its records', async () => {
  await survives(made);
});

// Captures have no ACK: the daemon sends it.
const kinds = lines(execFileSync(tool)).filter((kind) => kind !== 'ACK');
for (const kind of kinds)
  test(`a capture without ${kind}`, async () => {
    const whole = captures.find((file) => kindsOf(file).includes(kind));
    assert.ok(whole !== undefined, `no capture holds a ${kind}: add one that does`);
    const rest = path.join(daemon.dir, 'rest.cadv');
    execFileSync(tool, [kind, whole, rest]);
    assert.ok(!lines(execFileSync(tool, [rest])).includes(kind));
    await survives(rest);
  });
