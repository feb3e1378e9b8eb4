// The views of a run: their addresses, the timeline, runs with too much, too little or
// hostile content, and a daemon that is restarted.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Daemon, root, runId, taken } from '../api/daemon.mjs';
import { connect, made, until } from '../api/ingest.mjs';
import { accessible, shoot, Site } from './browser.mjs';
import { format } from './format.mjs';

const runs = {};
const made_of = {
  plain: ['--launches', '40'],
  ranges: ['--launches', '40', '--ranges'],
  empty: ['--empty'],
  kernels: ['--kernels', '5000', '--launches', '5000'],
  processes: ['--processes', '64', '--launches', '4', '--long'],
};

const site = new Site(async (daemon) => {
  const answers = [];
  for (const [i, name] of Object.keys(made_of).entries())
    answers.push([name, await daemon.upload(...made_of[name], '--run', runId(100 + i))]);
  answers.push(['real', await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/pairs/uncoalesced-global-access.bad.cadv')))]);
  answers.push(['streams', await daemon.uploadBytes(readFileSync(path.join(root, 'tests/captures/pairs/no-copy-compute-overlap.good.cadv')))]);
  for (const [name, answer] of answers) runs[name] = taken(answer).number;
});
const { daemon, api } = site;
const open = (t, view, options) => site.open(t, view, options);
const hash = (page) => page.evaluate(() => location.hash);
const painted = (page) => page.waitForSelector('.chart canvas[data-painted]');

test('what to change first is on the first screen', async (t) => {
  for (const name of ['real', 'plain']) {
    const page = await open(t, `/runs/${runs[name]}`, { height: 900 });
    await page.waitForSelector('li.finding .advice');
    const [first] = (await api(`/runs/${runs[name]}/findings`)).items;
    const ends = await page.$eval('li.finding .advice', (e) => e.getBoundingClientRect().bottom);
    assert.ok(ends < 900 / 2 + 200, `what to do ends at ${ends}`);
    const head = await page.textContent('li.finding summary');
    assert.ok(head.includes(first.title) && head.includes(first.where ?? 'the run'), head);
    const bar = await page.$$eval(`[data-finding="${first.id}"] .saving rect`, (all) => all.map((r) => Number(r.getAttribute('width'))));
    assert.ok(bar.length === 4 && bar.every((w) => w >= 0 && w <= 100), `${bar}`);
  }
});

test('every view has an address, which survives a reload and the way back', async (t) => {
  const page = await open(t, `/runs/${runs.plain}`);
  await page.waitForSelector('.findings');
  const names = ['Overview', 'Timeline', 'Kernels', 'Roofline', 'Copies', 'Source', 'Checklist', 'Compare', 'Measurement'];
  assert.deepEqual(await page.$$eval('.tabs a', (all) => all.map((a) => a.textContent)), names);
  const seen = new Set();
  for (const name of names) {
    await page.click(`.tabs a >> text="${name}"`);
    await page.waitForSelector(`.tabs a[aria-current=page] >> text="${name}"`);
    seen.add(await hash(page));
  }
  assert.equal(seen.size, names.length);
  await page.goBack();
  await page.waitForSelector('.tabs a[aria-current=page] >> text="Compare"');
  await page.reload();
  await page.waitForSelector('.tabs a[aria-current=page] >> text="Compare"');
});

test('the timeline is moved by keys, and its address with it', async (t) => {
  const run = runs.plain;
  const page = await open(t, `/runs/${run}/timeline`);
  await painted(page);
  const { wall_ns: wall } = await api(`/runs/${run}`);
  await page.focus('.chart');
  for (const key of ['w', 'w', 'w', 'd', 'd', 'a']) await page.keyboard.press(key);
  await page.waitForFunction(() => /timeline\/\d+-\d+$/.test(location.hash));
  await page.waitForTimeout(400); // the view does not move
  const [from, to] = /(\d+)-(\d+)$/.exec(await hash(page)).slice(1).map(Number);
  assert.ok(Math.abs((to - from) / (wall * 0.7 ** 3) - 1) < 0.01, `${from} to ${to} of ${wall}`);
  await page.reload();
  await painted(page);
  assert.match(await hash(page), new RegExp(`/${from}-${to}$`));
  await page.focus('.chart');
  await page.keyboard.press('0');
  await page.waitForFunction((end) => location.hash.endsWith(end), `#/runs/${run}/timeline`);
  // From the first to the last work: the invented program starts 300 ms before it.
  await page.keyboard.press('g');
  await page.waitForFunction(() => /timeline\/\d+-\d+$/.test(location.hash));
  const [first, last] = /(\d+)-(\d+)$/.exec(await hash(page)).slice(1).map(Number);
  assert.ok(first > 2.9e8 && first <= 3e8 && last > wall * 0.9 && last <= wall, `${first} to ${last} of ${wall}`);
});

test('letters move the timeline wherever the focus is, and zoom to where the pointer is', async (t) => {
  const run = runs.plain;
  const page = await open(t, `/runs/${run}/timeline`);
  await painted(page);
  const { wall_ns: wall } = await api(`/runs/${run}`);
  const box = await (await page.$('.chart canvas')).boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  for (const key of ['w', 'w', 'w']) await page.keyboard.press(key);
  await page.waitForFunction(() => /timeline\/\d+-\d+$/.test(location.hash));
  await page.waitForTimeout(400); // the view does not move
  const [from, to] = /(\d+)-(\d+)$/.exec(await hash(page)).slice(1).map(Number);
  assert.ok(Math.abs((to - from) / (wall * 0.7 ** 3) - 1) < 0.01, `${from} to ${to} of ${wall}`);
  assert.ok(Math.abs((wall / 4 - from) / (to - from) - 0.25) < 0.02, `${from} to ${to} of ${wall}`);
  // A letter typed into a field does not move the timeline.
  await page.focus('input[type=search]');
  await page.keyboard.type('swad');
  await page.waitForTimeout(400);
  assert.match(await hash(page), new RegExp(`/${from}-${to}$`));
});

test('launches of two kernels, one after the other, have two colours', async (t) => {
  const { items } = await api(`/runs/${runs.kernels}/window?from_ns=0&to_ns=999999999999&limit=2000`);
  const kernels = items.filter((o) => o.row === 'kernel').sort((a, b) => a.start_ns - b.start_ns);
  const at = kernels.findIndex((o, i) => i > 0 && o.stream === kernels[i - 1].stream && o.kernel_id === kernels[i - 1].kernel_id + 1);
  const [one, other] = [kernels[at - 1], kernels[at]];
  const [from, to] = [one.start_ns, other.start_ns + other.duration_ns];
  const page = await open(t, `/runs/${runs.kernels}/timeline/${from}-${to}`);
  await painted(page);
  const middles = [one, other].map((o) => (o.start_ns + o.duration_ns / 2 - from) / (to - from));
  // Near the lower edge, where no name is written.
  await page.waitForFunction((shares) => {
    const canvas = document.querySelector('.chart canvas');
    const c = canvas.getContext('2d');
    const [a, b] = shares.map((x) => [...c.getImageData(Math.round(x * canvas.width), 24 + 34 - 6, 1, 1).data]);
    return a[3] === 255 && b[3] === 255 && a.join() !== b.join();
  }, middles, { timeout: 10000 });
});

test('the streams of lanes that lie side by side are named', async (t) => {
  const { items } = await api(`/runs/${runs.streams}/window?from_ns=0&to_ns=999999999999&limit=2000`);
  const kernels = items.filter((o) => o.row === 'kernel').sort((a, b) => a.start_ns - b.start_ns);
  const at = kernels.findIndex((o, i) => i > 0 && o.stream !== kernels[i - 1].stream);
  const [one, other] = [kernels[at - 1], kernels[at]];
  const page = await open(t, `/runs/${runs.streams}/timeline/${one.start_ns - 1000}-${other.start_ns + other.duration_ns + 1000}`);
  await page.waitForSelector('.rowlabel small');
  const streams = [one.stream, other.stream].map(Number).sort((a, b) => a - b);
  assert.equal(await page.textContent('.rowlabel:has-text("kernels") small'), `streams ${streams.join(', ')}`);
});

test('who leaves the timeline is not brought back by its address', async (t) => {
  const page = await open(t, `/runs/${runs.plain}/timeline`);
  await painted(page);
  await page.focus('.chart');
  await page.keyboard.press('w');
  await page.waitForFunction(() => /timeline\/\d+-\d+$/.test(location.hash));
  // The view has moved, its address is updated a moment later, and meanwhile the user
  // navigates: all timers fire before the page gets that event.
  await page.keyboard.press('w');
  await page.waitForTimeout(100);
  await page.evaluate((to) => {
    location.hash = to;
    for (const until = performance.now() + 400; performance.now() < until;);
  }, `#/runs/${runs.plain}/copies`);
  await page.waitForSelector('.tabs a[aria-current=page] >> text="Copies"');
  assert.equal(await hash(page), `#/runs/${runs.plain}/copies`);
});

test('what ran in view is what the API says; a launch leads to its kernel', async (t) => {
  const run = runs.plain;
  const { items: [kernel] } = await api(`/runs/${run}/kernels?limit=1`);
  const { items: [launch] } = await api(`/runs/${run}/kernels/${kernel.id}/launches?limit=1`);
  const end = launch.start_ns + launch.duration_ns;
  const [from, to] = [launch.start_ns - launch.duration_ns, end + launch.duration_ns];
  const page = await open(t, `/runs/${run}/timeline/${from}-${to}`);
  await page.waitForSelector('table.sums tbody tr');
  const window = await api(`/runs/${run}/window?from_ns=${from}&to_ns=${to}`);
  await page.waitForSelector(`table.sums a[href="#/runs/${run}/kernels/${kernel.id}"]`);
  assert.equal((await page.$$('table.sums tbody tr')).length, window.sums.length);
  // The middle of the window is that launch.
  const box = await (await page.$('.chart canvas')).boundingBox();
  const names = await page.$$eval('.rowlabel', (all) => all.map((e) => e.textContent));
  const y = box.y + 24 + names.indexOf('kernels') * 34 + 17;
  await page.waitForFunction(({ x, y: at_y }) => {
    document.querySelector('.chart canvas').dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: at_y, bubbles: true }));
    return document.querySelector('.hover').textContent.length > 3;
  }, { x: box.x + box.width / 2, y });
  assert.ok((await page.textContent('.hover')).startsWith(`${kernel.short_name}: `), await page.textContent('.hover'));
  await page.mouse.click(box.x + box.width / 2, y);
  await page.waitForSelector('.marked a');
  assert.equal(await page.getAttribute('.marked a', 'href'), `#/runs/${run}/kernels/${kernel.id}`);
  // Dragging over the second half selects that half.
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(box.x + (box.width * 2) / 3, y, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('text=In the selection');
  await page.focus('.chart');
  await page.keyboard.press('Escape');
  await page.waitForSelector('text=In view');
});

