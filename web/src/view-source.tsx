// A kernel's source, line by line: where its time and its traffic come from.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { basename, count, nanoseconds, none, percent, seconds, shape } from './format';
import { offline } from './api';
import { useEvents, useResource, useWide } from './hooks';
import { headlineFacts } from './kernels';
import { middle, nameOf, titleOf, visible } from './names';
import { Badge, Failure, Loading } from './parts';
import { build, heatOf, hottest, share, usable, type Heat, type Model, type Spot } from './source-data';
import { Files } from './source-files';
import { findingLink, kernelLink, runLink, sourceLink } from './links';
import { hex, pathOf } from './source-pane';
import { SassListing, useSass } from './source-sass';
import { plain, useTexts, type TextState } from './source-text';
import { StallKinds } from './stalls';
import type { Finding, Findings, Kernel, Run, Source } from './openapi';

interface Wanted {
  path: string | null;
  line: number;
  heat: string | null;
}

export function SourceView({ id, kernel, wanted }: { id: string; kernel: string; wanted: string[] }) {
  const base = `/runs/${encodeURIComponent(id)}`;
  const path = `${base}/kernels/${encodeURIComponent(kernel)}`;
  const source = useResource<Source>(`${path}/source`);
  const about = useResource<Kernel>(path);
  const run = useResource<Run>(base);
  const findings = useResource<Findings>(`${base}/findings`);
  // A live run gets its lines after its end.
  useEvents(run.value?.state === 'live' ? base + '/events' : null, () => {
    run.reload();
    source.reload();
    about.reload();
    findings.reload();
  });
  const model = useMemo(() => (source.value ? build(source.value) : null), [source.value]);
  const list = useMemo(() => (findings.value?.items ?? []).filter((f) => f.kernel_id === model?.source.kernel_id),
    [findings.value, model]);
  const at: Wanted = {
    path: wanted[0] ?? null,
    line: Number.parseInt(wanted[1] ?? '', 10) || 0,
    heat: wanted[2] ?? null,
  };

  if (source.error && !source.value) return <Failure error={source.error} retry={source.reload} />;
  if (!model) return <Loading what="the source" />;
  const name = nameOf(about.value ?? { short_name: null, name: model.source.name });
  return (
    <div class="source">
      <p class="crumb">
        {!offline && <><a href="#/">All runs</a> › </>}<a href={runLink(id)}>Run {run.value?.number ?? id}</a> › <a href={kernelLink(id, kernel)}>kernel {kernel}</a>
        {run.value && (run.value.label || run.value.command) && <span class="dim"> {middle(visible(titleOf(run.value)), 160)}</span>}
      </p>
      <div class="heading">
        <h1><span class="dim">Source of</span> <span class="mono" title={name}>{middle(name, 200)}</span></h1>
        {model.source.debug && <Badge kind="severity-high">debug build</Badge>}
      </div>
      <KernelFacts source={model.source} kernel={about.value} />
      <Missing source={model.source} command={run.value?.command ?? null} />
      <StallKinds.Provider value={model.source.stalls ?? []}>
        <Body key={`${model.source.has_lines} ${model.source.lines.length}`} id={id} base={base} path={path} model={model} findings={list} at={at} />
      </StallKinds.Provider>
    </div>
  );
}

function KernelFacts({ source, kernel }: { source: Source; kernel: Kernel | null }) {
  const facts: [string, string, string?][] = [];
  if (kernel) {
    facts.push(['GPU time', `${nanoseconds(kernel.time.total_ns)} (${percent(kernel.share_ratio)} of the run)`]);
    facts.push(['Launches', count(kernel.launches), `grid ${shape(kernel.grid)}, block ${shape(kernel.block)}`]);
  }
  if (kernel) facts.push(...headlineFacts(kernel));
  facts.push(['Counts by line', source.counted ? 'exact, of one launch' : 'not measured']);
  facts.push(['Samples by line', source.sampled
    ? `${count(source.totals.samples?.all)} of all launches` : 'not measured',
  source.sampled && source.samples_shared_by > 1 ? `shared by ${source.samples_shared_by} launch shapes of this function` : undefined]);
  return (
    <dl class="facts">
      {facts.map(([name, text, more]) => (
        <div key={name}><dt>{name}</dt><dd>{text}{more && <small>{more}</small>}</dd></div>
      ))}
    </dl>
  );
}

