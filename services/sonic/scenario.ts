/** A scenario of switches as their files have them; each value says where it came from. */

import type { WatchdogChip } from '../engine/contract/spec.js';
import type { Asic } from '../fabric/buffers/asics.js';
import { responsePs } from '../fabric/buffers/headroom-script.js';
import type { FilePlace } from './file-errors.js';
import type { SonicWatchdog } from './watchdogs.js';
import type { SonicWred } from './wred.js';
import type { PortPlace } from './port-place.js';
import { rulesOfMaps } from './written-maps.js';
import {
  portCalled,
  type SonicPort,
  type SonicProfile,
  type SonicSwitch,
} from './configuration.js';

/** How a chip accounts: its name in the scenario, or its numbers, and what SONiC's alphas mean. */
export interface SonicAsic {
  readonly written: string;
  /** What it was taken from; null: it was given. */
  readonly source: string | null;
  readonly accounting: Asic;
  readonly alphaOfSeven: number;
  /** What it takes for a storm; null: not known. */
  readonly watchdog: WatchdogChip | null;
}

/** What the files do not say, or say and is not used. */
export interface Remark {
  readonly kind: 'assumed' | 'ignored';
  readonly what: string;
}

export interface SonicScenario {
  readonly text: string;
  readonly ports: readonly PortPlace[];
  readonly remarks: readonly Remark[];
}

/** A link of a scenario has a length. */
const SHORTEST = '1m';
/** 802.1Q 36.1.3.3: what a link partner may take to respond to PFC. */
export const RESPONSE_MOST_PS = 614_400;
/** Of orchagent, where PFC_WD GLOBAL has none. */
const USUAL_POLL_MS = 100;
/** As `ports` of a scenario allow. */
const MTU_MOST = 9216;

export function scenarioOf(switches: readonly SonicSwitch[], asic: SonicAsic): SonicScenario {
  return new Writer(switches, asic).write();
}

/** 2 to the power of `dynamic_th`; the largest has a meaning of its own on some chips. */
function alphaOf(asic: SonicAsic, dynamicTh: number): number {
  return dynamicTh === 7 ? asic.alphaOfSeven : 2 ** dynamicTh;
}

/** Ports with a link: with a neighbour, where the file names any; else those that are up. */
function linkedPorts({ ports }: SonicSwitch): readonly SonicPort[] {
  const hasNeighbors = ports.some(({ neighbor }) => neighbor !== null);
  return ports.filter(({ isUp, neighbor }) => (hasNeighbors ? neighbor !== null : isUp));
}

class Writer {
  private readonly lines: string[] = [];
  private readonly remarks: Remark[] = [];
  private readonly places: PortPlace[] = [];
  private readonly byName: ReadonlyMap<string, SonicSwitch>;

  constructor(
    private readonly switches: readonly SonicSwitch[],
    private readonly asic: SonicAsic,
  ) {
    this.byName = new Map(switches.map((own) => [own.name, own]));
  }

  write(): SonicScenario {
    const names = this.switches.map(({ name }) => name).join(', ');
    const priorities = [...new Set(this.switches.flatMap((own) => pausedOf(own)))].sort();
    this.add('selvage: 1', `name: ${JSON.stringify(names)}`, '');
    this.addFabric();
    this.add('', 'priorities:');
    for (const priority of priorities) this.add(`  ${priority}: { flowControl: pfc }`);
    if (priorities.length === 0) this.add('  0: none');
    this.addUnpaused(priorities);
    this.add('', 'devices:');
    for (const own of this.switches) this.addSwitch(own);
    this.remark('assumed', 'loads: none; add what the stations send under load:');
    this.remark('assumed', 'links of 5 ns/m, and a station at each port without a neighbour');
    return { text: `${this.lines.join('\n')}\n`, ports: this.places, remarks: this.remarks };
  }

  private add(...lines: string[]): void {
    this.lines.push(...lines);
  }

  private remark(kind: Remark['kind'], what: string): void {
    this.remarks.push({ kind, what });
  }

