// Views of a whole run: checklist, rooflines, and the comparison of two runs, with real
// captures.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { bin, root, taken } from '../api/daemon.mjs';
import { accessible, looks, shoot, Site } from './browser.mjs';
import { format } from './format.mjs';

const { change, seconds, times } = format;

const runs = {};

const site = new Site(async (daemon) => {
  for (const name of ['double-precision.bad', 'double-precision.good', 'uncoalesced-global-access.bad', 'uncoalesced-global-access.good',
    '../programs/softmax4', '../programs/blackscholes']) {
    const bytes = readFileSync(path.join(root, 'tests/captures/pairs', `${name}.cadv`));
    runs[name] = taken(await daemon.uploadBytes(bytes)).number;
  }
});
const { daemon, api } = site;
const open = (t, view, options) => site.open(t, view, options);
const hash = (page) => page.evaluate(() => location.hash);
// What the terminal shows of the same daemon's runs.
const cudadvise = (...args) => execFileSync(path.join(bin, 'cudadvise'), args, { env: { ...daemon.env, COLUMNS: '100' }, encoding: 'utf8' });
// All kinds of spaces as a plain space.
const text = async (page, selector) => (await page.textContent(selector)).replace(/\s+/g, ' ');

test('the checklist says of every line what the API says', async (t) => {
  const run = runs['uncoalesced-global-access.bad'];
  const page = await open(t, `/runs/${run}/checklist`);
  await page.waitForSelector('.checks li');
  const checklist = await api(`/runs/${run}/checklist`);
  const lines = checklist.groups.flatMap((g) => g.lines);
  const shown = await page.$$eval('.checks li', (items) => items.map((li) => ({
    id: li.dataset.check, badge: li.querySelector('.badge').textContent, text: li.textContent,
    links: [...li.querySelectorAll('a')].map((a) => a.getAttribute('href')),
  })));
  assert.deepEqual(shown.map((s) => s.id), lines.map((l) => l.id));
  for (const [i, line] of lines.entries()) {
    assert.equal(shown[i].badge, line.state.replaceAll('_', ' '));
    assert.ok(shown[i].text.includes(line.title));
    if (line.state === 'not_measured') assert.ok(shown[i].text.includes(line.reason), line.id);
    for (const fact of line.facts) assert.equal(shown[i].text.includes(fact.label), fact.value !== null, fact.name);
    assert.deepEqual(shown[i].links, line.findings.map((f) => `#/runs/${run}/findings/${f.id}`));
  }
  const head = await text(page, 'section[aria-labelledby=checklist] > p');
  assert.ok(head.includes(`${checklist.passed} passed`) && head.includes(`${checklist.failed} failed`), head);
  // The evidence is one click away.
  await page.click('li[data-check=coalescing] a');
  await page.waitForSelector('li.finding.chosen');
  assert.match(await page.textContent('li.finding.chosen'), /uncoalesced-global-access/);
});

