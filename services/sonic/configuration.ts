/**
 * The buffer and priorities of a switch as SONiC's tables have them: read, completed from the
 * profile table as buffermgr does, and checked. Sizes are octets.
 */

import { type ClassMaps, ClassMapReader, MAP_TABLES } from './class-maps.js';
import type { FileErrors, FilePlace } from './file-errors.js';
import type { PgProfile, PgProfiles } from '../fabric/buffers/pg-profiles.js';
import type { Entry, Tables } from './tables.js';
import { FieldReader, portsIn, textOf } from './fields.js';
import { nameIn, numbersIn } from './tables.js';
import { type SonicWatchdogs, WatchdogReader } from './watchdogs.js';
import { type WredQueue, WredReader } from './wred.js';

export interface SonicPort extends ClassMaps {
  readonly name: string;
  /** What its vendor, and its neighbors, may call it. */
  readonly alias: string | null;
  readonly place: FilePlace;
  readonly speedMbps: number;
  readonly lanes: number;
  readonly mtu: number;
  readonly isUp: boolean;
  /** As written, such as `300m`; null: the table has none. */
  readonly cable: string | null;
  /** What the port is joined to; null: nothing that the file knows of. */
  readonly neighbor: {
    readonly name: string;
    readonly port: string;
    /** Its type; null: the file does not say. */
    readonly role: string | null;
    readonly place: FilePlace;
  } | null;
  readonly pfc: readonly number[];
  readonly watched: readonly number[];
  /** By group. */
  readonly groups: ReadonlyMap<number, SonicProfile>;
  readonly queues: ReadonlyMap<number, SonicProfile>;
}

interface SonicPool {
  readonly name: string;
  readonly place: FilePlace;
  readonly type: 'ingress' | 'egress' | 'both';
  readonly size: number;
  readonly xoff: number;
  /** Whether a profile of the table has its threshold in octets. */
  readonly isStatic: boolean;
}

export interface SonicProfile {
  readonly name: string;
  readonly place: FilePlace;
  readonly pool: string;
  readonly size: number;
  readonly xoff: number;
  readonly xon: number;
  readonly xonOffset: number;
  readonly dynamicTh: number | null;
  readonly staticTh: number | null;
}

export interface SonicSwitch extends SonicWatchdogs {
  readonly file: string;
  readonly name: string;
  readonly hwsku: string;
  readonly ports: readonly SonicPort[];
  readonly pools: readonly SonicPool[];
  readonly profiles: readonly SonicProfile[];
  /** Queues with WRED. */
  readonly wreds: readonly WredQueue[];
  /** What its files leave open. */
  readonly assumed: readonly string[];
  /** Tables that nothing here reads. */
  readonly ignored: readonly string[];
}

const READ = [
  'DEVICE_METADATA',
  'PORT',
  'CABLE_LENGTH',
  'BUFFER_POOL',
  'BUFFER_PROFILE',
  'BUFFER_PG',
  'BUFFER_QUEUE',
  'PORT_QOS_MAP',
  'DEVICE_NEIGHBOR',
  'DEVICE_NEIGHBOR_METADATA',
  'PFC_WD',
  'WRED_PROFILE',
  'QUEUE',
  ...MAP_TABLES,
];
const USUAL_MTU = 9100;
const CABLE = /^\d+(?:\.\d+)?m$/;
const LOSSLESS_POOL = 'ingress_lossless_pool';
/** Cables of templates (buffers_config.j2), by what is at their ends. */
const ROLES: Readonly<Record<string, string>> = {
  Server: 'server',
  ToRRouter: 'tor',
  LeafRouter: 'leaf',
  SpineRouter: 'spine',
};
const CABLES: Readonly<Record<string, string>> = {
  'server tor': '5m',
  'leaf tor': '40m',
  'leaf spine': '300m',
};
export function configurationOf(
  file: string,
  tables: Tables,
  given: { readonly profiles: PgProfiles | null; readonly errors: FileErrors },
): SonicSwitch {
  return new Configuration(file, tables, given.profiles, given.errors).read();
}

class Configuration {
  private readonly pools = new Map<string, SonicPool>();
  private readonly profiles = new Map<string, SonicProfile>();
  /** Pools and profiles that are wrong: what refers to them is not. */
  private readonly broken = new Set<string>();
  /** Of ports that share speed and cable. */
  private readonly looked = new Map<string, SonicProfile | null>();
  private readonly assumed: string[] = [];
  private readonly reader: FieldReader;
  private role: string | undefined;