  private addFabric(): void {
    const links: string[] = [];
    const stations: string[] = [];
    const joined = new Set<string>();
    for (const own of this.switches) {
      linkedPorts(own).forEach((port, i) => {
        const end = `${deviceName(own)}:p${i + 1}`;
        const peer = port.neighbor === null ? undefined : this.byName.get(port.neighbor.name);
        const there = peer && portCalled(peer, port.neighbor!.port);
        const other = peer && linkedPorts(peer).findIndex((one) => one === there);
        const isJoined = peer !== undefined && other !== undefined && other >= 0;
        const far = isJoined ? `${deviceName(peer)}:p${other + 1}` : `h${stations.length + 1}`;
        const place = { device: deviceName(own), of: own.name, port, number: i + 1 };
        this.places.push({ ...place, peer: isJoined ? deviceName(peer) : far });
        if (joined.has(end)) return;
        if (isJoined) joined.add(far);
        else stations.push(far);
        const length = port.cable === null || port.cable === '0m' ? SHORTEST : port.cable;
        if (!isJoined && port.neighbor !== null) {
          const { name } = port.neighbor;
          this.remark(
            'assumed',
            `${own.name}: ${name} is not in the files; a station in its place`,
          );
        }
        if (port.cable === null)
          this.remark('assumed', `${own.name} ${port.name}: no cable length, ${SHORTEST}`);
        links.push(
          `    - { between: ['${end}', '${far}'], rate: ${rateOf(port)}, length: ${length} }` +
            from(port.place),
        );
      });
    }
    this.add('fabric:', '  generator: none', '  devices:');
    for (const own of this.switches) {
      const names = linkedPorts(own).map(({ name }) => JSON.stringify(name));
      const interfaces = `interfaces: [${names.join(', ')}]`;
      this.add(`    - { name: ${deviceName(own)}, kind: switch, ${interfaces} }`);
    }
    for (const name of stations) this.add(`    - { name: ${name}, kind: host }`);
    this.add('  links:', ...links);
  }

  /** Ports that do not pause what others do. */
  private addUnpaused(priorities: readonly number[]): void {
    const rules = [...this.rulesOfRates(priorities), ...rulesOfMaps(this.places, from)];
    for (const { device, port, number, peer } of this.places) {
      const off = priorities.filter((priority) => !isPaused(port, priority));
      if (off.length === 0) continue;
      const entries = off.map((priority) => `${priority}: none`).join(', ');
      rules.push(
        `  - { where: { link: '${device}:p${number} ${peer}' }, priorities: { ${entries} } }` +
          from(port.place),
      );
    }
    this.add('', 'ports:', ...rules, ...this.rulesOfWatchdogs());
  }

  /** Response times are those of 802.3 31B.3.7, and the MTU that of the ports. */
  private rulesOfRates(priorities: readonly number[]): string[] {
    const mtu = Math.max(...this.places.map(({ port }) => port.mtu));
    const rates = new Map(this.places.map(({ port }) => [port.speedMbps, rateOf(port)]));
    this.remark('assumed', 'response times of link partners: at most those of 802.1Q 36.1.3.3');
    return [
      `  - { where: {}, mtu: ${Math.min(mtu, MTU_MOST)} }`,
      ...[...rates].flatMap(([speedMbps, rate]) => {
        const ps = responsePs(speedMbps);
        if (ps === null || priorities.length === 0) return [];
        const keys = priorities
          .map((one) => `${one}: { responseDelay: ${Math.min(ps, RESPONSE_MOST_PS)}ps }`)
          .join(', ');
        return [`  - { where: { rate: ${rate} }, priorities: { ${keys} } }`];
      }),
    ];
  }

  /** Watchdogs of priorities that are paused; the big red switch needs no entry of a port. */
  private rulesOfWatchdogs(): string[] {
    return this.places.flatMap(({ of, device, port, number }) => {
      const own = this.byName.get(of)!;
      const watchdog = own.watchdogs.find((entry) => entry.port === port.name);
      const watched = port.watched.filter((priority) => isPaused(port, priority));
      if (watched.length === 0 || (watchdog === undefined && !own.isForced)) return [];
      const keys = this.watchdogKeys(own, watchdog);
      const entries = watched.map((priority) => `${priority}: { watchdog: ${keys} }`);
      return [
        `  - { where: { port: '${device}:p${number}' }, priorities: { ${entries.join(', ')} } }` +
          from(watchdog?.place ?? port.place),
      ];
    });
  }

