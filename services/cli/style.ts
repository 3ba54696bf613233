import type { Style } from '../report/style.js';

/** Colours on a terminal, unless NO_COLOR is set (no-color.org). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const colours = stream.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  const paint = (code: number) => (text: string) =>
    colours ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { good: paint(32), bad: paint(31), strong: paint(1) };
}
