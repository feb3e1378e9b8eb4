// Where a framework's program spends its kernels' time: by operator and by the user's line.
import { ApiError } from './api';
import { basename, count, counted, percent, seconds } from './format';
import { Editor } from './editor';
import { useResource } from './hooks';
import { middle, visible } from './names';
import { Failure, Scroll } from './parts';
import type { Operator, Operators } from './openapi';

const shown = 8; // as many as are read at a glance
const least = 0.02; // of the kernels' time: less saves under 2 %

// Nothing for a program without a framework, nor for a run that an older version analysed.
export function OperatorsSection({ base, revision }: { base: string; revision: string }) {
  const operators = useResource<Operators>(`${base}/operators`, revision);
  if (operators.error && !operators.value)
    return operators.error instanceof ApiError && operators.error.status === 404 ? null : <Failure error={operators.error} retry={operators.reload} />;
  if (!operators.value?.framework || operators.value.kernel_s <= 0) return null;
  const { items, count: all, kernel_s, rest_s } = operators.value;
  const first = items.filter((o, i) => i < shown && o.share_ratio >= least);
  const rest = items.slice(first.length);
  return (
    <section aria-labelledby="operators">
      <h2 id="operators">By operator <small class="beside">{seconds(kernel_s)} of kernels</small></h2>
      {first.length > 0 && <Table items={first} />}
      {rest.length > 0 && (
        <details class="fold">
          <summary>{counted(all - first.length, first.length > 0 ? 'more operator' : 'operator')}</summary>
          <Table items={rest} />
          {rest_s > 0 && <p class="under">{counted(all - items.length, 'operator')} that {all - items.length === 1 ? 'is' : 'are'} not listed: {seconds(rest_s)}.</p>}
        </details>
      )}
    </section>
  );
}

function Table({ items }: { items: Operator[] }) {
  return (
    <Scroll label="Operators">
      <table class="operators stacked">
        <thead>
          <tr>
            <th scope="col">Operator</th>
            <th scope="col">Called from</th>
            <th scope="col">Kernels of</th>
            <th scope="col" class="number">Time</th>
            <th scope="col" class="number">Share of kernels</th>
            <th scope="col" class="number">Launches</th>
          </tr>
        </thead>
        <tbody>
          {items.map((o, i) => (
            <tr key={i}>
              <th scope="row" class="program"><span class="name" title={o.name}>{middle(visible(o.name), 80)}</span></th>
              <td data-label="Called from"><Place operator={o} /></td>
              <td data-label="Kernels of">{o.library ?? 'the program'}{o.operation && o.operation !== o.name && <small>{o.operation}</small>}</td>
              <td class="number nowrap" data-label="Time">{seconds(o.s)}</td>
              <td class="number" data-label="Share of kernels">
                {percent(o.share_ratio)}
                <svg class="saving" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="room" width={100} height={10} />
                  <rect class="sure" width={100 * Math.min(1, o.share_ratio)} height={10} />
                </svg>
              </td>
              <td class="number" data-label="Launches">{count(o.launches)}<small>{counted(o.kernels, 'launch shape')}</small></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Place({ operator: { file, line, function: name, backward } }: { operator: Operator }) {
  if (backward) return <>backward pass</>;
  if (file === null) return <span class="dim">line not known</span>;
  return (
    <>
      <span class="name" title={visible(file)}>{visible(basename(file))}{line !== null && `:${line}`}</span>
      {name && <small>in {visible(name)}</small>}
      <Editor file={file} line={line} />
    </>
  );
}
