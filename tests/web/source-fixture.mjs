// An invented kernel's source in the form of the API: three files, code that is inlined
// twice, a header that could not be read.
import { readFileSync } from 'node:fs';

const text = (name) => readFileSync(new URL(`source/${name}`, import.meta.url), 'utf8');
const at = (name, part) => {
  const lines = text(name).split('\n');
  const i = lines.findIndex((line) => line.includes(part));
  if (i < 0) throw new Error(`${name} has no "${part}"`);
  return i + 1;
};

export const paths = ['/home/ann/attention/attention.cu', '/home/ann/attention/tile.cuh', '/opt/reduce/include/reduce.cuh'];
export const files = paths.map((path, index) => ({
  index, path, captured: index < 2, missing: index < 2 ? null : 'the file could not be read during the run',
}));
export const texts = [text('attention.cu'), text('tile.cuh'), null];

const metrics = [
  ['inst', 'inst', 'warp instructions'], ['threads', 'inst', 'thread instructions'],
  ['threads_on', 'inst', 'thread instructions, predicated on'],
  ['global_sectors', 'sector', 'global sectors'], ['global_ideal', 'sector', 'ideal global sectors'],
  ['local_sectors', 'sector', 'local sectors'],
  ['shared_wavefronts', 'wavefront', 'shared wavefronts'], ['shared_ideal', 'wavefront', 'ideal shared wavefronts'],
  ['branch_uniform', 'branch', 'uniform branches'], ['branch_divergent', 'branch', 'divergent branches'],
].map(([name, unit, label]) => ({ name, unit, label }));

const cu = (part) => [0, at('attention.cu', part)];
const tile = (part) => [1, at('tile.cuh', part)];

