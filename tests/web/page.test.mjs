// The page in a real browser, with a real daemon and an invented run.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Daemon, runId, taken } from '../api/daemon.mjs';
import * as tab from './browser.mjs';
import { accessible, looks, shoot } from './browser.mjs';

let run; // from the API
const site = new tab.Site(async (daemon) => {
  run = taken(await daemon.upload('--kernels', '120'));
});
const { daemon } = site;

const open = (t, options) => tab.open(site.browser, t, { url: site.url, ...options });

// A view of the run, by its address.
async function openView(t, view, options) {
  const page = await open(t, { url: site.at(`/runs/${run.number}${view}`), ...options });
  await page.waitForSelector('nav.tabs a[aria-current]');
  return page;
}

// The run's first view with all of its parts, each fetched separately.
async function openRun(t, options) {
  const page = await open(t, options);
  await page.click(`a[href="#/runs/${run.number}"]`);
  await page.waitForSelector('.findings');
  const { items } = await api('/diagnostics');
  await page.waitForFunction((n) => document.querySelectorAll('.notes [class^=severity]').length === n, items.length);
  return page;
}

async function openKernels(t, options) {
  const page = await openView(t, '/kernels', options);
  await page.waitForSelector('table.kernels tbody tr');
  return page;
}

// The heading of a run; the heading of the list of runs begins with the same letters.
const heading = (number) => `h1 >> text=Run ${number}`;

const api = (target) => site.api(`/runs/${run.number}${target}`);

test('the token leaves the address and is kept for the tab', async (t) => {
  const page = await open(t);
  await page.waitForSelector('table.runs');
  assert.equal(await page.evaluate(() => location.hash), '#/');
  assert.equal(await page.evaluate(() => history.length), 2);
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await page.reload();
  await page.waitForSelector('table.runs');
  assert.equal(await page.textContent('table.runs tbody a'), './train --epochs 1');
});

test('the address for a browser leads to the token, once', async (t) => {
  const { json } = await daemon.send('POST', '/api/v1/dashboard', { open: true });
  const page = await open(t, { url: json.open_url });
  await page.waitForSelector('table.runs');
  assert.equal(await page.evaluate(() => location.href), `http://127.0.0.1:${site.port}/#/`);
  await page.reload();
  await page.waitForSelector('table.runs');
  const late = await open(t, { url: json.open_url });
  await late.waitForSelector('[role=alert]');
  assert.match(await late.textContent('main'), /cudadvise dashboard/);
});

test('an address may name the page to open', async (t) => {
  const page = await open(t, { url: site.at(`/runs/${run.number}`) });
  await page.waitForSelector(heading(run.number));
  assert.equal(await page.evaluate(() => location.hash), `#/runs/${run.number}`);
});

test('the address works in a tab that has the page already', async (t) => {
  const page = await open(t);
  await page.waitForSelector('table.runs');
  await page.goto(site.at(`/runs/${run.number}`));
  await page.waitForSelector(heading(run.number));
  assert.equal(await page.evaluate(() => location.hash), `#/runs/${run.number}`);
});

test('a page asked for before the first one is painted is the one shown', async (t) => {
  const page = await open(t, {
    url: site.url,
    before: (p) => p.addInitScript(() => addEventListener('DOMContentLoaded', () => { location.hash = '#/rules'; })),
  });
  await page.waitForSelector('.catalogue');
});

test('without the token it says what to do', async (t) => {
  const page = await open(t, { url: `http://127.0.0.1:${site.port}/` });
  assert.match(await page.textContent('main'), /cudadvise dashboard/);
  const wrong = await open(t, { url: `http://127.0.0.1:${site.port}/#token=${'0'.repeat(64)}` });
  await wrong.waitForSelector('[role=alert]');
  assert.match(await wrong.textContent('main'), /cudadvise dashboard/);
});