test('NVTX ranges: seconds by name on the overview, rows and what is in view on the timeline', async (t) => {
  const run = runs.ranges;
  const known = await api(`/runs/${run}/ranges`);
  const page = await open(t, `/runs/${run}`);
  await page.waitForSelector('#ranges');
  const names = await page.$$eval('[aria-labelledby=ranges] th[scope=row] .name', (all) => all.map((e) => e.textContent));
  assert.deepEqual(names, known.items.map((r) => r.name));
  assert.ok(names.includes('step #') && names.includes('<img src=x onerror=alert(5)>'), names.join(' '));
  await accessible(page);
  const [outer] = known.drawn.filter(([, , depth]) => depth === 1);
  await page.evaluate((to) => { location.hash = to; }, `#/runs/${run}/timeline/${outer[3] - 1000}-${outer[3] + outer[4] - 1000}`);
  await painted(page);
  await page.waitForSelector('[aria-label="NVTX ranges in view"] th >> text="step 0"');
  const labels = await page.$$eval('.rowlabel', (all) => all.map((e) => e.textContent));
  assert.deepEqual(labels.slice(-4), ['NVTX ranges, thread 42', 'NVTX ranges', 'host waits', 'host calls']);
  // The thread's second row has the steps; a click selects one.
  const box = await (await page.$('.chart canvas')).boundingBox();
  const y = await page.$$eval('.rowlabel', (all) => all.find((e) => e.textContent.startsWith('NVTX')).getBoundingClientRect().top + 30);
  await page.mouse.move(box.x + box.width / 2, y);
  assert.match(await page.textContent('.hover'), /^step 0: /);
  await page.mouse.click(box.x + box.width / 2, y);
  await page.waitForSelector('text=In the selection');
  await shoot(page, 'timeline-ranges');
  await accessible(page);
});

