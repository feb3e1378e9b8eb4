import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { daemonForTests, root, runId } from './daemon.mjs';
import { conforms, openapi, unusedOperations } from './schema.mjs';

let number; // of the run with data
const daemon = daemonForTests(async () => {
  const answer = conforms('POST', '/api/v1/runs', await daemon.upload('--kernels', '25'));
  assert.equal(answer.status, 201, answer.text);
  number = answer.json.number;
  assert.equal(answer.headers.location, `/api/v1/runs/${number}`);
});

async function get(target, headers) {
  return conforms('GET', target, await daemon.get(target, headers));
}

async function problem(status, target, options = {}) {
  const answer = await daemon.request({ path: target, ...options });
  assert.equal(answer.status, status, `${options.method ?? 'GET'} ${target}: ${answer.text}`);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.json.status, status);
  const page = await daemon.get(answer.json.type);
  assert.equal(page.status, 200, `${answer.json.type} is a page`);
  return answer;
}

test('what the daemon says of itself', async () => {
  const version = await get('/api/v1/version');
  assert.match(version.json.version, /^\d+\.\d+\.\d+/);
  assert.equal((await get('/api/v1/health')).json.status, 'ok');
  const served = await get('/api/v1/openapi.json');
  assert.deepEqual(served.json, openapi);
  const metrics = await get('/metrics');
  assert.match(metrics.text, /^cudadvise_http_requests_total \d+$/m);
  for (const line of metrics.text.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) cudadvise_[a-z_]+ .+|cudadvise_[a-z_]+(\{[^}]*\})? [0-9.e+]+)$/);
});

test('every document of a run is what the description says', async () => {
  const base = `/api/v1/runs/${number}`;
  const run = await get(base);
  assert.equal(run.json.number, number);
  assert.ok(run.json.launches > 1000);
  for (const part of ['processes', 'devices', 'diagnostics', 'operators', 'ranges', 'copies', 'kernels', 'findings', 'checklist', 'timeline', 'export?format=json'])
    assert.equal((await get(`${base}/${part}`)).status, 200, part);
  const kernels = (await get(`${base}/kernels`)).json.items;
  assert.ok(kernels.length >= 4);
  for (const kernel of kernels.slice(0, 4)) {
    assert.deepEqual((await get(`${base}/kernels/${kernel.id}`)).json, { schema_version: 1, ...kernel });
    const metrics = (await get(`${base}/kernels/${kernel.id}/metrics`)).json.items;
    for (const metric of metrics) assert.ok(metric.value !== null || metric.reason !== null, metric.name);
    const launches = await get(`${base}/kernels/${kernel.id}/launches?limit=3`);
    assert.equal(launches.json.items.length, Math.min(3, kernel.launches));
  }
  const findings = (await get(`${base}/findings`)).json;
  assert.ok(findings.items.length > 0, 'the made-up run has findings');
  assert.deepEqual(findings.items.map((f) => f.rank), findings.items.map((_, i) => i + 1));
  for (const finding of findings.items)
    assert.equal((await get(`${base}/findings/${finding.id}`)).json.rule, finding.rule);
  assert.deepEqual((await get(`${base}/diagnostics`)).json.items.map((d) => d.severity), ['warning']);
  for (const copy of (await get(`${base}/copies`)).json.items)
    assert.equal(copy.ceiling_bytes_per_s === null, copy.ceiling_missing !== null, copy.kind);
  for (const device of (await get(`${base}/devices`)).json.items)
    assert.ok(device.ceilings.items.every((c) => c.value > 0));
});

test('the checklist answers every line, with the findings behind it', async () => {
  const base = `/api/v1/runs/${number}`;
  const checklist = (await get(`${base}/checklist`)).json;
  const findings = (await get(`${base}/findings`)).json;
  const lines = checklist.groups.flatMap((g) => g.lines);
  for (const state of ['passed', 'failed', 'not_measured']) {
    assert.equal(checklist[state], lines.filter((l) => l.state === state).length, state);
    for (const group of checklist.groups) assert.equal(group[state], group.lines.filter((l) => l.state === state).length);
  }
  assert.ok(checklist.failed > 0 && checklist.passed > 0);
  // Every rule is on one line, and every finding that is worth a change belongs to a line.
  assert.deepEqual(lines.flatMap((l) => l.rules.map((r) => r.rule)).sort(), findings.rules.map((r) => r.rule).sort());
  const worth = findings.items.filter((f) => f.worth_it);
  assert.equal(lines.reduce((n, l) => n + l.findings_count, 0), worth.length);
  for (const line of lines) {
    assert.equal(line.reason !== null, line.state === 'not_measured', line.id);
    assert.equal(line.practices_checked, line.rules.filter((r) => r.state !== 'not_measured').length);
    for (const f of line.findings) {
      assert.equal((await get(`${base}/findings/${f.id}`)).json.rule, f.rule);
      assert.ok(line.rules.some((r) => r.rule === f.rule));
    }
    for (const fact of line.facts) assert.ok(fact.value !== null || fact.reason !== null, fact.name);
  }
});

