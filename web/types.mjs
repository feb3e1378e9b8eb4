// Makes src/openapi.ts, the types of what the API answers, from
// config/openapi.json, and checks the page with them. It is not committed:
// nothing of it is in the bundle.
import openapiTS, { astToString } from 'openapi-typescript';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const here = path.dirname(fileURLToPath(import.meta.url));
const types = await openapiTS(new URL('../config/openapi.json', import.meta.url),
  { rootTypes: true, rootTypesNoSchemaPrefix: true });
await writeFile(path.join(here, 'src/openapi.ts'), astToString(types));
const tsc = path.join(here, 'node_modules/typescript/bin/tsc');
process.exitCode = spawnSync(process.execPath, [tsc, '--noEmit', '-p', here], { stdio: 'inherit' }).status ?? 1;
