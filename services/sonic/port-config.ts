/** `port_config.ini`: ports with their lanes, and the names that vendor and minigraph give them. */

import type { FileErrors } from './file-errors.js';
import type { Entry, Field, Tables } from './tables.js';

/** Columns that fields of PORT are called by. */
const FIELDS: readonly string[] = ['lanes', 'alias', 'speed', 'mtu'];

/** Whether a file is one: its first line that is no blank names its columns. */
export function isPortConfig(text: string): boolean {
  return /^\uFEFF?\s*#\s*name\s+lanes\b/.test(text);
}

export function portConfigTables(file: string, text: string, errors: FileErrors): Tables {
  let columns: string[] = [];
  const entries: Entry[] = [];
  text.split('\n').forEach((written, i) => {
    const words = written.trim().split(/\s+/);
    if (columns.length === 0 && words[0]?.startsWith('#') === true) {
      columns = written.replace('#', ' ').trim().split(/\s+/);
      return;
    }
    if (words[0] === '' || words[0]!.startsWith('#')) return;
    const place = { file, line: i + 1, key: `PORT ${words[0]!}` };
    if (words.length > columns.length || words.length < 2) {
      errors.add(place, `${words.length} columns; expected ${columns.join(' ')}`);
      return;
    }
    const fields = new Map<string, Field>();
    words.forEach((word, column) => {
      const name = columns[column]!;
      if (!FIELDS.includes(name)) return;
      fields.set(name, { text: word, place: { ...place, key: `${place.key} ${name}` } });
    });
    entries.push({ key: words[0]!, place, fields });
  });
  return new Map([['PORT', entries]]);
}