test('rooflines: a dot for every kernel with operations, a row for every kernel', async (t) => {
  const run = runs['double-precision.bad'];
  const page = await open(t, `/runs/${run}/roofline`);
  await page.waitForSelector('table.rooflines tbody tr');
  const kernels = (await api(`/runs/${run}/kernels`)).items;
  const rows = await page.$$eval('table.rooflines tbody tr', (trs) => trs.map((tr) => tr.textContent));
  assert.equal(rows.length, kernels.length);
  const reasons = await page.$$eval('.footnotes li', (all) => all.map((li) => li.textContent.replace(/^\(\d+\) /, '')));
  for (const [i, kernel] of kernels.entries()) {
    const { roofline, bandwidth } = kernel;
    for (const reason of [roofline.no_flops, bandwidth.reason])
      if (reason !== null) assert.ok(rows[i].includes(`not measured (${reasons.indexOf(reason) + 1})`), reason);
    if (roofline.bound !== null) assert.ok(rows[i].includes(roofline.bound));
  }
  assert.ok(rows.some((r) => r.includes('of FP64')));
  const counted = kernels.filter((k) => k.roofline.flops_per_s > 0 && k.roofline.dram_flop_per_byte > 0);
  assert.ok(counted.length > 0);
  const dots = await page.$$eval('.roofline .dot', (all) => all.map((c) => ({ x: Number(c.getAttribute('cx')), y: Number(c.getAttribute('cy')) })));
  assert.equal(dots.length, counted.length);
  // Below the roof of its pipe: y grows downwards.
  const roof = Math.max(...await page.$$eval('.roofline .roof', (all) => all.map((l) => Number(l.getAttribute('y2')))));
  const [name] = await page.$$eval('.roofname', (all) => all.filter((e) => e.textContent === 'DRAM').map((e) => ({ x: Number(e.getAttribute('x')), y: Number(e.getAttribute('y')) })));
  for (const dot of dots) {
    assert.ok(Math.hypot(dot.x - name.x, dot.y - name.y) > 20, 'no dot is on the name of a roof');
    assert.ok(dot.x > 0 && dot.x <= 760 && dot.y > 0 && dot.y <= 340);
    assert.ok(dot.y >= roof, 'below the FP64 roof');
  }
  assert.match(await text(page, '.ceilings'), /calibrated on .*FP64 32\.\d TFLOP\/s/);
});

test('the roofline is zoomed by wheel, by a drawn box and by keys, and reset', async (t) => {
  const run = runs['double-precision.bad'];
  const page = await open(t, `/runs/${run}/roofline`);
  await page.waitForSelector('.roofline .dot');
  const button = (name) => page.getByRole('button', { name, exact: true });
  const ticks = () => page.$$eval('.roofline .tick', (all) => all.map((e) => e.textContent).join('|'));
  const whole = await ticks();
  assert.ok(await button('Reset').isDisabled());
  const zooms = async (how, act) => {
    await act();
    await page.waitForFunction((was) => [...document.querySelectorAll('.roofline .tick')].map((e) => e.textContent).join('|') !== was, whole);
    // Dots outside the visible range are not drawn over the scales.
    assert.equal(await page.$eval('.roofline g[clip-path]', (g) => g.contains(document.querySelector('.roofline .dot'))), true, how);
    await button('Reset').click();
    assert.equal(await ticks(), whole, `${how}, reset`);
  };
  const at = await (await page.$('.roofline svg')).boundingBox();
  const middle = [at.x + at.width / 2, at.y + at.height / 2];
  await zooms('wheel', async () => {
    await page.mouse.move(...middle);
    await page.mouse.wheel(0, -600);
  });
  await zooms('box', async () => {
    await page.mouse.move(...middle);
    await page.mouse.down();
    await page.mouse.move(middle[0] + at.width / 6, middle[1] + at.height / 4, { steps: 3 });
    assert.ok(await page.$('.roofline .drawn'));
    await page.mouse.up();
    assert.equal(await page.$('.roofline .drawn'), null);
  });
  await zooms('keys', async () => {
    await page.focus('.roofline');
    for (const key of ['+', '+', '+', 'ArrowRight']) await page.keyboard.press(key);
  });
  await zooms('buttons', () => button('Zoom in').click());
  await page.focus('.roofline');
  await page.keyboard.press('+');
  await page.keyboard.press('Escape');
  assert.equal(await ticks(), whole);
  for (let i = 0; i < 3; i++) await page.keyboard.press('+');
  const dot = await (await page.$('.roofline .dot')).boundingBox();
  assert.ok(dot.x > at.x && dot.x < at.x + at.width && dot.y >= at.y && dot.y < at.y + at.height, 'the longest kernel stays in sight');
  await shoot(page, 'roofline-zoomed');
  await accessible(page);
});

