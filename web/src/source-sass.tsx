// All instructions of a kernel.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { basename } from './format';
import { useResource } from './hooks';
import { Failure, Loading } from './parts';
import { steps as stepsIn, type Heat, type Model, type Step } from './source-data';
import { hex, pathOf, StepPane, type Sass } from './source-pane';
import { notes, type Note } from './source-notes';
import { Listing, worthShowing, type Entry } from './source-table';
import type { Finding, Source, SourceDocument } from './openapi';

// There are many instructions: they are fetched when they are shown.
export function useSass(path: string, source: Source): Sass {
  const [asked, ask] = useState(false);
  const got = useResource<SourceDocument>(asked ? `${path}/source?sass=1` : null);
  const list = useMemo<Step[] | null>(() => (got.value ? stepsIn(got.value) : null), [got.value]);
  const want = useCallback(() => ask(true), []);
  return { steps: list, error: got.error, want, missing: source.disassembled ? null : source.missing.sass ?? 'not there' };
}

// ${at}: the instruction to show, and how often it was asked for; null: the
// hottest.
export function SassListing({ model, heat, sass, wide, findings, id, at, go }: {
  model: Model; heat: Heat; sass: Sass; wide: boolean; findings: Finding[]; id: string;
  at: { pc: number; turn: number } | null; go: (file: number, line: number) => void;
}) {
  const [place, setPlace] = useState<number | null>(null);
  const { steps } = sass;
  useEffect(() => {
    const i = at === null || steps === null ? -1 : steps.findIndex((one) => one.instruction.pc === at.pc);
    if (i >= 0) setPlace(i + 1);
  }, [at, steps]);
  const entries = useMemo(() => {
    const map = new Map<number, Entry>();
    for (const [i, { instruction: { pc }, sum }] of (steps ?? []).entries())
      map.set(i + 1, { label: hex(pc), own: sum, all: sum, below: notes(notesAt(findings, pc), id) });
    return map;
  }, [steps, findings]);
  const wanted = useMemo(() => worthShowing(entries, heat), [entries, heat]);
  const hottest = useMemo(() => (steps ?? []).reduce((best, one, i) =>
    ((heat.of(one.sum) ?? 0) > (heat.of(steps![best]!.sum) ?? 0) ? i : best), 0) + 1, [steps, heat]);
  const content = useCallback((n: number) => steps?.[n - 1]?.instruction.text ?? <span class="dim">not disassembled</span>, [steps]);
  useEffect(sass.want, []);
  if (sass.error) return <Failure error={sass.error} />;
  if (steps === null) return <Loading what="instructions" />;
  if (steps.length === 0) return <p class="notice">No instruction of this kernel is known{sass.missing && `: ${sass.missing}`}.</p>;
  const selected = place ?? hottest;
  const step = steps[selected - 1];
  const line = step?.instruction.line == null ? undefined : model.source.lines[step.instruction.line];
  const pane = step && (
    <StepPane model={model} step={step} place={line !== undefined && line.file !== null && (
      <p>
        Of <button type="button" class="to" onClick={() => go(line.file!, line.line)}>{basename(pathOf(model, line.file))}:{line.line}</button>
        {line.function && <>, inlined from <code>{line.function}</code></>}
      </p>
    )} />
  );
  return (
    <div class={wide && pane ? 'file with-pane' : 'file'}>
      <div class="left">
        <p class="path">{model.source.function}</p>
        <Listing label="Instructions of the kernel" what="Instruction" head="Instruction" last={steps.length} entries={entries} wanted={wanted}
          total={model.total} heat={heat} inclusive={false} selected={selected} turn={place === null ? 0 : at?.turn ?? 0} bare={false}
          select={setPlace} detail={wide ? null : pane} content={content} />
      </div>
      {wide && pane && <aside class="right" aria-label={`Instruction ${hex(step.instruction.pc)}`} tabIndex={0}>{pane}</aside>}
    </div>
  );
}

// A line's findings are at the line.
function notesAt(findings: Finding[], pc: number): Note[] {
  return findings
    .map((f) => ({ f, hot: (f.hot_lines ?? []).find((h) => h.file === null && h.pc === pc) }))
    .filter(({ hot }) => hot !== undefined);
}
