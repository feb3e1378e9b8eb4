// sarif.mjs SOURCE FILE…: validates the files by the schema of SARIF 2.1.0.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [source, ...files] = process.argv.slice(2);
const require = createRequire(`${source}/web/package.json`);
const schema = JSON.parse(readFileSync(`${source}/tests/cli/readers/sarif-2.1.0.schema.json`, 'utf8'));
const Ajv = require('ajv').default;
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
delete schema.$schema;
const valid = ajv.compile(schema);
for (const file of files) {
  if (valid(JSON.parse(readFileSync(file, 'utf8')))) continue;
  console.error(file, valid.errors.slice(0, 5));
  process.exitCode = 1;
}