test('findings are those of the API, in its order', async (t) => {
  const page = await openRun(t);
  const findings = await api('/findings');
  const shown = await page.$$eval('li.finding', (items) => items.map((li) => ({
    id: li.dataset.finding,
    title: li.querySelector('.title').textContent,
    where: li.querySelector('.where').textContent,
    folded: li.closest('details.fold') !== null,
    text: li.textContent,
  })));
  const wanted = [...findings.items.filter((f) => f.worth_it), ...findings.items.filter((f) => !f.worth_it)];
  assert.ok(wanted.some((f) => f.worth_it) && wanted.some((f) => f.saves.after !== null && f.saves.left_s < 0.9 * f.saves.s));
  assert.deepEqual(shown.map((f) => f.id), wanted.map((f) => f.id));
  for (const [i, f] of wanted.entries()) {
    assert.equal(shown[i].title, f.title);
    assert.equal(shown[i].where, f.where ?? 'the run');
    assert.equal(shown[i].folded, !f.worth_it, `${f.rule} is folded away only if it is not worth it`);
    for (const text of [f.summary, f.advice, f.limiter, f.next, f.location.text, f.location_missing])
      if (text) assert.ok(shown[i].text.includes(text), `${f.rule} shows "${text}"`);
    const overlaps = f.saves.after !== null && f.saves.left_s < 0.9 * f.saves.s;
    assert.equal(shown[i].text.includes(`finding ${f.saves.after} saves the same time`), overlaps, f.rule);
    for (const e of f.evidence) assert.ok(shown[i].text.includes(e.label), `${f.rule} shows ${e.label}`);
  }
  const verdicts = await page.$$eval('details.fold a', (links) => links.map((a) => a.textContent));
  for (const verdict of findings.rules)
    if (verdict.state !== 'found') assert.ok(verdicts.includes(verdict.rule), verdict.rule);
  const main = await page.textContent('main');
  for (const verdict of findings.rules) if (verdict.state === 'not_measured') assert.ok(main.includes(verdict.reason));
});

test('kernels are those of the API; what was not measured says why', async (t) => {
  const page = await openKernels(t);
  const { items } = await api('/kernels?limit=50');
  const rows = await page.$$eval('table.kernels tbody tr', (trs) => trs.map((tr) => ({ id: Number(tr.dataset.kernel), text: tr.textContent })));
  // Below the table, each note once, with the number that rows refer to.
  const reasons = await page.$$eval('.footnotes li', (all) => all.map((li) => li.textContent));
  assert.deepEqual(rows.map((r) => r.id), items.map((k) => k.id));
  for (const [i, kernel] of items.entries()) {
    assert.ok(rows[i].text.includes(kernel.short_name || kernel.name));
    for (const headline of Object.values(kernel.headline))
      if (headline.value === null) assert.ok(reasons.some((r, n) => r === `(${n + 1}) ${headline.reason}` && rows[i].text.includes(`not measured (${n + 1})`)), headline.reason);
  }
  assert.ok(items.some((k) => Object.values(k.headline).some((h) => h.value !== null)));
  await page.click('text=Show more kernels');
  await page.waitForFunction(() => document.querySelectorAll('table.kernels tbody tr').length > 50);
  await page.click('button.sort >> text=Launches');
  await page.waitForFunction(() => document.querySelector('th[aria-sort=descending]')?.textContent.includes('Launches'));
});

test('text from a program stays text', async (t) => {
  const page = await openKernels(t);
  const name = '<img src=x onerror="alert(\'owned\')">&amp;<b>bold</b>';
  assert.ok((await page.$$eval('table.kernels th[scope=row]', (ths) => ths.map((th) => th.title))).includes(name));
  const marks = () => page.$$eval('main img, main script, main b >> text=bold', (all) => all.length);
  assert.equal(await marks(), 0);
  await page.click('nav.tabs >> text=Overview');
  // Other warnings may precede it.
  await page.waitForFunction(() => document.querySelector('main').textContent.includes('<script>alert(1)</script>'));
  assert.equal(await marks(), 0);
});

