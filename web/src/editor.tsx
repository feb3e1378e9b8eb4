// Links that open a source line in the reader's own editor.
import { useState } from 'preact/hooks';
import { basename } from './format';

const key = 'cudadvise-editor';
const usual = 'vscode://file{path}:{line}';

// Stored in this browser, because it depends on this computer; "": no links.
function template(): string {
  return localStorage.getItem(key) ?? usual;
}

// A path from the program must not become another address: all characters but those of
// paths are encoded.
function editorLink(file: string, line: number, of: string): string | null {
  if (!file.startsWith('/') || !/^[a-z][a-z0-9+.-]*:/.test(of) || /^(javascript|data|vbscript|blob):/.test(of)) return null;
  const path = file.split('/').map(encodeURIComponent).join('/');
  return of.replace('{path}', () => path).replace('{line}', String(line));
}

export function Editor({ file, line }: { file: string | null; line: number | null }) {
  const href = file === null ? null : editorLink(file, line ?? 1, template());
  if (href === null) return null;
  return <a class="editor" href={href} aria-label={`Open ${basename(file!)}${line === null ? '' : ` line ${line}`} in the editor`}>open</a>;
}

export function EditorChoice() {
  const [value, set] = useState(template);
  const [said, say] = useState('');
  const save = (e: Event) => {
    e.preventDefault();
    if (value === usual) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    say(value === '' ? 'No links to an editor' : editorLink('/a', 1, value) === null ? 'This is no address of an editor' : 'Kept in this browser');
  };
  return (
    <form class="choice" onSubmit={save}>
      <label>Open lines with <input value={value} size={32} spellcheck={false} onInput={(e) => set(e.currentTarget.value)} /></label>
      <button type="submit">Keep</button>
      <small>{'{path} and {line} are filled in; empty for no links. '}<span role="status">{said}</span></small>
    </form>
  );
}
