// `cudadvise mcp` with the protocol's own SDK, in both versions of the protocol: a coding
// agent's loop, failures while a program runs, and the length of answers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { bin, require, root } from '../api/daemon.mjs';
import { summary } from '../gpu/agent_reading.mjs';

const { Client } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
const encodings = ['o200k_base', 'cl100k_base'].map((name) => require(`gpt-tokenizer/encoding/${name}`));

const cudadvise = path.join(bin, 'cudadvise');
const dir = mkdtempSync(path.join(tmpdir(), 'cadv-mcp-'));
const cupti = path.join(bin, '../lib/libmock_cupti.so');
const env = {
  PATH: process.env.PATH, HOME: dir, TMPDIR: dir, LC_ALL: 'C.UTF-8',
  CUDADVISE_RUNTIME_DIR: path.join(dir, 'r'), CUDADVISE_STATE_DIR: path.join(dir, 's'),
  CUDADVISE_DATA_DIR: path.join(root, 'config'),
  CUDADVISE_CUPTI: cupti, CUDADVISE_LIBCUDA: cupti,
};
after(() => {
  execFileSync(cudadvise, ['daemon', 'stop', '-q'], { env });
  rmSync(dir, { recursive: true, force: true });
});

const eras = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } };

// A connected client. The server's standard error must stay empty, and its standard
// output must contain only messages: the SDK reports what it cannot read.
async function connect(t, version) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: eras[version] } });
  const transport = new StdioClientTransport({ command: cudadvise, args: ['mcp'], env, stderr: 'pipe' });
  const trouble = [];
  client.onerror = (error) => trouble.push(String(error));
  transport.stderr.on('data', (text) => trouble.push(String(text)));
  await client.connect(transport);
  t.after(() => client.close()); // or a failed test would wait for the server
  assert.equal(client.getNegotiatedProtocolVersion(), version);
  return {
    client,
    call: async (name, args, options) => {
      const result = await client.callTool({ name, arguments: args }, options);
      return { ...result, text: result.content[0].text };
    },
    close: async () => {
      await client.close();
      assert.deepEqual(trouble, []);
    },
  };
}

// If the stand-in for CUPTI was not built, there is no CUDA to build against.
const skip = !existsSync(cupti) && 'no mock of CUPTI';

// A program with a fault, and the edit that an agent would make after the finding. Where
// the host is slow, the gaps beside the copies cost more than these; few kernels, or long
// ones, leave none after the edit.
const trips = [' --round-trips 40', ''];
const pairs = [
  ['--kernels 4 --round-trips 40', { 'redundant-transfers': trips, 'gpu-idle-gaps': trips }],
  ['--kernels 60 --kernel-us 300 --pause-us 2000', { 'gpu-idle-gaps': [' --pause-us 2000', ''] }],
  // Long: a busy machine may start the program 100 ms later.
  ['--kernels 60 --jit-ms 2000', { 'jit-at-startup': [' --jit-ms 2000', ''] }],
];

