import { parseCsv } from '../../services/report/csv.js';
import { runJson } from '../../services/report/run-json.js';
import type { Target } from './fuzzer.js';

const text = new TextDecoder();
const octetsOf = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Files of a run directory, which may have been changed. */
export const RUN_TARGETS: readonly Target[] = [
  {
    name: 'run-json',
    seeds: [
      octetsOf('{"scenario":"a","set":["seed=1"],"list":[[[{"x":1e308}]]]}'),
      octetsOf('{"scenario":1,"set":{}}'),
    ],
    every: 4,
    take: (octets: Uint8Array): string => {
      try {
        runJson('origin.json', text.decode(octets), { scenario: 'string', set: 'list' });
        return 'taken';
      } catch (error) {
        if ((error as Error).constructor.name === 'RunDirectoryError') return 'refused';
        throw error;
      }
    },
  },
  {
    name: 'run-csv',
    seeds: [octetsOf('a,b\n1,"x ""y"", z"\n'), octetsOf('name\n\n,,\n')],
    every: 4,
    take: (octets: Uint8Array): string => {
      const content = text.decode(octets);
      const rows = parseCsv(content);
      const fields = rows.reduce((sum, row) => sum + row.length, 0);
      if (fields > content.length + 1) throw new Error(`${fields} fields of ${content.length}`);
      return rows.length > 1 ? 'several lines' : 'one line or none';
    },
  },
];