  private watchdogKeys(own: SonicSwitch, watchdog: SonicWatchdog | undefined): string {
    if (watchdog === undefined || own.isForced) return '{ bigRedSwitch: true }';
    if (own.pollMs === null)
      this.remark('assumed', `${own.name}: watchdogs poll every ${USUAL_POLL_MS} ms`);
    if (this.asic.watchdog === null)
      this.remark('assumed', 'watchdogs take for a storm what those of broadcom do');
    const { detectionMs, restorationMs, action } = watchdog;
    const restoration = restorationMs === null ? 'never' : `${restorationMs}ms`;
    const chip = this.asic.watchdog ?? 'broadcom';
    return (
      `{ poll: ${own.pollMs ?? USUAL_POLL_MS}ms, detection: ${detectionMs}ms, ` +
      `restoration: ${restoration}, action: ${action}, chip: ${chip} }`
    );
  }

  private addSwitch(own: SonicSwitch): void {
    const ports = linkedPorts(own);
    const used = new Map<string, SonicProfile>();
    const assign = [
      ...this.assigned(ports, 'groups', used),
      ...this.assigned(
        ports.map((port) => this.limited(own, port)),
        'queues',
        used,
      ),
    ];
    const pools = own.pools.filter((pool) =>
      [...used.values()].some((one) => one.pool === pool.name),
    );
    if (pools.length === 0) return;
    this.add(
      `  ${deviceName(own)}:`,
      '    buffer:',
      `      asic: ${this.asic.written}`,
      '      pools:',
    );
    for (const { name, type, size, xoff, place } of pools) {
      const headroom = xoff > 0 ? `, headroom: ${xoff}` : '';
      this.add(`        ${name}: { type: ${type}, size: ${size}${headroom} }${from(place)}`);
    }
    this.add('      profiles:');
    for (const profile of used.values()) this.addProfile(own, profile);
    const wreds = this.addWreds(own, ports);
    this.add('      assign:', ...assign, ...wreds);
    for (const what of own.assumed) this.remark('assumed', `${own.name} ${what}`);
    for (const table of own.ignored) this.remark('ignored', `${own.file}: table ${table}`);
  }

  /** Profiles of WRED that queues have; entries that give ports them. */
  private addWreds(own: SonicSwitch, ports: readonly SonicPort[]): string[] {
    const numbers = new Map(ports.map(({ name }, i) => [name, i + 1]));
    const queues = new Map<SonicWred, Map<number, number[]>>();
    for (const { port, queue, wred } of own.wreds) {
      const number = numbers.get(port);
      if (number === undefined || wred.curves.size === 0) continue;
      const byQueue = queues.get(wred) ?? new Map<number, number[]>();
      queues.set(wred, byQueue.set(queue, [...(byQueue.get(queue) ?? []), number]));
    }
    if (queues.size === 0) return [];
    this.add('      wred:', ...[...queues.keys()].map((wred) => wredText(wred) + from(wred.place)));
    for (const { curves, name } of queues.keys()) {
      if (curves.has('red'))
        this.remark('ignored', `${name}: red, which no port here gives frames`);
    }
    return [...queues].flatMap(([{ name }, byQueue]) => entriesOfWred(name, byQueue, ports.length));
  }

  /** A static limit of the size of the pool, or more, is none: the queue is charged to no pool. */
  private limited(own: SonicSwitch, port: SonicPort): SonicPort {
    const queues = [...port.queues].filter(([, { name, pool, staticTh }]) => {
      const size = own.pools.find((one) => one.name === pool)!.size;
      const isLimited = staticTh === null || staticTh < size;
      if (!isLimited) this.remark('ignored', `${own.file}: ${name}, which limits nothing`);
      return isLimited;
    });
    return { ...port, queues: new Map(queues) };
  }

  private addProfile(own: SonicSwitch, profile: SonicProfile): void {
    const pool = own.pools.find(({ name }) => name === profile.pool)!;
    const isShared = pool.xoff > 0;
    // Without shared headroom the size of a profile has the group's headroom in it.
    const reserved = isShared ? profile.size : Math.max(0, profile.size - profile.xoff);
    const { xoff, xon, xonOffset, dynamicTh, staticTh } = profile;
    const entries = [
      `pool: ${profile.pool}`,
      ...(reserved > 0 ? [`reserved: ${reserved}`] : []),
      ...(xoff > 0 ? [`headroom: ${xoff}`] : []),
      ...(xon > 0 ? [`xon: ${xon}`] : []),
      ...(xonOffset > 0 ? [`xonOffset: ${xonOffset}`] : []),
      ...(dynamicTh === null ? [] : [`alpha: ${alphaOf(this.asic, dynamicTh)}`]),
      ...(staticTh === null ? [] : [`limit: ${staticTh}`]),
    ];
    this.add(`        ${profile.name}: { ${entries.join(', ')} }${from(profile.place)}`);
  }

