// The checklist, rooflines and comparisons, as the API answers them.
export type CheckState = 'passed' | 'failed' | 'not_measured';

export interface CheckFact {
  name: string;
  label: string | null;
  value: number | null;
  unit: string;
  covered_ratio: number | null;
  covered_of: string | null;
  reason: string | null;
}

export interface CheckLine {
  id: string;
  title: string;
  state: CheckState;
  reason: string | null;
  findings_count: number;
  findings: { id: string; rule: string; where: string | null; saves_s: number | null }[];
  facts: CheckFact[];
  rules: { rule: string; state: string; reason: string | null }[];
}

export interface Checklist {
  passed: number;
  failed: number;
  not_measured: number;
  groups: { id: string; title: string; passed: number; failed: number; not_measured: number; lines: CheckLine[] }[];
}

export interface Roofline {
  flops: Record<string, number | null> | null;
  no_flops: string | null;
  flops_per_s: number | null;
  dram_flop_per_byte: number | null;
  l2_flop_per_byte: number | null;
  compute: string | null;
  compute_ratio: number | null;
  bound: string | null;
}

export interface Bandwidth {
  used_bytes_per_s: number | null;
  l2_bytes_per_s: number | null;
  dram_bytes_per_s: number | null;
  used_ratio: number | null;
  dram_ratio: number | null;
  l2_ratio: number | null;
  reason: string | null;
}

export interface Ceiling {
  name: string;
  label: string;
  value: number | null;
  unit: string;
  source: 'measured' | 'attribute';
}

export interface Device {
  name: string | null;
  ceilings?: { from: string; items: Ceiling[] };
}

export interface CompareRun {
  number: number | null;
  label: string | null;
  command: string | null;
  wall_s: number | null;
  active_s: number | null;
  kernel_s: number | null;
}

export interface CompareSide {
  ids: number[];
  launches: number;
  total_s: number | null;
  mean_s: number | null;
}

export interface CompareKernel {
  name: string | null;
  match: 'shape' | 'name' | 'rest' | null;
  base: CompareSide | null;
  target: CompareSide | null;
  speedup_ratio: number | null;
  saved_s: number | null;
  significant: boolean | null;
}

export interface CompareFinding {
  state: 'gone' | 'still' | 'new' | 'unknown';
  rule: string;
  title: string | null;
  where: string | null;
  base_id: string | null;
  target_id: string | null;
  predicted: { s: number | null; low_s: number | null; high_s: number | null } | null;
  achieved: { s: number | null; kernel_speedup_ratio: number | null } | null;
  within: boolean | null;
  shared_with: number;
  reason: string | null;
}

export interface Compare {
  base: CompareRun;
  target: CompareRun;
  wall_saved_s: number | null;
  active_saved_s: number | null;
  kernel_saved_s: number | null;
  notes: string[];
  kernels: CompareKernel[];
  kernels_left_out: number;
  findings: { gone: number; still: number; new: number; unknown: number; left_out: number; items: CompareFinding[] };
}