test('a label is shown, and shown as text', async (t) => {
  const page = await open(t);
  await page.waitForSelector('table.runs');
  await page.waitForSelector('.link-live');
  await daemon.send('PATCH', `/api/v1/runs/${run.number}`, { label: '<img src=x onerror=alert(2)>' });
  // The event stream updates the page, without a reload.
  await page.waitForFunction(() => document.querySelector('table.runs tbody a').textContent === '<img src=x onerror=alert(2)>');
  await daemon.send('PATCH', `/api/v1/runs/${run.number}`, { label: null });
  await page.waitForFunction(() => document.querySelector('table.runs tbody a').textContent === './train --epochs 1');
});

test('a run that comes while the page is open appears', async (t) => {
  const page = await open(t);
  await page.waitForSelector('.link-live');
  const rows = await page.$$eval('table.runs tbody tr', (all) => all.length);
  const added = (await daemon.upload('--launches', '2', '--run', runId(9))).json.number;
  await page.waitForFunction((n) => document.querySelectorAll('table.runs tbody tr').length === n + 1, rows);
  await daemon.request({ method: 'DELETE', path: `/api/v1/runs/${added}` });
  await page.waitForFunction((n) => document.querySelectorAll('table.runs tbody tr').length === n, rows);
});

test('a live run before its first analysis says no numbers', async (t) => {
  const row = ['schema_version', 'number', 'id', 'label', 'pinned', 'revision', 'capture_bytes', 'analysis'];
  const whole = await api('');
  const young = { ...Object.fromEntries(row.map((name) => [name, whole[name]])), state: 'live' };
  const page = await open(t, {
    url: site.at(`/runs/${run.number}`),
    before: (fresh) => fresh.route(`**/api/v1/runs/${run.number}`, (route) => route.fulfill({ json: young })),
  });
  await page.waitForSelector('text=Not analysed yet');
  const facts = await page.$$eval('dl.facts dd', (all) => all.map((dd) => dd.textContent));
  assert.deepEqual(facts.slice(0, 4), ['–', '–', '–', '–']);
});

test('diagnostics, losses and our own cost are on the first screen', async (t) => {
  const page = await openRun(t);
  const notes = await page.textContent('.notes');
  for (const d of (await api('/diagnostics')).items) {
    assert.ok(notes.includes(d.text));
    if (d.remedy) assert.ok(notes.includes(d.remedy));
  }
  const { data, overhead, summary } = await api('');
  const bar = await page.textContent('.bar');
  assert.ok(bar.includes(`GPU busy ${Math.round(summary.gpu_busy_ratio * 100)} %`), bar);
  assert.ok(data.lost > 0 && notes.includes(`${data.lost} of`));
  assert.ok(overhead.total_s > 0 && /Our own cost: [\d.]+ /.test(notes));
  assert.ok(notes.includes('held at most 48 ms at a time (limit: 100 ms), 310 ms in all in 42 holds; set-up 25 ms'), notes);
  assert.ok(notes.includes('GPU 0: its clocks were lowered: <b>too hot</b>; in use before the run began by 1 program'), notes);
});

test('the catalogue', async (t) => {
  const page = await open(t);
  await page.click('nav >> text=Practices');
  await page.waitForSelector('.catalogue');
  const rules = (await daemon.get('/api/v1/rules')).json.items;
  const shown = await page.$$eval('.catalogue a', (links) => links.map((a) => a.textContent));
  assert.deepEqual([...shown].sort(), rules.map((r) => r.id).sort());
  await page.click(`.catalogue >> text="${rules[0].id}"`);
  await page.waitForSelector('.prose');
  const text = await page.textContent('main');
  for (const part of [rules[0].title, rules[0].why, rules[0].detects, rules[0].advice]) assert.ok(text.includes(part));
  assert.ok(rules.filter((r) => r.manuals.length > 0).length > rules.length * 0.8, 'most name a document that is on the web');
  assert.deepEqual(await page.$$eval('.manuals a', (all) => all.map((a) => a.href)), rules[0].manuals.map((m) => m.url));
  await accessible(page);
  await shoot(page, 'rule');
});

test('errors are readable', async (t) => {
  const page = await open(t);
  await page.evaluate(() => { location.hash = '#/runs/99999'; });
  await page.waitForSelector('[role=alert]');
  assert.match(await page.textContent('main'), /No such run/);
  await page.evaluate(() => { location.hash = '#/nothing'; });
  await page.waitForSelector('text=No such page');
});