  /** Entries that give ports their profiles; ports that are alike share one. */
  private assigned(
    ports: readonly SonicPort[],
    to: 'groups' | 'queues',
    used: Map<string, SonicProfile>,
  ): string[] {
    const byProfile = new Map<
      string,
      { numbers: number[]; ports: number[]; profile: SonicProfile }
    >();
    ports.forEach((port, i) => {
      const own = new Map<SonicProfile, number[]>();
      for (const [number, profile] of [...port[to]].sort(([a], [b]) => a - b)) {
        own.set(profile, [...(own.get(profile) ?? []), number]);
      }
      for (const [profile, numbers] of own) {
        used.set(profile.name, profile);
        const key = `${profile.name} ${numbers.join()}`;
        const entry = byProfile.get(key) ?? { numbers, ports: [], profile };
        entry.ports.push(i + 1);
        byProfile.set(key, entry);
      }
    });
    return [...byProfile.values()].map(({ numbers, ports: own, profile }) => {
      const where = own.length === ports.length ? '' : `ports: [${own.join(', ')}], `;
      return `        - { ${where}${to}: [${numbers.join(', ')}], profile: ${profile.name} }`;
    });
  }
}

/** Priorities that any port with a link pauses. */
function pausedOf(own: SonicSwitch): number[] {
  const priorities = linkedPorts(own).flatMap((port) =>
    port.pfc.filter((priority) => isPaused(port, priority)),
  );
  return [...new Set(priorities)];
}

/** A group without headroom of its own is not lossless, whatever `pfc_enable` says. */
function isPaused(port: SonicPort, priority: number): boolean {
  const group = port.groupOfPfc[priority]!;
  return port.pfc.includes(priority) && port.groups.has(group) && port.cable !== '0m';
}

/** Queues of the same ports share an entry. */
function entriesOfWred(
  name: string,
  byQueue: ReadonlyMap<number, readonly number[]>,
  count: number,
): string[] {
  const byPorts = new Map<string, number[]>();
  for (const [queue, ports] of byQueue) {
    const key = ports.length === count ? '' : `ports: [${ports.join(', ')}], `;
    byPorts.set(key, [...(byPorts.get(key) ?? []), queue]);
  }
  return [...byPorts].map(
    ([ports, queues]) => `        - { ${ports}queues: [${queues.join(', ')}], wred: ${name} }`,
  );
}

function wredText({ name, curves, marked, weight }: SonicWred): string {
  const known = (['green', 'yellow'] as const).flatMap((colour) => {
    const curve = curves.get(colour);
    return curve === undefined ? [] : [{ colour, curve }];
  });
  const texts = known.map(({ colour, curve }) => {
    const { minOctets, maxOctets, percent, drops } = curve;
    const max = maxOctets === null ? '' : `, max: ${maxOctets}`;
    const drop = drops ? '' : ', drop: false';
    return `${colour}: { min: ${minOctets}${max}, probability: ${percent}%${drop} }`;
  });
  const mark = known.flatMap(({ colour }) => (marked.includes(colour) ? [colour] : []));
  return (
    `        ${name}: { ${texts.join(', ')}, mark: [${mark.join(', ')}]` +
    `${weight === 0 ? '' : `, weight: ${weight}`} }`
  );
}

function rateOf({ speedMbps }: SonicPort): string {
  return speedMbps % 1000 === 0 ? `${speedMbps / 1000}G` : `${speedMbps}M`;
}

/** Names of hosts have signs that names of devices have not. */
function deviceName({ name }: SonicSwitch): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '-');
  return /^[A-Za-z_]/.test(plain) ? plain : `s-${plain}`;
}

function from({ file, line, key }: FilePlace): string {
  return ` # ${file}:${line} ${key}`;
}
