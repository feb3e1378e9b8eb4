// Which requests over TCP are accepted.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { daemonForTests } from './daemon.mjs';
import { conforms } from './schema.mjs';

const daemon = daemonForTests();
let tcp;

// The answer to a request over TCP; ${headers} replace the correct ones.
function ask(target, headers = {}, options = {}) {
  const all = { Host: `127.0.0.1:${tcp.port}`, Authorization: `Bearer ${tcp.token}`, ...headers };
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  return daemon.request({ port: tcp.port, path: target, headers: all, setHost: false, ...options });
}

async function refused(status, target, headers, options) {
  const answer = await ask(target, headers, options);
  assert.equal(answer.status, status, `${target} ${JSON.stringify(headers)}: ${answer.text}`);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  return answer;
}

test('no TCP until it is asked for, then one address', async () => {
  const answer = conforms('POST', '/api/v1/dashboard', await daemon.send('POST', '/api/v1/dashboard', {}));
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.json.url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64}$/);
  tcp = await daemon.dashboard();
  assert.equal(tcp.url, answer.json.url);
  assert.equal(statSync(path.join(daemon.dir, 'run')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(path.join(daemon.dir, 'run')).sort(), ['api.sock', 'cudadvised.pid', 'ingest.sock'],
    'the token is in no file');
  assert.equal(statSync(daemon.socket).mode & 0o777, 0o600);
  const other = conforms('POST', '/api/v1/dashboard', await daemon.send('POST', '/api/v1/dashboard', { port: tcp.port === 1 ? 2 : 1 }));
  assert.equal(other.status, 409);
  const bad = conforms('POST', '/api/v1/dashboard', await daemon.send('POST', '/api/v1/dashboard', { port: 'x' }));
  assert.equal(bad.status, 400);
});

test('the token', async () => {
  assert.equal((await ask('/api/v1/runs')).status, 200);
  assert.equal((await ask('/api/v1/runs', { Authorization: `bearer ${tcp.token}` })).status, 200);
  for (const Authorization of [undefined, '', 'Bearer', 'Bearer ', 'Bearer x', `Bearer ${tcp.token}0`, tcp.token,
    `Basic ${tcp.token}`, `Bearer ${tcp.token.slice(0, -1)}${tcp.token.endsWith('0') ? '1' : '0'}`]) {
    const answer = await refused(401, '/api/v1/runs', { Authorization });
    assert.match(answer.headers['www-authenticate'], /^Bearer/);
  }
  await refused(401, '/metrics', { Authorization: undefined });
  await refused(401, '/api/v1/openapi.json', { Authorization: undefined });
  await refused(401, '/api/v1/events', { Authorization: undefined });
  // The answer does not tell which paths exist.
  await refused(401, '/api/v1/nope', { Authorization: undefined });
  // A token in a cookie or a query parameter is not accepted.
  await refused(401, '/api/v1/runs', { Authorization: undefined, Cookie: `token=${tcp.token}` });
  await refused(401, `/api/v1/runs?token=${tcp.token}`, { Authorization: undefined });
});

// Requests the address of the page with a code; the answer has no body.
const take = (code, headers = {}) => ask(`/open/${code}`, { Authorization: undefined, ...headers });

async function issue() {
  const answer = conforms('POST', '/api/v1/dashboard', await daemon.send('POST', '/api/v1/dashboard', { open: true }));
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.json.open_url, /^http:\/\/127\.0\.0\.1:\d+\/open\/[0-9a-f]{32}$/);
  assert.equal(answer.json.url, tcp.url);
  return /open\/(.*)/.exec(answer.json.open_url)[1];
}