test('without counted operations the chart says why', async (t) => {
  const bytes = readFileSync(path.join(root, 'tests/captures/programs/matrixmul.cadv'));
  const { number } = (await daemon.uploadBytes(bytes)).json;
  const page = await open(t, `/runs/${number}/roofline`);
  await page.waitForSelector('table.rooflines tbody tr');
  assert.equal(await page.$('.roofline'), null);
  assert.match(await text(page, 'section[aria-labelledby=roofline]'), /No kernel is on the roofline chart: needs --level auto/);
});

test('a kernel\'s source has its headline metrics, or why not', async (t) => {
  const run = runs['double-precision.bad'];
  const kernels = (await api(`/runs/${run}/kernels`)).items;
  for (const kernel of kernels) {
    const page = await open(t, `/runs/${run}/kernels/${kernel.id}/source`);
    await page.waitForFunction(() => /Occupancy/.test(document.querySelector('.facts')?.textContent ?? ''));
    const facts = await text(page, '.facts');
    for (const { value, reason } of Object.values(kernel.headline))
      assert.ok(facts.includes(value === null ? reason : `${Math.round(value * 100)} %`), facts);
  }
});

test('a kernel\'s page has how busy each unit was, the busiest first', async (t) => {
  const run = runs['double-precision.bad'];
  const { busy, bound } = await api(`/runs/${run}/kernels/1`);
  const wanted = busy.filter((u) => u.ratio >= 0.005).sort((a, b) => b.ratio - a.ratio);
  assert.ok(wanted.length > 2 && wanted[0].unit === bound, bound);
  const page = await open(t, `/runs/${run}/kernels/1`);
  await page.waitForSelector('table.busy tbody tr');
  const rows = await page.$$eval('table.busy tbody tr', (trs) => trs.map((tr) => [tr.cells[0].firstChild.textContent, tr.cells[1].textContent]));
  assert.deepEqual(rows, wanted.map((u) => [u.unit, format.percent(u.ratio)]));
  assert.equal(await text(page, 'table.busy tr:first-child .badge'), 'the limit');
});

