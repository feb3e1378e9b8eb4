// The source view in a real browser. Part one: a real daemon with a run whose numbers
// are invented but whose code is real (make_capture --source). Part two: the answers about
// source lines are invented, too (source-fixture.mjs), to have what a small kernel lacks;
// they are checked against the description of the API. Everything else comes from a real
// daemon.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { require, root, runId, taken } from '../api/daemon.mjs';
import * as tab from './browser.mjs';
import { accessible, looks, shoot } from './browser.mjs';
import { format } from './format.mjs';
import { files, findings as madeFindings, lineOf, paths, source, texts } from './source-fixture.mjs';

const Ajv = require('ajv/dist/2020').default;
let run;
let kernel; // id
let found; // the answer to /findings
let lined; // a run that has source lines

const site = new tab.Site(async (daemon) => {
  run = taken(await daemon.upload('--kernels', '4'));
  const real = (await daemon.get(`/api/v1/runs/${run.number}/findings`)).json;
  const model = real.items.find((f) => f.kernel_id !== null);
  kernel = model.kernel_id;
  found = { ...real, items: [...madeFindings(kernel, model), ...real.items.filter((f) => f.kernel_id !== kernel)] };
  lined = `/runs/${taken(await daemon.upload('--source', '--run', runId(7))).number}`;
});
const { daemon, api } = site;

// A tab at ${to}; ${change} modifies the answers of the API about the kernel.
async function open(t, { to = `/runs/${run.number}/kernels/${kernel}/source`, change = () => {}, real = false, file = (n) => texts[n], ...options } = {}) {
  const asked = [];
  const page = await site.open(t, to, {
    width: 1600,
    ...options,
    before: async (fresh) => {
      if (real) return;
      await fresh.route('**/api/v1/runs/*/kernels/*/source*', (route) => {
        const url = new URL(route.request().url());
        asked.push(url.pathname + url.search);
        const answer = source(kernel);
        change(answer);
        if (url.searchParams.get('sass') !== '1') delete answer.instructions;
        return route.fulfill({ json: answer });
      });
      await fresh.route('**/api/v1/runs/*/source-files/*', (route) => {
        const n = Number(new URL(route.request().url()).pathname.split('/').pop());
        return route.fulfill({ json: { schema_version: 1, ...files[n], size_bytes: (file(n) ?? '').length, text: file(n) } });
      });
      await fresh.route('**/api/v1/runs/*/findings', (route) => route.fulfill({ json: found }));
    },
  });
  return Object.assign(page, { asked });
}

async function openSource(t, options) {
  const page = await open(t, options);
  await page.waitForSelector('.listing tbody tr');
  return page;
}

const rowOf = (line) => `.listing tr[data-place="${line}"]`;
const total = (name) => source(1).totals.values[name];
const { percent } = format;

// --- part one ----------------------------------------------------------------

const baseOf = (file) => file.slice(file.lastIndexOf('/') + 1);

async function kernelWith(has) {
  for (const { id } of (await api(`${lined}/kernels`)).items) {
    const to = `${lined}/kernels/${id}/source`;
    const doc = await api(`${to}?sass=1`);
    if (has(doc)) return { id, to, doc };
  }
  throw new Error('no such kernel');
}

