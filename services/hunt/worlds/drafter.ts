import {
  EXCHANGE,
  GRANTING_CONTROLS,
  PAUSING_CONTROLS,
  TRANSPORTS,
} from '../../mechanisms/registry.js';
import { FAULT_KEYS } from '../../fabric/scenario/schema-faults.js';
import type { JsonSchema } from '../../settings/decided-unions.js';
import { setting } from './pools.js';
import type { Sampler } from './sampler.js';
import { drawnJob } from './jobs.js';
import type { Place } from './samples.js';
import { RECOVERY_SPANS, tellWithin } from './samples.js';
import type { Drawer } from './schema-values.js';
import { resolve, sectionNode, shapesOf } from './schema-values.js';

/** Of priorities; the exchange of grants twice, as the one with most settings. */
const METHODS = [...PAUSING_CONTROLS, EXCHANGE, EXCHANGE, 'none', ...GRANTING_CONTROLS];

/** A scenario that has not been checked yet. */
export type Draft = Record<string, unknown>;

const RELIABLE = ['load', '[]', 'transport', 'reliable'];
const TIMEOUT: JsonSchema = { properties: { timeout: {} } };
/** Rate controls that need a reliable transport. */
const ON_ANSWERS = ['timely', 'hpcc', 'swift'];
const OF_SWITCHES = [
  'model',
  'pipeline',
  'cutThrough',
  'forwarding',
  'ecmp',
  'ageing',
  'buffer',
  'mvtx2802',
  'ports',
  'ci',
];
const PAUSING: readonly string[] = ['storm', 'forge', 'control'];
const ADDRESSES = ['mac', 'ipv4', 'ipv6'];
const OF_HOSTS = [...ADDRESSES, 'nic'];

/** Of recoveries only those that the settings of a draft allow in time. */
export function keepPromises(draft: Draft, spanPs: number): void {
  const written = JSON.stringify(draft);
  if (/"counts":"incremental"|"cet":"application"/.test(written)) promiseLess(draft);
  if (written.includes(STAYS_IN_FLUSH)) promiseNothing(draft);
  const isSlow = ['llr', EXCHANGE].some((name) => written.includes(`"${name}"`));
  if (isSlow) promiseLater(draft, written, RECOVERY_SPANS * spanPs);
  if (written.includes('"recover"')) tellWithin(spanPs, draft, written);
}

function hasOwnControl(transport: unknown): boolean {
  const written = typeof transport === 'object' ? Object.keys(transport!) : [transport];
  return TRANSPORTS.some((own) => own.hasOwnControl === true && written.includes(own.name));
}

/** Samples section after section: those of the world's mechanisms, and sometimes others. */
export class Drafter {
  private readonly sampler: Sampler;
  /** Sections of other mechanisms: one in so many. */
  private readonly strays = 0.06;

  constructor(
    private readonly drawer: Drawer,
    private readonly place: Place,
    private readonly isSlow: boolean,
    private readonly isSlotted: boolean,
  ) {
    this.sampler = drawer.sampler;
  }

