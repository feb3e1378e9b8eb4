// Event streams, and ending the daemon while some are open.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Daemon, runId } from './daemon.mjs';
import { validate } from './schema.mjs';

const daemon = new Daemon();
let stopped = false;

before(async () => {
  await daemon.start();
});

after(async () => {
  if (!stopped) await daemon.stop();
});

// Opens a stream; next(kind) waits for its next event of that kind.
async function open(target, headers = {}) {
  const events = [];
  const waiting = [];
  let text = '';
  let ended = false;
  const stream = await daemon.request({
    path: target, headers,
    onStream: (response) => {
      response.setEncoding('utf8');
      response.on('error', () => {});
      response.on('close', () => {
        ended = true;
        waiting.splice(0).forEach((wake) => wake());
      });
      response.on('data', (piece) => {
        text += piece;
        let at;
        while ((at = text.indexOf('\n\n')) >= 0) {
          const fields = Object.fromEntries(text.slice(0, at).split('\n').filter((l) => !l.startsWith(':'))
            .map((l) => [l.slice(0, l.indexOf(': ')), l.slice(l.indexOf(': ') + 2)]));
          text = text.slice(at + 2);
          if (fields.event) events.push({ ...fields, data: JSON.parse(fields.data) });
        }
        waiting.splice(0).forEach((wake) => wake());
      });
    },
  });
  let seen = 0;
  const next = async (kind, wanted = () => true) => {
    const deadline = Date.now() + 30000;
    for (;;) {
      while (seen < events.length) {
        const event = events[seen++];
        if (event.event === kind && wanted(event.data)) return event;
      }
      if (ended || Date.now() > deadline) throw new Error(`no ${kind} event; had ${JSON.stringify(events)}`);
      await Promise.race([new Promise((r) => waiting.push(r)), new Promise((r) => setTimeout(r, 200))]);
    }
  };
  return { ...stream, events, next, isEnded: () => ended, close: () => stream.request.destroy() };
}

test('a new run is told, and a reconnect misses nothing', async () => {
  const stream = await open('/api/v1/events');
  assert.equal(stream.status, 200);
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  assert.equal(stream.headers['cache-control'], 'no-store');
  const hello = await stream.next('hello');
  const first = (await daemon.upload('--launches', '2', '--run', runId(1))).json;
  const event = await stream.next('run', (d) => d.number === first.number);
  assert.equal(event.data.id, runId(1));
  assert.ok(Number(event.id) > Number(hello.id));
  stream.close();

  const second = (await daemon.upload('--launches', '2', '--run', runId(2))).json;
  const again = await open('/api/v1/events', { 'Last-Event-ID': event.id });
  await again.next('run', (d) => d.number === second.number);
  assert.ok(again.events.every((e) => Number(e.id) >= Number(event.id)));
  again.close();
});

test('ids that are not ours are reset, not searched for', async () => {
  for (const id of ['18446744073709551615', '99999999999', 'x', '-1', '']) {
    const stream = await open('/api/v1/events', { 'Last-Event-ID': id });
    if (id !== '') await stream.next('reset');
    await new Promise((r) => setTimeout(r, 200));
    assert.ok(stream.events.length <= 2, `${id}: ${stream.events.length} events`);
    stream.close();
  }
});

test('the events of one run only', async () => {
  const run = (await daemon.upload('--launches', '2', '--run', runId(3))).json;
  const stream = await open(`/api/v1/runs/${run.number}/events`);
  await stream.next('hello');
  await daemon.upload('--launches', '2', '--run', runId(4));
  await daemon.send('PATCH', `/api/v1/runs/${run.number}`, { label: 'seen' });
  const event = await stream.next('run');
  validate('RunEvent', event.data);
  assert.equal(event.data.number, run.number);
  assert.ok(stream.events.filter((e) => e.event === 'run').every((e) => e.data.number === run.number));
  await daemon.request({ method: 'DELETE', path: `/api/v1/runs/${run.number}` });
  await stream.next('deleted');
  stream.close();
  const gone = await daemon.get(`/api/v1/runs/${run.number}/events`);
  assert.equal(gone.status, 404);
});

const openStreams = async () =>
  Number(/^cudadvise_http_streams_open (\d+)$/m.exec((await daemon.get('/metrics')).text)[1]);

async function until(wanted, what) {
  for (let i = 0; i < 300; i++) {
    if (await wanted()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  assert.fail(what);
}

test('too many streams are refused, the rest is served', async () => {
  await until(async () => (await openStreams()) === 0, 'streams whose client is gone keep their place');
  const streams = await Promise.all(Array.from({ length: 48 }, () => open('/api/v1/events')));
  await Promise.all(streams.map((s) => s.next('hello')));
  assert.equal((await daemon.get('/api/v1/events')).status, 503);
  assert.equal((await daemon.get('/api/v1/health')).status, 200);
  const run = (await daemon.upload('--launches', '2', '--run', runId(5))).json;
  await Promise.all(streams.map((s) => s.next('run', (d) => d.number === run.number)));
  streams.forEach((s) => s.close());
  await until(async () => (await openStreams()) === 0, 'streams whose client is gone keep their place');
});

test('shutdown ends open streams', async () => {
  const one = new Daemon();
  await one.start();
  let ended = false;
  await one.request({
    path: '/api/v1/events',
    onStream: (response) => {
      response.on('error', () => {});
      response.on('close', () => (ended = true));
      response.resume();
    },
  });
  await new Promise((r) => setTimeout(r, 300));
  const answer = await one.request({ method: 'POST', path: '/api/v1/shutdown' });
  assert.equal(answer.status, 202);
  const how = await one.exited;
  assert.deepEqual(how, { code: 0, signal: null });
  await until(() => ended, 'the stream goes on without its daemon');
  const end = await one.stop();
  assert.doesNotMatch(end.log, /Sanitizer|runtime error/);
});

test('SIGTERM with streams and a request under way', async () => {
  const stream = await open('/api/v1/events');
  await stream.next('hello');
  const run = (await daemon.get('/api/v1/runs?limit=1')).json.items[0].number;
  const slow = daemon.get(`/api/v1/runs/${run}/export`).catch(() => null);
  const end = await daemon.stop();
  stopped = true;
  assert.equal(end.code, 0, `${end.code} ${end.signal}\n${end.log}`);
  assert.doesNotMatch(end.log, /Sanitizer|runtime error/);
  await slow;
});