test('lines, texts and instructions are those of the API', async (t) => {
  const { to, doc } = await kernelWith((d) => d.has_lines && d.disassembled);
  const page = await openSource(t, { to, real: true });
  assert.ok(doc.files.length > 1 && doc.lines.some((l) => l.inlined_at !== null), 'it has inlined code');
  for (const file of doc.files) {
    await page.click(`#file-${file.index}`);
    await page.waitForSelector(`.left .path >> text="${file.path}"`);
    const own = new Map();
    for (const l of doc.lines) if (l.file === file.index) own.set(l.line, (own.get(l.line) ?? 0) + (l.samples?.all ?? 0));
    await page.uncheck('.tools input');
    if (file.captured) {
      const { text } = await api(`${lined}/source-files/${file.index}`);
      await page.waitForSelector('.listing .tok-keyword');
      const shown = await page.$$eval('.listing tr[data-place]', (rows) => rows.map((tr) => [tr.dataset.place, tr.querySelector('td.text').textContent]));
      assert.ok(shown.length >= own.size);
      for (const [line, code] of shown) assert.equal(code, text.split('\n')[line - 1], `${file.path}:${line}`);
    } else {
      assert.ok((await page.textContent('.left .notice')).includes(file.missing));
    }
    for (const [line, n] of own)
      if (n > 0.001 * doc.totals.samples.all)
        assert.equal(await page.textContent(`${rowOf(line)} .heat`), percent(n / doc.totals.samples.all), `${file.path}:${line}`);
  }
  await page.click('.modes >> text=SASS');
  await page.waitForSelector('.listing tr[data-place="1"]');
  const all = await page.$$eval('.listing tr[data-place]', (rows) => rows.map((tr) => [tr.querySelector('.ln').textContent, tr.querySelector('td.text').textContent]));
  assert.deepEqual(all, doc.instructions.map((i) => ['0x' + i.pc.toString(16).padStart(4, '0'), i.text]));
  await accessible(page);
});

test('code without line numbers says the flag and lists its instructions', async (t) => {
  const { to, doc } = await kernelWith((d) => !d.has_lines && d.counted);
  const page = await openSource(t, { to, real: true });
  const notes = await page.textContent('.notes');
  assert.ok(notes.includes(doc.missing.lines) && notes.includes('-lineinfo'), notes);
  const places = await page.$$eval('.listing button.ln', (all) => all.map((b) => b.textContent));
  assert.deepEqual(places, doc.instructions.map((i) => '0x' + i.pc.toString(16).padStart(4, '0')));
  await accessible(page);
  await shoot(page, 'source-real-lineless');
});

test('lines and launch sites of findings are those of the API', async (t) => {
  const page = await open(t, { to: lined, real: true });
  await page.waitForSelector('.findings');
  const { items } = await api(`${lined}/findings`);
  assert.ok(items.some((f) => f.hot_lines.length > 0) && items.some((f) => f.site !== null));
  let hot;
  for (const f of items) {
    const text = await page.textContent(`[data-finding="${f.id}"]`);
    for (const h of f.hot_lines) {
      const name = h.file === null ? `instruction 0x${h.pc.toString(16)}` : `${baseOf(h.file)}:${h.line}`;
      for (const part of [name, h.text ?? h.sass, h.what]) assert.ok(!part || text.includes(part), `${part} in ${text}`);
      if (h.file !== null) hot ??= { f, h };
    }
    for (const frame of f.site?.frames ?? [])
      for (const part of [frame.function, frame.file && `${frame.file}:${frame.line}`]) assert.ok(!part || text.includes(part), `${part} in ${text}`);
  }
  assert.equal(await page.$$eval('main script, main b[onclick]', (all) => all.length), 0, 'text stays text');
  await page.goto(`http://127.0.0.1:${site.port}/#${lined}/findings/${hot.f.id}`);
  await page.click(`[data-finding="${hot.f.id}"] .hotlines a >> nth=0`);
  await page.waitForSelector(`${rowOf(hot.h.line)}.on`);
  assert.ok((await page.textContent('[role=tab][aria-selected=true]')).startsWith(baseOf(hot.h.file)));
  assert.ok((await page.textContent(`${rowOf(hot.h.line)} + tr.below`)).includes(hot.f.title));
  await page.waitForSelector('.tok-keyword');
  await shoot(page, 'source-real');
});

test('how much was measured by line is on the first screen', async (t) => {
  const page = await open(t, { to: lined, real: true });
  await page.waitForSelector('.notes');
  const { source: by } = await api(lined);
  const notes = await page.textContent('.notes');
  assert.ok(notes.includes(`${by.kernels_counted} kernels counted exactly`) && notes.includes(`${by.samples_dropped} samples were dropped`), notes);
});

// --- part two ----------------------------------------------------------------