// Place; the row of the caller, function; SASS with the counts of each instruction:
// inst, lanes, sectors and ideal, wavefronts and ideal, branches; samples.
const rows = [
  { at: cu('const float scale'), sass: [['I2F R4, R3', { inst: 16384 }, { wait: 20 }], ['MUFU.RSQ R5, R4', { inst: 16384 }, { short_scoreboard: 60, wait: 10 }]] },
  { at: cu('query[i] = row_of'), sass: [['LDG.E.CONSTANT R9, desc[UR4][R6.64]', { inst: 65536, global_sectors: 262144, global_ideal: 262144 }, { long_scoreboard: 130 }],
    ['STS [R10], R9', { inst: 65536, shared_wavefronts: 65536, shared_ideal: 65536 }, { long_scoreboard: 410, mio_throttle: 12 }]] },
  { at: cu('return base +'), in: 1, fn: 'attention::row_of(float const*, attention::Shape const&, int, int)', sass: [['IMAD R7, R5, R2, R3', { inst: 65536 }, { wait: 40 }]] },
  { at: cu('load_tile<Width'), sass: [['BSSY B0, `(.L_x_4)', { inst: 524288 }, { wait: 60 }]] },
  { at: tile('for (int j'), in: 3, fn: 'load_tile<128, 128>', sass: [['ISETP.GE.AND P0, PT, R3, 0x80, PT', { inst: 524288 }, { wait: 90 }], ['@P0 BRA `(.L_x_4)', { inst: 524288, branch_uniform: 524288 }, { branch_resolving: 140 }]] },
  { at: tile('tile[j][i] = k'), in: 3, fn: 'load_tile<128, 128>', findings: ['00000000000000a1', '00000000000000a2'], sass: [
    ['LDG.E.CONSTANT R14, desc[UR4][R8.64]', { inst: 16777216, global_sectors: 536870912, global_ideal: 67108864 }, { long_scoreboard: 2100, lg_throttle: 7600 }],
    ['LDG.E.CONSTANT R15, desc[UR4][R8.64+0x4]', { inst: 16777216, global_sectors: 536870912, global_ideal: 67108864 }, { long_scoreboard: 1900, lg_throttle: 6900, selected: 300 }],
    ['STS [R16], R14', { inst: 16777216, shared_wavefronts: 268435456, shared_ideal: 16777216 }, { long_scoreboard: 9800, mio_throttle: 2300, short_scoreboard: 120 }],
    ['STS [R16+0x4], R15', { inst: 16777216, shared_wavefronts: 268435456, shared_ideal: 16777216 }, { long_scoreboard: 3100, mio_throttle: 2900 }]] },
  { at: cu('for (int i = 0; i < Width'), sass: [['BRA `(.L_x_9)', { inst: 4194304, branch_uniform: 4194304 }, { branch_resolving: 260, no_instructions: 30 }]] },
  { at: cu('sum += query[i]'), findings: ['00000000000000a2'], sass: [
    ['LDS R18, [R11]', { inst: 16777216, shared_wavefronts: 16777216, shared_ideal: 16777216 }, { short_scoreboard: 900, mio_throttle: 1400 }],
    ['LDS R19, [R12]', { inst: 16777216, shared_wavefronts: 134217728, shared_ideal: 16777216 }, { mio_throttle: 4100 }],
    ['FFMA R20, R18, R19, R20', { inst: 16777216 }, { short_scoreboard: 6200, selected: 900, not_selected: 120, math_pipe_throttle: 60 }]] },
  { at: cu('if (mask['), findings: ['00000000000000a3'], sass: [['LDG.E.U8.CONSTANT R21, desc[UR4][R22.64]', { inst: 131072, global_sectors: 131072, global_ideal: 131072 }, { long_scoreboard: 900 }],
    ['@P1 BRA `(.L_x_11)', { inst: 131072, branch_uniform: 24576, branch_divergent: 106496 }, { branch_resolving: 420, long_scoreboard: 380 }]] },
  { at: cu('sum = -CUDART'), lanes: 14, sass: [['MOV R20, 0xff800000', { inst: 118000 }, { wait: 60 }]] },
  { at: cu('sum *= scale'), lanes: 19, sass: [['FMUL R20, R20, R5', { inst: 124000 }, { wait: 70 }]] },
  { at: cu('scores[first + j] = sum'), sass: [['STS [R24], R20', { inst: 131072, shared_wavefronts: 131072, shared_ideal: 131072 }, { mio_throttle: 90 }]] },
  { at: cu('highest = fmaxf'), sass: [['FMNMX R6, R6, R20, !PT', { inst: 131072 }, { wait: 110 }]] },
  { at: cu('highest = block_max'), sass: [['BAR.SYNC.DEFER_BLOCKING 0x0', { inst: 131072 }, { barrier: 800 }]] },
  { at: [2, 41], in: 13, fn: 'block_max(float)', lanes: 28.5, sass: [['SHFL.BFLY PT, R30, R6, 0x10, 0x1f', { inst: 327680 }, { short_scoreboard: 240 }], ['FMNMX R6, R6, R30, !PT', { inst: 327680 }, { short_scoreboard: 610 }]] },
  { at: cu('float weight = expf'), sass: [['MUFU.EX2 R32, R31', { inst: 131072, shared_wavefronts: 131072, shared_ideal: 131072 }, { short_scoreboard: 410, wait: 130 }]] },
  { at: cu('total = block_sum'), sass: [['BAR.SYNC.DEFER_BLOCKING 0x0', { inst: 131072 }, { barrier: 620 }]] },
  { at: [2, 58], in: 16, fn: 'block_sum(float)', lanes: 28.5, sass: [['FADD R33, R33, R30', { inst: 327680 }, { short_scoreboard: 580 }]] },
  { at: cu('sum += scores[j]'), sass: [['LDG.E.CONSTANT R36, desc[UR4][R34.64]', { inst: 8388608, global_sectors: 33554432, global_ideal: 33554432 }, { long_scoreboard: 700, lg_throttle: 130 }],
    ['LDS R37, [R38]', { inst: 8388608, shared_wavefronts: 8388608, shared_ideal: 8388608 }, { mio_throttle: 210 }],
    ['FFMA R39, R36, R37, R39', { inst: 8388608 }, { long_scoreboard: 5200, selected: 400, not_selected: 90 }]] },
  { at: cu('return base +'), in: 18, fn: 'attention::row_of(float const*, attention::Shape const&, int, int)', sass: [['IMAD.WIDE R34, R40, R41, R2', { inst: 8388608 }, { wait: 380, selected: 240 }]] },
  { at: cu('out[((size_t)row'), sass: [['MUFU.RCP R42, R33', { inst: 65536 }, { short_scoreboard: 80 }], ['STG.E desc[UR4][R44.64], R39', { inst: 65536, global_sectors: 262144, global_ideal: 262144 }, { drain: 150, wait: 20 }]] },
];

