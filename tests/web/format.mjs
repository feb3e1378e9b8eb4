// The page's own formatter, so that a test of what a table shows need not write numbers itself.
import path from 'node:path';
import { require, root } from '../api/daemon.mjs';

const { outputFiles } = await require('esbuild').build({
  entryPoints: [path.join(root, 'web/src/format.ts')], bundle: true, write: false, format: 'esm',
});

export const format = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
