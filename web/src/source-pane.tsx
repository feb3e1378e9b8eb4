// Everything about one line: where its code is inlined, its numbers, its stall reasons,
// its instructions.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { basename, compact, none, percent, plain, times } from './format';
import { Failure, Loading } from './parts';
import {
  add, callers, heats, lanes, lanesOf, newSum, ratioOf, share, spotKey, stepsOf,
  type Heat, type Model, type Spot, type Step, type Sum,
} from './source-data';
import { StallLegend, StallTable } from './stalls';
import type { Samples, SourceLine } from './openapi';

export interface Sass {
  steps: Step[] | null; // null: not loaded yet
  error: Error | null;
  want: () => void; // requests them
  missing: string | null; // why there is no disassembly
}

type Go = (file: number, line: number) => void;

export function LinePane({ model, spot, heat, inclusive, text, sass, open, setOpen, go }: {
  model: Model; spot: Spot; heat: Heat; inclusive: boolean; text: ComponentChildren;
  sass: Sass; open: boolean; setOpen: (open: boolean) => void; go: Go;
}) {
  const sum = inclusive ? spot.all : spot.own;
  const path = pathOf(model, spot.file);
  return (
    <div class="pane">
      <h2>{basename(path)}:{spot.line || 'no line'}</h2>
      <p class="path" title={path}>{path}</p>
      {text && <pre tabIndex={0}><code>{text}</code></pre>}
      <Places title="Inlined at" model={model} heat={heat} places={callSites(model, spot)} go={go} />
      <Places title="Inlined here" model={model} heat={heat} places={insides(model, spot)} go={go} />
      <Numbers model={model} sum={sum} inlined={inclusive && spot.inlined.length > 0} />
      <Waits samples={sum.samples} />
      <details class="sass" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>Instructions (SASS)</summary>
        {open && <Steps model={model} heat={heat} sass={sass} rows={inclusive ? [...spot.contexts, ...spot.inlined] : spot.contexts} />}
      </details>
    </div>
  );
}

export function pathOf(model: Model, file: number): string {
  return model.source.files.find((f) => f.index === file)?.path ?? 'a file without a name';
}

interface Place {
  file: number;
  line: number;
  function: string | null;
  sum: Sum;
}

// Groups rows by their ${placeOf}, hottest first.
function gather(model: Model, rows: SourceLine[], placeOf: (row: SourceLine) => { row: SourceLine; function: string | null } | null): Place[] {
  const metrics = model.source.metrics.map((metric) => metric.name);
  const found = new Map<string, Place>();
  for (const row of rows) {
    const at = placeOf(row);
    if (at === null || at.row.file === null) continue;
    const key = `${spotKey(at.row.file, at.row.line)} ${at.function ?? ''}`;
    const place = found.get(key) ?? { file: at.row.file, line: at.row.line, function: at.function, sum: newSum() };
    add(place.sum, metrics, row.values, row.samples, row.instructions);
    found.set(key, place);
  }
  return [...found.values()];
}

function callSites(model: Model, spot: Spot): Place[] {
  return gather(model, spot.contexts, (row) => {
    const caller = callers(model.source, row)[0];
    return caller === undefined ? null : { row: caller, function: row.function };
  });
}

function insides(model: Model, spot: Spot): Place[] {
  return gather(model, spot.inlined, (row) => ({ row, function: row.function }));
}

function Places({ title, model, heat, places, go }: {
  title: string; model: Model; heat: Heat; places: Place[]; go: Go;
}) {
  if (places.length === 0) return null;
  const whole = heat.of(model.total);
  const part = (place: Place) => share(heat.of(place.sum), whole) ?? 0;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="places">
        {[...places].sort((a, b) => part(b) - part(a)).slice(0, 12).map((place) => (
          <li key={`${place.file}:${place.line}:${place.function}`}>
            <button type="button" class="to" title={pathOf(model, place.file)} onClick={() => go(place.file, place.line)}>
              {basename(pathOf(model, place.file))}:{place.line}
            </button>
            {place.function && <code>{place.function}</code>}
            <span class="number">{percent(part(place))}</span>
          </li>
        ))}
        {places.length > 12 && <li class="dim">and {places.length - 12} more</li>}
      </ul>
    </section>
  );
}