  draft(fabric: Draft): Draft {
    const { sampler, place } = this;
    const hasPause = this.isSlow || sampler.chance(0.12);
    const priorities = this.priorities(hasPause);
    const text = JSON.stringify(priorities);
    const exchanges = text.includes(EXCHANGE);
    const load = this.loads();
    const congestion = JSON.stringify(load);
    const draft: Draft = {
      selvage: 1,
      seed: sampler.below(1000),
      ...(sampler.chance(0.03) && { name: 'a world', description: 'drawn' }),
      duration: `${Math.round(this.spans() * place.spanPs)}ps`,
      fabric,
      ...this.usual('switches', this.isSlotted ? 1 : 0.5),
      ...(hasPause && !this.isSlotted && { pause: this.section('pause', 0.3) }),
      priorities,
      ...this.grants(exchanges),
      ...GRANTING_CONTROLS.reduce(
        (all, name) => ({ ...all, ...this.wanted(name, text.includes(name), 0.3) }),
        {},
      ),
      ...this.discovery(),
      ...this.wanted('ci', text.includes('"ci":true'), 0.3),
      ...this.wanted('sfc', text.includes('"sfc":true'), 0.3),
      ...this.wanted('dcqcn', congestion.includes('dcqcn'), 0.8),
      ...this.wanted('timely', congestion.includes('timely'), 0.9),
      ...this.wanted('hpcc', congestion.includes('hpcc'), 0.9),
      ...this.wanted('swift', congestion.includes('swift'), 0.9),
      ...this.wanted('qcn', congestion.includes('qcn'), 0.6),
      ...this.usual('classes', 0.25),
      ...this.hosts(),
      ...this.devices(),
      groups: { group: sampler.some(place.hosts, 2, 4) },
      load,
      faults: this.faults(),
      ...this.usual('observe', 0.2),
      ...(sampler.chance(0.1) && { expect: this.expectations() }),
      ...this.usual('placement', 0.05),
      ...this.usual('infrastructure', 0.02),
      ...this.linkRetry(),
    };
    const switches = draft['switches'] as Draft | undefined;
    if (this.isSlotted) draft['switches'] = { ...switches, model: 'mvtx2802' };
    else if (switches?.['model'] !== undefined) switches['model'] = 'shared-buffer';
    const qcn = draft['qcn'] as Draft | undefined;
    if (qcn !== undefined && congestion.includes('qcn')) {
      qcn['priorities'] = [
        ...new Set(load.filter((one) => one['congestion'] === 'qcn').map((one) => one['priority'])),
      ];
    }
    stayWithin(draft, place.hosts);
    pairPorts(draft, place.hosts);
    keepPromises(draft, place.spanPs);
    return draft;
  }

  /** Long enough for most loads to complete. */
  private spans(): number {
    return this.sampler.pick([2, RECOVERY_SPANS + 3, RECOVERY_SPANS + 3, 2 * RECOVERY_SPANS]);
  }

  private section(name: string, probability: number): unknown {
    const shape = this.sampler.pick(shapesOf(sectionNode(name)));
    if (shape.properties === undefined) return this.drawer.value(shape, [name]);
    return this.drawer.mapping(shape, [name], probability);
  }

  private usual(name: string, probability: number): Draft {
    if (!this.sampler.chance(probability)) return {};
    return { [name]: this.section(name, this.sampler.pick([0.1, 0.2, 0.4])) };
  }

  /** Of a mechanism that is in use; of others rarely. */
  private wanted(name: string, isWanted: boolean, keys: number): Draft {
    if (!this.sampler.chance(isWanted ? 0.85 : this.strays)) return {};
    return { [name]: this.section(name, keys * this.sampler.pick([0.4, 1, 1.5, 2.5])) };
  }

  /**
   * It runs where it is enabled, as a section of its own is not. In slow fabrics it is rare: their
   * worlds last for a second of virtual time, and every timer is followed by checks of the fabric.
   */
  private linkRetry(): Draft {
    const isWanted = this.sampler.chance(0.2) && !this.isSlow;
    const sampled = this.wanted('llr', isWanted, 0.3)['llr'];
    if (sampled === undefined) return {};
    return { llr: { ...(sampled as Draft), enabled: this.sampler.chance(0.9) } };
  }

  /** Often with the two keys that decide when grants move: each by itself changes little. */
  private grants(isWanted: boolean): Draft {
    const sampled = this.wanted(EXCHANGE, isWanted, 0.3)[EXCHANGE];
    if (sampled === undefined) return {};
    const [shape] = shapesOf(sectionNode(EXCHANGE)) as [JsonSchema];
    const moves = this.drawer.chosen(shape, [EXCHANGE], ['grant', 'request']);
    return { [EXCHANGE]: { ...(this.sampler.chance(0.5) && moves), ...(sampled as Draft) } };
  }

