// A run as one file (`cudadvise export --format html`): opened from disk without a daemon,
// it shows the same as with the daemon, sends no requests, and its content security policy
// is in force.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bin, require, root, runId, taken } from '../api/daemon.mjs';
import * as tab from './browser.mjs';
import { accessible, shoot } from './browser.mjs';

let offline;
const runs = {};
const files = {};
const made_of = {
  made: ['--source', '--ranges', '--graph', '--kernels', '150', '--launches', '40'],
  hostile: ['--long', '--graph', '--processes', '3', '--launches', '4'],
  empty: ['--empty'],
};

const site = new tab.Site(async (daemon) => {
  for (const [i, name] of Object.keys(made_of).entries()) {
    runs[name] = taken(await daemon.upload(...made_of[name], '--run', runId(300 + i))).number;
    files[name] = path.join(daemon.dir, `${name}.html`);
    execFileSync(path.join(bin, 'cudadvise'), ['export', String(runs[name]), '--format', 'html', '-o', files[name]], { env: daemon.env });
  }
  const { outputFiles } = await require('esbuild').build({ entryPoints: [path.join(root, 'web/src/offline.ts')], bundle: true, write: false, format: 'esm' });
  offline = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
});
const { daemon, api } = site;

const open = (t, name, options) => tab.open(site.browser, t, { url: pathToFileURL(files[name]).href, ...options });

// The elements of the file as an HTML parser finds them: each ends at its first end tag.
function partsOf(name) {
  const text = readFileSync(files[name], 'utf8');
  const all = [...text.matchAll(/<(script|style)([^>]*)>([^]*?)<\/\1>/g)];
  const [data, script] = all.filter(([, tag]) => tag === 'script');
  return { text, style: all.find(([, tag]) => tag === 'style')[3], data: JSON.parse(data[3]), raw: data[3], attributes: data[2], script: script[3], count: all.length };
}

test('its policy allows its own script and style only; the run is data', () => {
  for (const name of Object.keys(files)) {
    const { text, style, raw, attributes, script, count } = partsOf(name);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)[1];
    const hash = (part) => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
    assert.equal(policy, `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`);
    assert.equal(count, 3);
    assert.equal(attributes, ' type="application/json" id="run"');
    assert.ok(!raw.includes('<'), 'nothing of the data can end its element');
    assert.ok(text.endsWith('</html>\n'));
  }
});

test('what it answers is what the daemon answers', async () => {
  for (const name of ['made', 'hostile']) {
    const { data } = partsOf(name);
    const run = runs[name];
    const base = `/runs/${run}`;
    const [first] = (await api(`${base}/kernels?limit=1`)).items;
    const paths = ['', '/findings', '/checklist', '/operators', '/ranges', '/copies', '/processes', '/devices', '/diagnostics', '/sites', '/source-files',
      '/timeline?px=4096', '/kernels?limit=50', '/kernels?limit=7&sort=-launches', '/kernels?limit=7&sort=name&match=Kernel_01',
      `/kernels/${first.id}`, `/kernels/${first.id}/metrics`, `/kernels/${first.id}/launch-times`, `/kernels/${first.id}/source`];
    for (const at of paths) {
      const told = offline.answer(data, base + at);
      const { schema_version: _, ...asked } = await api(base + at);
      if (at.startsWith('/kernels?')) {
        assert.deepEqual(told.items.map((k) => k.time.total_ns), asked.items.map((k) => k.time.total_ns), at);
        assert.equal(told.next_cursor === null, asked.next_cursor === null, at);
        continue;
      }
      if (at.startsWith('/timeline')) {
        assert.deepEqual(told.devices.map((d) => d.device), asked.devices.map((d) => d.device));
        assert.equal(told.to_ns, asked.to_ns);
        continue;
      }
      for (const [key, value] of Object.entries(asked))
        if (!['next_cursor', 'detail', 'revision', 'started_at', 'ended_at', 'wall_s', 'problem'].includes(key)) assert.deepEqual(told[key], value, `${at} ${key}`);
    }
    // Reading page by page gives each kernel once.
    const seen = new Set();
    for (let cursor = ''; cursor !== null;) {
      const page = offline.answer(data, `${base}/kernels?limit=40${cursor === '' ? '' : `&cursor=${cursor}`}`);
      for (const { id } of page.items) assert.ok(!seen.has(id) && seen.add(id));
      cursor = page.next_cursor;
    }
    assert.equal(seen.size, (await api(base)).kernels);
    for (const at of ['/nothing', '/kernels/99999', `/kernels/${first.id}/launches`, '/source-files/999']) assert.throws(() => offline.answer(data, base + at), offline.Missing, at);
    assert.throws(() => offline.answer(data, '/runs/424242'), offline.Missing);
    assert.ok(offline.answer(data, '/rules').items.length > 50);
    assert.match(offline.answer(data, `${base}/window?from_ns=1&to_ns=5`).reason, /not in this file/);
  }
});

const views = ['', '/timeline', '/kernels', '/kernels/1', '/roofline', '/copies', '/source', '/checklist', '/diagnostics', '/kernels/1/source'];

for (const [name, scheme, width] of [['made', 'light', 1280], ['made', 'dark', 400], ['hostile', 'light', 400], ['empty', 'dark', 1280]])
  test(`every view of ${name}, from disk, ${scheme}, ${width} px`, async (t) => {
    const page = await open(t, name, { scheme, width, height: 900 });
    await page.waitForSelector('nav.tabs a[aria-current]');
    assert.ok(!(await page.textContent('.tabs')).includes('Compare'));
    const base = await page.evaluate(() => location.hash);
    assert.equal(base, `#/runs/${runs[name]}`);
    for (const view of views) {
      if (name === 'empty' && view.startsWith('/kernels/')) continue;
      await page.evaluate((to) => { location.hash = to; }, base + view);
      await page.waitForFunction((to) => location.hash.startsWith(to) && document.querySelector('main h2, main h1') && !document.querySelector('main .loading'), base + view);
      const main = await page.textContent('main');
      assert.doesNotMatch(main, /undefined|NaN|\[object|Infinity/, view);
      assert.equal(await page.$$eval('main [role=alert]', (all) => all.length), 0, view);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${view} is wider than its window`);
      assert.equal(await page.$$eval('main img, main script, main b[onclick]', (all) => all.length), 0, view);
      await shoot(page, `share-${name}-${width}-${scheme}${view.replace(/\//g, '-')}`);
      if (width === 1280 || view === '') await accessible(page, scheme === 'dark' ? 'colours' : 'all');
    }
  });

test('from a finding to its practice and back, by search to a kernel; nothing asks for a daemon', async (t) => {
  const page = await open(t, 'made');
  await page.waitForSelector('li.finding .advice');
  const [finding] = (await api(`/runs/${runs.made}/findings`)).items;
  assert.ok((await page.textContent('li.finding')).includes(finding.title));
  await page.click(`a[href="#/rules/${finding.rule}"]`);
  await page.waitForFunction((rule) => document.querySelector('main').textContent.includes(rule), finding.rule);
  await page.goBack();
  await page.waitForSelector('li.finding .advice');
  await page.keyboard.press('/');
  await page.keyboard.type('softmax');
  await page.waitForSelector('.hits a >> text=softmax_forward_kernel1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.kernelpage');
  await page.reload();
  await page.waitForSelector('.kernelpage');
  await page.evaluate(() => { location.hash = '#/nowhere'; });
  await page.waitForSelector('text=No such page');
  assert.match(await page.getAttribute('main a', 'href'), /^#\/runs\/\d+$/);
});
