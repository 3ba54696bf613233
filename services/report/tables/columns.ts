/** Types of the columns of tables, by name: the same in every run, whatever it measured. */

import { MECHANISMS } from '../../mechanisms/registry.js';

const TEXT = new Set([
  ...['name', 'load', 'source', 'destination', 'transport', 'port', 'peer', 'device', 'kind'],
  ...['mechanism', 'id', 'parent', 'reason', 'event', 'control', 'role', 'region', 'reaction'],
  ...['telling', 'silent', 'unreachable_at'],
]);

/** Everything else is a whole number. */
const FRACTION = /^(slowdown|.*_mean_ps|.*_bps)$/;

/** What they compute is exact, and so seldom whole. */
const COMPUTED = new Set(['margins', 'credits']);
/** There a flow has its name, and in other tables its number. */
const FLOWS_BY_NAME = new Set([
  'rate-series',
  ...MECHANISMS.flatMap(({ results }) => results.tablesByFlowName ?? []),
]);

/** As DuckDB calls it. */
export function columnType(table: string, column: string): string {
  if (TEXT.has(column) || (column === 'flow' && FLOWS_BY_NAME.has(table))) return 'VARCHAR';
  if (FRACTION.test(column)) return 'DOUBLE';
  return COMPUTED.has(table) && /_(octets|units)$/.test(column) ? 'DOUBLE' : 'BIGINT';
}