  constructor(
    private readonly file: string,
    private readonly tables: Tables,
    private readonly table: PgProfiles | null,
    private readonly errors: FileErrors,
  ) {
    this.reader = new FieldReader(tables, errors);
  }

  read(): SonicSwitch {
    const metadata = this.reader.entries('DEVICE_METADATA').find(({ key }) => key === 'localhost');
    this.role = textOf(metadata, 'type');
    for (const entry of this.reader.entries('BUFFER_POOL')) this.readPool(entry);
    for (const entry of this.reader.entries('BUFFER_PROFILE')) this.readProfile(entry);
    const ports = this.ports();
    const names = new Set(ports.map(({ name }) => name));
    if (ports.length === 0) {
      this.errors.add({ file: this.file, line: 1, key: '' }, 'no ports: no file has a table PORT');
    }
    for (const table of ['BUFFER_PG', 'BUFFER_QUEUE', 'PORT_QOS_MAP', 'PFC_WD', 'QUEUE']) {
      for (const { key, place } of this.reader.entries(table)) {
        const stray = portsIn(key).find(
          (port) => !names.has(port) && !/^(GLOBAL|global)$/.test(port),
        );
        if (stray !== undefined) this.errors.add(place, `no port ${stray} in PORT`);
      }
    }
    this.checkPools(ports);
    return {
      file: this.file,
      name: textOf(metadata, 'hostname') ?? 'switch',
      hwsku: textOf(metadata, 'hwsku') ?? '',
      ports,
      pools: [...this.pools.values()],
      profiles: [...this.profiles.values()],
      ...new WatchdogReader(this.reader, this.errors).read(),
      wreds: new WredReader(this.reader, this.errors).read(),
      assumed: this.assumed,
      ignored: [...this.tables.keys()].filter((name) => !READ.includes(name)),
    };
  }

  private readPool(entry: Entry): void {
    const type = textOf(entry, 'type') ?? '';
    if (!['ingress', 'egress', 'both'].includes(type)) {
      this.errors.add(entry.place, `type is ${JSON.stringify(type)}; ingress, egress or both`);
      this.broken.add(entry.key);
      return;
    }
    const size = this.reader.number(entry, 'size', null);
    if (size === null) {
      this.broken.add(entry.key);
      if (entry.fields.has('size')) return;
      const message = 'no size: in the dynamic model it is computed on the switch; export it there';
      this.errors.add(entry.place, message);
      return;
    }
    this.pools.set(entry.key, {
      name: entry.key,
      place: entry.place,
      type: type as SonicPool['type'],
      size,
      xoff: this.reader.number(entry, 'xoff', 0),
      isStatic: textOf(entry, 'mode') === 'static',
    });
  }

  private readProfile(entry: Entry): void {
    const pool = nameIn(textOf(entry, 'pool') ?? '');
    if (!this.pools.has(pool)) {
      this.broken.add(entry.key);
      if (this.broken.has(pool)) return;
      const known = [...this.pools.keys()].join(', ') || 'none';
      this.errors.add(entry.place, `no pool ${JSON.stringify(pool)} in BUFFER_POOL: ${known}`);
      return;
    }
    const dynamicTh = this.reader.signed(entry, 'dynamic_th', null);
    if (dynamicTh !== null && (dynamicTh < -8 || dynamicTh > 7)) {
      const { place } = entry.fields.get('dynamic_th')!;
      this.errors.add(place, `${dynamicTh} is outside -8 to 7: alpha is 2 to this power`);
      this.broken.add(entry.key);
      return;
    }
    const limit = this.reader.number(entry, 'static_th', null);
    const profile = {
      name: entry.key,
      place: entry.place,
      pool,
      size: this.reader.number(entry, 'size', 0),
      xoff: this.reader.number(entry, 'xoff', 0),
      xon: this.reader.number(entry, 'xon', 0),
      xonOffset: this.reader.number(entry, 'xon_offset', 0),
      dynamicTh,
      // SAI: a static limit of 0 is none.
      staticTh: limit === 0 ? null : limit,
    };
    this.checkThresholds(profile, (field) => entry.fields.get(field)?.place ?? entry.place);
    this.profiles.set(entry.key, profile);
  }