for (const version of Object.keys(eras)) {
  test(`${version}: profile, finding, edit, verify`, { skip }, async (t) => {
    const { client, call, close } = await connect(t, version);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    assert.ok(['profile', 'finding', 'verify'].every((name) => names.includes(name)));
    for (const [options, edits] of pairs) {
      const source = path.join(dir, 'app.sh');
      const run = { argv: ['sh', 'app.sh'], cwd: dir, level: 'trace' };
      writeFileSync(source, `exec ${path.join(bin, 'mock-target')} ${options}\n`);
      const page = (await call('profile', run)).text;
      const [, id, rule] = /^\[([0-9a-f]{16})\] ([a-z0-9-]+): saves/m.exec(page) ?? [];
      assert.ok(edits[rule], `${options}: ${page}`);
      const finding = JSON.parse((await call('finding', { id })).text);
      assert.equal(finding.rule, rule);
      assert.ok(finding.advice && finding.evidence.length > 0);
      writeFileSync(source, readFileSync(source, 'utf8').replace(...edits[rule]));
      assert.ok(!(await call('profile', run)).text.includes(`] ${rule}:`));
      const verified = await call('verify', {});
      assert.match(verified.text, /^ {2}kept /m, verified.text);
      // 1: it missed one of the others, of microseconds, which a busy machine may.
      assert.ok([0, 1].includes(verified.structuredContent.exit_status), verified.text);
    }
    await close();
  });

  test(`${version}: beside a program that runs; cancelled; wrong`, async (t) => {
    const { client, call, close } = await connect(t, version);
    const abort = new AbortController();
    const pid = path.join(dir, 'pid');
    const slow = call('profile', { argv: ['sh', '-c', `echo $$ > ${pid}; exec sleep 600`] },
      { signal: abort.signal, onprogress: ({ progress }) => progress > 0 && abort.abort() });
    assert.match((await call('explain', { rule: 'tail-effect' })).text, /partial last wave/);
    await assert.rejects(call('no-such-tool', {}), { code: -32602 });
    await assert.rejects(call('findings', { run: 7 }), { code: -32602 });
    await assert.rejects(client.request({ method: 'resources/list' }), /-32601|no such method|not support/i);
    await assert.rejects(slow); // cancelled by the first progress notification
    // The server goes on, but its program has ended.
    assert.equal((await call('runs', {})).isError, false);
    const running = () => existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}/exe`);
    for (let i = 0; i < 400 && running(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
    assert.ok(!running());
    await close();
  });
}

test('answers: 2,000 tokens at most, of every capture', async (t) => {
  const captures = path.join(root, 'tests/captures');
  const all = ['pairs', 'programs', '.'].flatMap((folder) => readdirSync(path.join(captures, folder))
    .filter((name) => name.endsWith('.cadv')).map((name) => path.join(captures, folder, name)));
  assert.ok(all.length >= 140);
  // The answers are as long with a sanitizer, which api-fields and rules-replay show all captures.
  const files = process.env.SANITIZE ? all.filter((_, i) => i % 5 === 0) : all;
  const { call, close } = await connect(t, '2026-07-28');
  // A pair's capture has few kernels: its list of them would test nothing.
  const calls = files.flatMap((run) => [...(run.includes('/pairs/') ? [] : ['kernels']), 'findings', 'source']
    .map((name) => [name, { run }]));
  for (const file of files.filter((name) => name.endsWith('.bad.cadv'))) {
    calls.push(['explain', { rule: path.basename(file, '.bad.cadv') }]);
  }
  // A page with lines of numbers that a program may print.
  calls.push(['profile', { argv: ['seq', '5000'], level: 'trace' }]);
  const most = {};
  const worker = async () => {
    for (let next; (next = calls.shift());) {
      const [name, args] = next;
      const { text, structuredContent } = await call(name, args);
      // An agent may be shown either of the two.
      const tokens = Math.max(...encodings.flatMap((encoding) => [text, JSON.stringify(structuredContent)]
        .map((shown) => encoding.countTokens(shown))));
      assert.ok(tokens <= 2000, `${name} of ${JSON.stringify(args)}: ${tokens} tokens`);
      most[name] = Math.max(most[name] ?? 0, tokens);
      const id = name === 'findings' && /^\[([0-9a-f]{16})\]/m.exec(text)?.[1];
      if (id && !args.run.includes('/pairs/')) calls.push(['finding', { run: args.run, id }]);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  t.diagnostic(`${files.length} captures; most tokens: ${JSON.stringify(most)}`);
  assert.ok(most.finding > 0);
  await close();
});

test('README says what an agent reads as it was recorded', () => {
  const read = (name) => readFileSync(path.join(root, name), 'utf8');
  const rows = summary(read('tests/captures/results/agent-2026-11-23.tsv'));
  assert.equal(rows.length, 3);
  for (const row of rows) assert.ok(read('README.md').includes(`${row}\n`), row);
});
