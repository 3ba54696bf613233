/** From a frame to its class, group and queue, and from PFC to these: maps that ports refer to. */

import { PRIORITIES, PRIORITY_NUMBERS } from '../engine/units/ethernet.js';
import type { FileErrors, FilePlace } from './file-errors.js';
import type { Entry, Tables } from './tables.js';
import { nameIn } from './tables.js';

export interface ClassMaps {
  /** By DSCP: traffic class; null: the port goes by PCP alone. */
  readonly classOfDscp: readonly number[] | null;
  /** By PCP: traffic class; null: the port does not go by it. */
  readonly classOfPcp: readonly number[] | null;
  /** By traffic class. */
  readonly groupOfClass: readonly number[];
  readonly queueOfClass: readonly number[];
  /** By priority of a PFC frame: the queue that it pauses, and the group that sends it. */
  readonly queueOfPfc: readonly number[];
  readonly groupOfPfc: readonly number[];
  /** Where they are named. */
  readonly mapsPlace: FilePlace | null;
}

export const MAP_TABLES = [
  'DSCP_TO_TC_MAP',
  'DOT1P_TO_TC_MAP',
  'TC_TO_PRIORITY_GROUP_MAP',
  'TC_TO_QUEUE_MAP',
  'MAP_PFC_PRIORITY_TO_QUEUE',
  'PFC_PRIORITY_TO_PRIORITY_GROUP_MAP',
];

const DSCPS = 64;
const IDENTITY = PRIORITY_NUMBERS;
/** Of the template (qos_config.j2), where a file has no maps. */
const GROUP_OF_CLASS = [0, 0, 0, 3, 4, 0, 0, 7];
const OWN_CLASS: Readonly<Record<number, number>> = { 3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6 };
const CLASS_OF_DSCP = Array.from({ length: DSCPS }, (_, dscp) => OWN_CLASS[dscp] ?? 1);

interface Usual {
  readonly table: string;
  readonly map: readonly number[];
}

/** Reads the maps of ports; maps that several ports share are read once. */
export class ClassMapReader {
  private readonly read = new Map<string, readonly number[]>();

  constructor(
    private readonly tables: Tables,
    private readonly errors: FileErrors,
    /** Of what a file leaves open. */
    private readonly assumed: string[],
  ) {}

  /** `qos`: entries of PORT_QOS_MAP, the port's own first, then that of all. */
  of(qos: readonly (Entry | undefined)[]): ClassMaps {
    const byDscp = { table: 'DSCP_TO_TC_MAP', map: CLASS_OF_DSCP };
    const byPcp = { table: 'DOT1P_TO_TC_MAP', map: IDENTITY };
    const isNamed = (field: string): boolean => qos.some((entry) => entry?.fields.has(field));
    const goesByPcp = isNamed('dot1p_to_tc_map');
    const isPlain = goesByPcp && !isNamed('dscp_to_tc_map');
    return {
      classOfDscp: isPlain ? null : this.map(qos, 'dscp_to_tc_map', byDscp),
      classOfPcp: goesByPcp ? this.map(qos, 'dot1p_to_tc_map', byPcp) : null,
      groupOfClass: this.map(qos, 'tc_to_pg_map', {
        ...{ table: 'TC_TO_PRIORITY_GROUP_MAP', map: GROUP_OF_CLASS },
      }),
      queueOfClass: this.map(qos, 'tc_to_queue_map', { table: 'TC_TO_QUEUE_MAP', map: IDENTITY }),
      queueOfPfc: this.map(qos, 'pfc_to_queue_map', {
        ...{ table: 'MAP_PFC_PRIORITY_TO_QUEUE', map: IDENTITY },
      }),
      groupOfPfc: this.map(qos, 'pfc_to_pg_map', {
        ...{ table: 'PFC_PRIORITY_TO_PRIORITY_GROUP_MAP', map: IDENTITY },
      }),
      mapsPlace: qos.find((entry) => entry !== undefined)?.place ?? null,
    };
  }

  private map(qos: readonly (Entry | undefined)[], field: string, usual: Usual): readonly number[] {
    const { table } = usual;
    const found = qos.flatMap((entry) => entry?.fields.get(field) ?? [])[0];
    const entries = this.tables.get(table) ?? [];
    // Of files without qualified names the only map is meant.
    const name = found === undefined ? entries[0]?.key : nameIn(found.text);
    const known = this.read.get(`${table} ${name ?? ''}`);
    if (known !== undefined) return known;
    const entry = entries.find(({ key }) => key === name);
    if (entry === undefined && found !== undefined) {
      this.errors.add(found.place, `no map ${JSON.stringify(name)} in ${table}`);
    }
    if (entry === undefined) this.assumed.push(`has no ${table}: as the template of SONiC`);
    const map = entry === undefined ? usual.map : this.numbersOf(entry, usual);
    this.read.set(`${table} ${name ?? ''}`, map);
    return map;
  }

  /** A map of numbers to numbers below 8; what it leaves out is as usual. */
  private numbersOf({ key: name, fields }: Entry, usual: Usual): readonly number[] {
    const map = [...usual.map];
    for (const [key, { text, place }] of fields) {
      const [from, to] = [key, text].map((one) => (/^\d{1,2}$/.test(one) ? Number(one) : NaN));
      if (!(from! < map.length)) {
        this.errors.add(place, `${key} is outside 0 to ${map.length - 1}`);
      } else if (!(to! < PRIORITIES)) {
        this.errors.add(place, `${JSON.stringify(text)} is outside 0 to ${PRIORITIES - 1}`);
      } else map[from!] = to!;
    }
    const left = map.length - fields.size;
    if (left > 0) {
      this.assumed.push(
        `${usual.table} ${name} leaves out ${left} of ${map.length}: as the template of SONiC`,
      );
    }
    return map;
  }
}
