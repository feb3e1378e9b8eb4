// A kernel's files as tabs, each a listing of its lines.
import { useCallback, useMemo } from 'preact/hooks';
import { basename, percent } from './format';
import { Loading } from './parts';
import { fileShare, type Heat, type Model, type Spot } from './source-data';
import { notes, type Note } from './source-notes';
import { LinePane, pathOf, type Sass } from './source-pane';
import { Listing, worthShowing, type Entry } from './source-table';
import { Tokens, trimmed, type TextState } from './source-text';
import type { Finding } from './openapi';

export function Files({ model, heat, inclusive, place, texts, findings, sass, wide, open, setOpen, go, id }: {
  model: Model; heat: Heat; inclusive: boolean; place: { file: number; line: number; turn: number };
  texts: Map<number, TextState>; findings: Finding[]; sass: Sass; wide: boolean; open: boolean;
  setOpen: (open: boolean) => void; go: (file: number, line: number, show?: boolean) => void; id: string;
}) {
  const files = useMemo(() => model.source.files
    .map((file) => ({ file, part: fileShare(model, heat, file.index) }))
    .sort((a, b) => (b.part ?? 0) - (a.part ?? 0) || a.file.index - b.file.index), [model, heat]);
  const path = pathOf(model, place.file);
  const spots = model.byFile.get(place.file) ?? noSpots;
  const text = texts.get(place.file) ?? { lines: null, why: null };
  const entries = useMemo(() => {
    const map = new Map<number, Entry>();
    for (const spot of spots)
      if (spot.line > 0)
        map.set(spot.line, { label: String(spot.line), own: spot.own, all: spot.all, below: notes(notesAt(findings, model, spot), id) });
    return map;
  }, [model, place.file, findings]);
  const wanted = useMemo(() => worthShowing(entries, heat), [entries, heat]);
  const { lines } = text;
  const content = useCallback((line: number) =>
    (lines ? <Tokens line={lines[line - 1]} /> : <span class="dim">{functionAt(spots, line)}</span>), [lines, spots]);
  const select = useCallback((line: number) => go(place.file, line, false), [go, place.file]);
  const last = Math.max(lines?.length ?? 0, spots.at(-1)?.line ?? 0);
  const spot = spots.find((one) => one.line === place.line);
  const pane = spot && (
    <LinePane model={model} spot={spot} heat={heat} inclusive={inclusive} sass={sass} open={open} setOpen={setOpen} go={go}
      text={wide && text.lines?.[spot.line - 1] ? <Tokens line={trimmed(text.lines[spot.line - 1])} /> : null} />
  );
  const keys = (event: KeyboardEvent) => {
    const i = files.findIndex((one) => one.file.index === place.file);
    const to = { ArrowRight: files[(i + 1) % files.length], ArrowLeft: files.at(i - 1), Home: files[0], End: files.at(-1) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to.file.index);
    document.getElementById(`file-${to.file.index}`)?.focus();
  };
  const show = (index: number) => {
    const list = model.byFile.get(index) ?? [];
    const best = [...list].sort((a, b) => (heat.of(b.own) ?? 0) - (heat.of(a.own) ?? 0))[0];
    go(index, best?.line ?? 1);
  };

  return (
    <>
      <div class="tabs" role="tablist" aria-label="Files" onKeyDown={keys}>
        {files.map(({ file: one, part }) => {
          const on = one.index === place.file;
          return (
            <button key={one.index} type="button" role="tab" id={`file-${one.index}`} aria-selected={on} aria-controls="file"
              tabIndex={on ? 0 : -1} title={one.path ?? ''} onClick={() => show(one.index)}>
              {tabName(pathOf(model, one.index), model)}<span class="part">{percent(part)}</span>
            </button>
          );
        })}
      </div>
      <div id="file" class={wide && pane ? 'file with-pane' : 'file'} role="tabpanel" aria-labelledby={`file-${place.file}`}>
        <div class="left">
          <p class="path">{path}</p>
          {text.lines === null && (text.why === null
            ? <Loading what="the text" />
            : <p class="notice">The text of this file is not here: {text.why}. Its lines and their numbers are.</p>)}
          <Listing label={`Source of ${basename(path)}`} what="Line" head="Source" last={last} entries={entries} total={model.total}
            heat={heat} inclusive={inclusive} selected={place.line} turn={place.turn} bare={!lines}
            wanted={wanted} select={select} detail={wide ? null : pane} content={content} />
        </div>
        {wide && pane && <aside class="right" aria-label={`Line ${place.line}`} tabIndex={0}>{pane}</aside>}
      </div>
    </>
  );
}

const noSpots: Spot[] = [];

function functionAt(spots: Spot[], line: number): string | null {
  return spots.find((spot) => spot.line === line)?.contexts.find((row) => row.function !== null)?.function ?? null;
}

// Two files of one name need their folder.
function tabName(path: string, model: Model): string {
  const name = basename(path);
  const twice = model.source.files.filter((f) => basename(f.path ?? '') === name).length > 1;
  return twice ? path.split('/').slice(-2).join('/') : name;
}

function notesAt(findings: Finding[], model: Model, spot: Spot): Note[] {
  const path = pathOf(model, spot.file);
  return findings
    .map((f) => ({ f, hot: (f.hot_lines ?? []).find((h) => h.file === path && h.line === spot.line) }))
    .filter(({ f, hot }) => hot !== undefined || spot.findings.includes(f.id));
}