test('by keys from a launch to the next and the one before; when the host called for it', async (t) => {
  const run = runs.ranges;
  const { items: [kernel] } = await api(`/runs/${run}/kernels?limit=1`);
  const { items } = await api(`/runs/${run}/kernels/${kernel.id}/launches?limit=1000`);
  const launches = items.sort((a, b) => a.start_ns - b.start_ns);
  const some = await api(`/runs/${run}/kernels/${kernel.id}/launches?from_ns=${launches[3].start_ns}&to_ns=${launches[6].start_ns}`);
  assert.deepEqual(some.items.map((l) => l.start_ns), launches.slice(3, 6).map((l) => l.start_ns));
  const at_2 = launches[2].start_ns;
  const page = await open(t, `/runs/${run}/timeline/${at_2 - 1000}-${at_2 + launches[2].duration_ns + 1000}`);
  await page.waitForSelector(`table.sums a[href="#/runs/${run}/kernels/${kernel.id}"]`);
  const box = await (await page.$('.chart canvas')).boundingBox();
  await page.waitForFunction(({ x, y }) => {
    document.querySelector('.chart canvas').dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));
    return document.querySelector('.hover').textContent.includes('after the call in thread 42');
  }, { x: box.x + box.width / 2, y: box.y + 41 });
  await page.mouse.click(box.x + box.width / 2, box.y + 41);
  const { instant, nanoseconds } = format;
  const is = (launch) => page.waitForFunction((text) => document.querySelector('.marked')?.textContent.includes(text),
    `: ${nanoseconds(launch.duration_ns)} from ${instant(launch.start_ns)}, ${nanoseconds(launch.launch_delay_ns)} after the host called for it`);
  await is(launches[2]);
  await page.focus('.chart');
  await page.keyboard.press('.');
  await is(launches[3]);
  await page.keyboard.press(',');
  await is(launches[2]);
  await page.keyboard.press(',');
  await is(launches[1]);
  await page.click('text="Next launch"');
  await is(launches[2]);
  // A copy has an arrow, too, and no kernel.
  const copy = (await api(`/runs/${run}/window?from_ns=${at_2}&to_ns=${at_2 + 2e6}&limit=100`)).items.find((o) => o.row === 'h2d');
  await page.evaluate((to) => { location.hash = to; }, `#/runs/${run}/timeline/${copy.start_ns - 1000}-${copy.start_ns + copy.duration_ns + 1000}`);
  await page.waitForSelector('table.sums th >> text=copy to the GPU');
  await page.waitForFunction(({ x, y }) => {
    document.querySelector('.chart canvas').dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));
    return document.querySelector('.hover').textContent.includes('after the call in thread 42');
  }, { x: box.x + box.width / 2, y: box.y + 75 });
  await page.mouse.click(box.x + box.width / 2, box.y + 75);
  await page.waitForFunction((text) => document.querySelector('.marked')?.textContent.startsWith(text), `Marked: copies to the GPU: ${nanoseconds(copy.duration_ns)}`);
  assert.equal(await page.$('text="Next launch"'), null);
  await shoot(page, 'timeline-launch');
});