  /** Flow control of each priority that has load, and sometimes another. */
  private priorities(hasPause: boolean): Draft {
    const { sampler, place } = this;
    const methods = sampler.some(METHODS, 1, 3);
    const node = sectionNode('priorities').additionalProperties as JsonSchema;
    const entries = [...place.priorities, ...(sampler.chance(0.1) ? ['all'] : [])].map(
      (priority) => {
        const flowControl = hasPause ? 'none' : sampler.pick(methods);
        if (sampler.chance(0.3)) return [priority, flowControl] as const;
        const shape = shapesOf(node).find(({ properties }) => properties !== undefined)!;
        const keys = this.drawer.mapping(shape, ['priorities', '*'], 0.15);
        return [priority, { ...keys, flowControl }] as const;
      },
    );
    return Object.fromEntries(entries) as Draft;
  }

  /** One of the NICs, of all hosts or of one. */
  private hosts(): Draft {
    if (!this.sampler.chance(0.25)) return {};
    const hosts = this.drawer.mapping(sectionNode('hosts'), ['hosts'], 0.6);
    return { hosts: withModel(hosts, this.drawer) };
  }

  /** Mostly with short seconds: a world would be over before the first LLDPDUs are exchanged. */
  private discovery(): Draft {
    const sampled = this.usual('discovery', 0.45)['discovery'];
    if (typeof sampled !== 'object') return sampled === undefined ? {} : { discovery: sampled };
    const node = shapesOf(sectionNode('discovery')).find(({ properties }) => properties)!;
    const keys = ['second', ...(this.sampler.chance(0.5) ? ['changes'] : [])];
    const usual = this.drawer.chosen(node, ['discovery'], keys);
    const discovery = this.sampler.chance(0.95) ? { ...usual, ...sampled } : sampled;
    this.silence(discovery as Draft, node);
    return { discovery };
  }

  /** Changes are often of the LLDP status. */
  private silence({ changes }: Draft, discovery: JsonSchema): void {
    if (!Array.isArray(changes)) return;
    const node = resolve(resolve(discovery.properties!['changes']!).items!);
    for (const change of changes as Draft[]) {
      if (!this.sampler.chance(0.4)) continue;
      Object.assign(change, this.drawer.chosen(node, ['discovery', 'changes', '[]'], ['status']));
    }
  }

  private expectations(): Draft[] {
    const expect = this.drawer.value(sectionNode('expect'), ['expect']) as Draft[];
    return expect.map((one) => ({ ...one, min: 0 }));
  }

  private devices(): Draft {
    if (!this.sampler.chance(0.35)) return {};
    const devices = this.section('devices', 0.2) as Record<string, Draft>;
    for (const [name, own] of Object.entries(devices)) {
      const isHost = name.startsWith('h') || name === 'extra';
      if (isHost) withModel(own, this.drawer);
      for (const key of isHost ? OF_SWITCHES : OF_HOSTS) Reflect.deleteProperty(own, key);
      if (name.endsWith('*')) for (const key of ADDRESSES) Reflect.deleteProperty(own, key);
      if (own['model'] === 'mvtx2802' && !this.isSlotted) delete own['model'];
    }
    return { devices };
  }

  private loads(): Draft[] {
    const { sampler } = this;
    const node = resolve(sectionNode('load')).items!;
    return Array.from({ length: sampler.between(1, 4) }, () => {
      const shape = sampler.pick(
        shapesOf(node).filter(({ properties }) => !('replay' in properties!)),
      );
      const load = this.drawer.mapping(withoutJob(shape), ['load', '[]'], 0.12);
      if ('job' in shape.properties!) load['job'] = drawnJob(sampler, this.place.hosts.length);
      this.straighten(load);
      if (this.isSlow && load['transport'] !== 'raw') this.beSlow(load);
      const { priorities } = this.place;
      const isEndless = sampler.chance(0.1);
      const hasBytes = 'bytes' in shape.properties!;
      return {
        ...load,
        priority: sampler.chance(0.95) ? sampler.pick(priorities) : sampler.below(8),
        ...((isEndless || !hasBytes) && this.drawer.chosen(shape, ['load', '[]'], ['end'])),
        ...(hasBytes && !isEndless && this.drawer.chosen(shape, ['load', '[]'], ['bytes'])),
      };
    });
  }

