#!/usr/bin/env node
// agent_reading.mjs OUT [LIST] | --summary TABLE: how many tokens an agent reads until the
// right edit is named, in the texts of OUT (tests/gpu/agent_reading.sh): the output of
// `ncu --set full --page details`, and of `cudadvise run --format agent` at the default
// level and at --level source. LIST (agent_reading.tsv) has the edit that the program's own
// next version makes, and what counts as naming it: a pattern for ncu's advice on any
// kernel, and our practices. Prints one row a program, as tab-separated values: tokens
// (o200k_base) from the beginning to the end of the sentence that names the edit, tokens in
// total, and the number of steps to its source line: 1 if it is in that text, 2 if it is in
// another one (ncu's source page). "-": not named; "n/a": no text.
// --summary: prints one row of Markdown a text from such a table, for README: for how many
// programs the text names the edit, the median of these tokens and of the steps, and how
// long the texts are.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, '../../web/package.json'));
const { encode } = require('gpt-tokenizer/encoding/o200k_base');
const tokens = (text) => encode(text).length;

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

// The position after the first of ${marks} behind ${at} that a blank follows, or the end of
// the paragraph.
function endOf(text, at, marks) {
  const end = new RegExp(`[${marks}](?=\\s|$)|\\n\\s*\\n`, 'g');
  end.lastIndex = at;
  const found = end.exec(text);
  return found ? found.index + 1 : text.length;
}

// ncu's advice is a paragraph that begins with OPT, WRN or INF.
export function ofNcu(text, pattern) {
  for (const m of text.matchAll(/^ {4}(?:OPT|WRN|INF) {3}.*\n(?: {10}.*\n?)*/gm)) {
    const flat = m[0].replace(/\s/g, ' ');
    const found = new RegExp(pattern, 'i').exec(flat);
    if (found) return { tokens: tokens(text.slice(0, endOf(text, m.index + found.index, '.'))), steps: 2 };
  }
  return null;
}

// Our finding begins "[id] rule: saves"; its edit names the change.
export function ofOurs(text, rules) {
  let rank = 0;
  for (const m of text.matchAll(/^\[[0-9a-f]{16}\] ([a-z0-9-]+): .*\n(?:  .*\n?)*/gm)) {
    rank++;
    if (!new RegExp(`^(?:${rules})$`).test(m[1])) continue;
    const edit = m[0].indexOf('\n  edit: ') + 9;
    const end = endOf(text, m.index + edit, '.:;');
    const placed = / line \d+/.test(/\n  where: .*/.exec(m[0])?.[0] ?? '');
    return { tokens: tokens(text.slice(0, end)), rank, steps: placed ? 1 : 2 };
  }
  return null;
}

export function row(out, [id, args, edit, pattern, rules]) {
  const cells = [args === '-' ? id : `${id} ${args}`, edit];
  for (const [name, find] of [['details', (t) => ofNcu(t, pattern)], ['agent', (t) => ofOurs(t, rules)], ['source', (t) => ofOurs(t, rules)]]) {
    const text = read(path.join(out, `${id}.${name}.txt`));
    const found = text && find(text);
    cells.push(text ? (found ? found.tokens + (found.rank ? ` #${found.rank}` : '') : '-') : 'n/a', text ? tokens(text) : 'n/a', found ? found.steps : '-');
  }
  return cells;
}

const range = (of) => (Math.min(...of) === Math.max(...of) ? `${of[0]}` :
  `${Math.min(...of).toLocaleString('en')} to ${Math.max(...of).toLocaleString('en')}`);

function median(of) {
  const sorted = of.toSorted((a, b) => a - b);
  return Math.round((sorted[(of.length - 1) >> 1] + sorted[of.length >> 1]) / 2).toLocaleString('en');
}

export function summary(table) {
  const [names, ...rows] = table.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
  const texts = [['`ncu --set full`', 'ncu'], ['`run --format agent`', 'default'], ['the same, `--level source`', 'source']];
  return texts.map(([title, text]) => {
    const cell = (row, name) => row[names.indexOf(`${text}_${name}`)];
    const named = rows.filter((row) => /^\d/.test(cell(row, 'named')));
    const numbers = (of, name) => of.map((row) => parseInt(cell(row, name), 10));
    return `| ${[title, `${named.length} of ${rows.length}`, median(numbers(named, 'named')),
      range(numbers(named, 'steps')), range(numbers(rows, 'all'))].join(' | ')} |`;
  });
}

if (process.argv[2] === '--summary') {
  console.log(summary(readFileSync(process.argv[3], 'utf8')).join('\n'));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , out, list = path.join(here, 'agent_reading.tsv')] = process.argv;
  console.log(['program', 'edit', ...['ncu', 'default', 'source'].flatMap((n) => [`${n}_named`, `${n}_all`, `${n}_steps`])].join('\t'));
  for (const line of readFileSync(list, 'utf8').split('\n'))
    if (line && !line.startsWith('#')) console.log(row(out, line.split('\t')).join('\t'));
}
