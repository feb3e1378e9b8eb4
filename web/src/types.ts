// What the API answers; config/openapi.json is the full description.
import type { HotLine, Site } from './types-source';
import type { Bandwidth, Roofline } from './types-whole';

export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail?: string;
  help?: string;
}

export interface List<T> {
  items: T[];
  next_cursor: string | null;
}

export type RunState = 'live' | 'finished' | 'killed' | 'truncated';

export interface Run {
  number: number;
  id: string;
  label: string | null;
  pinned: boolean;
  command: string | null;
  cwd: string | null;
  host: string | null;
  version: string | null;
  state: RunState;
  level: string;
  started_at: string | null;
  wall_ns: number;
  exit_code: number | null;
  signal: number | null;
  devices: (string | null)[];
  kernels: number; // each a function in one launch shape
  functions?: number; // older analyses lack it
  launches: number;
  processes: number;
  findings: number;
  worth_it: number;
  together_s: number | null;
  summary: Summary;
  overhead: {
    total_s: number;
    ratio: number | null;
    by: Record<string, number>;
    profiled_launches: number;
    budget_ratio: number | null;
    fixed_s?: number | null; // older analyses lack these three
    per_launch_ns?: number | null;
    held?: Held | null;
  };
  data: { records: number; lost: number; lost_by: Record<string, number>; complete: boolean; unended?: number };
  rules: { found: number; clean: number; not_measured: number };
  source?: {
    launches: number;
    kernels_counted: number;
    kernels_sampled: number;
    samples: number;
    samples_dropped: number;
  };
  checks?: Check[];
  problem?: { text: string; remedy: string | null };
  calibrated: boolean;
  ceilings_from: string | null;
  active_s?: number | null; // older analyses lack it
  noise_s: number | null;
  analysis: number;
}

// How long measuring held the program; null: it did not say.
export interface Held {
  count: number;
  total_s: number;
  longest_s: number;
  setup_s: number;
  setup_longest_s: number;
  replay_s: number;
  replay_longest_s: number;
  limit_s: number | null;
}

// A correctness tool that ran over the program.
export interface Check {
  tool: string;
  state: 'done' | 'partial' | 'timeout' | 'no_gpu' | 'failed' | 'unknown';
  start_ns: number;
  end_ns: number;
  errors: number;
  warnings: number;
  unreported: number;
  text: string | null;
}

export interface Summary {
  gpu_busy_ratio: number | null;
  kernel_ratio: number | null;
  copy_ratio: number | null;
  copy_hidden_ratio: number | null;
  idle_ratio: number | null;
  idle: Record<string, number | null>;
  longest_idle?: { s: number; cause: string } | null; // older analyses lack these two
  results?: { phases: number; copies: number; bytes: number; copy_s: number; host_s: number };
}

export interface Evidence {
  name: string;
  label: string | null;
  value: number | null;
  unit: string | null;
  source: string | null;
  from: string | null;
  threshold: number | null;
  threshold_origin: string | null;
}

// A launch shape that has the fault.
export interface FindingShape {
  kernel_id: number;
  grid: number[];
  block: number[];
  launches: number;
  total_ns: number;
  measured: boolean;
  saves: { s: number | null; low_s: number | null; high_s: number | null };
}

export interface Finding {
  id: string;
  rank: number;
  rule: string;
  title: string;
  category: string;
  severity: string;
  confidence: string;
  worth_it: boolean;
  kernel_id: number | null;
  shapes?: { count: number; measured_ratio: number; launches: number; left_out: number; items: FindingShape[] } | null; // older analyses lack it
  where: string | null;
  location: string | null;
  location_missing: string | null;
  saves: {
    s: number | null;
    low_s: number | null;
    high_s: number | null;
    share_ratio: number | null;
    kernel_speedup_ratio: number | null;
    note: string | null;
  };
  summary: string | null;
  limiter: string | null;
  advice: string | null;
  example: { bad: string | null; good: string | null };
  next: string | null;
  evidence: Evidence[];
  hot_lines?: HotLine[]; // left out by analyses of older versions
  site?: Site | null;
}

export interface Verdict {
  rule: string;
  state: 'found' | 'clean' | 'not_measured';
  found: number;
  clean: number;
  not_measured: number;
  reason: string | null;
}

export interface Findings {
  items: Finding[];
  together_s: number | null;
  overlap: boolean;
  active_s?: number | null; // older analyses lack it
  noise_s: number | null;
  unmeasured?: string | null; // kernels of weight that nobody looked at
  calibrated: boolean;
  ceilings_from: string | null;
  rules: Verdict[];
}

export interface Headline {
  value: number | null;
  unit: string;
  source: string;
  reason: string | null;
  meaning: string;
}

export interface Kernel {
  id: number;
  name: string | null;
  short_name: string | null;
  device: string | null;
  launches: number;
  function?: { shapes: number; total_ns: number } | null;
  time: { total_ns: number; mean_ns: number | null; sd_ns: number | null };
  share_ratio: number | null;
  grid: number[];
  block: number[];
  headline: Record<string, Headline>;
  bound: string | null;
  roofline?: Roofline | null; // left out by analyses of older versions
  bandwidth?: Bandwidth | null;
  not_measured: string | null;
  findings: string[];
}

export interface Copy {
  kind: string;
  memset: boolean;
  src: string;
  dst: string;
  async: boolean;
  device: string | null;
  size_class_bytes: number;
  count: number;
  bytes: number;
  gpu_ns: number;
  bandwidth_bytes_per_s: number | null;
  ceiling_bytes_per_s?: number | null; // left out by analyses of older versions
  ceiling_ratio?: number | null;
  ceiling_missing?: string | null;
}

export interface Diagnostic {
  code: string;
  severity: string;
  count: number;
  where: string | null;
  text: string | null;
  remedy: string | null;
}

export interface Rule {
  id: string;
  category: string | null;
  title: string | null;
  needs: string | null;
  severity: string;
  why: string | null;
  detects: string | null;
  advice: string | null;
  example: { bad: string | null; good: string | null };
  sources: string | null;
  gain: string | null;
  next: string | null;
  pair: string | null;
  thresholds: { key: string; value: number | null; unit: string | null; origin: string | null }[];
}
