// The addresses of the page. The parts after a view's name are a place in it.
const part = encodeURIComponent;

type Id = string | number;

export function runLink(run: Id, ...parts: Id[]): string {
  return ['#/runs', run, ...parts].map((p, i) => (i === 0 ? p : part(String(p)))).join('/');
}

export function kernelLink(run: Id, kernel: Id): string {
  return runLink(run, 'kernels', kernel);
}

export function findingLink(run: Id, finding: string): string {
  return runLink(run, 'findings', finding);
}

export function ruleLink(rule: string): string {
  return `#/rules/${part(rule)}`;
}

// The findings of all runs, or those of one practice.
export function findingsLink(rule = ''): string {
  return rule === '' ? '#/findings' : `#/findings/${part(rule)}`;
}

// A window of the timeline, in whole ns since the start of the run.
export function windowLink(run: Id, from: number, to: number): string {
  return runLink(run, 'timeline', `${Math.floor(from)}-${Math.ceil(to)}`);
}

// The first launches of a kernel on the timeline.
export function launchesLink(run: Id, kernel: Id): string {
  return runLink(run, 'timeline', `kernel-${kernel}`);
}

// A kernel's source, one of its lines; heat: what to colour lines by.
export function sourceLink(run: Id, kernel: number, path?: string | null, line?: number | null, heat?: string | null): string {
  let to = runLink(run, 'kernels', kernel, 'source');
  if (path) to += `/${part(path)}/${line ?? 0}`;
  if (path && heat) to += `/${heat}`;
  return to;
}

// The same for an instruction of a kernel without lines.
export function stepLink(run: Id, kernel: number, pc: number): string {
  return runLink(run, 'kernels', kernel, 'source', `0x${pc.toString(16)}`);
}

// Two runs; ${allowed}: conditions in which they may differ.
export function compareLink(base: Id, target: Id, allowed: string[] = []): string {
  const to = ['#/compare', part(String(base)), part(String(target))];
  return (allowed.length > 0 ? [...to, part(allowed.join(','))] : to).join('/');
}
