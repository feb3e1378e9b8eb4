// Actions on a run: label, keep, download, delete.
import { useState } from 'preact/hooks';
import { save, send } from './api';
import { Failure } from './parts';
import type { RunDocument } from './openapi';

// The formats of `cudadvise export` that are for people or other pages.
const files: [format: string, suffix: string, name: string][] = [
  ['html', 'html', 'One page to share'], ['capture', 'cadv', 'Capture'], ['json', 'json', 'JSON'], ['markdown', 'md', 'Markdown'], ['csv', 'csv', 'CSV'], ['sarif', 'sarif', 'SARIF'],
];

export function Keeping({ base, run }: { base: string; run: RunDocument }) {
  const [label, setLabel] = useState(run.label ?? '');
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const change = async (value: { label?: string | null; pinned?: boolean }) => {
    try {
      await send('PATCH', base, value); // the run's events update the page
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const take = async (format: string, suffix: string) => {
    try {
      await save(`${base}/export?format=${format}`, `cudadvise-run-${run.number}.${suffix}`);
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const remove = async () => {
    try {
      await send('DELETE', base);
      location.hash = '#/';
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <section aria-labelledby="keeping">
      <h2 id="keeping">This run</h2>
      <form class="choice" onSubmit={(e) => { e.preventDefault(); void change({ label: label.trim() === '' ? null : label.trim() }); }}>
        <label>Label <input value={label} maxLength={200} onInput={(e) => setLabel(e.currentTarget.value)} /></label>
        <button type="submit">Set the label</button>
        <label><input type="checkbox" checked={run.pinned} onChange={(e) => void change({ pinned: e.currentTarget.checked })} /> Keep it: never delete it by itself</label>
        {run.state !== 'live' && (sure ? (
          <span>
            Delete run {run.number} and its capture, for ever?{' '}
            <button type="button" onClick={() => void remove()}>Delete</button> <button type="button" onClick={() => setSure(false)}>Keep</button>
          </span>
        ) : <button type="button" onClick={() => setSure(true)}>Delete this run …</button>)}
      </form>
      {run.state !== 'live' && (
        <p class="choice" role="group" aria-label="Save as a file">
          Save as a file:{files.map(([format, suffix, name]) => <button key={format} type="button" onClick={() => void take(format, suffix)}>{name}</button>)}
        </p>
      )}
      {error && <Failure error={error} />}
    </section>
  );
}
