// The address of a kernel's source, of one of its lines.
export function sourceLink(run: string | number, kernel: number, path?: string | null, line?: number | null, heat?: string): string {
  const part = encodeURIComponent;
  let to = `#/runs/${part(String(run))}/kernels/${kernel}/source`;
  if (path) to += `/${part(path)}/${line ?? 0}`;
  if (path && heat) to += `/${heat}`;
  return to;
}

// The same for an instruction of a kernel without lines.
export function stepLink(run: string | number, kernel: number, pc: number): string {
  return `#/runs/${encodeURIComponent(String(run))}/kernels/${kernel}/source/0x${pc.toString(16)}`;
}

// What to colour the lines by for someone who comes from a finding.
export const heatOfRule: Record<string, string> = {
  'uncoalesced-global-access': 'excess_sectors',
  'array-of-structures': 'excess_sectors',
  'misaligned-access': 'excess_sectors',
  'block-shape-breaks-rows': 'excess_sectors',
  'narrow-access': 'global_sectors',
  'uniform-global-load': 'global_sectors',
  'shared-bank-conflicts': 'excess_wavefronts',
  'shared-atomic-contention': 'excess_wavefronts',
  'global-atomic-contention': 'global_sectors',
  'double-precision': 'inst',
  'slow-math-functions': 'inst',
  'unfused-multiply-add': 'inst',
  'integer-division': 'inst',
  'tensor-cores-unused': 'inst',
  'local-memory-spill': 'local_sectors',
  'warp-divergence': 'idle_lanes',
  'idle-lanes': 'idle_lanes',
  'serial-kernel': 'idle_lanes',
};
