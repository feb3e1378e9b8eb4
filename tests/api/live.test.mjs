// A live run, sent to the ingest socket as a target would.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import path from 'node:path';
import { daemonForTests, runId } from './daemon.mjs';
import { connect, made, until } from './ingest.mjs';
import { conforms } from './schema.mjs';

const daemon = daemonForTests();

const get = async (target) => conforms('GET', target, await daemon.get(target));

test('a live run is shown, is not cached, and cannot be taken away', async () => {
  const [launcher, target] = made(daemon, '--open', '--run', runId(1));
  const sockets = [await connect(daemon, launcher), await connect(daemon, target)];
  const run = await until(async () => (await get('/api/v1/runs')).json.items.find((r) => r.id === runId(1)), 'the run is listed');
  assert.equal(run.state, 'live');
  const base = `/api/v1/runs/${run.number}`;
  const parts = ['findings', 'kernels', 'copies', 'devices', 'processes', 'diagnostics', 'timeline', 'source-files', 'sites'];
  for (const part of ['', ...parts.map((name) => `/${name}`)]) {
    const answer = await until(async () => {
      const now = await daemon.get(base + part);
      return now.status === 200 && now;
    }, `${part} is there while it runs`);
    conforms('GET', base + part, answer);
    assert.equal(answer.headers['cache-control'], 'no-store', part);
    assert.equal(answer.headers.etag, undefined, part);
  }
  await until(async () => (await get(base)).json.launches > 1000, 'its launches are counted while it runs');
  assert.ok((await get(`${base}/kernels`)).json.items.length >= 4);
  const source = await get(`${base}/kernels/1/source?sass=1`);
  assert.match(source.json.missing.lines, /still live/);
  assert.equal(source.headers['cache-control'], 'no-store');
  for (const [method, target] of [['DELETE', base], ['POST', `${base}/reanalyze`]])
    assert.equal(conforms(method, target, await daemon.request({ method, path: target })).status, 409);
  const launches = await daemon.get(`${base}/kernels/1/launches`);
  assert.equal(conforms('GET', `${base}/kernels/1/launches`, launches).status, 409);
  const whole = await daemon.get(`${base}/export?format=json`);
  assert.equal(conforms('GET', `${base}/export?format=json`, whole).status, 200);
  const trace = await daemon.request({ path: `${base}/export?format=perfetto` });
  assert.equal(conforms('GET', `${base}/export?format=perfetto`, trace).status, 409);
  assert.match(launches.json.detail, /when it has ended/);
  const labelled = await daemon.send('PATCH', base, { label: 'while it runs' });
  assert.equal(labelled.status, 200);
  const metrics = (await get('/metrics')).text;
  assert.match(metrics, /^cudadvise_runs_live 1$/m);
  assert.match(metrics, /^cudadvise_held_seconds_total 0\.310000000$/m);
  assert.match(metrics, /^cudadvise_held_longest_seconds 0\.048000000$/m);

  // The run ends: its last frames are sent.
  sockets.forEach((socket) => socket.destroy());
  const [rest] = made(daemon, '--run', runId(1));
  const end = await connect(daemon, rest);
  const finished = await until(async () => {
    const now = (await get(base)).json;
    return now.state !== 'live' && now;
  }, 'the run ends');
  assert.ok(['finished', 'truncated', 'killed'].includes(finished.state), finished.state);
  assert.equal(finished.label, 'while it runs');
  end.destroy();
});

test('a peer that sends nonsense harms nobody', async () => {
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(1 << 20, 0x41), Buffer.from('CADF')]) {
    const socket = net.connect(path.join(daemon.dir, 'run/ingest.sock'));
    socket.on('error', () => {});
    socket.write(bytes);
    await new Promise((r) => setTimeout(r, 50));
    socket.destroy();
  }
  assert.equal((await get('/api/v1/health')).json.status, 'ok');
});
