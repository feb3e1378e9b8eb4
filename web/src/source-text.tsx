// The texts of a kernel's files, with their colours.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import { highlight, type Token } from './highlight';
import type { Spot } from './source-data';
import type { Source, SourceFileDocument } from './openapi';

export interface TextState {
  lines: Token[][] | null; // null: not here
  why: string | null; // null: on its way
}

// The files' texts, fetched once each.
export function useTexts(base: string, source: Source, wanted: (number | undefined)[]): Map<number, TextState> {
  const [texts, set] = useState<Map<number, TextState>>(new Map());
  const asked = useRef(new Set<number>());
  const list = [...new Set(wanted)].filter((n) => n !== undefined).sort((a, b) => a - b);
  useEffect(() => {
    for (const index of list) {
      const file = source.files.find((f) => f.index === index);
      if (file === undefined || asked.current.has(index)) continue;
      asked.current.add(index);
      const put = (state: TextState) => set((old) => new Map(old).set(index, state));
      if (!file.captured) {
        put({ lines: null, why: file.missing ?? 'its text was not captured' });
        continue;
      }
      get<SourceFileDocument>(`${base}/source-files/${index}`).then(
        (got) => put(got.text === null ? { lines: null, why: file.missing ?? 'its text was not captured' }
          : { lines: highlight(got.path ?? '', got.text.replace(/\r\n/g, '\n').replace(/\n$/, '')), why: null }),
        (error: Error) => put({ lines: null, why: error.message }),
      );
    }
  }, [base, list.join()]);
  return texts;
}

export function Tokens({ line }: { line: Token[] | undefined }) {
  if (line === undefined) return null;
  return <>{line.map((token, i) => (token.kind === '' ? token.text : <span key={i} class={`tok-${token.kind}`}>{token.text}</span>))}</>;
}

export function trimmed(line: Token[] | undefined): Token[] | undefined {
  const [first, ...rest] = line ?? [];
  return first && [{ ...first, text: first.text.trimStart() }, ...rest];
}

export function plain(texts: Map<number, TextState>, spot: Spot): string {
  return (texts.get(spot.file)?.lines?.[spot.line - 1] ?? []).map((token) => token.text).join('').trim();
}
