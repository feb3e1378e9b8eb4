// A real browser, with tabs that report everything that a page must not do.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { daemonForTests, require } from '../api/daemon.mjs';

const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const executablePath = process.env.CHROMIUM ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    .find((file) => existsSync(file));
const shots = process.env.SCREENSHOTS; // a folder for screenshots

export async function launch() {
  assert.ok(executablePath, 'no Chromium: install chromium-headless-shell, or set CHROMIUM');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

// The set-up of a file of tests: a daemon with the runs that ${fill(daemon)} adds, its page,
// and a browser.
export class Site {
  constructor(fill) {
    after(() => this.browser?.close());
    this.daemon = daemonForTests(async (daemon) => {
      await fill(daemon);
      Object.assign(this, await daemon.dashboard()); // url, port, token
      this.browser = await launch();
    });
    this.api = async (target) => (await this.daemon.get(`/api/v1${target}`)).json;
  }

  // The address of a view of the page.
  at(view) {
    return `${this.url}&page=${encodeURIComponent(view)}`;
  }

  open(t, view, options) {
    return open(this.browser, t, { url: this.at(view), ...options });
  }
}

// A tab that reports everything that a page must not do.
// ${before}: called with the page before it goes to ${url}.
export async function open(browser, t, { scheme = 'light', width = 1280, height = 1400, url, before }) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const wrong = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) wrong.push(`request to ${request.url()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // The browser itself logs a refused request; tests that expect one
    // say so.
    if (message.type() === 'error' && !/status of (401|404)/.test(message.text())) wrong.push(`console: ${message.text()}`);
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (e) => globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  });
  t.after(async () => {
    wrong.push(...(await page.evaluate(() => globalThis.violations)));
    await context.close();
    assert.deepEqual(wrong, []);
  });
  await before?.(page);
  await page.goto(url);
  return page;
}

export async function shoot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: path.join(shots, `${name}.png`) });
  await page.screenshot({ path: path.join(shots, `${name}-all.png`), fullPage: true });
}

// Rules that need computed colours: axe spends two thirds of its time on them.
const colours = ['color-contrast', 'link-in-text-block'];

// What is checked for problems of accessibility in light and in dark, wide and narrow.
// Colours depend on the scheme and not on the width (no media query changes one), all the
// rest on the width and not on the scheme: each is checked once.
export const looks = [1280, 1600, 360].map((width) => ({ scheme: 'light', width, rules: width === 1280 ? 'all' : 'rest' }))
  .concat({ scheme: 'dark', width: 1280, rules: 'colours' });

// ${rules}: all, only those about colours, or the rest of them.
export async function accessible(page, rules = 'all') {
  // Content that is being fetched again is dimmed until it arrives.
  await page.waitForFunction(() => document.querySelector('.stale') === null);
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(axe);
  // Only violations are reported in full and transferred: reporting all other nodes
  // takes twice as long as checking them.
  const options = { resultTypes: ['violations'] };
  if (rules === 'colours') options.runOnly = { type: 'rule', values: colours };
  if (rules === 'rest') options.rules = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
  const violations = await page.evaluate(async (o) => (await globalThis.axe.run(o)).violations, options);
  const serious = violations.filter((v) => v.impact !== 'minor');
  assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' | ')}`), []);
}