test('the wheel zooms where it points, and each frame is drawn of what is there', async (t) => {
  const page = await open(t, `/runs/${runs.kernels}/timeline`);
  await painted(page);
  const asked = [];
  page.on('request', (r) => asked.push(r.url()));
  const drawn = await page.evaluate(async () => {
    const canvas = document.querySelector('.chart canvas');
    const box = canvas.getBoundingClientRect();
    const from = Number(canvas.dataset.painted);
    for (let i = 0; i < 30; i++) {
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -120, clientX: box.left + box.width * 0.75, clientY: box.top + 40, bubbles: true, cancelable: true }));
      await new Promise((r) => requestAnimationFrame(r));
    }
    return Number(canvas.dataset.painted) - from;
  });
  assert.ok(drawn >= 29, `${drawn} pictures in 30 frames`);
  await page.waitForFunction(() => /timeline\/\d+-\d+$/.test(location.hash));
  // Requests are sent when the pointer rests, and ask for a bounded answer.
  assert.ok(asked.length <= 12, `${asked.length} requests: ${asked.join(' ')}`);
  for (const url of asked.map((u) => new URL(u)))
    for (const [name, limit] of [['px', 4096], ['limit', 2000]])
      assert.ok(Number(url.searchParams.get(name) ?? 0) <= limit, url.href);
});