// The missing parts, the reason, and what to do. A common reason is given once.
function Missing({ source, command }: { source: Source; command: string | null }) {
  const { missing } = source;
  const what: [string, string | null][] = [
    ['No source lines', source.has_lines ? null : missing.lines],
    ['No counts by line', source.counted ? null : missing.counts],
    ['No samples', source.sampled ? null : missing.samples],
    ['No disassembly', source.disassembled ? null : missing.sass],
  ];
  const reasons = new Map<string, string[]>();
  for (const [name, why] of what) if (why !== null) reasons.set(why, [...(reasons.get(why) ?? []), name]);
  if (reasons.size === 0 && !source.debug) return null;
  return (
    <section class={source.has_lines && !source.debug ? 'notes' : 'notes warning'} aria-labelledby="missing">
      <h2 id="missing">{reasons.size > 0 ? 'What is missing here' : 'About this code'}</h2>
      <ul>
        {[...reasons].map(([why, names]) => (
          <li key={why}><b>{names.map((n, i) => (i === 0 ? n : n.replace(/^No /, 'no '))).join(', ')}:</b> {why}</li>
        ))}
        {source.debug && <li><b>Compiled with -G:</b> the code was not optimised, and its numbers say little about a release build.</li>}
      </ul>
      {source.missing_code?.counts === 'needs_auto' && (
        <pre tabIndex={0}><code>cudadvise run -- {command ?? './program'}</code></pre>
      )}
    </section>
  );
}

type Mode = 'source' | 'sass';

function Body({ id, base, path, model, findings, at }: {
  id: string; base: string; path: string; model: Model; findings: Finding[]; at: Wanted;
}) {
  const { source } = model;
  const heatList = useMemo(() => usable(model.total), [model]);
  const [heatKey, setHeat] = useState(() => (at.heat && heatList.some((h) => h.key === at.heat) ? at.heat : heatList[0]?.key ?? 'samples'));
  const heat = heatOf(heatKey);
  const [inclusive, setInclusive] = useState(true);
  const [mode, setMode] = useState<Mode>(source.has_lines && source.files.length > 0 ? 'source' : 'sass');
  const [open, setOpen] = useState(false);
  const top = useMemo(() => hottest(model, heat, 5), [model, heatKey]);
  const [place, setPlace] = useState<{ file: number; line: number; turn: number } | null>(null);
  const [step, setStep] = useState<{ pc: number; turn: number } | null>(null);
  const [said, say] = useState('');
  const wide = useWide('(min-width: 1360px)');

  const goStep = (pc: number) => {
    setMode('sass');
    setStep((old) => ({ pc, turn: (old?.turn ?? 0) + 1 }));
  };

  // The line in the address; else the hottest line.
  useEffect(() => {
    const file = source.files.find((f) => at.path !== null && f.path === at.path);
    const first = top[0] ?? [...model.spots.values()][0];
    if (file === undefined && /^0x[0-9a-f]{1,8}$/.test(at.path ?? '')) goStep(Number(at.path));
    if (file !== undefined) setMode('source');
    if (file !== undefined) setPlace((old) => ({ file: file.index, line: at.line || (model.byFile.get(file.index)?.[0]?.line ?? 1), turn: (old?.turn ?? 0) + 1 }));
    else if (first !== undefined) setPlace((old) => old ?? { file: first.file, line: first.line, turn: 0 });
    if (at.heat && heatList.some((h) => h.key === at.heat)) setHeat(at.heat);
  }, [at.path, at.line, at.heat]);

  const texts = useTexts(base, source, [place?.file, ...top.map((spot) => spot.file)]);
  const sass = useSass(path, source);

  const go = useCallback((file: number, line: number, show = true) => {
    setMode('source');
    setPlace((old) => ({ file, line, turn: (old?.turn ?? 0) + (show ? 1 : 0) }));
    const to = sourceLink(id, source.kernel_id, pathOf(model, file), line);
    history.replaceState(null, '', location.pathname + to);
  }, [id, model]);

  const goSpot = (spot: Spot) => {
    go(spot.file, spot.line);
    say(`${basename(pathOf(model, spot.file))} line ${spot.line}, ${percent(share(heat.of(spot.own), heat.of(model.total)))} of ${heat.label.toLowerCase()}`);
  };

  if (heatList.length === 0 && !source.disassembled && source.lines.length === 0)
    return <div class="overview"><FindingsOf findings={findings} model={model} go={go} goStep={goStep} id={id} /></div>;

  const nextHot = () => {
    const i = top.findIndex((spot) => spot.file === place?.file && spot.line === place?.line);
    const next = top[(i + 1) % top.length];
    if (next) goSpot(next);
  };

  return (
    <>
      <div class="overview">
        <Hottest model={model} heat={heat} top={top} texts={texts} go={goSpot} />
        <FindingsOf findings={findings} model={model} go={go} goStep={goStep} id={id} />
      </div>
      <section class="viewer" aria-label="Lines of the kernel">
        <div class="tools">
          {heatList.length > 0 && <label>
            <span>Heat</span>
            <select value={heatKey} onChange={(e) => setHeat(e.currentTarget.value)}>
              {heatList.map((h) => <option key={h.key} value={h.key}>{h.label}</option>)}
            </select>
          </label>}
          {mode === 'source' && top.length > 0 && <button type="button" onClick={nextHot}>
            {top[0]!.file === place?.file && top[0]!.line === place?.line ? 'Next hottest line' : 'Hottest line'}
          </button>}
          {mode === 'source' && <label>
            <input type="checkbox" checked={inclusive} onChange={(e) => setInclusive(e.currentTarget.checked)} />
            <span>Count inlined code where it is called</span>
          </label>}
          {source.has_lines && source.files.length > 0 && (
            <div class="modes" role="group" aria-label="What to list">
              <button type="button" aria-pressed={mode === 'source'} onClick={() => setMode('source')}>Source</button>
              <button type="button" aria-pressed={mode === 'sass'} onClick={() => setMode('sass')}>SASS</button>
            </div>
          )}
        </div>
        <p class="hidden" role="status">{said}</p>
        {mode === 'sass'
          ? <SassListing model={model} heat={heat} sass={sass} wide={wide} findings={findings} id={id} at={step} go={go} />
          : place && (
            <Files model={model} heat={heat} inclusive={inclusive} place={place} texts={texts} findings={findings}
              sass={sass} wide={wide} open={open} setOpen={setOpen} go={go} id={id} />
          )}
        <p class="meaning">
          <b>{heat.label}:</b> {heat.meaning} Shares are of the whole kernel
          {inclusive && mode === 'source' ? '; the pale part of a bar is code that was inlined at the line.' : '.'}
        </p>
      </section>
    </>
  );
}

