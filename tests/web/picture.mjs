// Makes web/dashboard.png, the picture in README.md: the first screen of a run of the
// demo's.
//	CUDADVISE_BIN=build/bin node tests/web/picture.mjs
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { Daemon, bin, root } from '../api/daemon.mjs';
import { launch } from './browser.mjs';

const daemon = await new Daemon().start();
execFileSync(path.join(bin, 'cudadvise'), ['import', '-q', path.join(root, 'tests/captures/programs/layernorm.cadv')],
  { env: daemon.env, stdio: 'inherit' });
const { url } = await daemon.dashboard();
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: 'light' });
await page.goto(`${url}&page=${encodeURIComponent('/runs/1')}`);
await page.waitForSelector('.findings');
await page.waitForLoadState('networkidle').catch(() => {}); // events keep a stream open
await page.screenshot({ path: path.join(root, 'web/dashboard.png') });
await browser.close();
await daemon.stop();
