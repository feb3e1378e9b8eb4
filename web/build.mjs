// Bundles src/ into dist/, which is committed so that building the daemon
// needs no npm. `--check` fails when dist/ is not what src/ gives.
import { build } from 'esbuild';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');
const limit = 200 * 1000; // bytes of script and style together, as a browser may get them: gzip

// Their licences want to be where their code is.
const licences = await Promise.all(['preact', 'highlight.js'].map(async (name) =>
  `${name}\n\n${(await readFile(path.join(here, 'node_modules', name, 'LICENSE'), 'utf8')).trim()}`));

async function bundle(entry, extra) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    drop: ['console'], // what libraries say to developers of theirs
    charset: 'utf8',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    ...extra,
  });
  return Buffer.from(result.outputFiles[0].contents);
}

const files = {
  'app.js': await bundle('src/main.tsx', {
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: `/*\nThis file contains:\n\n${licences.join('\n\n')}\n*/` },
  }),
  'app.css': await bundle('src/style.css', {}),
  'index.html': await readFile(path.join(here, 'src/index.html')),
  'icon.svg': await readFile(path.join(here, 'src/icon.svg')),
};

// The head of a file that has the page in it: its policy allows these two and nothing else.
for (const [name, end] of [['app.js', '</script'], ['app.css', '</style']])
  if (files[name].toString().toLowerCase().includes(end) || files[name].toString().includes('<!--')) {
    console.error(`web/dist/${name} cannot be written into a page: it has ${end} or <!--`);
    process.exit(1);
  }
const hash = (name) => `sha256-${createHash('sha256').update(files[name]).digest('base64')}`;
files['share.html'] = Buffer.from((await readFile(path.join(here, 'src/share.html'), 'utf8')).replace('{script}', hash('app.js')).replace('{style}', hash('app.css')));

const size = gzipSync(files['app.js']).length + gzipSync(files['app.css']).length;
if (size > limit) {
  console.error(`page: ${size} bytes with gzip, more than the ${limit} it may have`);
  process.exit(1);
}

let stale = 0;
await mkdir(path.join(here, 'dist'), { recursive: true });
for (const [name, bytes] of Object.entries(files)) {
  const file = path.join(here, 'dist', name);
  const old = await readFile(file).catch(() => null);
  if (old !== null && old.equals(bytes)) continue;
  if (check) {
    console.error(`web/dist/${name} is not what web/src gives: run npm run build in web/`);
    stale++;
  } else {
    await writeFile(file, bytes);
  }
}
console.log(`page: ${size} bytes of script and style, with gzip`);
process.exit(stale > 0 ? 1 : 0);
