// profiles.mjs SOURCE BASE…: reads BASE.speedscope.json by the schema of speedscope's
// package, BASE.pb.gz with pprof-format's decoder, and BASE.folded line by line. All
// three must have the same stacks. Prints their number and nanoseconds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const [source, ...bases] = process.argv.slice(2);
const require = createRequire(`${source}/web/package.json`);
const Ajv = require('ajv').default;
const { Profile } = require('pprof-format');
const schema = JSON.parse(readFileSync(require.resolve('speedscope/dist/release/file-format-schema.json'), 'utf8'));
const valid = new Ajv({ strict: false, allErrors: true }).compile(schema);

const text = ({ name, file, line }) => (file && line ? `${name} (${file}:${line})` : name);

// [[frames, outermost first], nanoseconds] each.
function speedscope(base) {
  const file = JSON.parse(readFileSync(`${base}.speedscope.json`, 'utf8'));
  assert.ok(valid(file), JSON.stringify(valid.errors?.slice(0, 3)));
  assert.equal(file.profiles.length, 1);
  const [{ samples, weights, startValue, endValue }] = file.profiles;
  assert.equal(samples.length, weights.length);
  assert.equal(weights.reduce((a, b) => a + b, 0), endValue - startValue);
  // Its line is before a frame's name, which is all that speedscope lists.
  const named = (f) => {
    if (!f.file || !f.line) return text(f);
    const line = `${f.file.slice(f.file.lastIndexOf('/') + 1)}:${f.line} `;
    assert.ok(f.name.startsWith(line), f.name);
    return text({ ...f, name: f.name.slice(line.length) });
  };
  return samples.map((stack, i) => [stack.map((f) => named(file.shared.frames[f])), weights[i]]);
}

function pprof(base) {
  const p = Profile.decode(gunzipSync(readFileSync(`${base}.pb.gz`)));
  const string = (i) => {
    assert.ok(Number(i) < p.stringTable.strings.length);
    return p.stringTable.strings[Number(i)];
  };
  assert.equal(string(0), '');
  assert.deepEqual(p.sampleType.map((t) => [string(t.type), string(t.unit)]), [['time', 'nanoseconds']]);
  const functions = new Map(p.function.map((f) => [f.id, f]));
  const locations = new Map(p.location.map((l) => [l.id, l]));
  assert.equal(functions.size, p.function.length);
  assert.equal(locations.size, p.location.length);
  return p.sample.map(({ locationId, value, label }) => {
    const frames = locationId.map((id) => {
      const [line] = locations.get(id).line;
      const f = functions.get(line.functionId);
      return text({ name: string(f.name), file: string(f.filename), line: Number(line.line) });
    });
    assert.equal(value.length, 1);
    const stall = label.filter((l) => string(l.key) === 'stall').map((l) => `[${string(l.str)}]`);
    return [[...frames.reverse(), ...stall], Number(value[0])];
  });
}

// Names without characters that a line cannot contain, files without directories.
function folded(base) {
  const lines = readFileSync(`${base}.folded`, 'utf8').split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => {
    const [, stack, weight] = /^(.+) (\d+)$/.exec(line);
    return [stack.split(';'), Number(weight)];
  });
}

const plain = (frame) => frame.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').replaceAll(';', ':')
  .replace(/ \([^()]*\/([^/()]+:\d+)\)$/, ' ($1)');

for (const base of bases) {
  const expected = speedscope(base);
  assert.deepEqual(pprof(base), expected);
  assert.deepEqual(folded(base), expected.map(([stack, ns]) => [stack.map(plain), ns]));
  console.log(expected.length, expected.reduce((a, [, ns]) => a + ns, 0));
}