  /** `placeOf`: where a field of it stands. */
  private checkThresholds(profile: SonicProfile, placeOf: (field: string) => FilePlace): void {
    const { pool: name, xonOffset, dynamicTh, staticTh, size } = profile;
    const pool = this.pools.get(name)!;
    if (dynamicTh !== null && pool.isStatic) {
      this.errors.add(placeOf('dynamic_th'), `${name} is static: its profiles have static_th`);
    }
    if (staticTh !== null && dynamicTh !== null) {
      this.errors.add(placeOf('static_th'), 'beside dynamic_th: a profile has one of them');
    }
    const share = dynamicTh === null ? Infinity : 2 ** dynamicTh / (1 + 2 ** dynamicTh);
    const most = Math.floor(Math.min(staticTh ?? Infinity, size + share * pool.size));
    if (xonOffset > most) {
      const message = `${xonOffset} is above the limit of ${most}: XON would never be sent`;
      this.errors.add(placeOf('xon_offset'), message);
    }
  }

  private ports(): SonicPort[] {
    const cables = this.reader.entries('CABLE_LENGTH').flatMap(({ fields }) => [...fields]);
    for (const [, { text: cable, place }] of cables) {
      if (CABLE.test(cable)) continue;
      this.errors.add(place, `${JSON.stringify(cable)} is not a length such as 300m`);
    }
    const cableOf = new Map(cables.map(([port, { text: cable }]) => [port, cable]));
    const qos = this.reader.entries('PORT_QOS_MAP');
    const groups = this.assigned('BUFFER_PG');
    const queues = this.assigned('BUFFER_QUEUE');
    const ofAll = qos.find(({ key }) => key === 'global');
    const reader = new ClassMapReader(this.tables, this.errors, this.assumed);
    const neighbors = new Map(
      this.reader.entries('DEVICE_NEIGHBOR').map((entry) => [entry.key, entry]),
    );
    const ports = this.reader.entries('PORT').map((entry): SonicPort => {
      const { key: name, place } = entry;
      const maps = qos.find(({ key }) => portsIn(key).includes(name));
      const neighbor = neighbors.get(name);
      const port = {
        name,
        alias: textOf(entry, 'alias') ?? null,
        place,
        speedMbps: this.reader.number(entry, 'speed', 0),
        lanes: (textOf(entry, 'lanes') ?? '0').split(',').length,
        mtu: this.reader.number(entry, 'mtu', USUAL_MTU),
        isUp: textOf(entry, 'admin_status') !== 'down',
        cable: cableOf.get(name) ?? this.usualCable(name, neighbor),
        neighbor:
          neighbor === undefined
            ? null
            : {
                name: textOf(neighbor, 'name') ?? '',
                port: textOf(neighbor, 'port') ?? '',
                role: this.roleOf(textOf(neighbor, 'name')),
                place: neighbor.place,
              },
        pfc: this.priorities(maps, 'pfc_enable'),
        watched: this.priorities(maps, 'pfcwd_sw_enable'),
        ...reader.of([maps, ofAll]),
        groups: new Map<number, SonicProfile>(),
        queues: queues.get(name) ?? new Map<number, SonicProfile>(),
      };
      if (port.speedMbps <= 0) this.errors.add(place, 'no speed: write it in Mb/s, as 100000');
      return { ...port, groups: this.completed(port, groups.get(name) ?? new Map()) };
    });
    return ports.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  }

  private roleOf(name: string | undefined): string | null {
    const entries = this.reader.entries('DEVICE_NEIGHBOR_METADATA');
    return (
      textOf(
        entries.find(({ key }) => key === name),
        'type',
      ) ?? null
    );
  }

  /** By the roles of both ends, as the templates of buffers have it; null: they do not say. */
  private usualCable(port: string, neighbor: Entry | undefined): string | null {
    const far = this.roleOf(textOf(neighbor, 'name'));
    const roles = [this.role, far].map((type) => ROLES[type ?? ''] ?? '');
    const cable = CABLES[roles.sort().join(' ')] ?? null;
    if (cable !== null) this.assumed.push(`${port}: a cable of ${cable}, by the roles of its ends`);
    return cable;
  }

  private priorities(entry: Entry | undefined, field: string): number[] {
    const found = entry?.fields.get(field);
    if (found === undefined || found.text === '') return [];
    const numbers = numbersIn(found.text);
    if (numbers !== null) return numbers;
    this.errors.add(found.place, `${JSON.stringify(found.text)} is no list of priorities, as 3,4`);
    return [];
  }

