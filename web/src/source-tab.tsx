// Where to read code: the kernels with the most time, and the files that came with the run.
import { EditorChoice } from './editor';
import { nanoseconds, percent } from './format';
import { useResource } from './hooks';
import { sourceLink } from './links';
import { shortName, visible } from './names';
import { Failure, Loading } from './parts';
import type { KernelList, SourceFileList } from './openapi';
import type { OfRun } from './of-run';

const most = 50;
const files = 200;

export function SourceTab({ id, base, run, revision }: OfRun) {
  const kernels = useResource<KernelList>(`${base}/kernels?limit=${most}`, revision);
  const list = useResource<SourceFileList>(`${base}/source-files`, revision);
  if (kernels.error && !kernels.value) return <Failure error={kernels.error} retry={kernels.reload} />;
  if (!kernels.value) return <Loading what="kernels" />;
  const items = list.value?.items ?? [];
  return (
    <>
      <section aria-labelledby="codes">
        <h2 id="codes">Source of kernels</h2>
        {run.state === 'live' && <p class="notice">Lines are there when the run has ended.</p>}
        {kernels.value.items.length === 0 ? <p class="notice">No kernel was launched.</p> : (
          <ul class="catalogue sources">
            {kernels.value.items.map((k) => (
              <li key={k.id}>
                <a class="name" href={sourceLink(id, k.id)} title={k.name ?? ''}>{shortName(k)}</a>
                <span>{nanoseconds(k.time.total_ns)}, {percent(k.share_ratio)} of the run</span>
              </li>
            ))}
          </ul>
        )}
        {kernels.value.next_cursor !== null && <p class="under">The {most} with the most time; the others by way of the kernels' list.</p>}
      </section>
      <section aria-labelledby="files">
        <h2 id="files">Files as they were during the run</h2>
        {list.error && !list.value && <Failure error={list.error} retry={list.reload} />}
        {list.value && items.length === 0 && <p class="notice">None came with the run: build with <code>-lineinfo</code> and record at the default level.</p>}
        <ul class="reasons">
          {items.slice(0, files).map((f) => <li key={f.index}><code>{visible(f.path ?? '?')}</code>{!f.captured && <small>{f.missing ?? 'not captured'}</small>}</li>)}
        </ul>
        {items.length > files && <p>{items.length - files} more.</p>}
      </section>
      <section aria-labelledby="editor">
        <h2 id="editor">Your editor</h2>
        <EditorChoice />
      </section>
    </>
  );
}