  /** A timer of the usual length would expire before a packet has crossed. */
  private beSlow(load: Draft): void {
    const { timeout } = this.drawer.chosen(TIMEOUT, RELIABLE, ['timeout']);
    const known = load['transport'] as { reliable?: Draft } | string | undefined;
    const reliable = typeof known === 'object' ? known.reliable : {};
    if (known !== undefined || !('stream' in load)) {
      load['transport'] = { reliable: { timeout, ...reliable } };
    }
  }

  /** Keys that exclude each other; the checks would remove more than one of them. */
  private straighten(load: Draft): void {
    const { sampler } = this;
    const isReliable =
      load['transport'] === undefined ? !('stream' in load) : load['transport'] !== 'raw';
    if (isReliable) {
      delete load['frame'];
      delete load['spoof'];
      if (hasOwnControl(load['transport'])) delete load['congestion'];
    } else if (ON_ANSWERS.includes(load['congestion'] as string)) load['transport'] = 'reliable';
    else if (load['congestion'] !== undefined) delete load['spoof'];
    if (load['spoof'] !== undefined && sampler.chance(0.7)) delete load['spoof'];
    if (load['arrivals'] === 'poisson' && load['rate'] === undefined) load['rate'] = '60%';
  }

  private faults(): Draft[] {
    const { sampler } = this;
    if (sampler.chance(0.25)) return [];
    return Array.from({ length: sampler.between(1, 3) }, () => this.fault());
  }

  /** Mostly once, for a time. */
  private faultTimes(): string[] {
    const { sampler } = this;
    const again = sampler.chance(0.35)
      ? ['every', ...(sampler.chance(0.5) ? ['times'] : ['until'])]
      : [];
    return [
      'at',
      'for',
      ...again,
      ...['random', 'stream', 'name'].filter(() => sampler.chance(0.1)),
      ...(sampler.chance(0.35) ? ['recover'] : []),
    ];
  }

  private fault(): Draft {
    const { sampler, drawer, place } = this;
    const node = resolve(sectionNode('faults')).items!;
    const kind = sampler.chance(0.35) ? 'link-down' : sampler.pick(Object.keys(FAULT_KEYS));
    const { must, may } = FAULT_KEYS[kind]!;
    const where = resolve(resolve(node).properties!['where']!);
    const keys = new Set([...must, ...may.filter(() => sampler.chance(0.3))]);
    if (kind === 'set')
      return { ...setting(sampler), ...drawer.chosen(node, ['faults', '[]'], ['at']) };
    if (kind === 'mis-cabling')
      return { kind, ...drawer.chosen(node, ['faults', '[]'], [...keys]) };
    const named = sampler.some(Object.keys(where.properties!), 0, 2);
    const fault: Draft = {
      kind,
      ...drawer.chosen(node, ['faults', '[]'], [...keys, ...this.faultTimes()]),
      ...(named.length > 0 && { where: drawer.chosen(where, ['faults', '[]', 'where'], named) }),
    };
    // A spoofed pause lasts as long as its frame says, which no recovery shortens.
    if (PAUSING.includes(kind)) delete fault['recover'];
    return kind === 'forge' ? forged(fault, sampler, place) : fault;
  }
}

/**
 * An incremental grant is not recovered when a message is lost, by design; after a link was down
 * it starts anew. Where discovery ends and begins it, its ends may differ by what was in
 * flight.
 */
