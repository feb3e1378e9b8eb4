// The answers about source lines; config/openapi.json is the full description.

// A metric that was measured and is left out is 0.
export type Values = Record<string, number | null>;

export interface Samples {
  all: number;
  not_issued: number;
  stalls: Record<string, number>;
}

export interface SourceMetric {
  name: string;
  unit: string;
  label: string;
}

export interface SourceStall {
  name: string; // a key of Samples.stalls
  meaning: string;
  group: string;
  group_label: string;
}

export interface SourceFile {
  index: number;
  path: string | null;
  captured: boolean;
  missing: string | null;
}

export interface SourceLine {
  index: number;
  file: number | null; // a SourceFile's index
  line: number;
  inlined_at: number | null; // the index of the line that called
  function: string | null;
  instructions: number;
  values: Values; // of its own instructions, not of what is inlined into it
  samples: Samples | null;
  findings: string[];
}

export interface Instruction {
  pc: number;
  line: number | null;
  text: string | null;
  values: Values;
  samples: Samples | null;
}

export interface Source {
  kernel_id: number;
  name: string | null;
  function: string | null;
  counted: boolean;
  sampled: boolean;
  disassembled: boolean;
  has_lines: boolean;
  debug: boolean;
  missing: Record<'counts' | 'samples' | 'lines' | 'sass', string | null>;
  metrics: SourceMetric[]; // those that were measured
  stalls: SourceStall[]; // those that were sampled
  files: SourceFile[];
  lines: SourceLine[];
  instructions?: Instruction[];
  totals: { values: Values; samples: Samples | null };
  samples_shared_by: number;
  sample_period_cycles: number | null;
  findings: string[];
}

export interface SourceText {
  index: number;
  path: string | null;
  text: string | null;
}

export interface HotLine {
  file: string | null;
  line: number | null;
  function: string | null;
  called_file: string | null;
  called_line: number | null;
  pc: number;
  sass: string | null;
  text: string | null;
  share_ratio: number | null;
  value: number | null;
  what: string | null;
}

export interface SiteFrame {
  function: string | null;
  file: string | null;
  line: number | null;
  module: string | null;
  python: boolean;
  inlined: boolean;
  nearest: boolean;
}

export interface Site {
  call: string;
  kernel_id: number | null;
  count: number;
  first: number | null;
  frames: SiteFrame[];
}
