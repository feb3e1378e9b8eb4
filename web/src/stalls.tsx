// Stall reasons as a bar, with the same in words beside it.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { count, percent } from './format';
import { byGroup } from './source-data';
import type { Samples, SourceStall } from './openapi';

// The stall reasons of the shown kernel.
export const StallKinds = createContext<SourceStall[]>([]);

// Parts in the colours of their groups. ${width}, 0 to 1: share of the available width.
export function StallBar({ samples, width = 1 }: { samples: Samples; width?: number }) {
  const parts = byGroup(useContext(StallKinds), samples);
  const sum = parts.reduce((n, part) => n + part.n, 0);
  if (sum === 0) return null;
  const text = parts.map((part) => `${part.label} ${percent(part.n / sum)}`).join(', ');
  let x = 0;
  return (
    <svg class="stallbar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {parts.map((part) => {
        const w = (part.n / sum) * 100 * Math.min(1, Math.max(width, 0.03));
        const rect = <rect key={part.key} class={`stall-${part.key}`} x={x} y={0} width={w} height={10} />;
        x += w;
        return rect;
      })}
    </svg>
  );
}

export function StallLegend({ samples }: { samples: Samples }) {
  const groups = byGroup(useContext(StallKinds), samples);
  return (
    <ul class="legend stall-legend" aria-label="Colours of stall reasons">
      {groups.map((group) => (
        <li key={group.key}><Swatch kind={group.key} />{group.label}</li>
      ))}
    </ul>
  );
}

function Swatch({ kind }: { kind: string }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={`stall-${kind}`} width={10} height={10} rx={2} />
    </svg>
  );
}

export function StallTable({ samples }: { samples: Samples }) {
  const kinds = useContext(StallKinds);
  const reasons = Object.entries(samples.stalls).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const sum = reasons.reduce((total, [, n]) => total + n, 0);
  if (sum === 0) return <p class="dim">No sample fell here.</p>;
  return (
    <>
      <StallBar samples={samples} />
      <table class="stalls">
        <thead class="hidden">
          <tr><th scope="col">Reason</th><th scope="col">Share</th><th scope="col">Samples</th></tr>
        </thead>
        <tbody>
          {reasons.map(([name, n]) => {
            const kind = kinds.find((one) => one.name === name);
            return (
              <tr key={name}>
                <th scope="row">
                  <Swatch kind={kind?.group ?? 'other'} /><code>{name}</code>
                  <small>{kind?.meaning}</small>
                </th>
                <td class="number">{percent(n / sum)}</td>
                <td class="number dim">{count(n)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