function promiseLess(draft: Draft): void {
  const faults = draft['faults'] as Draft[];
  const isExact = faults.every(({ kind }) => kind === 'link-down');
  if (isExact && draft['discovery'] === undefined) return;
  promiseNothing(draft);
}

/** A link may be set not to initialise again: what takes it into FLUSH leaves it there. */
const STAYS_IN_FLUSH = '"reinitialise":false';

const PS_PER_METRE = 5_000;
/** Of INIT and its echo, or of an epoch and its answer, of which the first may be lost. */
const ROUND_TRIPS = 4;

/** Link-level retry initialises anew after an outage, and grants begin an epoch, over any link. */
function promiseLater(draft: Draft, written: string, ps: number): void {
  const lengths = Array.from(
    written.matchAll(/"length":"([\d.]+)(k?)m"/g),
    ([, text, kilo]) => Number(text) * (kilo === 'k' ? 1_000 : 1),
  );
  const roundTripPs = 2 * Math.max(0, ...lengths) * PS_PER_METRE;
  for (const fault of draft['faults'] as Draft[]) {
    if (fault['recover'] === undefined) continue;
    fault['recover'] = `${Math.round(ps + ROUND_TRIPS * roundTripPs)}ps`;
  }
}

function promiseNothing(draft: Draft): void {
  for (const fault of draft['faults'] as Draft[]) delete fault['recover'];
}

/** Where NICs switch between virtual machines, a stream does not leave its host. */
function stayWithin(draft: Draft, hosts: readonly string[]): void {
  const nic = (draft['hosts'] as Draft | undefined)?.['nic'] as Draft | undefined;
  if (nic?.['vmSwitch'] !== true) return;
  const stream = (draft['load'] as Draft[]).find((load) => 'stream' in load);
  if (stream === undefined) return;
  const [host] = hosts;
  const vm = (stream['vm'] as number | undefined) ?? 0;
  stream['stream'] = { from: host, to: host };
  if ((stream['toVm'] ?? vm) === vm) stream['toVm'] = vm === 0 ? 1 : 0;
  delete stream['congestion'];
  delete stream['spoof'];
}

/** Not all hosts can be a second port: one is, of another. */
function pairPorts(draft: Draft, [first, second]: readonly string[]): void {
  const nic = (draft['hosts'] as Draft | undefined)?.['nic'] as Draft | undefined;
  if (nic?.['secondPortOf'] === undefined || second === undefined) return;
  delete nic['secondPortOf'];
  const devices = (draft['devices'] ?? {}) as Record<string, Draft>;
  devices[second] = { ...devices[second], nic: { secondPortOf: first } };
  draft['devices'] = devices;
}

/** A NIC has a model, where another level does not set it. */
function withModel(of: Draft, drawer: Drawer): Draft {
  const nic = of['nic'] as Draft | undefined;
  if (nic !== undefined) nic['model'] ??= drawer.value({}, ['nic', 'model']);
  return of;
}

/** By octets, or by name. */
function forged(fault: Draft, sampler: Sampler, { hosts }: Place): Draft {
  const { octets, frames: _f, to: _to, source: _s, pause, priority: _pr, ...rest } = fault;
  if (octets !== undefined) return { ...rest, octets };
  const frames = sampler.pick(['cnp', 'cnm', 'sfcm']);
  const own = frames === 'sfcm' && {
    ...(sampler.chance(0.5) && { source: sampler.pick(hosts) }),
    ...(pause !== undefined && { pause }),
  };
  return { ...rest, frames, to: sampler.pick(hosts), ...own };
}

/** What a job does is drawn apart: its steps, groups and ranks depend on each other. */
function withoutJob(shape: JsonSchema): JsonSchema {
  const { job: _, ...properties } = shape.properties!;
  return { ...shape, properties, required: shape.required?.filter((key) => key !== 'job') ?? [] };
}