test('a kernel\'s memory diagram has each way\'s bytes as measured, or why not', async (t) => {
  const run = runs['uncoalesced-global-access.bad'];
  const { id, bandwidth } = (await api(`/runs/${run}/kernels`)).items[0];
  const metrics = (await api(`/runs/${run}/kernels/${id}/metrics`)).items;
  const of = (name) => metrics.find((m) => m.name === name)?.value ?? null;
  for (const width of [1280, 400]) {
    const page = await open(t, `/runs/${run}/kernels/${id}`, { width });
    await page.waitForSelector('.memorymap');
    const at = (place) => text(page, `.memorymap .at-${place}`);
    const [sectors, instructions] = ['l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 'smsp__inst_executed_op_global_ld.sum'].map(of);
    assert.ok(sectors > 0 && instructions > 0);
    const loads = `← global loads ${format.bytes(32 * sectors)}${format.plain(sectors / instructions)} sectors a warp's instruction`;
    assert.ok((await at('to-l1')).includes(loads), `${await at('to-l1')}, not ${loads}`);
    const served = `${Math.round(100 * (1 - bandwidth.dram_bytes / bandwidth.l2_bytes))} % served without DRAM`;
    assert.ok((await at('l2')).includes(served), served);
    const read = `← read ${format.bytes(of('dram__bytes_read.sum'))}`;
    assert.ok((await at('to-dram')).includes(read), `${await at('to-dram')}, not ${read}`);
    assert.match(await at('l1'), of('lts__t_sectors_srcunit_tex.sum') === null ? /hit rate: not measured/ : /\d % served without L2/);
    await accessible(page);
    if (width < 1000) continue;
    // From the threads to the right, each unit at its place.
    const lefts = await page.$$eval('.memorymap > .box', (all) => all.map((e) => e.getBoundingClientRect().left));
    assert.deepEqual(lefts.slice(0, 4), lefts.slice(0, 4).sort((a, b) => a - b));
  }
  const { number } = (await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/pairs/shared-bank-conflicts.bad.cadv')))).json;
  const [kernel] = (await api(`/runs/${number}/kernels`)).items;
  const page = await open(t, `/runs/${number}/kernels/${kernel.id}`);
  await page.waitForSelector('.memorymap .at-shared');
  assert.match(await text(page, '.memorymap .at-to-shared'), /loads, at most .*\d % of it bank conflicts/);
  await shoot(page, 'memory-shared');
});

test('a run is called as its program, without the folders that it lies in', async (t) => {
  const run = runs['uncoalesced-global-access.bad'];
  const { command } = await api(`/runs/${run}`);
  const called = 'cudadvise-kernels uncoalesced-global-access --variant bad';
  assert.ok(command.startsWith('/') && command.endsWith(`/${called}`), command);
  const page = await open(t, '/');
  await page.waitForSelector(`table.runs a >> text="${called}"`);
  await page.evaluate((to) => { location.hash = to; }, `#/runs/${run}`);
  await page.waitForSelector('.facts');
  assert.equal(await text(page, 'h1'), `Run ${run} ${called}`);
  assert.equal(await page.getAttribute('h1', 'title'), command);
});

test('copies are held against what this machine reaches', async (t) => {
  const run = runs['double-precision.bad'];
  const page = await open(t, `/runs/${run}/copies`);
  await page.waitForSelector('section[aria-labelledby=copies] tbody tr');
  const rows = await page.$$eval('section[aria-labelledby=copies] tbody tr', (trs) => trs.map((tr) => tr.textContent));
  const copies = (await api(`/runs/${run}/copies`)).items;
  assert.equal(rows.length, copies.length);
  for (const [i, copy] of copies.entries())
    assert.ok(rows[i].includes(copy.ceiling_missing ?? 'of it reached'), rows[i]);
});

test('what happens once is told beside the time, and no finding', async (t) => {
  const run = runs['../programs/softmax4'];
  const { results, longest_idle: gap } = (await api(`/runs/${run}`)).summary;
  assert.ok(results.copies > 0 && gap.s > 1, 'the capture has both');
  const page = await open(t, `/runs/${run}`);
  await page.waitForSelector('.bar .small');
  const said = await text(page, '.bar');
  assert.ok(said.includes(`Left out of the findings: ${results.copies} copies to the host`), said);
  assert.ok(said.includes(`the GPU waited at one place ${gap.cause}.`), said);
});

test('where what weighs was not looked at, that is said in place of "nothing"', async (t) => {
  const run = runs['../programs/blackscholes'];
  const { unmeasured } = await api(`/runs/${run}/findings`);
  assert.match(unmeasured, /BlackScholes/);
  const page = await open(t, `/runs/${run}`);
  await page.waitForSelector('.notice');
  assert.ok((await text(page, '.notice')).includes(`Not measured: ${unmeasured}`));
});

test('a framework\'s kernels are summed by operator and line', async (t) => {
  const bytes = readFileSync(path.join(root, 'tests/captures/programs/cupy.cadv'));
  const { number } = (await daemon.uploadBytes(bytes)).json;
  const operators = await api(`/runs/${number}/operators`);
  // No capture has lines: one gets an invented line.
  Object.assign(operators.items[0], { file: '/home/me/<b>model.py', line: 12, function: 'forward' });
  const page = await open(t, `/runs/${number}`, {
    before: (fresh) => fresh.route(`**/api/v1/runs/${number}/operators`, (route) => route.fulfill({ json: operators })),
  });
  await page.waitForSelector('table.operators');
  await page.$$eval('section[aria-labelledby=operators] details', (all) => all.forEach((d) => (d.open = true)));
  const rows = await page.$$eval('table.operators tbody tr', (trs) => trs.map((tr) => tr.textContent));
  assert.equal(rows.length, operators.items.length);
  for (const [i, o] of operators.items.entries()) for (const said of [o.name, seconds(o.s)]) assert.ok(rows[i].includes(said), rows[i]);
  assert.match(rows[0], /<b>model\.py:12in forward/);
  assert.equal(await page.getAttribute('table.operators a.editor', 'href'), 'vscode://file/home/me/%3Cb%3Emodel.py:12');
  // Its kernels are grouped by operator, too.
  const { items: kernels } = await api(`/runs/${number}/kernels`);
  const known = [...new Set(kernels.map((k) => k.operator ?? 'no operator known'))];
  assert.ok(known.includes('cupy.multiply') && known.length > 2, known.join(' '));
  await page.evaluate((to) => { location.hash = to; }, `#/runs/${number}/kernels`);
  await page.waitForSelector('table.kernels tbody tr');
  await page.selectOption('.tools select', 'operator');
  await page.waitForSelector('tr.grouphead');
  assert.deepEqual(await page.$$eval('tr.grouphead th', (all) => all.map((th) => th.firstChild.textContent)), known);
  // A program without a framework has no such section.
  const plain = await open(t, `/runs/${runs['double-precision.bad']}`);
  await plain.waitForSelector('.findings');
  assert.equal(await plain.$('table.operators'), null);
});

test('one fault at several launch shapes is one entry, as in the terminal', async (t) => {
  const { number } = (await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/programs/layernorm.cadv')))).json;
  const grids = (await api(`/runs/${number}/findings`)).items.filter((f) => f.worth_it && f.rule === 'grid-too-small');
  assert.ok(grids.length > 1, 'the capture has some');
  const page = await open(t, `/runs/${number}`);
  await page.waitForSelector('li.more');
  const more = grids.slice(1).reduce((sum, f) => sum + f.saves.s, 0);
  assert.equal(await text(page, 'li.more > details > summary'), `The same at ${grids.length - 1} more launch shapes: up to ${seconds(more)} more`);
  await page.click('li.more > details > summary');
  const shown = await page.$$eval('li.more li.finding', (all) => all.map((li) => [li.dataset.finding, li.querySelector('summary small').textContent]));
  assert.deepEqual(shown, grids.slice(1).map((f) => [f.id, f.location.text]));
  // The list of runs counts the entries that the run shows; so does the terminal.
  const entries = await page.$$eval('section > ol.findings > li.finding', (all) => all.length);
  assert.equal((await api(`/runs/${number}`)).changes, entries);
  const report = cudadvise('show', '--verbose', String(number));
  assert.equal(report.match(/^ *\d+ {2}\S/gm).length, entries);
  const column = cudadvise('list').split('\n').find((line) => line.trim().startsWith(`${number} `));
  assert.match(column, new RegExp(` ${entries} +[\\d.,]+ .?s `));
  const list = await open(t, '/runs');
  await list.waitForSelector('table.runs tbody tr');
  const row = await list.$$eval('table.runs tbody tr', (trs, id) => [...trs.find((tr) => tr.cells[0].textContent === id).cells].map((td) => td.textContent), String(number));
  assert.equal(row[6], String(entries));
  // The action is marked, the explanation follows.
  const [{ advice, change }] = (await api(`/runs/${number}/findings`)).items;
  assert.deepEqual([await text(page, '.advice b'), await text(page, '.advice')], [change, advice]);
});

test('what was not measured and what does not apply are told apart, as in the terminal', async (t) => {
  const { number } = (await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/programs/train.cadv')))).json;
  const { rules } = await api(`/runs/${number}`);
  assert.ok(rules.not_measured > 0 && rules.not_applicable > 1);
  const page = await open(t, `/runs/${number}`);
  await page.waitForSelector('details.fold');
  const folds = await page.$$eval('details.fold > summary', (all) => all.map((s) => s.textContent));
  const applies = `${rules.not_applicable} practices do not apply: the kernels are a library's`;
  for (const told of [`Clean: ${rules.clean} practices`, applies, `Not measured: ${rules.not_measured} practices`])
    assert.ok(folds.includes(told), `${told} of ${folds}`);
  const report = cudadvise('show', String(number)).replace(/\s+/g, ' ');
  assert.ok(report.includes(`Clean ${rules.clean} practices; ${applies.replace('practices do', 'more do')}`), report);
  assert.ok(report.includes(` ${rules.not_measured} practices: `), report);
});

test('two runs compared: what became of the prediction', async (t) => {
  const [bad, good] = [runs['uncoalesced-global-access.bad'], runs['uncoalesced-global-access.good']];
  const page = await open(t, `/runs/${good}/compare`);
  await page.waitForSelector('.comparewith select');
  await page.selectOption('.comparewith select', String(bad));
  await page.waitForSelector('table.predictions tbody tr');
  assert.equal(await hash(page), `#/compare/${bad}/${good}`);
  const compare = await api(`/compare?base=${bad}&target=${good}`);
  const rows = await page.$$eval('table.predictions tbody tr', (trs) => trs.map((tr) => ({ state: tr.dataset.state, rule: tr.dataset.rule, text: tr.textContent })));
  assert.deepEqual(rows.map((r) => [r.state, r.rule]), compare.findings.items.map((f) => [f.state, f.rule]));
  const [first] = compare.findings.items;
  assert.ok(first.state === 'gone' && first.within && first.achieved.s > 1.9 && first.achieved.s < 2.1);
  for (const said of ['gone', seconds(first.predicted.s), seconds(first.achieved.s), `kernel ${times(first.achieved.kernel_speedup_ratio)} faster`, 'as predicted'])
    assert.ok(rows[0].text.includes(said), `${said} in ${rows[0].text}`);
  assert.equal(await page.$$eval('table.compared tbody tr', (trs) => trs.length), compare.kernels.length);
  assert.match(await text(page, 'table.compared-times'), /The run.*3\.37 s1\.46 s1\.91 s/);
  // Their arguments differ: there is no verdict until that is allowed.
  assert.deepEqual([await text(page, '#verdict'), compare.trial.verdict], ['Inconclusive', 'inconclusive']);
  assert.ok((await text(page, 'section[aria-labelledby=verdict] .notes')).includes(compare.trial.reasons[0].text));
  await page.focus('summary >> text=Conditions: 1 of 9 differ');
  await page.keyboard.press('Enter');
  assert.match(await text(page, '.conditions [data-differs=true]'), /Arguments differs.*--variant bad.*--variant good/);
  await page.focus('text=Compare them all the same');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#verdict.faster');
  assert.equal(await hash(page), `#/compare/${bad}/${good}/arguments`);
  const { trial } = await api(`/compare?base=${bad}&target=${good}&allow=arguments`);
  assert.ok((await text(page, '#verdict')).includes(`FasterGPU time ${change(trial.gpu.change_ratio)}`));
  const kernel = await text(page, 'table.compared tbody tr');
  for (const said of ['faster', `${change(trial.active.low_ratio)} to ${change(trial.active.high_ratio)}`, trial.kernels[0].counters[0].label, trial.kernels[0].location.text])
    assert.ok(`${kernel} ${await text(page, 'table.compared-times')}`.includes(said), said);
  const { kernels: [{ base, target }] } = compare;
  assert.deepEqual(await page.$$eval('table.compared tbody tr:first-child a', (all) => all.map((a) => a.getAttribute('href'))),
    [`#/runs/${bad}/kernels/${base.ids[0]}`, `#/runs/${good}/kernels/${target.ids[0]}`]);
  await page.click('text=The other way round');
  await page.waitForSelector('tr[data-state=new]');
  await page.click('table.predictions a');
  await page.waitForSelector('li.finding.chosen');
});

test('a comparison that cannot be made is a readable error', async (t) => {
  const page = await open(t, `/compare/${runs['double-precision.bad']}/99999`);
  await page.waitForSelector('[role=alert]');
  assert.match(await page.textContent('main'), /No such run/);
});

// Every view of a run, and an element that shows that it is complete.
const views = {
  '': '.findings', '/timeline': '.chart canvas[data-painted]', '/kernels': 'table.kernels tbody tr', '/kernels/1': '.kernelpage .memorymap', '/kernels/1/source': '.listing tr.on', '/roofline': 'table.rooflines tbody tr',
  '/copies': 'section[aria-labelledby=copies] tbody tr', '/source': '.sources li', '/checklist': '.checks li', '/compare': '.comparewith select',
  '/diagnostics': 'table.processes tbody tr',
};

for (const { scheme, width, rules } of looks.filter((look) => look.width !== 1600))
  test(`no serious accessibility problem, ${scheme}, ${width} px`, async (t) => {
    const run = `/runs/${runs['double-precision.bad']}`;
    const page = await open(t, run, { scheme, width });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    for (const [view, ready] of Object.entries(views)) {
      await page.evaluate((to) => { location.hash = to; }, `#${run}${view}`);
      await page.waitForSelector(ready);
      await accessible(page, rules);
      assert.equal(await fits(), 0, `${view} is wider than its window`);
      await shoot(page, `whole${view.replaceAll('/', '-')}-${scheme}-${width}`);
    }
    await page.goto(site.at(`/compare/${runs['double-precision.bad']}/${runs['double-precision.good']}`));
    await page.waitForSelector('table.predictions tbody tr');
    // Both counted operations: an arrow leads from before to after.
    await page.waitForSelector('.roofline .arrow');
    await accessible(page, rules);
    assert.equal(await fits(), 0, 'the comparison is wider than its window');
    // A table does not hide its last columns, which have the result.
    assert.deepEqual(await page.$$eval('.scroll', (boxes) => boxes.filter((b) => b.scrollWidth > b.clientWidth)
      .map((b) => b.getAttribute('aria-label'))), []);
    if (width === 360)
      assert.deepEqual(await page.$eval('table.compared tbody tr', (row) => [...row.querySelectorAll('td')].map((cell) =>
        getComputedStyle(cell, '::before').content)), ['Verdict', 'Change', 'Before', 'After', 'Saved'].map((name) => `"${name}"`));
    await shoot(page, `compare-${scheme}-${width}`);
  });

test('the findings of all runs: those that the API has, chosen by practice and severity', async (t) => {
  const page = await open(t, '/runs', { width: 1280, height: 900 });
  await page.click('a >> text=Findings of all runs');
  await page.waitForSelector('th[scope=row] a[href*="/findings/"]');
  const rows = () => page.$$eval('table tbody th[scope=row] a', (all) => all.map((a) => a.getAttribute('href')));
  const { items } = await api('/findings?limit=50&worth_it=true');
  assert.deepEqual(await rows(), items.map((f) => `#/runs/${f.run.number}/findings/${f.id}`));
  await shoot(page, 'findings');
  await accessible(page);
  const rule = 'uncoalesced-global-access';
  await page.selectOption('.tools select', rule);
  const found = items.filter((f) => f.rule === rule);
  assert.ok(found.length > 0 && found.length < items.length);
  await page.waitForFunction((n) => location.hash.endsWith('/findings/uncoalesced-global-access') && document.querySelectorAll('table:not(.stale) tbody tr').length === n, found.length);
  await page.setViewportSize({ width: 400, height: 900 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  await accessible(page);
  await page.fill('input[data-search]', 'no such program');
  await page.waitForSelector('.notice >> text=No such finding in any run.');
  // The practice's own page also links there, and a finding links to its run.
  const of = await open(t, `/rules/${rule}`, { scheme: 'dark' });
  await of.click('text=Where it was found, in all runs');
  await of.waitForSelector('th[scope=row] a[href*="/findings/"]');
  await accessible(of, 'colours');
  await of.click('table tbody th a');
  await of.waitForSelector('li.finding.chosen');
});