function Numbers({ model, sum, inlined }: { model: Model; sum: Sum; inlined: boolean }) {
  const { source, total } = model;
  const rows: [string, string, string][] = [];
  for (const heat of heats) {
    const value = heat.of(sum);
    const whole = heat.of(total);
    if (value === null || value <= 0 || whole === null || whole <= 0) continue;
    rows.push([heat.label, compact(value), percent(share(value, whole))]);
  }
  const on = lanesOf(sum);
  const ratio = (label: string, counted: string, ideal: string) => {
    const value = ratioOf(sum, counted, ideal);
    if (value !== null) rows.push([label, times(value), '']);
  };
  if (on !== null) rows.push(['Lanes at work', `${plain(on)} of ${lanes}`, '']);
  ratio('Sectors, of the ideal', 'global_sectors', 'global_ideal');
  ratio('Wavefronts, of the ideal', 'shared_wavefronts', 'shared_ideal');
  if (sum.instructions > 1) rows.push(['SASS instructions', String(sum.instructions), '']);
  return (
    <section>
      <h3>Numbers{inlined && <small>with the code inlined here</small>}</h3>
      <table class="numbers">
        <thead>
          <tr><th scope="col">Metric</th><th scope="col" class="number">Here</th><th scope="col" class="number">Of the kernel</th></tr>
        </thead>
        <tbody>
          {rows.map(([label, value, part]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td class="number">{value}</td>
              <td class="number">{part}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!source.counted && source.missing.counts && <p class="dim">Counts not measured: {source.missing.counts}.</p>}
      {!source.sampled && source.missing.samples && <p class="dim">Samples not measured: {source.missing.samples}.</p>}
    </section>
  );
}

// The same for one instruction.
export function StepPane({ model, step, place }: { model: Model; step: Step; place: ComponentChildren }) {
  return (
    <div class="pane">
      <h2>{hex(step.instruction.pc)}</h2>
      {step.instruction.text && <pre tabIndex={0}><code>{step.instruction.text}</code></pre>}
      {place}
      <Numbers model={model} sum={step.sum} inlined={false} />
      <Waits samples={step.sum.samples} />
    </div>
  );
}

function Waits({ samples }: { samples: Samples | null }) {
  if (samples === null) return null;
  return (
    <section>
      <h3>Why warps waited here</h3>
      <StallTable samples={samples} />
      {samples.all > 0 && <StallLegend samples={samples} />}
    </section>
  );
}

export function hex(pc: number): string {
  return '0x' + pc.toString(16).padStart(4, '0');
}

function Steps({ model, heat, sass, rows }: { model: Model; heat: Heat; sass: Sass; rows: SourceLine[] }) {
  useEffect(sass.want, []);
  if (sass.error) return <Failure error={sass.error} />;
  if (sass.steps === null) return <Loading what="instructions" />;
  const list = stepsOf(sass.steps, rows);
  const whole = heat.of(model.total);
  return (
    <>
      {sass.missing && <p class="dim">No disassembly: {sass.missing}.</p>}
      {list.length === 0 ? <p class="dim">No instruction is of this line.</p> : (
        <div class="steps" role="region" aria-label="Instructions of the line" tabIndex={0}>
          <table>
            <thead>
              <tr><th scope="col">PC</th><th scope="col" class="number">{heat.label}</th><th scope="col">Instruction</th></tr>
            </thead>
            <tbody>
              {list.slice(0, 500).map(({ instruction, sum }) => (
                <tr key={instruction.pc}>
                  <th scope="row">{hex(instruction.pc)}</th>
                  <td class="number">{(heat.of(sum) ?? 0) > 0 ? percent(share(heat.of(sum), whole)) : none}</td>
                  <td class="text">{instruction.text ?? <span class="dim">not disassembled</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {list.length > 500 && <p class="dim">and {list.length - 500} more</p>}
        </div>
      )}
    </>
  );
}