function Hottest({ model, heat, top, texts, go }: {
  model: Model; heat: Heat; top: Spot[]; texts: Map<number, TextState>; go: (spot: Spot) => void;
}) {
  if (top.length === 0) return null;
  return (
    <section class="card" aria-labelledby="hottest">
      <h2 id="hottest">Hottest lines <small>by {heat.label.toLowerCase()}</small></h2>
      <ol class="hotlines">
        {top.map((spot) => {
          const part = share(heat.of(spot.own), heat.of(model.total));
          return (
            <li key={`${spot.file}:${spot.line}`}>
              <span class="share">{percent(part)}</span>
              <button type="button" class="to" title={pathOf(model, spot.file)} onClick={() => go(spot)}>
                {basename(pathOf(model, spot.file))}:{spot.line}
              </button>
              <code>{plain(texts, spot)}</code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function FindingsOf({ findings, model, go, goStep, id }: {
  findings: Finding[]; model: Model; go: (file: number, line: number) => void; goStep: (pc: number) => void; id: string;
}) {
  if (findings.length === 0) return null;
  return (
    <section class="card" aria-labelledby="kernel-findings">
      <h2 id="kernel-findings">Findings of this kernel</h2>
      <ul class="hotlines">
        {findings.map((f) => {
          const hot = f.hot_lines?.[0];
          const file = model.source.files.find((one) => one.path !== null && one.path === hot?.file);
          return (
            <li key={f.id}>
              <span class="share">{f.worth_it && f.saves.s !== null ? seconds(f.saves.s) : none}</span>
              <span>
                <a href={findingLink(id, f.id)} class="sentence">{f.title}</a>
                {!f.worth_it && <small class="beside">below the noise of the run</small>}
              </span>
              {hot && hot.file === null && (
                <button type="button" class="to" onClick={() => goStep(hot.pc)}>{hex(hot.pc)}</button>
              )}
              {hot && file && hot.line !== null && (
                <button type="button" class="to" onClick={() => go(file.index, hot.line!)}>{basename(file.path ?? '')}:{hot.line}</button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
