/** Names as scenarios select them: `h3`, `leaf*`, `h1..h8`, `all`. */

import { show } from '../../settings/errors.js';
import type { Places } from '../../mechanisms/rate-control-slice.js';
import type { HostSelector } from './scenario.js';
import type { Path } from '../../settings/source-tree.js';

/** Whether `name` matches `glob`: `*` is any letters, `?` one. */
export function matchesGlob(glob: string, name: string): boolean {
  const pattern = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('?', '.');
  return new RegExp(`^${pattern.replaceAll(/\*+/g, '.*')}$`).test(name);
}

const RANGE_MAX = 1 << 20;

/** Whether it is a range of names that runs up, such as `h1..h8`. */
function isRange(text: string): boolean {
  const match = /^(.*?)(\d{1,9})\.\.(.*?)(\d{1,9})$/.exec(text);
  if (match === null) return false;
  const [, prefix = '', from, lastPrefix, to] = match;
  const [first, last] = [Number(from), Number(to)];
  return prefix === lastPrefix && first <= last && last - first < RANGE_MAX;
}

/** Whether a selection names a host, or a range with it, rather than a pattern. */
export function isNamed(name: string, selection: HostSelector): boolean {
  return selection.some((item) => {
    if (item === name) return true;
    const [, prefix, first, last] = /^(.*?)(\d{1,9})\.\..*?(\d{1,9})$/.exec(item) ?? [];
    const number = prefix !== undefined && name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (!/^\d+$/.test(number)) return false;
    return Number(number) >= Number(first) && Number(number) <= Number(last);
  });
}

/** Selects every host. */
export const ALL = 'all';

/** A selection as a list, in which `*` means `all`. */
export function hostSelector(
  input: string | readonly string[],
  path: Path,
  places: Pick<Places, 'errorAt'>,
): HostSelector {
  const items = typeof input === 'string' ? [input] : input;
  return items.map((item, index) => {
    if (item.includes('..') && !isRange(item)) {
      const at = typeof input === 'string' ? path : [...path, index];
      throw places.errorAt(at, `not a range: ${show(item)}; write one that runs up, as h1..h8`);
    }
    return item === ALL ? '*' : item;
  });
}
