import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, listen, type Link } from './api';

export interface Loaded<T> {
  value: T | null;
  error: Error | null;
  loading: boolean;
  reload: () => void;
}

// The resource at ${path} (null: none), fetched again when ${revision} changes; the old
// value stays meanwhile, so that a live run does not flicker.
export function useResource<T>(path: string | null, revision: unknown = null): Loaded<T> {
  const [state, set] = useState<{ path: string | null; value: T | null; error: Error | null }>({
    path: null, value: null, error: null,
  });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);

  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    get<T>(path, abort.signal).then(
      (value) => set({ path, value, error: null }),
      (error: Error) => {
        if (!abort.signal.aborted) set((old) => ({ path, value: old.path === path ? old.value : null, error }));
      },
    );
    return () => abort.abort();
  }, [path, turn, revision]);

  const current = state.path === path;
  return {
    value: current ? state.value : null,
    error: current ? state.error : null,
    loading: !current,
    reload,
  };
}

// Calls ${changed} after events of ${path}, at most twice a second.
export function useEvents(path: string | null, changed: () => void): Link {
  const [link, setLink] = useState<Link>('connecting');
  const latest = useRef(changed);
  latest.current = changed;

  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, 500);
    };
    // A hello may also follow changes without an event: before the first hello, or
    // while the link was down.
    void listen(path, abort.signal, later, setLink);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path]);
  return link;
}

export function useWide(query: string): boolean {
  const [wide, set] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const list = matchMedia(query);
    const changed = () => set(list.matches);
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return wide;
}

export function useRoute(): string[] {
  const read = () => location.hash.replace(/^#\/?/, '').split('/').filter((s) => s !== '').map(decode);
  const [route, set] = useState(read);
  // An ordinary effect runs after the next frame is painted, and would miss changes
  // before that.
  useLayoutEffect(() => {
    const changed = () => set(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
