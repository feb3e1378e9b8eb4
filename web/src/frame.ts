// A frame of the host's call stack, in words.
import type { Frame } from './openapi';

export function frameText(frame: Frame): string {
  const name = frame.function === null ? 'unknown function' : frame.nearest ? `near ${frame.function}` : frame.function;
  return frame.python ? name : `${name}${frame.module && frame.file === null ? `, ${frame.module}` : ''}`;
}

export function placeOf(frame: Frame): string | null {
  return frame.file === null ? null : `${frame.file}${frame.line === null ? '' : `:${frame.line}`}`;
}