// For every unusual run: a text that its view must contain.
const views = ['', '/timeline', '/kernels', '/kernels/3', '/roofline', '/copies', '/source', '/checklist', '/compare', '/diagnostics'];
const said = {
  'empty ': 'No kernel was launched', 'empty /timeline': 'Nothing ran on a GPU', 'empty /kernels': 'No kernel was launched',
  'empty /roofline': 'No kernel was launched', 'empty /copies': 'No copy and no memset', 'empty /source': 'No kernel was launched',
  'empty /kernels/3': 'No such kernel', 'empty /diagnostics': 'records were dropped',
  'processes /kernels/3': 'administrators only', 'kernels /kernels': '50 shown of 5,00', 'processes /diagnostics': '64 processes measured',
  'processes ': '64 processes',
};

for (const name of ['empty', 'kernels', 'processes'])
  test(`every view shows a run of ${name}`, async (t) => {
    const page = await open(t, `/runs/${runs[name]}`, { width: 400, height: 900 });
    for (const view of views) {
      await page.evaluate((to) => { location.hash = to; }, `#/runs/${runs[name]}${view}`);
      const wanted = said[`${name} ${view}`];
      await page.waitForFunction((part) => document.querySelector('.tabs a[aria-current]')?.getAttribute('href').endsWith(part) && !document.querySelector('main .loading'),
        view.replace(/\/3$/, ''));
      if (wanted) await page.waitForFunction((text) => document.querySelector('main').textContent.includes(text), wanted);
      const main = await page.textContent('main');
      assert.doesNotMatch(main, /undefined|NaN|\[object|Infinity/, view);
      assert.equal(await page.$$eval('main [role=alert]', (all) => all.length), name === 'empty' && view === '/kernels/3' ? 1 : 0, view);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${view} is wider than its window`);
      assert.equal(await page.$$eval('main b[onclick], main img, main script', (all) => all.length), 0, view);
      // Bidirectional controls are shown, not applied; no name fills the screen.
      if (name === 'processes') assert.ok(!main.includes('\u202e'), view);
      await shoot(page, `${name}${view.replaceAll('/', '-')}`);
    }
  });

test('one of 5,000 kernels is found by its name', async (t) => {
  const page = await open(t, `/runs/${runs.kernels}/kernels`);
  await page.waitForSelector('table.kernels tbody tr');
  await page.fill('input[data-search]', 'KERNEL_4321');
  await page.waitForFunction(() => document.querySelectorAll('table.kernels tbody tr').length === 1);
  assert.match(await page.textContent('table.kernels tbody a'), /small_kernel_4321/);
  await page.fill('input[data-search]', 'nothing <b>');
  await page.waitForSelector('.notice >> text=nothing <b>');
  await page.fill('input[data-search]', '');
  await page.waitForFunction(() => document.querySelectorAll('table.kernels tbody tr').length === 50);
  await page.selectOption('.tools select', 'function');
  await page.waitForSelector('tr.grouphead');
});

test('"/" searches everywhere; Enter goes to the first', async (t) => {
  const page = await open(t, `/runs/${runs.kernels}/copies`);
  await page.waitForSelector('.tabs');
  await page.keyboard.press('/');
  await page.keyboard.type('kernel_3777');
  await page.waitForSelector('.hits a');
  await accessible(page);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.kernelpage h2 >> text=small_kernel_3777');
  await page.keyboard.press('/');
  await page.keyboard.type('uncoal');
  await page.waitForSelector('.hits a >> text=uncoalesced-global-access');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'A');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.hits', { state: 'detached' });
});

test('a run is saved as a file', async (t) => {
  const page = await open(t, `/runs/${runs.plain}/diagnostics`);
  await page.waitForSelector('#keeping');
  for (const [button, format, name] of [['Capture', 'capture', 'cadv'], ['Markdown', 'markdown', 'md']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button >> text="${button}"`)]);
    assert.equal(download.suggestedFilename(), `cudadvise-run-${runs.plain}.${name}`);
    const { bytes } = await daemon.get(`/api/v1/runs/${runs.plain}/export?format=${format}`);
    assert.deepEqual(readFileSync(await download.path()), bytes);
  }
});

