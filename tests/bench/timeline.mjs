// How fast a real browser shows the timeline of a very long run: the time to the first
// paint, the frames a second while it is zoomed and moved, and the memory that it keeps.
// One line a figure, with its bar; nothing here passes or fails.
//	CUDADVISE_BIN=build/bin node tests/bench/timeline.mjs [LAUNCHES] [SECONDS]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Daemon, bin } from '../api/daemon.mjs';
import { launch } from '../web/browser.mjs';

const launches = Number(process.argv[2] ?? 1e7);
const seconds = Number(process.argv[3] ?? 5);
const perStep = 4; // launches in each step that make_capture writes

function row(what, value, bar) {
  console.log(`${what.padEnd(44)} ${String(value).padStart(12)}   ${bar}`);
}

// When the chart was first painted, in ms after its first data was requested.
async function firstPaint(page, url) {
  await page.goto(url);
  await page.waitForSelector('.chart canvas[data-painted]');
  return page.evaluate(() => {
    const asked = performance.getEntriesByType('resource').filter((e) => /\/timeline\?/.test(e.name));
    return globalThis.painted - Math.min(...asked.map((e) => e.startTime));
  });
}

// Records when a canvas first reports that it was painted.
function watchCanvas() {
  new MutationObserver((_, self) => {
    if (document.querySelector('canvas[data-painted]') === null) return;
    globalThis.painted = performance.now();
    self.disconnect();
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-painted'] });
}

// Moves the timeline for ${s} seconds like a user, with one event before each frame.
// Returns how long each frame took, and how many pictures were drawn.
async function frames(page, kind, s) {
  const { times, drawn } = await page.evaluate(async ({ how, limit }) => {
    const canvas = document.querySelector('.chart canvas');
    const box = canvas.getBoundingClientRect();
    const before = Number(canvas.dataset.painted);
    const gaps = [];
    const end = performance.now() + limit * 1000;
    for (let i = 0, last = performance.now(); last < end; i++) {
      const wheel = how === 'zoom' ? { deltaY: i % 120 < 60 ? -90 : 90 } : { deltaX: i % 200 < 100 ? 40 : -40 };
      canvas.dispatchEvent(new WheelEvent('wheel', { ...wheel, clientX: box.left + box.width * 0.6, clientY: box.top + 40, bubbles: true, cancelable: true }));
      const now = await new Promise((r) => requestAnimationFrame(r));
      gaps.push(now - last);
      last = now;
    }
    return { times: gaps.slice(1), drawn: Number(canvas.dataset.painted) - before };
  }, { how: kind, limit: s });
  times.sort((a, b) => a - b);
  const sum = times.reduce((a, b) => a + b, 0);
  return { fps: 1000 * times.length / sum, p95: times[Math.floor(times.length * 0.95)], most: times.at(-1), drawn, frames: times.length };
}

async function heap(page, session) {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((m) => m.name === 'JSHeapUsedSize').value / 1e6;
}

function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1e3;
}

const daemon = await new Daemon().start();
const file = path.join(daemon.dir, 'long.cadv');
execFileSync(path.join(bin, 'make_capture'), [file, '--launches', String(Math.ceil(launches / perStep))]);
execFileSync(path.join(bin, 'cudadvise'), ['import', '-q', file], { env: daemon.env, stdio: 'inherit' });
const { url } = await daemon.dashboard();
const { launches: known, wall_ns: wall } = (await daemon.get('/api/v1/runs/1')).json;
row('launches of the run', known, '');

const browser = await launch();
const at = (view) => `${url}&page=${encodeURIComponent(view)}`;
const paints = [];
for (let i = 0; i < 5; i++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchCanvas);
  paints.push(await firstPaint(page, at('/runs/1/timeline')));
  await context.close();
}
paints.sort((a, b) => a - b);
row('first paint, median of 5, ms', paints[2].toFixed(0), 'at most 300 after the data is asked for');
row('first paint, slowest of 5, ms', paints[4].toFixed(0), '');

const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const session = await context.newCDPSession(page);
await session.send('Performance.enable');
await page.goto(at('/runs/1/timeline'));
await page.waitForSelector('.chart canvas[data-painted]');
await frames(page, 'zoom', 1);
// A timeline that is wholly in view cannot be moved: show a hundredth of the run, at its middle.
const near = `/runs/1/timeline/${Math.floor(wall / 2)}-${Math.ceil(wall / 2 + wall / 100)}`;
for (const [kind, view] of [['zoom', '/runs/1/timeline'], ['pan', near]]) {
  await page.evaluate((to) => { location.hash = to; }, `#${view}`);
  await page.waitForTimeout(500);
  const f = await frames(page, kind, seconds);
  row(`frames a second, ${kind}`, f.fps.toFixed(1), '60');
  row(`95 % of frames within, ${kind}, ms`, f.p95.toFixed(1), '16.7');
  row(`longest frame, ${kind}, ms`, f.most.toFixed(1), '');
  row(`pictures drawn in ${f.frames} frames, ${kind}`, f.drawn, 'one a frame');
}
const begun = [await heap(page, session), resident(daemon.process.pid)];
for (let i = 0; i < 4; i++) await frames(page, i % 2 ? 'pan' : 'zoom', seconds);
const ended = [await heap(page, session), resident(daemon.process.pid)];
for (const [i, who] of ['page', 'daemon'].entries())
  row(`memory of the ${who}, then and ${4 * seconds} s later, MB`, `${begun[i].toFixed(1)} ${ended[i].toFixed(1)}`, 'flat');
await browser.close();
await daemon.stop();
