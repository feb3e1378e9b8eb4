// The address of a kernel's source, of one of its lines; heat: what to colour lines by.
export function sourceLink(run: string | number, kernel: number, path?: string | null, line?: number | null, heat?: string | null): string {
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