// All pages of a list, by following its links.
async function pages(target) {
  const items = [];
  for (let next = target; next;) {
    const { json, headers } = await get(next);
    items.push(...json.items);
    next = headers.link?.match(/<(.*)>; rel="next"/)?.[1];
    assert.equal(next !== undefined, json.next_cursor !== null, 'the link is to the next page');
  }
  return items;
}

test('findings of all runs: in order, each once, whatever the page, and only what is asked for', async () => {
  const runs = [number];
  for (let i = 1; i <= 3; i++)
    runs.unshift((await daemon.upload('--run', runId(100 + i), ...(i === 2 ? ['--source'] : []))).json.number);
  const list = '/api/v1/findings';
  const expected = [];
  for (const run of runs)
    for (const f of (await get(`/api/v1/runs/${run}/findings`)).json.items) expected.push([run, f.id]);
  const ids = (items) => items.map((f) => [f.run.number, f.id]);
  assert.ok(expected.length > 6, 'the made-up runs have findings');
  for (const limit of [1, 2, 3, 1000]) assert.deepEqual(ids(await pages(`${list}?limit=${limit}`)), expected, `limit ${limit}`);

  const all = await pages(list);
  const one = all[0];
  const of = async (query, wanted) => {
    assert.deepEqual(ids(await pages(`${list}?limit=2&${query}`)), ids(all.filter(wanted)), query);
  };
  await of(`rule=${one.rule}`, (f) => f.rule === one.rule);
  await of('severity=medium', (f) => ['medium', 'high'].includes(f.severity));
  await of('worth_it=true', (f) => f.worth_it);
  await of(`run=${runs[1]}`, (f) => f.run.number === runs[1]);
  await of(`run=${runId(101)}&severity=low`, (f) => f.run.id === runId(101) && f.severity !== 'info');
  const command = all.at(-1).run.command;
  await of(`program=${encodeURIComponent(command.toUpperCase())}`, (f) => f.run.command === command);
  await of('program=no%20such%20program', () => false);
  await of(`since=${one.run.started_at.slice(0, 19)}Z`, () => true);
  await of('since=2200-01-01', () => false);

  for (const bad of ['rule=none', 'severity=worst', 'worth_it=1', 'since=yesterday', 'since=2026-11-20T25:00', `since=2026-11-20T10:00:00.${'0'.repeat(99)}Z`,
    'cursor=x', 'cursor=3.', 'cursor=3.x', 'cursor=-1', 'cursor=99999999999999999999', `program=${'x'.repeat(101)}`, 'limit=0'])
    await problem(400, `${list}?${bad}`);
  await problem(404, `${list}?run=999999`);
  await problem(400, `${list}?run=${runs[1]}&cursor=${runs[0]}.1`);
  // After a run that was deleted come the older ones.
  assert.equal((await daemon.request({ method: 'DELETE', path: `/api/v1/runs/${runs[0]}` })).status, 204);
  assert.deepEqual(ids(await pages(`${list}?cursor=${runs[0]}.1`)), expected.filter(([run]) => run !== runs[0]));
});