function samplesOf(stalls) {
  const all = Object.values(stalls).reduce((a, b) => a + b, 0);
  return { all, not_issued: Math.round((all - (stalls.selected ?? 0)) * 0.85), stalls };
}

function sum(list) {
  const out = {};
  for (const one of list) for (const [name, n] of Object.entries(one)) out[name] = (out[name] ?? 0) + n;
  return out;
}

function valuesOf(counted, lanes = 32) {
  const on = Math.round(counted.inst * lanes);
  return { ...counted, threads: on, threads_on: on };
}

const instructions = rows.flatMap((row, line) => row.sass.map(([code, counted, stalls]) => ({
  line, text: code, values: valuesOf(counted, row.lanes), samples: samplesOf(stalls),
}))).map((one, i) => ({ pc: i * 16, ...one }));
const ofRow = (line) => instructions.filter((i) => i.line === line);
const addSamples = (list) => {
  const stalls = sum(list.map((s) => s.stalls));
  return { all: list.reduce((n, s) => n + s.all, 0), not_issued: list.reduce((n, s) => n + s.not_issued, 0), stalls };
};

const lines = rows.map((row, index) => ({
  index, file: row.at[0], line: row.at[1], inlined_at: row.in ?? null, function: row.fn ?? null,
  instructions: row.sass.length,
  values: sum(ofRow(index).map((i) => i.values)),
  samples: addSamples(ofRow(index).map((i) => i.samples)),
  findings: row.findings ?? [],
}));

// The stall reasons of the daemon: its table, row by row.
const def = readFileSync(new URL('../../daemon/facts/stall.def', import.meta.url), 'utf8');
export const stallGroups = [...def.matchAll(/^STALL_GROUP\((\w+), "(.*)", "(.*)"\)$/gm)].map(([, id, key, label]) => ({ id, key, label }));
const place = (row) => stallGroups.findIndex(({ key }) => key === row.group);
export const stallRows = [...def.matchAll(/^STALL\(\w+, "(.*)", (\w+), ".*", "(.*)"\)$/gm)].map(([, name, id, meaning]) => {
  const group = stallGroups.find((one) => one.id === id);
  return { name, meaning, group: group.key, group_label: group.label };
}).sort((a, b) => place(a) - place(b));

const total = addSamples(instructions.map((i) => i.samples));

export function source(kernel) {
  return structuredClone({
    schema_version: 1,
    kernel_id: kernel,
    name: 'void attention::attention_forward<128, 128>(float const*, float const*, float const*, unsigned char const*, float*, attention::Shape)',
    function: '_ZN9attention17attention_forwardILi128ELi128EEEvPKfS2_S2_PKhPfNS_5ShapeE',
    counted: true, sampled: true, disassembled: true, has_lines: true, debug: false,
    missing: { counts: null, samples: null, lines: null, sass: null },
    missing_code: { counts: null, samples: null, lines: null, sass: null },
    metrics, stalls: stallRows.filter(({ name }) => name in total.stalls), files, lines, instructions,
    totals: { values: sum(instructions.map((i) => i.values)), samples: total },
    samples_shared_by: 2, sample_period_cycles: 16384,
    findings: ['00000000000000a1', '00000000000000a2', '00000000000000a3'],
  });
}

