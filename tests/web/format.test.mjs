// Number formatting on the page, by the table that the C side is also tested with.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../api/daemon.mjs';
import { format } from './format.mjs';

const cases = JSON.parse(readFileSync(path.join(root, 'tests/unit/number.cases.json'), 'utf8'));

for (const [quantity, rows] of Object.entries(cases)) {
  test(`${quantity} is written as in the report`, () => {
    assert.ok(rows.length > 0);
    for (const row of rows) {
      const [value, ...rest] = row.slice(0, -1);
      assert.equal(format[quantity](value === 'Infinity' ? Infinity : value, ...rest), row.at(-1), JSON.stringify(row));
    }
  });
}
