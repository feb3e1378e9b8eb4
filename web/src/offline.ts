// A run embedded in the page's own file (`cudadvise export --format html`): gives the
// answers of the daemon. Pure.
import type { Kernel, LaunchTimes, Metric, Rule, RunDocument, Source, SourceFileDocument, Timeline } from './openapi';

export interface Bundle {
  run: RunDocument;
  documents: Record<string, unknown>; // by their paths below that of the run
  // The first kernels have these documents; null: left out.
  kernels: { kernel: Kernel; metrics: Metric[] | null; launches: LaunchTimes | null; source: Source | null }[];
  files: (SourceFileDocument | null)[];
  rules: Rule[];
}

// The reason why there is no answer.
export class Missing extends Error {}

const notHere = (what: string) => new Missing(`${what} not in this file: the run's capture has them.`);

type Sort = [key: (k: Kernel) => number | string, down: boolean];

function sortOf(text: string | null): Sort {
  const name = (text ?? '-gpu_time_ns').replace(/^-/, '');
  const key = name === 'launches' ? (k: Kernel) => k.launches : name === 'name' ? (k: Kernel) => k.name ?? '' : (k: Kernel) => k.time.total_ns;
  return [key, (text ?? '-').startsWith('-')];
}

function kernelsOf(bundle: Bundle, query: URLSearchParams): unknown {
  const match = (query.get('match') ?? '').toLowerCase();
  const [key, down] = sortOf(query.get('sort'));
  const all = bundle.kernels.map(({ kernel }) => kernel).filter((k) => (k.name ?? '').toLowerCase().includes(match))
    .sort((a, b) => ((key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1)) || a.id - b.id);
  const from = Number(query.get('cursor') ?? 0);
  const to = from + Number(query.get('limit') ?? 100);
  return { items: all.slice(from, to), next_cursor: to < all.length ? String(to) : null };
}

function kernelOf(bundle: Bundle, id: string, part: string | undefined, query: URLSearchParams): unknown {
  const found = bundle.kernels.find(({ kernel }) => String(kernel.id) === id);
  if (found === undefined) throw new Missing('No such kernel.');
  switch (part) {
    case undefined: return found.kernel;
    case 'metrics': if (found.metrics) return { items: found.metrics }; break;
    case 'launch-times': if (found.launches) return found.launches; break;
    case 'source':
      if (query.get('sass') === '1') throw notHere('Instructions are');
      if (found.source) return found.source; break;
    case 'launches': throw notHere('Single launches are');
  }
  throw new Missing('Not in this file, which has the kernels with the most time in full.');
}

function windowOf(query: URLSearchParams): unknown {
  return {
    from_ns: Number(query.get('from_ns') ?? 0), to_ns: Number(query.get('to_ns') ?? 0), operations: null, sums: [], sums_left_out: 0, items: [], complete: false,
    reason: 'single operations are not in this file, but in the run\'s capture',
  };
}

// The API's answer for ${path}; throws Missing.
export function answer(bundle: Bundle, path: string): unknown {
  const [place = '', asked] = path.split('?');
  const query = new URLSearchParams(asked ?? '');
  const [, noun, id = '', part, at, what] = place.split('/').map(decodeURIComponent);
  if (noun === 'rules') {
    if (id === '') return { items: bundle.rules };
    const rule = bundle.rules.find((r) => r.id === id);
    if (rule) return rule;
  }
  if (noun === 'runs' && id === '') return { items: [bundle.run], next_cursor: null };
  if (noun === 'runs' && id === runId(bundle)) {
    if (part === undefined) return bundle.run;
    if (part === 'kernels') return at === undefined ? kernelsOf(bundle, query) : kernelOf(bundle, at, what, query);
    if (part === 'window') return windowOf(query);
    if (part === 'source-files' && at !== undefined) {
      const file = bundle.files[Number(at)];
      if (file) return file;
    }
    const document = bundle.documents[part];
    if (at === undefined && document != null) return part === 'timeline' ? (document as Timeline) : Array.isArray(document) ? { items: document } : document;
  }
  throw new Missing('Not in this file.');
}

// The run's id in the page's addresses.
export function runId(bundle: Bundle): string {
  return String(bundle.run.number ?? 1);
}
