// Starts a real cudadvised with directories of its own, and talks to it.
import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, existsSync, readFileSync, openSync, closeSync } from 'node:fs';
import http from 'node:http';
import { after, before } from 'node:test';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../..');
export const bin = path.resolve(process.env.CUDADVISE_BIN ?? path.join(root, 'build/bin'));

// The tests use the packages that npm installed for the page: one lock file.
export const require = createRequire(path.join(root, 'web/package.json'));

export class Daemon {
  constructor() {
    this.dir = mkdtempSync(path.join(tmpdir(), 'cudadvise-api-'));
    this.socket = path.join(this.dir, 'run/api.sock');
    this.env = {
      ...process.env,
      HOME: this.dir,
      CUDADVISE_RUNTIME_DIR: path.join(this.dir, 'run'),
      CUDADVISE_STATE_DIR: path.join(this.dir, 'state'),
      CUDADVISE_CONFIG: '',
    };
    delete this.env.CUDADVISE_CONFIG;
    delete this.env.XDG_CONFIG_HOME;
  }

  async start(...options) {
    this.log = path.join(this.dir, 'log');
    const log = openSync(this.log, 'a');
    this.process = spawn(path.join(bin, 'cudadvised'), ['--foreground', ...options],
      { env: this.env, stdio: ['ignore', log, log] });
    closeSync(log);
    this.exited = new Promise((resolve) => {
      this.process.on('exit', (code, signal) => resolve({ code, signal }));
      this.process.on('error', (error) => {
        console.error(`cannot start cudadvised: ${error.message} (CUDADVISE_BIN is where the programs are)`);
        resolve({ code: 127, signal: null });
      });
    });
    let gone = false;
    void this.exited.then(() => (gone = true));
    for (let i = 0; i < 200; i++) {
      if (gone) throw new Error('cudadvised ended:\n' + readFileSync(this.log, 'utf8'));
      if (existsSync(this.socket)) {
        try {
          const answer = await this.request({ path: '/api/v1/health' });
          if (answer.status === 200) return this;
        } catch {
          // bound, not listening yet
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('cudadvised does not answer:\n' + readFileSync(this.log, 'utf8'));
  }

  // Ends the process; its files stay.
  async halt() {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGTERM');
    const timeout = setTimeout(() => this.process.kill('SIGKILL'), 15000);
    const how = await this.exited;
    clearTimeout(timeout);
    return how;
  }

  async stop() {
    const how = await this.halt();
    const log = readFileSync(this.log, 'utf8');
    rmSync(this.dir, { recursive: true, force: true });
    return { ...how, log };
  }

  // ${options} of http.request; a string or Buffer body. Over the unix socket
  // unless a port is given.
  request({ body, onStream, ...options }) {
    const to = options.port === undefined ? { socketPath: this.socket } : { host: '127.0.0.1' };
    return new Promise((resolve, reject) => {
      const request = http.request({ method: 'GET', ...to, agent: false, ...options }, (response) => {
        if (onStream) {
          resolve({ status: response.statusCode, headers: response.headers, request, response });
          onStream(response);
          return;
        }
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const text = bytes.toString('utf8');
          let json;
          if (/json/.test(response.headers['content-type'] ?? '') && text !== '') json = JSON.parse(text);
          resolve({ status: response.statusCode, headers: response.headers, bytes, text, json });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  get(target, headers = {}) {
    return this.request({ path: target, headers });
  }

  send(method, target, value, headers = {}) {
    const body = JSON.stringify(value);
    return this.request({
      method, path: target, body,
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
    });
  }

  // Uploads an invented capture; returns the answer.
  async upload(...options) {
    const file = path.join(this.dir, 'made.cadv');
    execFileSync(path.join(bin, 'make_capture'), [file, ...options]);
    const body = readFileSync(file);
    rmSync(file);
    return this.uploadBytes(body);
  }

  uploadBytes(body, headers = {}) {
    return this.request({
      method: 'POST', path: '/api/v1/runs', body,
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': body.length, ...headers },
    });
  }

  // Opens TCP; returns a function that sends requests over it.
  async dashboard() {
    const answer = await this.send('POST', '/api/v1/dashboard', {});
    if (answer.status !== 200) throw new Error('no dashboard: ' + answer.text);
    const url = new URL(answer.json.url);
    const token = /token=([0-9a-f]{64})/.exec(url.hash)[1];
    return { url: answer.json.url, port: answer.json.port, token };
  }
}

// The daemon of a file of tests. It runs as long as the tests, with the runs that
// ${fill(daemon)} adds, and must end with status 0 and without sanitizer reports in its log.
export function daemonForTests(fill = () => {}) {
  const daemon = new Daemon();
  before(async () => {
    await daemon.start();
    await fill(daemon);
  });
  after(async () => {
    const end = await daemon.stop();
    assert.equal(end.code, 0, `cudadvised ended with ${end.code} ${end.signal}\n${end.log}`);
    assert.doesNotMatch(end.log, /Sanitizer|runtime error/);
  });
  return daemon;
}

// The run that an upload created, from its ${answer}.
export function taken(answer) {
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

export function runId(n) {
  return n.toString(16).padStart(4, '0').repeat(8);
}
