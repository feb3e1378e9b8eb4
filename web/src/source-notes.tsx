// Findings under the line, or the instruction, that they are about.
import type { ComponentChildren } from 'preact';
import { percent, seconds } from './format';
import { Badge } from './parts';
import type { Finding, HotLine } from './openapi';

export interface Note {
  f: Finding;
  hot: HotLine | undefined; // its part here
}

export function notes(here: Note[], id: string): ComponentChildren {
  if (here.length === 0) return null;
  return (
    <ul class="here">
      {here.map(({ f, hot }) => {
        // The advice is shown at the line with the largest share.
        const main = f.worth_it && (hot === f.hot_lines?.[0] || (hot?.share_ratio ?? 1) >= 0.2);
        return (
          <li key={f.id} class={main ? `severity-${f.severity}` : ''}>
            <Badge kind={main ? `severity-${f.severity}` : 'plain'}>{!f.worth_it ? 'below the noise' : main ? f.severity : 'also here'}</Badge>
            <span class="what">
              <a href={`#/runs/${encodeURIComponent(id)}/findings/${f.id}`} class="sentence">{f.title}</a>
              {hot?.what && !partOf(hot) && <span>{hot.what}</span>}
              {hot?.share_ratio != null && <span>{percent(hot.share_ratio)} {partOf(hot) ? hot.what : 'of it'}</span>}
              {main && f.saves.s !== null && <span>saves <b>{seconds(f.saves.s)}</b></span>}
              {main && f.advice && <small>{f.advice}</small>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

// "of the waiting" tells what the share refers to.
function partOf(hot: HotLine): boolean {
  return hot.what !== null && hot.what.startsWith('of ');
}