const none = { function: null, file: null, line: null, module: null, python: false, inlined: false, nearest: false };

// Findings about it, made from ${finding} about another kernel.
export function findings(kernel, finding) {
  const load = at('tile.cuh', 'tile[j][i] = k');
  const hot = (file, line, more) => ({
    file: paths[file], line, function: null, called_file: null, called_line: null, pc: 0, sass: null,
    text: texts[file]?.split('\n')[line - 1].trim() ?? null, share_ratio: null, value: null, what: null, ...more,
  });
  const base = { ...finding, kernel_id: kernel, where: 'attention_forward', location: { ...finding.location, text: 'grid 4,096 × 4, block 128' }, location_missing: null };
  return [
    {
      ...base, id: '00000000000000a1', rank: 1, rule: 'uncoalesced-global-access', title: 'uncoalesced global loads', severity: 'high', worth_it: true,
      summary: '8.0 times the sectors that these loads need; L2 is the limit (93 % busy).',
      advice: 'Let consecutive threads read consecutive elements: make i the index that threadIdx.x runs over.',
      heat: 'excess_sectors', saves: { ...finding.saves, s: 0.83, low_s: 0.61, high_s: 0.97 },
      hot_lines: [hot(1, load, { function: 'load_tile<128, 128>', called_file: paths[0], called_line: at('attention.cu', 'load_tile<Width'), share_ratio: 0.997, what: '32.0 sectors a request, 4 would do' }),
        hot(0, at('attention.cu', 'query[i] = row_of'), { share_ratio: 0.003, what: '4.0 sectors a request' })],
      site: {
        call: 'launch', kernel_id: kernel, count: 96, idle_s: 0, idle_gaps: 0, function: 'forward', file: '/home/ann/attention/model.py', line: 88, module: null, first: 0,
        frames: [
          { ...none, function: 'forward', file: '/home/ann/attention/model.py', line: 88, python: true },
          { ...none, function: '<module>', file: '/home/ann/attention/train.py', line: 31, python: true },
          { ...none, function: 'attention_forward_launch(at::Tensor, at::Tensor)', file: '/home/ann/attention/binding.cpp', line: 42, module: 'attention.so' },
          { ...none, function: 'THPFunction_apply', module: 'libtorch_python.so', nearest: true },
        ],
      },
    },
    {
      ...base, id: '00000000000000a2', rank: 2, rule: 'shared-bank-conflicts', title: 'shared-memory bank conflicts', severity: 'medium', worth_it: true,
      summary: '16-way conflicts on stores, 8-way on loads.', advice: 'Pad the rows by one element: float tile[Tile][Width + 1].',
      heat: 'excess_wavefronts', saves: { ...finding.saves, s: 0.21, low_s: 0.11, high_s: 0.3 },
      hot_lines: [hot(1, load, { share_ratio: 0.81, what: '16-way conflicts' }), hot(0, at('attention.cu', 'sum += query[i]'), { share_ratio: 0.19, what: '8-way conflicts' })],
      site: null,
    },
    {
      ...base, id: '00000000000000a3', rank: 3, rule: 'warp-divergence', title: 'divergent branches', severity: 'low', worth_it: false,
      summary: '81 % of the branches at one line split their warp.', advice: 'Select with arithmetic instead of branching.',
      heat: 'idle_lanes', saves: { ...finding.saves, s: 0.002, low_s: 0.001, high_s: 0.004 },
      hot_lines: [hot(0, at('attention.cu', 'if (mask['), { share_ratio: 1, what: '81 % divergent' })],
      site: null,
    },
  ];
}

export const lineOf = { load: at('tile.cuh', 'tile[j][i] = k'), call: at('attention.cu', 'load_tile<Width'), mask: at('attention.cu', 'if (mask[') };