test('what is made up here is what the API describes', () => {
  const api = JSON.parse(readFileSync(path.join(root, 'config/openapi.json'), 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', ...api });
  const check = (name, value) => {
    const valid = ajv.getSchema(`api#/components/schemas/${name}`);
    assert.ok(valid, name);
    assert.ok(valid(value), JSON.stringify(valid.errors));
  };
  check('SourceDocument', source(1));
  for (const finding of found.items) check('Finding', finding);
});

test('a kernel leads to its source', async (t) => {
  const page = await open(t, { to: `/runs/${run.number}/kernels` });
  await page.click(`tr[data-kernel="${kernel}"] th a`);
  await page.waitForSelector('.kernelpage');
  assert.equal(await page.evaluate(() => location.hash), `#/runs/${run.number}/kernels/${kernel}`);
  await page.click('.kernelpage .links a >> text=Source');
  await page.waitForSelector('.listing');
  assert.equal(await page.evaluate(() => location.hash.split('/source')[0]), `#/runs/${run.number}/kernels/${kernel}`);
  assert.match(await page.textContent('h1'), /^Source of /);
  await page.click('.crumb a >> nth=2');
  await page.waitForSelector('.kernelpage');
});

test('a finding names its lines and its launch site, and leads to them', async (t) => {
  const page = await open(t, { to: `/runs/${run.number}` });
  const card = '[data-finding="00000000000000a1"]';
  await page.waitForSelector(card);
  const text = await page.textContent(card);
  const hot = found.items[0].hot_lines[0];
  for (const part of [`tile.cuh:${lineOf.load}`, hot.text, hot.what, `inlined at attention.cu:${lineOf.call}`, '100 %',
    '/home/ann/attention/model.py:88', 'near THPFunction_apply, libtorch_python.so', 'Call stack: 4 frames'])
    assert.ok(text.includes(part), `"${part}" in ${text}`);
  await page.click(`${card} .hotlines a >> nth=0`);
  await page.waitForSelector(`${rowOf(lineOf.load)}.on`);
  assert.equal(await page.inputValue('select'), 'excess_sectors', 'coloured by what the finding is about');
  assert.equal(await page.textContent('[role=tab][aria-selected=true]'), 'tile.cuh100 %');
  // Scrolled into view after the text has arrived.
  await page.waitForFunction((at) => {
    const box = document.querySelector('.listing').getBoundingClientRect();
    const row = document.querySelector(at).getBoundingClientRect();
    return row.top >= box.top && row.bottom <= box.bottom && row.top >= 0 && row.bottom <= innerHeight;
  }, rowOf(lineOf.load));
});

test('a link to a finding opens it', async (t) => {
  const page = await open(t, { to: `/runs/${run.number}/findings/00000000000000a3` });
  await page.waitForSelector('.finding.chosen details[open]');
  assert.equal(await page.getAttribute('.finding.chosen', 'data-finding'), '00000000000000a3');
  assert.ok(await page.isVisible('.finding.chosen .hot'), 'though it is folded away');
});

test('it begins at the hottest line', async (t) => {
  const page = await openSource(t);
  const doc = source(kernel);
  const most = [...doc.lines].sort((a, b) => b.samples.all - a.samples.all)[0];
  assert.equal(Number(await page.getAttribute('.listing tr.on', 'data-place')), most.line);
  assert.equal(await page.textContent(`${rowOf(most.line)} .heat`), percent(most.samples.all / doc.totals.samples.all));
  const list = await page.$$eval('section[aria-labelledby=hottest] li', (all) => all.map((li) => li.textContent));
  assert.equal(list.length, 5);
  assert.ok(list[0].includes(`tile.cuh:${lineOf.load}`));
  // Through the five hottest lines, and back to the first.
  for (let i = 1; i <= 5; i++) {
    await page.click('.tools button >> nth=0');
    const [, name, line] = /([a-z]+\.cuh?):(\d+)/.exec(list[i % 5]);
    await page.waitForSelector(`${rowOf(line)}.on`);
    assert.ok((await page.textContent('[role=tab][aria-selected=true]')).startsWith(name));
  }
});

test('text, line by line, with its numbers', async (t) => {
  const page = await openSource(t);
  await page.waitForSelector('.tok-keyword');
  const shown = await page.$$eval('.listing tr[data-place]', (rows) => rows.map((tr) => [Number(tr.dataset.place), tr.querySelector('td.text').textContent]));
  const wanted = texts[1].split('\n');
  assert.equal(shown.length, wanted.length - 1);
  for (const [line, text] of shown) assert.equal(text, wanted[line - 1]);
  const cells = await page.$$eval(`${rowOf(lineOf.load)} td`, (all) => all.map((td) => td.textContent));
  assert.ok(cells.includes('1.07G8×'), 'sectors, and of the ideal');
  assert.ok(cells.includes('537M16×'), 'wavefronts, and of the ideal');
  assert.ok(cells.includes('67.1M') && cells.includes('32'), 'instructions and lanes');
  await page.click('[role=tab] >> text=attention.cu');
  await page.click('text=Show 24 more lines');
  const rest = await page.$$eval('.listing tr[data-place]', (rows) => rows.map((tr) => [Number(tr.dataset.place), tr.querySelector('td.text').textContent]));
  for (const [line, text] of rest) assert.equal(text, texts[0].split('\n')[line - 1]);
  assert.ok(rest.some(([line]) => line === 45));
  assert.equal(await page.textContent(`${rowOf(lineOf.mask)} td.number >> nth=-1`), '81 %', 'branches that split');
});

test('every heat is a share of the kernel', async (t) => {
  const page = await openSource(t);
  const names = await page.$$eval('select option', (all) => all.map((o) => o.value));
  assert.deepEqual(names, ['samples', 'stalled', 'inst', 'idle_lanes', 'global_sectors', 'excess_sectors',
    'shared_wavefronts', 'excess_wavefronts', 'branch_divergent'], 'no local memory: nothing to colour');
  const row = source(kernel).lines.find((l) => l.file === 1 && l.line === lineOf.load);
  const wanted = {
    inst: row.values.inst / total('inst'),
    global_sectors: row.values.global_sectors / total('global_sectors'),
    excess_wavefronts: (row.values.shared_wavefronts - row.values.shared_ideal) / (total('shared_wavefronts') - total('shared_ideal')),
  };
  for (const [name, ratio] of Object.entries(wanted)) {
    await page.selectOption('select', name);
    await page.waitForFunction(([at, text]) => document.querySelector(`${at} .heat`).textContent === text, [rowOf(lineOf.load), percent(ratio)]);
  }
});

test('inlined code is at its line and at its call', async (t) => {
  const page = await openSource(t, { to: `/runs/${run.number}/kernels/${kernel}/source/${encodeURIComponent(paths[0])}/${lineOf.call}` });
  await page.waitForSelector(`${rowOf(lineOf.call)}.on`);
  const doc = source(kernel);
  const own = doc.lines[3];
  const inside = doc.lines.filter((l) => l.inlined_at === 3);
  const all = inside.reduce((n, l) => n + l.samples.all, own.samples.all);
  assert.equal(await page.textContent(`${rowOf(lineOf.call)} .heat`), percent(all / doc.totals.samples.all));
  const pane = await page.textContent('.pane');
  assert.ok(pane.includes('Inlined here') && pane.includes(`tile.cuh:${lineOf.load}`) && pane.includes('load_tile<128, 128>'), pane);
  await page.uncheck('.tools input');
  assert.equal(await page.textContent(`${rowOf(lineOf.call)} .heat`), percent(own.samples.all / doc.totals.samples.all));
  await page.check('.tools input');
  await page.click(`.pane button.to >> text=tile.cuh:${lineOf.load}`);
  await page.waitForSelector(`${rowOf(lineOf.load)}.on`);
  assert.match(await page.textContent('.pane'), new RegExp(`Inlined at\\s*attention.cu:${lineOf.call}`));
  assert.equal(decodeURIComponent(await page.evaluate(() => location.hash)), `#/runs/${run.number}/kernels/${kernel}/source/${paths[1]}/${lineOf.load}`);
  // A line that is inlined at two places shows both.
  await page.click('[role=tab] >> text=attention.cu');
  await page.click(`${rowOf(27)} button`);
  const two = await page.$$eval('.pane .places button', (all) => all.map((b) => b.textContent));
  assert.equal(two.length, 2, two.join());
});

test('findings are under their lines', async (t) => {
  const page = await openSource(t);
  const below = (line) => page.$$eval(`${rowOf(line)} + tr.below li`, (all) => all.map((li) => li.textContent));
  const here = await below(lineOf.load);
  assert.equal(here.length, 2);
  assert.match(here[0], /uncoalesced global loads.*32\.0 sectors a request.*100 % of it.*saves 830 ms/);
  assert.match(here[1], /bank conflicts.*16-way/);
  await page.click('[role=tab] >> text=attention.cu');
  const there = await below(lineOf.mask);
  assert.match(there[0], /below the noise.*divergent branches/);
  assert.doesNotMatch(there[0], /saves/);
});

test('why warps waited, in words', async (t) => {
  const page = await openSource(t);
  const row = source(kernel).lines.find((l) => l.file === 1 && l.line === lineOf.load);
  const rows = await page.$$eval('table.stalls tbody tr', (all) => all.map((tr) => tr.textContent));
  const order = Object.entries(row.samples.stalls).sort((a, b) => b[1] - a[1]);
  assert.equal(rows.length, order.length);
  for (const [i, [name, n]] of order.entries())
    assert.ok(rows[i].startsWith(name) && rows[i].endsWith(n.toLocaleString('en')), rows[i]);
  assert.match(rows[0], /waits for data from global or local memory/);
  const bar = await page.getAttribute(`${rowOf(lineOf.load)} .stallbar`, 'aria-label');
  assert.match(bar, /^memory 8\d %, shared memory, special functions 1\d %/);
});

test('instructions are fetched when someone looks', async (t) => {
  const page = await openSource(t);
  await page.waitForSelector('.pane .sass');
  assert.ok(page.asked.every((one) => !one.includes('sass')), page.asked.join());
  await page.click('.pane .sass summary');
  await page.waitForSelector('.steps tbody tr');
  const steps = await page.$$eval('.steps tbody tr', (all) => all.map((tr) => tr.lastElementChild.textContent));
  const wanted = source(kernel).instructions.filter((i) => i.line === 5).map((i) => i.text);
  assert.deepEqual(steps, wanted);
  await page.click('.modes >> text=SASS');
  await page.waitForSelector('.listing tr[data-place="1"]');
  const all = await page.$$eval('.listing td.text', (tds) => tds.map((td) => td.textContent));
  assert.deepEqual(all, source(kernel).instructions.map((i) => i.text));
  await page.click('.listing button[aria-label="Instruction 0x0080"]');
  await page.click('.pane >> text=tile.cuh');
  await page.waitForSelector(`${rowOf(lineOf.load)}.on`);
});

test('without lines, a finding is at its instruction', async (t) => {
  const finding = found.items[0];
  const made = { ...finding.hot_lines[0], file: null, line: null, text: null, called_file: null, called_line: null, pc: 0x90, sass: 'LDG' };
  const lineless = (s) => {
    Object.assign(s, { has_lines: false, lines: [], files: [] });
    for (const i of s.instructions) i.line = null;
  };
  finding.hot_lines.unshift(made);
  t.after(() => finding.hot_lines.shift());
  const page = await open(t, { to: `/runs/${run.number}/findings/${finding.id}`, change: lineless });
  await page.click(`[data-finding="${finding.id}"] .hotlines a >> nth=0`);
  await page.waitForSelector('.listing tr.on >> text=0x0090');
  assert.match(await page.textContent('.listing tr.on + tr.below'), /uncoalesced global loads/);
  await page.click('.listing button[aria-label="Instruction 0x0000"]');
  await page.click('section[aria-labelledby=kernel-findings] >> text=0x0090');
  await page.waitForSelector('.listing tr.on >> text=0x0090');
});

const absent = [
  ['no line numbers', (s) => {
    Object.assign(s, { has_lines: false, lines: [], files: [] });
    s.missing.lines = 'the code has no line table: compile it with nvcc -lineinfo';
    for (const i of s.instructions) i.line = null;
  }, ['No source lines: the code has no line table: compile it with nvcc -lineinfo', 'STS [R16], R14']],
  ['no counts', (s) => {
    Object.assign(s, { counted: false, metrics: [] });
    for (const one of [...s.lines, ...s.instructions, s.totals]) one.values = {};
    s.missing.counts = 'the program used MIG';
  }, ['No counts by line: the program used MIG', 'Counts by linenot measured', '57 %']],
  ['no samples', (s) => {
    Object.assign(s, { sampled: false, stalls: [] });
    for (const one of [...s.lines, ...s.instructions, s.totals]) one.samples = null;
    s.missing.samples = 'no sample fell into it';
  }, ['No samples: no sample fell into it', 'Samples by linenot measured', '42 %']],
  ['no disassembler', (s) => {
    s.disassembled = false;
    for (const i of s.instructions) i.text = null;
    s.missing.sass = 'nvdisasm was not found';
  }, ['No disassembly: nvdisasm was not found']],
  ['debug build', (s) => { s.debug = true; }, ['debug build', 'Compiled with -G']],
  ['nothing at all', (s) => {
    const why = 'needs --level auto, the default';
    Object.assign(s, { counted: false, sampled: false, disassembled: false, has_lines: false, files: [], lines: [], instructions: [], metrics: [], stalls: [], samples_shared_by: 0 });
    s.totals = { values: {}, samples: null };
    s.missing = { counts: why, samples: why, lines: why, sass: why };
    s.missing_code = { ...s.missing_code, counts: 'needs_auto' };
  }, ['No source lines, no counts by line, no samples, no disassembly: needs --level auto, the default', 'cudadvise run -- ./train --epochs 1']],
];
for (const [name, change, wanted] of absent)
  test(`says what is missing: ${name}`, async (t) => {
    const page = await open(t, { change });
    await page.waitForSelector(name === 'nothing at all' ? '#missing' : '.listing tbody tr');
    const text = await page.textContent('main');
    for (const part of wanted) assert.ok(text.includes(part), `"${part}" in ${text}`);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
    await accessible(page);
    await shoot(page, `source-${name.replaceAll(' ', '-')}`);
  });

test('the daemon itself says why a kernel has no lines', async (t) => {
  const answer = await daemon.get(`/api/v1/runs/${run.number}/kernels/${kernel}/source`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.has_lines, false, 'the run was not at source level');
  const page = await open(t, { real: true });
  await page.waitForSelector('#missing');
  assert.ok((await page.textContent('.notes')).includes(answer.json.missing.lines));
  await page.evaluate((to) => { location.hash = to; }, `#/runs/${run.number}/kernels/99999/source`);
  await page.waitForSelector('[role=alert]');
  assert.match(await page.textContent('main'), /No such kernel/i);
});

test('a file that was not captured still has its numbers', async (t) => {
  const page = await openSource(t);
  await page.click('[role=tab] >> text=reduce.cuh');
  await page.waitForSelector('.listing >> text=block_max(float)');
  const text = await page.textContent('#file');
  assert.ok(text.includes('The text of this file is not here: the file could not be read during the run'), text);
  assert.deepEqual(await page.$$eval('.listing tr[data-place]', (all) => all.map((tr) => tr.dataset.place)), ['41', '58']);
});

test('source that an older daemon analysed has no reasons of stalls', async (t) => {
  const page = await open(t, { change: (s) => { delete s.stalls; } });
  await page.waitForSelector('.listing');
  await page.waitForSelector('.hotlines li');
  await page.goto(page.url().replace('/source', ''));
  await page.waitForSelector('.kernelpage section[aria-labelledby=stalls] table');
});

test('source text stays text', async (t) => {
  const evil = '<img src=x onerror=alert(3)>\n</code><script>alert(4)</script>\n';
  const page = await openSource(t, {
    file: (n) => (n === 1 ? evil + texts[1] : texts[n]),
    change: (s) => {
      s.name = s.function = '<b>name</b>';
      s.lines[5].function = '<i>f</i>';
      s.lines.push({ ...s.lines[5], index: s.lines.length, inlined_at: s.lines.length, file: 99, line: 4000000000 });
    },
  });
  await page.waitForSelector('.listing >> text=onerror');
  assert.equal(await page.textContent('.listing tr[data-place="1"] td.text'), '<img src=x onerror=alert(3)>');
  assert.equal(await page.$$eval('main img, main script, main i, main h1 b', (all) => all.length), 0);
});

test('the keyboard walks the lines and the files', async (t) => {
  const page = await openSource(t);
  await page.click('[role=tab] >> text=attention.cu');
  await page.waitForSelector('.tok-keyword');
  await page.focus('.listing button[tabindex="0"]');
  const at = () => page.$eval('.listing tr.on', (tr) => Number(tr.dataset.place));
  const lines = [...new Set(source(kernel).lines.filter((l) => l.file === 0).map((l) => l.line))].sort((a, b) => a - b);
  await page.keyboard.press('Home');
  for (const line of lines) {
    assert.equal(await at(), line);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), String(line));
    assert.ok((await page.textContent('.pane h2')).endsWith(`:${line}`));
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(await page.$$eval('.listing button.ln[tabindex="0"]', (all) => all.length), 1, 'one stop of the Tab key');
  await page.focus('[role=tab][aria-selected=true]');
  await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('[role=tab][aria-selected=true]'), /reduce\.cuh/);
  await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('[role=tab][aria-selected=true]'), /tile\.cuh/);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'tab');
});

