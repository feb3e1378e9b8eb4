// The numbers of the source view, from the API's answer: by line of text, over all
// contexts that the line was inlined in. Pure.
import type { Instruction, Samples, Source, SourceDocument, SourceLine, SourceStall, SourceValues } from './openapi';

// Numbers that can be added. ${values} lacks what was not measured.
export interface Sum {
  values: Map<string, number>;
  samples: Samples | null;
  instructions: number;
}

export function newSum(): Sum {
  return { values: new Map(), samples: null, instructions: 0 };
}

// ${metrics}: names of the measured metrics; one without a value counts as 0.
export function add(to: Sum, metrics: string[], values: SourceValues, samples: Samples | null, instructions: number): void {
  for (const name of metrics) {
    const value = values[name] === undefined ? 0 : values[name];
    if (value !== null) to.values.set(name, (to.values.get(name) ?? 0) + value);
  }
  if (samples !== null) {
    to.samples ??= { all: 0, not_issued: 0, stalls: {} };
    to.samples.all += samples.all;
    to.samples.not_issued += samples.not_issued;
    for (const [name, n] of Object.entries(samples.stalls))
      to.samples.stalls[name] = (to.samples.stalls[name] ?? 0) + n;
  }
  to.instructions += instructions;
}

// --- what a line can be coloured by ------------------------------------------

export interface Heat {
  key: string;
  label: string;
  unit: string;
  meaning: string;
  needs: 'counts' | 'samples';
  of: (sum: Sum) => number | null;
}

export const lanes = 32; // of a warp, on every GPU that can be measured

const value = (name: string) => (sum: Sum) => sum.values.get(name) ?? null;

function excess(counted: string, ideal: string): (sum: Sum) => number | null {
  return (sum) => {
    const [a, b] = [sum.values.get(counted), sum.values.get(ideal)];
    return a === undefined || b === undefined ? null : Math.max(0, a - b);
  };
}

export const heats: Heat[] = [
  {
    key: 'samples', label: 'Samples', unit: 'samples', needs: 'samples',
    meaning: 'How often a warp was found at this line: where the time goes.',
    of: (sum) => sum.samples?.all ?? null,
  },
  {
    key: 'stalled', label: 'Samples without issue', unit: 'samples', needs: 'samples',
    meaning: 'Samples in which no warp of the scheduler could issue: latency that nothing hid.',
    of: (sum) => sum.samples?.not_issued ?? null,
  },
  {
    key: 'inst', label: 'Instructions', unit: 'warp instructions', needs: 'counts',
    meaning: 'Instructions that warps executed.', of: value('inst'),
  },
  {
    key: 'idle_lanes', label: 'Idle lanes', unit: 'lane slots', needs: 'counts',
    meaning: 'Lanes of executed instructions that did nothing: divergence, predication, partial warps.',
    of: (sum) => {
      const [inst, on] = [sum.values.get('inst'), sum.values.get('threads_on')];
      return inst === undefined || on === undefined ? null : Math.max(0, inst * lanes - on);
    },
  },
  {
    key: 'global_sectors', label: 'Global sectors', unit: 'sectors', needs: 'counts',
    meaning: '32-byte pieces of global memory that were asked for.', of: value('global_sectors'),
  },
  {
    key: 'excess_sectors', label: 'Excess sectors', unit: 'sectors', needs: 'counts',
    meaning: 'Global sectors beyond those that well-placed accesses need.',
    of: excess('global_sectors', 'global_ideal'),
  },
  {
    key: 'shared_wavefronts', label: 'Shared wavefronts', unit: 'wavefronts', needs: 'counts',
    meaning: 'Passes through shared memory.', of: value('shared_wavefronts'),
  },
  {
    key: 'excess_wavefronts', label: 'Excess wavefronts', unit: 'wavefronts', needs: 'counts',
    meaning: 'Passes through shared memory that bank conflicts added.',
    of: excess('shared_wavefronts', 'shared_ideal'),
  },
  {
    key: 'local_sectors', label: 'Local sectors', unit: 'sectors', needs: 'counts',
    meaning: 'Traffic of spilled registers and of arrays that registers cannot hold.',
    of: value('local_sectors'),
  },
  {
    key: 'branch_divergent', label: 'Divergent branches', unit: 'branches', needs: 'counts',
    meaning: 'Branches that split their warp.', of: value('branch_divergent'),
  },
];

export function heatOf(key: string): Heat {
  return heats.find((heat) => heat.key === key) ?? heats[0]!;
}

// The heats for which the kernel has values.
export function usable(total: Sum): Heat[] {
  return heats.filter((heat) => (heat.of(total) ?? 0) > 0);
}

// The active lanes of an instruction in one line, on average, of 32; null without
// counts.
export function lanesOf(sum: Sum): number | null {
  const [inst, on] = [sum.values.get('inst'), sum.values.get('threads_on')];
  return inst === undefined || on === undefined || inst <= 0 ? null : on / inst;
}

// Measured over ideal; null if there is none.
export function ratioOf(sum: Sum, counted: string, ideal: string): number | null {
  const [a, b] = [sum.values.get(counted), sum.values.get(ideal)];
  return a === undefined || b === undefined || a <= 0 || b <= 0 ? null : a / b;
}

// --- lines ---------------------------------------------------------------------

// A line of a file, in all its contexts.
export interface Spot {
  file: number;
  line: number;
  own: Sum; // code of this line
  all: Sum; // with what is inlined at it
  contexts: SourceLine[]; // the API's rows of it
  inlined: SourceLine[]; // rows of other lines, inlined here
  findings: string[];
}