test('a code leads to the token once', async () => {
  const code = await issue();
  for (const wrong of ['x', '0'.repeat(32), code.slice(1), code.slice(0, -1) + (code.endsWith('0') ? '1' : '0'), tcp.token]) {
    const answer = await take(wrong);
    assert.equal(answer.status, 303, wrong);
    assert.equal(answer.headers.location, '/', wrong);
  }
  assert.equal((await take(code, { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  assert.equal((await take(code, { Origin: 'http://evil.example' })).status, 403);
  assert.equal((await take(code, { Host: `evil.example:${tcp.port}` })).status, 403);
  const answer = await take(code);
  assert.equal(answer.status, 303, answer.text);
  assert.equal(answer.headers.location, `/#token=${tcp.token}`);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await take(code)).headers.location, '/');
});

test('a code is of no use to another user', async (t) => {
  if (process.getuid() !== 0) return t.skip('only root can be another user');
  const code = await issue();
  const script = `fetch('http://127.0.0.1:${tcp.port}/open/${code}', { redirect: 'manual' })
    .then((r) => console.log(r.status, r.headers.get('location')))`;
  const other = execFileSync(process.execPath, ['-e', script], { uid: 65534, gid: 65534, encoding: 'utf8' });
  assert.equal(other, '303 /\n');
  assert.equal((await take(code)).headers.location, `/#token=${tcp.token}`, 'and still of use to who asked');
});

test('the page itself needs no token', async () => {
  for (const target of ['/', '/app.js', '/app.css', '/icon.svg']) {
    const answer = await ask(target, { Authorization: undefined });
    assert.equal(answer.status, 200, target);
    assert.doesNotMatch(answer.text, new RegExp(tcp.token));
  }
});

test('only our own host names', async () => {
  for (const Host of [`localhost:${tcp.port}`, `127.0.0.1:${tcp.port}`, `[::1]:${tcp.port}`])
    assert.equal((await ask('/api/v1/runs', { Host })).status, 200, Host);
  for (const Host of ['evil.example', `evil.example:${tcp.port}`, '127.0.0.1', `127.0.0.1:${tcp.port + 1}`, `0.0.0.0:${tcp.port}`,
    `127.0.0.1.evil.example:${tcp.port}`, `10.0.0.1:${tcp.port}`]) {
    await refused(403, '/api/v1/runs', { Host });
    await refused(403, '/', { Host });
  }
});

function raw(text) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(tcp.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (piece) => (answer += piece));
    socket.on('end', () => resolve(answer));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    setTimeout(() => socket.destroy(), 3000);
  });
}

test('a missing or doubled Host', async () => {
  const rest = `Authorization: Bearer ${tcp.token}\r\nConnection: close\r\n\r\n`;
  assert.match(await raw(`GET /api/v1/runs HTTP/1.1\r\n${rest}`), /^HTTP\/1\.1 400 /);
  assert.match(await raw(`GET /api/v1/runs HTTP/1.0\r\n${rest}`), /^HTTP\/1\.[01] 400 /);
  const host = `Host: 127.0.0.1:${tcp.port}\r\n`;
  assert.match(await raw(`GET /api/v1/runs HTTP/1.1\r\n${host}${rest}`), /^HTTP\/1\.1 200 /);
  assert.match(await raw(`GET /api/v1/runs HTTP/1.1\r\n${host}Host: evil.example\r\n${rest}`), /^HTTP\/1\.1 400 /);
  assert.match(await raw(`GET /api/v1/runs HTTP/1.1\r\nHost: evil.example\r\n${host}${rest}`), /^HTTP\/1\.1 400 /);
});

test('garbage', async () => {
  for (const text of ['\r\n\r\n', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\0\0\0\0\r\n\r\n', 'GET / HTTP/1.1\r\nHost\r\n\r\n',
    'POST /api/v1/runs HTTP/1.1\r\nContent-Length: -5\r\n\r\n', `GET /${'a'.repeat(100000)} HTTP/1.1\r\n\r\n`])
    assert.doesNotMatch(await raw(text), /^HTTP\/1\.1 2/);
  assert.equal((await ask('/api/v1/health')).status, 200);
});

test('other sites', async () => {
  for (const site of ['cross-site', 'same-site', 'x', ''])
    for (const target of ['/api/v1/runs', '/', '/app.js'])
      await refused(403, target, { 'Sec-Fetch-Site': site });
  for (const site of ['same-origin', 'none'])
    assert.equal((await ask('/api/v1/runs', { 'Sec-Fetch-Site': site })).status, 200);
  for (const Origin of ['http://evil.example', 'null', `http://localhost:${tcp.port}`, `https://127.0.0.1:${tcp.port}`, `http://127.0.0.1:${tcp.port + 1}`])
    await refused(403, '/api/v1/runs', { Origin });
  assert.equal((await ask('/api/v1/runs', { Origin: `http://127.0.0.1:${tcp.port}` })).status, 200);
  const preflight = await ask('/api/v1/runs', { Authorization: undefined, Origin: 'http://evil.example',
    'Access-Control-Request-Method': 'POST' }, { method: 'OPTIONS' });
  assert.equal(preflight.status, 403);
  assert.equal(preflight.headers['access-control-allow-origin'], undefined);
});

test('what only the unix socket may', async () => {
  const json = { 'Content-Type': 'application/json', 'Content-Length': 2 };
  await refused(403, '/api/v1/shutdown', json, { method: 'POST', body: '{}' });
  await refused(403, '/api/v1/dashboard', json, { method: 'POST', body: '{}' });
});

test('IPv6 loopback, where there is one', async (t) => {
  try {
    const answer = await ask('/api/v1/health', { Host: `[::1]:${tcp.port}` }, { host: '::1' });
    assert.equal(answer.status, 200);
  } catch (error) {
    if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ECONNREFUSED', 'ENETUNREACH'].includes(error.code)) throw error;
    t.skip('no IPv6 here');
  }
});