  /** By port: profiles by group or queue. */
  private assigned(table: string): Map<string, Map<number, SonicProfile>> {
    const ports = new Map<string, Map<number, SonicProfile>>();
    for (const entry of this.reader.entries(table)) {
      const numbers = numbersIn(entry.key.slice(entry.key.lastIndexOf('|') + 1));
      if (numbers === null) {
        this.errors.add(entry.place, 'its key ends in no group or queue, such as |3-4');
        continue;
      }
      const name = nameIn(textOf(entry, 'profile') ?? '');
      // Of the dynamic model: to be looked up, as if the entry were not there.
      if (name === 'NULL') continue;
      const profile = this.profiles.get(name);
      if (profile === undefined && this.broken.has(name)) continue;
      if (profile === undefined) {
        this.errors.add(entry.place, `no profile ${JSON.stringify(name)} in BUFFER_PROFILE`);
        continue;
      }
      for (const port of portsIn(entry.key)) {
        const own = ports.get(port) ?? new Map<number, SonicProfile>();
        ports.set(port, own);
        for (const number of numbers) own.set(number, profile);
      }
    }
    return ports;
  }

  /** A lossless group without an entry has the profile of its port's speed and cable. */
  private completed(
    port: Omit<SonicPort, 'groups'>,
    given: ReadonlyMap<number, SonicProfile>,
  ): ReadonlyMap<number, SonicProfile> {
    const groups = new Map(given);
    const missing = port.pfc.filter((group) => !groups.has(group));
    if (missing.length === 0 || !port.isUp || port.cable === '0m') return groups;
    const profile = this.lookUp(port);
    if (profile === null) return groups;
    for (const group of missing) groups.set(group, profile);
    return groups;
  }

  private lookUp({
    name,
    place,
    speedMbps,
    cable,
  }: Omit<SonicPort, 'groups'>): SonicProfile | null {
    const key = `${speedMbps} ${cable ?? ''}`;
    const known = this.looked.get(key);
    if (known !== undefined && known !== null) return known;
    const found = cable === null ? undefined : this.table?.get(speedMbps, cable);
    const why =
      this.table === null
        ? 'no BUFFER_PG entry, and no profile table to look one up: give --pg-profiles FILE'
        : cable === null
          ? 'no length in CABLE_LENGTH, and no BUFFER_PG entry'
          : `no line for ${speedMbps} ${cable} in ${this.table.file}`;
    // Without a table no port has a profile: one error says so.
    if (found === undefined && (this.table !== null || this.looked.size === 0)) {
      const message = `${why}; the lossless groups of ${name} would have no headroom`;
      this.errors.add(place, message);
    }
    const profile = found === undefined ? null : this.profileOf(found, place);
    this.looked.set(key, profile);
    return profile;
  }

  private profileOf(found: PgProfile, place: FilePlace): SonicProfile | null {
    const pool = this.pools.get(LOSSLESS_POOL);
    if (pool === undefined) {
      this.errors.add(place, `no ${LOSSLESS_POOL} in BUFFER_POOL, which its profile would use`);
      return null;
    }
    if (!pool.isStatic && (found.threshold < -8 || found.threshold > 7)) {
      const at = { file: found.file, line: found.line, key: 'threshold' };
      this.errors.add(at, `${found.threshold} is outside -8 to 7: ${pool.name} is dynamic`);
      return null;
    }
    const profile = {
      name: `pg_lossless_${found.speedMbps}_${found.cable}_profile`,
      place: { file: found.file, line: found.line, key: `${found.speedMbps} ${found.cable}` },
      pool: pool.name,
      size: found.size,
      xoff: found.xoff,
      xon: found.xon,
      xonOffset: found.xonOffset ?? 0,
      dynamicTh: pool.isStatic ? null : found.threshold,
      staticTh: pool.isStatic ? found.threshold : null,
    };
    this.checkThresholds(profile, () => profile.place);
    this.profiles.set(profile.name, profile);
    return profile;
  }

  private checkPools(ports: readonly SonicPort[]): void {
    for (const port of ports) {
      for (const priority of port.pfc) {
        if (!port.isUp || port.cable === '0m' || port.groups.has(priority)) continue;
        if (this.looked.has(`${port.speedMbps} ${port.cable ?? ''}`)) continue;
        this.errors.add(
          port.place,
          `pfc_enable has ${priority}, and no profile backs group ${priority}`,
        );
      }
    }
  }
}

/** A port by the name that a neighbor has for it. */
export function portCalled({ ports }: SonicSwitch, name: string): SonicPort | undefined {
  return ports.find((port) => port.name === name) ?? ports.find(({ alias }) => alias === name);
}