// The elements that Tab visits, as text.
async function tabThrough(page) {
  const all = await page.$$eval('a, button, summary, input, select, [tabindex="0"]', (list) => list.filter((e) => e.checkVisibility()).length);
  const reached = [];
  for (let i = 0; i < all; i++) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => {
      const e = document.activeElement;
      return `${e.tagName} ${e.className} ${e.getAttribute('href') ?? e.getAttribute('aria-label') ?? e.textContent}`;
    }));
  }
  return reached.join('\n');
}

test('the keyboard reaches everything', async (t) => {
  const views = {
    '': ['A skip', 'A  #/rules', 'A  #/runs/1/timeline', 'SUMMARY', 'BUTTON copy'],
    '/kernels': ['INPUT', 'SELECT', 'DIV scroll Kernels', 'BUTTON sort', 'A name'],
    '/copies': ['DIV scroll Copies and memsets'],
    '/timeline': ['BUTTON  Zoom in', 'DIV chart', 'DIV scroll Busy in view'],
  };
  for (const [view, wanted] of Object.entries(views)) {
    const page = await openView(t, view);
    await page.waitForSelector(view === '' ? '.findings' : view === '/timeline' ? '.chart' : '.scroll');
    const text = await tabThrough(page);
    for (const needed of wanted) assert.ok(text.includes(needed), `${needed} in\n${text}`);
  }
});


test('units are words: one copy, 16 copies', async (t) => {
  const page = await open(t);
  const said = [];
  for (const rule of ['many-small-copies', 'low-memory-throughput', 'launch-failures', 'loop-not-unrolled', 'tail-effect']) {
    await page.goto(`http://127.0.0.1:${site.port}/#/rules/${rule}`);
    await page.waitForSelector(`.badge >> text=${rule}`);
    said.push(...await page.$$eval('[aria-label=Thresholds] td.number', (cells) => cells.map((cell) => cell.textContent)));
  }
  assert.ok(said.includes('16 copies') && said.includes('1 launch') && said.includes('4 waves'), said.join(', '));
  assert.deepEqual(said.filter((text) => /^(?!1 )[0-9.,]+ ([a-z]*[^s]|inst.s)(\/|$)/.test(text) && !/ (inst|B)$/.test(text)), []);
});

for (const { scheme, width, rules } of looks.filter((look) => look.width !== 1600))
  test(`no serious accessibility problem, ${scheme}, ${width} px`, async (t) => {
    const page = await open(t, { scheme, width });
    await page.waitForSelector('table.runs');
    await accessible(page, rules);
    // The savings of each are visible without scrolling.
    assert.equal(await page.$eval('.scroll', (box) => box.scrollWidth - box.clientWidth), 0);
    assert.equal(await page.$$eval('table.runs thead th', (all) => all.filter((e) => e.checkVisibility()).at(-1).textContent), 'Would save');
    await shoot(page, `runs-${scheme}-${width}`);
    await page.click(`a[href="#/runs/${run.number}"]`);
    await page.waitForSelector('.findings');
    await page.$$eval('details', (all) => all.forEach((d) => (d.open = true)));
    await accessible(page, rules);
    // Only regions that are marked for it scroll sideways.
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0, 'the page is wider than its window');
    await page.$$eval('details', (all) => all.forEach((d, i) => (d.open = i === 0)));
    await shoot(page, `run-${scheme}-${width}`);
    await page.goto(`http://127.0.0.1:${site.port}/#/rules`);
    await page.waitForSelector('.catalogue');
    await accessible(page, rules);
    await shoot(page, `rules-${scheme}-${width}`);
  });

test('an empty daemon says how to begin', async (t) => {
  const empty = new Daemon();
  await empty.start();
  t.after(() => empty.stop());
  const { url } = await empty.dashboard();
  const page = await site.browser.newPage();
  await page.goto(url);
  await page.waitForSelector('text=No runs yet');
  assert.match(await page.textContent('main'), /cudadvise run/);
  await page.close();
});