test('a run is labelled, kept and deleted by hand', async (t) => {
  const { number } = (await daemon.upload('--launches', '2', '--run', runId(200))).json;
  const page = await open(t, `/runs/${number}/diagnostics`);
  await page.waitForSelector('#keeping');
  await page.fill('.choice input:not([type])', 'before the change');
  await page.click('text=Set the label');
  await page.waitForSelector('h1 >> text=before the change');
  await page.check('input[type=checkbox]');
  await until(async () => (await api(`/runs/${number}`)).pinned, 'it is pinned');
  await page.click('text=Delete this run');
  await page.click('button >> text="Delete"');
  await page.waitForSelector('table.runs');
  assert.equal((await daemon.get(`/api/v1/runs/${number}`)).status, 404);
});

test('a live run is seen while it runs, and after its daemon was away', async (t) => {
  const other = new Daemon();
  const port = site.port === 40123 ? 40124 : 40123;
  await other.start('--port', String(port));
  t.after(() => other.stop());
  const [launcher, target] = made(other, '--open', '--run', runId(1));
  const sockets = [await connect(other, launcher), await connect(other, target)];
  const number = await until(async () => (await other.get('/api/v1/runs')).json.items.find((r) => r.launches > 1000)?.number, 'it runs');
  const { url } = await other.dashboard();
  const context = await site.browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${url}&page=${encodeURIComponent(`/runs/${number}`)}`);
  await page.waitForSelector('.activity');
  assert.match(await page.textContent('.activity'), /[\d,]+ launches so far/);
  assert.doesNotMatch(await page.textContent('main'), /No GPU work/);
  // Its timeline says which part is missing yet.
  await page.click('.tabs a >> text="Timeline"');
  await page.waitForSelector('.under >> text=The rows of the GPU end some seconds before those of the host');
  await page.goBack();
  await page.waitForSelector('.activity');
  for (const socket of sockets) socket.destroy();
  await other.halt();
  await page.waitForSelector('.link-lost');
  assert.match(await page.textContent('.activity'), /launches so far/, 'what was known is still there');
  assert.match(await page.textContent('main'), /what was known before the connection was lost/);
  // A key ends with the daemon: the page says how to get the next one.
  await other.start('--port', String(port));
  await page.waitForSelector('.link-refused', { timeout: 20000 });
  assert.match(await page.textContent('.heading'), /open the address that cudadvise dashboard prints/);
  assert.match(await page.textContent('.activity'), /launches so far/);
  const again = (await other.dashboard()).url;
  await page.goto(`${again}&page=${encodeURIComponent(`/runs/${number}`)}`);
  await page.waitForFunction(() => document.querySelector('.tabs') && !document.querySelector('.link-refused'));
  assert.equal(await page.$('main [role=alert]'), null);
});