export const depthMax = 64;

export interface Model {
  source: Source;
  total: Sum;
  spots: Map<string, Spot>;
  byFile: Map<number, Spot[]>; // by line
}

export function spotKey(file: number, line: number): string {
  return `${file}:${line}`;
}

// The rows that called ${row}, innermost first. A circular answer ends.
export function callers(source: Source, row: SourceLine): SourceLine[] {
  const chain: SourceLine[] = [];
  let at = row.inlined_at;
  while (at !== null && chain.length < depthMax) {
    const next = source.lines[at];
    if (next === undefined || chain.includes(next)) break;
    chain.push(next);
    at = next.inlined_at;
  }
  return chain;
}

export function build(source: Source): Model {
  const spots = new Map<string, Spot>();
  const spotOf = (file: number, line: number): Spot => {
    const key = spotKey(file, line);
    let spot = spots.get(key);
    if (spot === undefined) {
      spot = { file, line, own: newSum(), all: newSum(), contexts: [], inlined: [], findings: [] };
      spots.set(key, spot);
    }
    return spot;
  };

  const metrics = source.metrics.map((metric) => metric.name);
  for (const row of source.lines) {
    if (row.file === null) continue;
    const spot = spotOf(row.file, row.line);
    spot.contexts.push(row);
    for (const id of row.findings) if (!spot.findings.includes(id)) spot.findings.push(id);
    add(spot.own, metrics, row.values, row.samples, row.instructions);
    add(spot.all, metrics, row.values, row.samples, row.instructions);
    // Added to a caller only once, however often it is in the chain.
    const done = new Set([spot]);
    for (const caller of callers(source, row)) {
      if (caller.file === null) continue;
      const above = spotOf(caller.file, caller.line);
      if (done.has(above)) continue;
      done.add(above);
      add(above.all, metrics, row.values, row.samples, row.instructions);
      above.inlined.push(row);
    }
  }

  const total = newSum();
  add(total, metrics, source.totals.values, source.totals.samples, 0);

  const byFile = new Map<number, Spot[]>();
  for (const spot of spots.values()) {
    const list = byFile.get(spot.file);
    if (list === undefined) byFile.set(spot.file, [spot]);
    else list.push(spot);
  }
  for (const list of byFile.values()) list.sort((a, b) => a.line - b.line);
  return { source, total, spots, byFile };
}

export function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole <= 0 ? null : part / whole;
}

// Hottest first; only lines with a value.
export function hottest(model: Model, heat: Heat, most: number): Spot[] {
  return [...model.spots.values()]
    .filter((spot) => (heat.of(spot.own) ?? 0) > 0)
    .sort((a, b) => heat.of(b.own)! - heat.of(a.own)! || a.file - b.file || a.line - b.line)
    .slice(0, most);
}

// The share of a file's own code in the total.
export function fileShare(model: Model, heat: Heat, file: number): number | null {
  let sum: number | null = null;
  for (const spot of model.byFile.get(file) ?? []) {
    const part = heat.of(spot.own);
    if (part !== null) sum = (sum ?? 0) + part;
  }
  return share(sum, heat.of(model.total));
}

// --- which lines of a long file are drawn ----------------------------------------

export type Piece = { kind: 'lines'; from: number; to: number } | { kind: 'gap'; from: number; to: number };

// Lines 1 to ${last}, those of ${wanted} with ${around} on each side; the rest
// folded. A gap shorter than ${least} is not worth a fold.
export function pieces(last: number, wanted: Iterable<number>, around = 6, least = 8): Piece[] {
  const keep: [number, number][] = [];
  for (const line of [...wanted].sort((a, b) => a - b)) {
    const [from, to] = [Math.max(1, line - around), Math.min(last, line + around)];
    if (from > to) continue;
    const before = keep.at(-1);
    if (before !== undefined && from - before[1] <= least) before[1] = Math.max(before[1], to);
    else keep.push([from, to]);
  }
  const out: Piece[] = [];
  let next = 1;
  const gap = (from: number, to: number) => {
    if (to < from) return;
    out.push({ kind: to - from + 1 < least ? 'lines' : 'gap', from, to });
  };
  for (const [from, to] of keep) {
    gap(next, from - 1);
    out.push({ kind: 'lines', from, to });
    next = to + 1;
  }
  gap(next, last);
  return out;
}

// --- instructions --------------------------------------------------------------

export interface Step {
  instruction: Instruction;
  sum: Sum;
}

// By pc.
export function steps(source: SourceDocument): Step[] {
  const metrics = source.metrics.map((metric) => metric.name);
  return (source.instructions ?? []).map((instruction) => {
    const sum = newSum();
    add(sum, metrics, instruction.values, instruction.samples, 1);
    return { instruction, sum };
  });
}

export function stepsOf(all: Step[], rows: SourceLine[]): Step[] {
  const wanted = new Set(rows.map((row) => row.index));
  return all.filter(({ instruction: { line } }) => line !== null && wanted.has(line));
}

// --- stalls ----------------------------------------------------------------------

export interface StallGroup {
  key: string;
  label: string;
  n: number;
}

// ${samples} by the groups of ${kinds}, in their order; groups without a sample are left out.
export function byGroup(kinds: SourceStall[], samples: Samples): StallGroup[] {
  const groups = new Map<string, StallGroup>();
  for (const { name, group: key, group_label: label } of kinds) {
    const group = groups.get(key) ?? { key, label, n: 0 };
    group.n += samples.stalls[name] ?? 0;
    groups.set(key, group);
  }
  return [...groups.values()].filter(({ n }) => n > 0);
}