test('a long file is folded, and a long kernel too', async (t) => {
  const long = Array.from({ length: 60000 }, (_, i) => `// line ${i + 1}`).join('\n');
  const page = await openSource(t, {
    file: (n) => (n === 1 ? long : texts[n]),
    change: (s) => {
      const made = [];
      for (let i = 0; i < 40000; i++) made.push({ ...s.instructions[i % s.instructions.length], pc: i * 16 });
      s.instructions = made;
    },
  });
  await page.waitForSelector('.listing >> text="// line 11"');
  assert.ok((await page.$$eval('.listing tr', (all) => all.length)) < 100);
  await page.click('text=Show 200 of');
  await page.waitForFunction(() => document.querySelectorAll('.listing tr').length > 200);
  await page.click('.modes >> text=SASS');
  await page.waitForSelector('.listing tr[data-place="1"]');
  assert.ok((await page.$$eval('.listing tr', (all) => all.length)) < 2000);
});

for (const { scheme, width, rules } of looks)
  test(`no serious accessibility problem, ${scheme}, ${width} px`, async (t) => {
    const page = await openSource(t, { scheme, width });
    await page.waitForSelector('.tok-keyword');
    await page.click('.pane .sass summary');
    await page.waitForSelector('.steps');
    await accessible(page, rules);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0, 'the page is wider than its window');
    await shoot(page, `source-${scheme}-${width}`);
    await page.click('[role=tab] >> text=attention.cu');
    await page.click('.modes >> text=SASS');
    await page.waitForSelector('.listing tr[data-place="1"]');
    await accessible(page, rules);
    await shoot(page, `source-sass-${scheme}-${width}`);
    await page.goto(`http://127.0.0.1:${site.port}/#/runs/${run.number}/findings/00000000000000a1`);
    await page.waitForSelector('.finding.chosen .hot');
    await page.$$eval('.stack', (all) => all.forEach((d) => (d.open = true)));
    await accessible(page, rules);
    await shoot(page, `finding-${scheme}-${width}`);
  });
