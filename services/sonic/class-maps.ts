/** From a frame to its class, group and queue: maps by name, which ports refer to. */

import { PRIORITIES } from '../engine/units/ethernet.js';
import type { FileErrors } from './file-errors.js';
import type { Entry, Tables } from './tables.js';
import { nameIn } from './tables.js';

export interface ClassMaps {
  /** By DSCP: traffic class. */
  readonly classOfDscp: readonly number[];
  /** By traffic class. */
  readonly groupOfClass: readonly number[];
  readonly queueOfClass: readonly number[];
  /** By priority of a PFC frame: the queue that it pauses. */
  readonly queueOfPfc: readonly number[];
}

export const MAP_TABLES = [
  'DSCP_TO_TC_MAP',
  'TC_TO_PRIORITY_GROUP_MAP',
  'TC_TO_QUEUE_MAP',
  'MAP_PFC_PRIORITY_TO_QUEUE',
];

const DSCPS = 64;
const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];
/** Of the template (qos_config.j2), where a file has no maps. */
const GROUP_OF_CLASS = [0, 0, 0, 3, 4, 0, 0, 7];
const OWN_CLASS: Readonly<Record<number, number>> = { 3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6 };
const CLASS_OF_DSCP = Array.from({ length: DSCPS }, (_, dscp) => OWN_CLASS[dscp] ?? 1);

/** Reads the maps of ports; maps that several ports share are read once. */
export class ClassMapReader {
  private readonly read = new Map<string, readonly number[]>();

  constructor(
    private readonly tables: Tables,
    private readonly errors: FileErrors,
  ) {}

  /** `qos`: entries of PORT_QOS_MAP, the port's own first, then that of all. */
  of(qos: readonly (Entry | undefined)[]): ClassMaps {
    const mapOf = (field: string, table: string, usual: readonly number[]): readonly number[] => {
      const found = qos.flatMap((entry) => entry?.fields.get(field) ?? [])[0];
      const entries = this.tables.get(table) ?? [];
      // Of files without qualified names the only map is meant.
      const name = found === undefined ? entries[0]?.key : nameIn(found.text);
      if (name === undefined) return usual;
      const known = this.read.get(`${table} ${name}`);
      if (known !== undefined) return known;
      const entry = entries.find(({ key }) => key === name);
      if (entry === undefined && found !== undefined) {
        this.errors.add(found.place, `no map ${JSON.stringify(name)} in ${table}`);
      }
      const map = entry === undefined ? usual : this.numbersOf(entry, usual);
      this.read.set(`${table} ${name}`, map);
      return map;
    };
    return {
      classOfDscp: mapOf('dscp_to_tc_map', 'DSCP_TO_TC_MAP', CLASS_OF_DSCP),
      groupOfClass: mapOf('tc_to_pg_map', 'TC_TO_PRIORITY_GROUP_MAP', GROUP_OF_CLASS),
      queueOfClass: mapOf('tc_to_queue_map', 'TC_TO_QUEUE_MAP', IDENTITY),
      queueOfPfc: mapOf('pfc_to_queue_map', 'MAP_PFC_PRIORITY_TO_QUEUE', IDENTITY),
    };
  }

  /** A map of numbers to numbers below 8; what it leaves out is as usual. */
  private numbersOf({ fields }: Entry, usual: readonly number[]): readonly number[] {
    const map = [...usual];
    for (const [key, { text, place }] of fields) {
      const [from, to] = [key, text].map((one) => (/^\d{1,2}$/.test(one) ? Number(one) : NaN));
      if (!(from! < usual.length)) {
        this.errors.add(place, `${key} is outside 0 to ${usual.length - 1}`);
      } else if (!(to! < PRIORITIES)) {
        this.errors.add(place, `${JSON.stringify(text)} is outside 0 to ${PRIORITIES - 1}`);
      } else map[from!] = to!;
    }
    return map;
  }
}
