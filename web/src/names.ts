// How names from a program are shown: they may have any length and any bytes.
import type { Kernel } from './openapi';

// Invisible characters, and bidirectional controls.
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

// Control characters as their pictures or code points.
export function visible(text: string): string {
  return text.replace(unseen, (c) => {
    const code = c.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '␡' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

// At most ${most} characters of a name: its beginning and its end, which distinguish names
// better than the template arguments between.
export function middle(text: string, most = 96): string {
  const all = [...text];
  if (all.length <= most) return text;
  const tail = Math.floor(most / 3);
  return all.slice(0, most - 1 - tail).join('') + '…' + all.slice(all.length - tail).join('');
}

// A command without the directory of its program, as in the terminal.
export function shortCommand(command: string): string {
  const end = command.search(/ |$/);
  return command.startsWith('/') ? command.slice(command.lastIndexOf('/', end - 1) + 1) : command;
}

// A run's title: its label, or else its command.
export function titleOf(run: { label?: string | null; command?: string | null; id: string | null }): string {
  return run.label || shortCommand(run.command || '') || run.id || '';
}

export function nameOf(kernel: Pick<Kernel, 'short_name' | 'name'>): string {
  return visible(kernel.short_name || kernel.name || 'unnamed');
}

export function shortName(kernel: Pick<Kernel, 'short_name' | 'name'>, most?: number): string {
  return middle(nameOf(kernel), most);
}
