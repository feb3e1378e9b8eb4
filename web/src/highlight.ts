// Colours for source text: tokens by line, from highlight.js' grammars. The library's own
// output is HTML, which the page never inserts: this collects its tokens instead.
import hljs from 'highlight.js/lib/core';
import cpp from 'highlight.js/lib/languages/cpp';
import python from 'highlight.js/lib/languages/python';
import type { Language } from 'highlight.js';

export interface Token {
  text: string;
  kind: string; // the .tok-… class of the style sheet; '': plain
}

const cuda = {
  keyword: '__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __forceinline__ '
    + '__noinline__ __launch_bounds__ __grid_constant__ __cluster_dims__',
  type: 'dim3 half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 cudaStream_t cudaError_t cudaEvent_t '
    + 'float2 float3 float4 double2 int2 int3 int4 uint2 uint3 uint4 uchar4 char4 short2 ushort2 longlong2',
  built_in: 'threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __shfl_sync __shfl_up_sync '
    + '__shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask __threadfence __ldg '
    + 'atomicAdd atomicSub atomicMin atomicMax atomicExch atomicCAS atomicAnd atomicOr atomicXor __fdividef '
    + '__expf __logf __sinf __cosf __powf rsqrtf sqrtf fmaf expf logf sinf cosf tanhf powf',
};

hljs.registerLanguage('cpp', (api): Language => {
  const language = cpp(api);
  const words = language.keywords as Record<string, string | string[]>;
  for (const [kind, list] of Object.entries(cuda)) words[kind] = [...(words[kind] ?? []), ...list.split(' ')];
  return language;
});
hljs.registerLanguage('python', python);

// The kinds that have a colour in the style sheet.
const kinds: Record<string, string> = {
  keyword: 'keyword', 'variable.language': 'keyword', operator: '',
  type: 'type', 'title.class': 'type', class: 'type',
  built_in: 'call', 'title.function': 'call', title: 'call', 'function.dispatch': 'call',
  number: 'literal', literal: 'literal', symbol: 'literal',
  string: 'string', 'meta string': 'string', regexp: 'string', char: 'string',
  comment: 'comment', doctag: 'comment',
  meta: 'meta', 'meta keyword': 'meta',
};

class Lines {
  readonly lines: Token[][] = [[]];
  private readonly scopes: string[] = [];

  addText(text: string): void {
    const scope = this.scopes.at(-1) ?? '';
    const kind = kinds[scope] ?? kinds[scope.split('.')[0]!] ?? '';
    for (const [i, piece] of text.split('\n').entries()) {
      if (i > 0) this.lines.push([]);
      if (piece === '') continue;
      const line = this.lines.at(-1)!;
      const last = line.at(-1);
      if (last?.kind === kind) last.text += piece;
      else line.push({ text: piece, kind });
    }
  }
  // A scope without a colour keeps the colour of the scope around it.
  startScope(name: string): void {
    const known = name in kinds || name.split('.')[0]! in kinds;
    this.scopes.push(known ? name : this.scopes.at(-1) ?? '');
  }
  endScope(): void { this.scopes.pop(); }
  openNode(name: string): void { this.startScope(name); }
  closeNode(): void { this.endScope(); }
  __addSublanguage(other: Lines): void {
    for (const [i, line] of other.lines.entries()) {
      if (i > 0) this.lines.push([]);
      this.lines.at(-1)!.push(...line);
    }
  }
  finalize(): void {}
  toHTML(): string { return ''; }
}

hljs.configure({ __emitter: Lines as never });

const languages: [RegExp, string][] = [
  [/\.(cu|cuh|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|inc)$/i, 'cpp'],
  [/\.pyi?$/i, 'python'],
];
const most = 600_000; // characters; more would take longer than a click should

export function highlight(path: string, text: string): Token[][] {
  const plain = () => text.split('\n').map((line) => (line === '' ? [] : [{ text: line, kind: '' }]));
  const language = languages.find(([name]) => name.test(path))?.[1];
  if (language === undefined || text.length > most) return plain();
  try {
    const result = hljs.highlight(text, { language, ignoreIllegals: true });
    const { lines } = result._emitter as unknown as Lines;
    return lines.length === text.split('\n').length ? lines : plain();
  } catch {
    return plain();
  }
}
