// The only place that talks to the daemon.
import { answer, Missing, runId, type Bundle } from './offline';
import type { Problem as Answered } from './openapi';

// The daemon's problem document, or one made here if the daemon does not answer.
type Problem = Pick<Answered, 'title' | 'status'> & Partial<Answered>;

const key = 'cudadvise-token';

// The token comes in the URL's fragment, which no server ever sees, and is
// kept for this tab only: a cookie would go to every port of this host.
// True if there was one.
export function takeToken(): boolean {
  if (offline) return false;
  const found = /(?:^#|&)token=([0-9a-fA-F]{64})(?:&|$)/.exec(location.hash);
  if (found === null) return false;
  sessionStorage.setItem(key, found[1]!);
  const page = /(?:^#|&)page=([^&]*)/.exec(location.hash);
  const to = page === null ? '#/' : '#' + decodeURIComponent(page[1]!);
  history.replaceState(null, '', location.pathname + to);
  return true;
}

export function haveToken(): boolean {
  return offline !== null || sessionStorage.getItem(key) !== null;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail ?? problem.title);
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return { title: `The daemon answered ${response.status}`, status: response.status };
  }
}

async function request(path: string, accept: string, signal?: AbortSignal,
  headers: Record<string, string> = {}, more: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...more,
      headers: {
        Authorization: 'Bearer ' + (sessionStorage.getItem(key) ?? ''),
        Accept: accept,
        ...headers,
      },
      credentials: 'omit',
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, {
      title: 'The daemon does not answer',
      detail: 'It has stopped, or the connection was lost. `cudadvise dashboard` starts it again and prints a new address.',
      status: 0,
    });
  }
  if (!response.ok) throw new ApiError(response.status, await problemOf(response));
  return response;
}

// Bidirectional control characters, which names and source of measured programs may
// contain.
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const allTurning = new RegExp(turning.source, 'g');

// Parses the daemon's JSON; bidirectional controls are shown instead of applied.
function parsed(text: string): unknown {
  if (!turning.test(text) && !/\\u(061c|200[ef]|202[a-e]|206[6-9])/i.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => (typeof value !== 'string' ? value
    : value.replace(allTurning, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)));
}

// The run that is embedded in the page's own file; null: there is a daemon.
const inside = document.getElementById('run')?.textContent ?? null;
const bundle = inside === null ? null : parsed(inside) as Bundle;
export const offline = bundle === null ? null : { run: runId(bundle) };

function told(of: Bundle, path: string): unknown {
  try {
    return answer(of, path);
  } catch (error) {
    throw error instanceof Missing ? new ApiError(404, { title: error.message, status: 404 }) : error;
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (bundle) return told(bundle, path) as T;
  const response = await request('/api/v1' + path, 'application/json', signal);
  return parsed(await response.text()) as T;
}

// Saves ${path} as a file of the browser: a link could not send the token.
export async function save(path: string, name: string): Promise<void> {
  const response = await request('/api/v1' + path, '*/*');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000); // it may still be read
}

// Changes the resource at ${path}; ${value} is the body, if there is one.
export async function send(method: 'PATCH' | 'DELETE', path: string, value?: unknown): Promise<void> {
  await request('/api/v1' + path, 'application/json', undefined, value === undefined ? {} : { 'Content-Type': 'application/json' },
    { method, ...(value === undefined ? {} : { body: JSON.stringify(value) }) });
}

// refused: the daemon is not the one that gave this tab its key.
export type Link = 'connecting' | 'live' | 'lost' | 'refused';

// Server-sent events read with fetch(), because EventSource cannot send the
// token. Calls back for every event; reconnects until the signal aborts.
export async function listen(
  path: string,
  signal: AbortSignal,
  onEvent: (kind: string, data: unknown) => void,
  onLink: (state: Link) => void,
): Promise<void> {
  let last = '';
  let wait = 500;
  while (!signal.aborted) {
    onLink('connecting');
    try {
      const response = await request('/api/v1' + path, 'text/event-stream', signal,
        last === '' ? {} : { 'Last-Event-ID': last });
      onLink('live');
      wait = 500;
      for await (const event of events(response)) {
        if (event.id !== '') last = event.id;
        onEvent(event.kind, event.data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && (error.status === 401 || error.status === 404)) {
        onLink(error.status === 401 ? 'refused' : 'lost');
        return;
      }
    }
    if (signal.aborted) return;
    onLink('lost');
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, 10000);
  }
}

interface ServerEvent {
  id: string;
  kind: string;
  data: unknown;
}

async function* events(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    if (text.length > 1 << 20) return; // none of the daemon's events is that long
    let end: number;
    while ((end = text.indexOf('\n\n')) >= 0) {
      const event = parse(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

function parse(block: string): ServerEvent | null {
  const event: ServerEvent = { id: '', kind: '', data: null };
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ');
    const [name, value] = [line.slice(0, at), line.slice(at + 2)];
    if (name === 'id') event.id = value;
    else if (name === 'event') event.kind = value;
    else if (name === 'data') {
      try {
        event.data = JSON.parse(value);
      } catch {
        return null;
      }
    }
  }
  return event.kind === '' ? null : event;
}
