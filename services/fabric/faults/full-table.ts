import { MECHANISMS } from '../../mechanisms/registry.js';
import { listed } from '../../settings/errors.js';
import { choice, integer } from '../../settings/parts.js';
import { faultKind } from './fault-kind.js';

const LEARNED = 'mac';
const TABLES = MECHANISMS.filter(({ table }) => table !== undefined);

export const fullTable = faultKind({
  name: 'full-table',
  effect: 'a table of a switch has only so many entries: it floods, replaces or omits',
  must: {
    table: choice([LEARNED, ...TABLES.map(({ name }) => name)]).describe(
      `${listed([
        `Learned addresses (${LEARNED})`,
        ...TABLES.map(({ name, table }) => `${table} (${name})`),
      ])}.`,
    ),
    entries: integer(1, 1_000_000).describe(
      'So many entries are left: others have filled the table.',
    ),
  },
  may: {},
  hits: 'switch',
  needs: 'that table',
  place({ device, ports }, { table, entries }) {
    if (device.kind !== 'switch') return false;
    const isLearned = table === LEARNED;
    const has = isLearned
      ? device.forwarding.kind !== 'routed'
      : device.slices[table] !== undefined;
    if (has) ports[0]!.put({ kind: 'table', table, entries });
    return has;
  },
  look: 'device',
});