test('two runs are compared', async () => {
  const compare = (base, target) => get(`/api/v1/compare?base=${base}&target=${target}`);
  // A run compared with itself: everything matches by shape, nothing is gone or new.
  const same = (await compare(number, number)).json;
  const kernels = (await get(`/api/v1/runs/${number}/kernels?limit=1000`)).json.items;
  assert.equal(same.kernels.reduce((n, k) => n + k.base.ids.length, 0), kernels.length);
  for (const kernel of same.kernels) {
    assert.deepEqual([kernel.match, kernel.significant], ['shape', false], kernel.name);
    assert.deepEqual(kernel.base, kernel.target);
  }
  const worth = (await get(`/api/v1/runs/${number}/findings`)).json.items.filter((f) => f.worth_it);
  assert.equal(same.findings.still, worth.length);
  assert.deepEqual([same.findings.gone, same.findings.new, same.findings.unknown], [0, 0, 0]);
  for (const item of same.findings.items) assert.deepEqual([item.base_id, item.achieved], [item.target_id, null]);
  assert.ok(same.notes.every((n) => /not complete/.test(n)), String(same.notes));

  // The real pair: the finding is gone, and the prediction was achieved.
  const upload = async (name) => (await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/pairs', name)))).json;
  const bad = await upload('uncoalesced-global-access.bad.cadv');
  const good = await upload('uncoalesced-global-access.good.cadv');
  const pair = (await compare(bad.number, good.id)).json;
  assert.equal(pair.findings.gone, 1);
  const [item] = pair.findings.items;
  assert.deepEqual([item.state, item.rule, item.shared_with], ['gone', 'uncoalesced-global-access', 0]);
  assert.equal(item.within, true);
  assert.ok(item.achieved.s > 1.9 && item.achieved.s < 2.2, String(item.achieved.s));
  assert.ok(Math.abs(pair.active_saved_s - pair.kernel_saved_s - pair.other_saved_s) < 1e-9);
  assert.ok(pair.notes.some((n) => /commands/.test(n)));
  // Runs under different conditions get no verdict, unless the difference is allowed.
  assert.deepEqual([pair.trial.verdict, pair.trial.reasons.map((r) => r.code)], ['inconclusive', ['arguments']]);
  const { trial } = (await get(`/api/v1/compare?base=${bad.number}&target=${good.number}&allow=arguments,level`)).json;
  assert.deepEqual([trial.verdict, trial.reasons, trial.gpu.verdict], ['faster', [], 'faster']);
  assert.ok(trial.gpu.low_ratio < -0.9 && trial.gpu.high_ratio > trial.gpu.low_ratio);
  assert.equal(same.trial.gpu.change_ratio, 0);
  await problem(400, `/api/v1/compare?base=${number}&target=${number}&allow=arguments,weather`);
  // In the other order the finding is new.
  const back = (await compare(good.number, bad.number)).json;
  assert.deepEqual([back.findings.gone, back.findings.new], [0, 1]);
  assert.ok(back.kernels[0].saved_s < 0);

  for (const query of ['', 'base=1', 'target=1', `base=${number}`, `base=${number}&target=${number}&limit=1`])
    await problem(400, `/api/v1/compare?${query}`);
  await problem(404, `/api/v1/compare?base=${number}&target=999999`);
  await problem(404, `/api/v1/compare?base=nope&target=${number}`);
});

test('a run without source data says why', async () => {
  const base = `/api/v1/runs/${number}`;
  for (const sass of ['', '?sass=0', '?sass=1']) {
    const source = (await get(`${base}/kernels/1/source${sass}`)).json;
    assert.equal(source.kernel_id, 1);
    assert.deepEqual([source.counted, source.sampled, source.has_lines], [false, false, false]);
    assert.match(source.missing.lines, /--level auto/);
    assert.deepEqual(source.lines, []);
    assert.equal(sass === '?sass=1', source.instructions !== undefined);
  }
  for (const part of ['source-files', 'sites']) {
    const list = (await get(`${base}/${part}`)).json;
    assert.deepEqual([list.items, list.next_cursor], [[], null]);
  }
  for (const tail of ['kernels/999999/source', 'kernels/x/source', 'source-files/0', 'source-files/-1',
    'source-files/etc%20passwd', 'source-files/..%20', 'sites/0'])
    await problem(404, `${base}/${tail}`);
  for (const query of ['sass=2', 'sass=yes', 'sass=', 'lines=1']) await problem(400, `${base}/kernels/1/source?${query}`);
});

test('lines, files and launch sites of a run', async () => {
  const uploaded = await daemon.upload('--source', '--run', runId(500));
  assert.equal(uploaded.status, 201, uploaded.text);
  const base = `/api/v1/runs/${uploaded.json.number}`;
  const run = (await get(base)).json;
  assert.equal(run.level, 'source');
  assert.equal(run.source.kernels_counted, 2);
  assert.ok(run.source.samples > 0);
  assert.ok(run.overhead.by.source_s >= 0);
  assert.deepEqual(run.overhead.held, {
    count: 42, total_s: 0.31, longest_s: 0.048, setup_s: 0.025, setup_longest_s: 0.025,
    replay_s: 0, replay_longest_s: 0, limit_s: 0.1,
  });
  assert.equal(run.overhead.by.wait_s, 0);
  assert.ok(run.overhead.fixed_s >= run.overhead.by.setup_s);
  assert.ok(run.overhead.per_launch_ns >= 0);

  const files = (await get(`${base}/source-files`)).json.items;
  assert.deepEqual(files.map((f) => f.index), files.map((_, i) => i));
  for (const file of files) {
    const one = (await get(`${base}/source-files/${file.index}`)).json;
    assert.equal(one.path, file.path);
    assert.equal(one.text !== null, file.captured);
    assert.equal(one.missing !== null, !file.captured);
  }
  await problem(404, `${base}/source-files/${files.length}`);
  const path = encodeURIComponent(files[0].path);
  await problem(400, `${base}/source-files/${path}`);

  let counted = 0;
  for (const kernel of (await get(`${base}/kernels`)).json.items) {
    const target = `${base}/kernels/${kernel.id}/source`;
    const source = (await get(target)).json;
    assert.equal(source.kernel_id, kernel.id);
    assert.equal(source.instructions, undefined);
    for (const [part, there] of [['counts', 'counted'], ['samples', 'sampled'], ['lines', 'has_lines'], ['sass', 'disassembled']])
      assert.equal(source.missing[part] === null, source[there], `${kernel.short_name}: ${part}`);
    const { instructions, ...rest } = (await get(`${target}?sass=1`)).json;
    assert.deepEqual(rest, source);
    assert.deepEqual(instructions.map((i) => i.pc), instructions.map((i) => i.pc).sort((a, b) => a - b));
    if (!source.counted) continue;
    counted++;
    const sampled = source.totals.samples?.stalls ?? {};
    assert.deepEqual(source.stalls.map((s) => s.name).sort(), Object.keys(sampled).sort());
    for (const { name, meaning, group, group_label } of source.stalls) assert.ok(meaning && group && group_label, name);
    const names = source.metrics.map((m) => m.name);
    assert.ok(names.includes('inst'));
    const sum = (rows, name) => rows.reduce((n, row) => n + (row.values[name] ?? 0), 0);
    for (const name of names) assert.equal(sum(instructions, name), source.totals.values[name] ?? 0, name);
    if (source.has_lines) {
      assert.deepEqual(source.lines.map((l) => l.index), source.lines.map((_, i) => i));
      for (const line of source.lines) {
        assert.ok(files[line.file], `line ${line.index} is in a file`);
        if (line.inlined_at !== null) assert.ok(source.lines[line.inlined_at]);
      }
      const inside = instructions.filter((i) => i.line !== null);
      for (const name of names) assert.equal(sum(source.lines, name), sum(inside, name), name);
      assert.ok(source.lines.some((l) => l.inlined_at !== null && l.function !== null));
      assert.ok(instructions.every((i) => i.text !== null));
    }
    for (const row of [...source.lines, ...instructions])
      assert.ok(Object.keys(row.values).every((name) => names.includes(name)));
  }
  assert.equal(counted, 2);

  const sites = (await get(`${base}/sites`)).json.items;
  assert.ok(sites.some((s) => s.call === 'launch' && s.kernel_id !== null && s.file !== null));
  assert.ok(sites.some((s) => s.frames.some((f) => f.python)));
  for (const site of sites) if (site.first !== null) assert.equal(site.frames[site.first].function, site.function);

  const findings = (await get(`${base}/findings`)).json.items;
  const hot = findings.filter((f) => f.hot_lines.length > 0);
  assert.ok(hot.length > 0);
  assert.ok(hot.some((f) => typeof f.heat === 'string'), 'what to colour their lines by');
  for (const finding of hot) {
    assert.ok(finding.hot_lines.every((h) => !(h.share_ratio > 1)));
    await get(`${base}/findings/${finding.id}`);
  }
  const exported = (await get(`${base}/export`)).json;
  assert.equal(exported.source_files.length, files.length);
  assert.equal(exported.sites.length, sites.length);
  assert.equal(exported.kernels.filter((k) => k.source?.counted).length, 2);

  const target = `${base}/kernels/1/source`;
  const { etag } = (await daemon.get(target)).headers;
  const again = conforms('GET', target, await daemon.get(target, { 'If-None-Match': etag }));
  assert.equal(again.status, 304);
});

test('a run is found by number, id and prefix', async () => {
  const run = (await get(`/api/v1/runs/${number}`)).json;
  assert.equal((await get(`/api/v1/runs/${run.id}`)).json.number, number);
  assert.equal((await get(`/api/v1/runs/${run.id.slice(0, 8)}`)).json.number, number);
});

test('rules', async () => {
  const rules = (await get('/api/v1/rules')).json.items;
  assert.ok(rules.length >= 21);
  for (const rule of rules)
    assert.deepEqual((await get(`/api/v1/rules/${rule.id}`)).json, { ...rule, schema_version: 1 });
  await problem(404, '/api/v1/rules/no-such-rule');
});

test('what is not there', async () => {
  await problem(404, '/api/v1/nope');
  await problem(404, '/api/v2/runs');
  for (const id of ['999999', 'ffffffffff', 'x', '-1', '%2e%2e%20', '0', '1e3', '99999999999999999999'])
    await problem(404, `/api/v1/runs/${id}`);
  for (const id of ['999999', '0', 'x', '-1'])
    for (const tail of ['', '/metrics', '/launches', '/source'])
      await problem(404, `/api/v1/runs/${number}/kernels/${id}${tail}`);
  await problem(404, `/api/v1/runs/${number}/findings/0123456789abcdef`);
  await problem(404, '/problems/nope');
});

test('methods', async () => {
  const answer = await problem(405, `/api/v1/runs/${number}`, { method: 'PUT' });
  assert.equal(answer.headers.allow, 'GET, HEAD, PATCH, DELETE');
  await problem(405, '/api/v1/version', { method: 'POST' });
  await problem(405, '/api/v1/version', { method: 'OPTIONS' });
  await problem(405, '/api/v1/dashboard');
  const head = await daemon.request({ method: 'HEAD', path: '/api/v1/version' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

test('query parameters', async () => {
  const answer = await problem(400, '/api/v1/runs?limti=3');
  assert.equal(answer.json.errors[0].parameter, 'limti');
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=-1', 'limit=1.5', 'limit=', 'limit=1&limit=2',
    'cursor=x', 'cursor=r', 'cursor=r0', 'sort=x'])
    await problem(400, `/api/v1/runs?${query}`);
  for (const query of ['cursor=x', 'cursor=%27%3b--', 'sort=id', 'limit=0'])
    await problem(400, `/api/v1/runs/${number}/kernels?${query}`);
  for (const query of ['from_ns=-1', 'to_ns=x', 'px=0', 'px=99999', 'from_ns=5&to_ns=5', 'from=1'])
    await problem(400, `/api/v1/runs/${number}/timeline?${query}`);
  const format = await problem(400, `/api/v1/runs/${number}/export?format=pdf`);
  // The formats of the table (report/format.def).
  const table = readFileSync(path.join(root, 'daemon/report/format.def'), 'utf8')
    .match(/^(EXPORTED\(\w+|WRITTEN\(\w+, "[^"]+)/gm).map((row) => row.replace(/^.*[("]/, ''));
  assert.deepEqual(format.json.detail.replace(/^.*: /, '').split(' '), table);
  await problem(400, '/api/v1/version?x=1');
  await problem(400, '/api/v1/runs/%00');
  await problem(400, '/api/v1/../runs');
  await problem(400, '/api/v1/runs/%ff');
  await problem(414, '/api/v1/runs/' + 'a'.repeat(3000));
});

test('lists come in pages', async () => {
  const seen = [];
  let target = `/api/v1/runs/${number}/kernels?limit=7&sort=name`;
  let pages = 0;
  while (target !== null) {
    const page = await get(target);
    seen.push(...page.json.items.map((k) => k.id));
    assert.ok(page.json.items.length <= 7);
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '');
    assert.equal(next !== null, page.json.next_cursor !== null);
    target = next === null ? null : next[1];
    assert.ok(++pages < 20);
  }
  const all = (await get(`/api/v1/runs/${number}/kernels?limit=1000`)).json;
  assert.equal(all.next_cursor, null);
  assert.equal(pages, Math.ceil(all.items.length / 7));
  assert.deepEqual([...seen].sort((a, b) => a - b), all.items.map((k) => k.id).sort((a, b) => a - b));
  const times = all.items.map((k) => k.time.total_ns);
  assert.deepEqual(times, [...times].sort((a, b) => b - a), 'most time first');
});

test('runs come in pages, newest first', async () => {
  const added = [];
  for (let i = 1; i <= 3; i++) {
    const answer = await daemon.upload('--launches', '3', '--run', runId(i));
    assert.equal(answer.status, 201);
    added.push(answer.json.number);
  }
  const seen = [];
  let target = '/api/v1/runs?limit=2';
  while (target) {
    const page = await get(target);
    seen.push(...page.json.items.map((r) => r.number));
    target = page.json.next_cursor && `/api/v1/runs?limit=2&cursor=${page.json.next_cursor}`;
  }
  assert.deepEqual(seen, [...seen].sort((a, b) => b - a));
  for (const n of [number, ...added]) assert.ok(seen.includes(n));
  const oldest = (await get('/api/v1/runs?sort=number')).json.items.map((r) => r.number);
  assert.deepEqual(oldest, [...seen].reverse());
});

test('what ran in a window: sums of all, single operations up to a number', async () => {
  const base = `/api/v1/runs/${number}`;
  const { items: kernels } = (await get(`${base}/kernels?limit=1000`)).json;
  const whole = (await get(`${base}/window?limit=4000`)).json;
  assert.equal(whole.reason, null);
  const sums = new Map(whole.sums.filter((s) => s.kernel_id !== null).map((s) => [s.kernel_id, s]));
  for (const k of kernels.slice(0, 3)) {
    assert.equal(sums.get(k.id).count, k.launches, k.name);
    assert.equal(sums.get(k.id).busy_ns, k.time.total_ns, k.name);
    assert.equal(sums.get(k.id).name, k.short_name);
  }
  assert.deepEqual(whole.sums.map((s) => s.busy_ns), whole.sums.map((s) => s.busy_ns).sort((a, b) => b - a));
  assert.equal(whole.complete, whole.operations <= 4000);
  assert.equal(whole.items.length, Math.min(4000, whole.operations));
  // One launch, with a window that begins or ends in the middle of it.
  const launch = (await get(`${base}/kernels/${kernels[0].id}/launches?limit=1`)).json.items[0];
  const end = launch.start_ns + launch.duration_ns;
  const half = launch.start_ns + Math.floor(launch.duration_ns / 2);
  const cut = (await get(`${base}/window?from_ns=${half}&to_ns=${end}`)).json;
  const of = (list) => list.filter((x) => x.kernel_id === kernels[0].id);
  assert.deepEqual(of(cut.items).map((x) => [x.start_ns, x.duration_ns, x.stream, x.process]),
    [[launch.start_ns, launch.duration_ns, launch.stream, launch.process]]);
  assert.equal(of(cut.sums)[0].busy_ns, end - half);
  const few = (await get(`${base}/window?limit=1`)).json;
  assert.equal(few.items.length, 1);
  assert.equal(few.complete, false);
  assert.deepEqual(few.sums, whole.sums);
  assert.equal((await get(`${base}/window?from_ns=9007199254740990`)).json.operations, 0);
  for (const query of ['limit=0', 'limit=4001', 'from_ns=5&to_ns=5', 'to_ns=x', 'px=3']) await problem(400, `${base}/window?${query}`);
});

test('launch times are a histogram of all launches', async () => {
  const base = `/api/v1/runs/${number}/kernels`;
  for (const k of (await get(`${base}?limit=5`)).json.items) {
    const { count, min_ns, max_ns, per_octave, buckets } = (await get(`${base}/${k.id}/launch-times`)).json;
    assert.equal(count, k.launches);
    assert.equal(buckets.reduce((n, [, launches]) => n + launches, 0), count);
    // The first has the shortest, the last the longest.
    const inside = (i, ns) => ns >= Math.floor(2 ** (i / per_octave)) && ns <= Math.ceil(2 ** ((i + 1) / per_octave));
    assert.ok(inside(buckets[0][0], min_ns) && inside(buckets.at(-1)[0], max_ns), `${k.name}: ${min_ns} ${max_ns} ${JSON.stringify(buckets)}`);
  }
  await problem(404, `${base}/999999/launch-times`);
});

test('kernels whose name has a text, page by page', async () => {
  const base = `/api/v1/runs/${number}/kernels`;
  const all = (await get(`${base}?limit=1000`)).json.items;
  const wanted = all.filter((k) => k.name.includes('kernel_01')).map((k) => k.id);
  assert.ok(wanted.length > 2 && wanted.length < all.length);
  for (const sort of ['name', '-gpu_time_ns', 'launches']) {
    const found = [];
    for (let target = `${base}?match=KERNEL_01&limit=2&sort=${sort}`; target;) {
      const page = await get(target);
      found.push(...page.json.items.map((k) => k.id));
      target = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1];
    }
    assert.deepEqual(found.sort((a, b) => a - b), [...wanted].sort((a, b) => a - b), sort);
  }
  // The text is not used as a pattern or as a part of a query.
  for (const none of ['%', '_ernel%', "'--", '\\', '*'])
    assert.deepEqual((await get(`${base}?match=${encodeURIComponent(none)}`)).json.items.filter((k) => !k.name.toLowerCase().includes(none)), [], none);
  assert.equal((await get(`${base}?match=&limit=1000`)).json.items.length, all.length);
  await problem(400, `${base}?match=${'x'.repeat(101)}`);
});

test('a timeline of any window', async () => {
  const run = (await get(`/api/v1/runs/${number}`)).json;
  const timeline = (await get(`/api/v1/runs/${number}/timeline?px=100`)).json;
  const rows = timeline.devices[0].rows;
  assert.ok(rows.some((r) => r.row === 'kernel'));
  for (const row of rows) {
    assert.ok(row.busy_ratio.length <= 100);
    assert.equal(row.busy_ratio.length, row.count.length);
  }
  const half = Math.floor(run.wall_ns / 2);
  const window = (await get(`/api/v1/runs/${number}/timeline?from_ns=${half}&to_ns=${half + 10000000}&px=50`)).json;
  assert.ok(window.from_ns <= half && window.to_ns >= half);
  await get(`/api/v1/runs/${number}/timeline?from_ns=9007199254740991`);
});

test('a finished run is read once', async () => {
  for (const part of ['', '/findings', '/kernels', '/devices', '/timeline', '/capture']) {
    const target = `/api/v1/runs/${number}${part}`;
    const first = await daemon.get(target);
    const etag = first.headers.etag;
    assert.match(etag, /^"[0-9a-f]{32}-\d+"$/);
    assert.equal(first.headers['cache-control'], 'private, no-cache');
    const again = conforms('GET', target, await daemon.get(target, { 'If-None-Match': `"x", ${etag}` }));
    assert.equal(again.status, 304);
    assert.equal(again.text, '');
    assert.equal(again.headers.etag, etag);
    assert.equal((await daemon.get(target, { 'If-None-Match': '"x-1"' })).status, 200);
  }
});

// The bytes on the wire: a client may interpret them differently.
test('304 has the length of the 200, and no body', async () => {
  for (const part of ['', '/findings', '/kernels?limit=2', '/timeline', '/capture', '/export']) {
    const target = `/api/v1/runs/${number}${part}`;
    const first = await daemon.get(target);
    const ask = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${first.headers.etag}\r\n`;
    const socket = connect(daemon.socket);
    // The answer has no body: the next one begins where its header ends.
    socket.end(`${ask(target)}\r\n${ask('/api/v1/version')}Connection: close\r\n\r\n`);
    let text = '';
    for await (const piece of socket.setEncoding('latin1')) text += piece;
    const [head, rest] = [text.slice(0, text.indexOf('\r\n\r\n')), text.slice(text.indexOf('\r\n\r\n') + 4)];
    assert.match(head, /^HTTP\/1\.1 304 /);
    assert.match(rest, /^HTTP\/1\.1 200 /, `after ${target}`);
    assert.doesNotMatch(head, /^Transfer-Encoding:/im);
    const length = /^Content-Length: (\d+)$/im.exec(head.replaceAll('\r', ''))?.[1];
    assert.ok(length === undefined || Number(length) === first.bytes.length, `${target}: ${length} is not ${first.bytes.length}`);
  }
});

test('what is not there is not unchanged', async () => {
  const { etag } = (await daemon.get(`/api/v1/runs/${number}`)).headers;
  for (const part of ['/kernels/999999', '/findings/none', '/kernels?cursor=x']) {
    const target = `/api/v1/runs/${number}${part}`;
    const without = await daemon.get(target);
    assert.ok(without.status >= 400);
    assert.equal(conforms('GET', target, await daemon.get(target, { 'If-None-Match': etag })).status, without.status);
  }
});

test('label and pin', async () => {
  const target = `/api/v1/runs/${number}`;
  const before = await get(target);
  const patched = conforms('PATCH', target, await daemon.send('PATCH', target, { label: 'before <b>', pinned: true },
    { 'If-Match': before.headers.etag }));
  assert.equal(patched.status, 200, patched.text);
  assert.equal(patched.json.label, 'before <b>');
  assert.equal(patched.json.pinned, true);
  assert.notEqual(patched.headers.etag, before.headers.etag);
  const late = conforms('PATCH', target, await daemon.send('PATCH', target, { label: 'x' }, { 'If-Match': before.headers.etag }));
  assert.equal(late.status, 412);
  const removed = await daemon.send('PATCH', target, { label: null, pinned: false });
  assert.equal(removed.json.label, null);
  assert.equal(removed.json.pinned, false);
});

test('bad bodies', async () => {
  const target = `/api/v1/runs/${number}`;
  const json = { 'Content-Type': 'application/json' };
  for (const body of ['{', '[]', '"x"', 'null', '', '{"label":1}', '{"pinned":"yes"}', '{}', '{"label":"a","label":"b"}',
    `{"label":"${'x'.repeat(201)}"}`, '{"label":"\\u0000"}', '['.repeat(5000)])
    await problem(400, target, { method: 'PATCH', headers: json, body });
  const unknown = await problem(400, target, { method: 'PATCH', headers: json, body: '{"lable":"x"}' });
  assert.equal(unknown.json.errors[0].pointer, '/lable');
  await problem(415, target, { method: 'PATCH', headers: { 'Content-Type': 'text/plain' }, body: '{"label":"x"}' });
  await problem(415, target, { method: 'PATCH', body: '{"label":"x"}' });
  const large = JSON.stringify({ label: 'x'.repeat(70000) });
  await problem(413, target, { method: 'PATCH', headers: { ...json, 'Content-Length': large.length }, body: large });
  // Without a length the limit is detected while the body arrives.
  await problem(413, target, { method: 'PATCH', headers: { ...json, 'Transfer-Encoding': 'chunked' }, body: large });
  await problem(413, '/api/v1/version', { headers: { 'Content-Length': 5 }, body: 'hello' });
});

test('bad captures', async () => {
  const octets = { 'Content-Type': 'application/octet-stream' };
  for (const body of [Buffer.alloc(0), Buffer.from('not a capture'), Buffer.alloc(100000, 7)]) {
    const answer = conforms('POST', '/api/v1/runs', await daemon.uploadBytes(body));
    assert.equal(answer.status, 422, answer.text);
  }
  await problem(415, '/api/v1/runs', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
  await problem(413, '/api/v1/runs', { method: 'POST', headers: { ...octets, 'Content-Length': 2 ** 50 }, body: '' });
  assert.equal((await get('/api/v1/health')).json.status, 'ok');
});

test('the capture comes back, and is known again', async () => {
  const capture = await get(`/api/v1/runs/${number}/capture`);
  assert.equal(capture.bytes.subarray(0, 4).toString(), 'CADF');
  assert.match(capture.headers['content-disposition'], /\.cadv"$/);
  const exported = await get(`/api/v1/runs/${number}/export?format=capture`);
  assert.deepEqual(exported.bytes, capture.bytes);
  for (const name of ['content-type', 'content-disposition']) assert.equal(exported.headers[name], capture.headers[name]);
  const again = await daemon.uploadBytes(capture.bytes);
  assert.equal(again.json.number, number);
  assert.deepEqual(again.json.uploaded, { truncated: false, damaged: 0 });
  assert.equal((await get(`/api/v1/runs/${number}`)).json.uploaded, undefined);
  const cut = conforms('POST', '/api/v1/runs', await daemon.uploadBytes(capture.bytes.subarray(0, -3)));
  assert.equal(cut.status, 201);
  assert.deepEqual(cut.json.uploaded, { truncated: true, damaged: 0 });
});

test('reanalyze gives the same answer', async () => {
  const before = (await get(`/api/v1/runs/${number}/findings`)).json;
  const target = `/api/v1/runs/${number}/reanalyze`;
  const answer = conforms('POST', target, await daemon.request({ method: 'POST', path: target }));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual((await get(`/api/v1/runs/${number}/findings`)).json, before);
  await problem(400, target, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"x":1}' });
});

test('deleting', async () => {
  const added = (await daemon.upload('--launches', '3', '--run', runId(77))).json.number;
  const target = `/api/v1/runs/${added}`;
  await problem(412, target, { method: 'DELETE', headers: { 'If-Match': '"x"' } });
  const answer = conforms('DELETE', target, await daemon.request({ method: 'DELETE', path: target }));
  assert.equal(answer.status, 204);
  await problem(404, target);
  await problem(404, target, { method: 'DELETE' });
});

test('headers of every answer', async () => {
  for (const target of ['/', '/app.js', '/api/v1/version', '/nope', '/metrics', `/api/v1/runs/${number}`]) {
    const { headers } = await daemon.get(target);
    assert.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'$/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['set-cookie'], undefined);
  }
});

test('long requests do not stop short ones', async () => {
  const slow = Array.from({ length: 4 }, () => daemon.get(`/api/v1/runs/${number}/export`));
  const times = [];
  for (let i = 0; i < 50; i++) {
    const start = process.hrtime.bigint();
    assert.equal((await daemon.get('/api/v1/version')).status, 200);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  for (const answer of await Promise.all(slow)) assert.ok([200, 503].includes(answer.status));
  times.sort((a, b) => a - b);
  assert.ok(times[25] < 50, `median ${times[25]} ms`);
});

test('many at once are all answered', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => daemon.get(`/api/v1/runs/${number}`)));
  assert.deepEqual([...new Set(answers.map((a) => a.status))], [200]);
});

test('the description has nothing that was not tried here', () => {
  // Tested in the other files: streams, dashboard, shutdown.
  const elsewhere = ['streamRunEvents', 'streamEvents', 'openDashboard', 'shutdown', 'getProblem'];
  assert.deepEqual(unusedOperations().filter((id) => !elsewhere.includes(id)), []);
});
