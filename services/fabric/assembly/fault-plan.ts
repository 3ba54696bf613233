import { QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import type { FaultEffect, FaultSpec, FaultTimes } from '../../engine/contract/fault.js';
import { hasSharedBuffer, type PortSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { CONTROL_FRAMES, isOfLink } from '../../engine/faults/control-frames.js';
import { RandomStream } from '../../engine/kernel/random.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import {
  MECHANISMS,
  NIC,
  pausingOf,
  EXCHANGE,
  GRANTING_CONTROLS,
} from '../../mechanisms/registry.js';
import type { HostAddress } from '../address.js';
import { frameErrorsOf } from '../link-errors.js';
import { type FaultSection, STEAL_GRANTS, STUCK_GRANTS } from '../scenario/fault-section.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { hostCount, type Topology } from '../topology/topology.js';
import { MESSAGE_TEMPLATES } from '../../mechanisms/registry.js';
import { Injector } from './spoofed-messages.js';
import type { LinkEnd } from './link-ends.js';
import { PortSelector } from './select-ports.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

/** A faulty NIC repeats its pause so often within the time that it names. */
const STORM_REPEATS = 2;

const PLACES_MAX = 1_000_000;
/** Errors that a fault declares: of bits as the receiver has them. */
const INDEPENDENT = { fec: 'none', isAfterFec: true, burstBits: 1 } as const;

const HAS_GRANTS = [`${EXCHANGE} exchange`, ...GRANTING_CONTROLS].join(' or ');

/** What a port must have for a fault to have an effect on it. */
const NEEDS: Partial<Record<FaultSection['kind'], string>> = {
  storm: MECHANISMS.flatMap(({ name, pausing }) => (pausing ? name : [])).join(' or '),
  [STEAL_GRANTS]: HAS_GRANTS,
  [STUCK_GRANTS]: HAS_GRANTS,
  forge: 'ordered sets, as llr and cbfc have them',
  'shrink-buffer': 'a shared buffer',
  'full-table': 'that table',
  'lldp-drift': 'LLDP',
  'slow-receiver': 'a plain NIC',
  'host-pause': 'a plain NIC',
  'wrong-map': NIC?.needsOfMap ?? 'a NIC with classes',
};

/** A fault at a port of a device of the fabric. */
export interface PlacedFault {
  readonly device: number;
  readonly port: number;
  readonly spec: FaultSpec;
}

/** The assembled fabric into which faults are placed. */
interface FaultSite {
  readonly scenario: Pick<Scenario, 'seed' | 'durationPs'>;
  readonly topology: Topology;
  /** By host. */
  readonly addresses: readonly HostAddress[];
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly specs: readonly DeviceSpec[];
}

/** Places faults, of which the first is the scenario's `firstIndex`-th. */
export function placeFaults(
  site: FaultSite,
  faults: readonly FaultSection[],
  firstIndex: number,
  fail: Fail,
): readonly PlacedFault[] {
  const plan = new FaultPlan(site, fail);
  faults.forEach((fault, i) => {
    plan.place(fault, firstIndex + i);
  });
  return plan.placed;
}

/** Devices with these faults, besides those that they have. */
export function withFaults(
  specs: readonly DeviceSpec[],
  placed: readonly PlacedFault[],
): readonly DeviceSpec[] {
  if (placed.length === 0) return specs;
  const added = specs.map(({ ports }) => ports.map((port): FaultSpec[] => [...port.faults]));
  for (const { device, port, spec } of placed) added[device]![port]!.push(spec);
  return specs.map((spec, d): DeviceSpec => {
    const ports = spec.ports.map((port, p) => ({ ...port, faults: added[d]![p]! }));
    return { ...spec, ports };
  });
}

/** Finds the ports of faults, and their effects there. */
class FaultPlan {
  readonly placed: PlacedFault[] = [];
  private readonly topology: Topology;
  private readonly linkEnds: readonly (readonly LinkEnd[])[];
  private readonly specs: readonly DeviceSpec[];
  private readonly injector: Injector;
  private readonly selector: PortSelector;

  constructor(
    private readonly site: FaultSite,
    private readonly fail: Fail,
  ) {
    this.topology = site.topology;
    this.linkEnds = site.linkEnds;
    this.specs = site.specs;
    this.selector = new PortSelector(site.topology, site.linkEnds);
    this.injector = new Injector(site.specs, site.addresses);
  }

  place(fault: FaultSection, index: number): void {
    const ends = this.select(fault);
    if (ends.length === 0) {
      throw this.fail(
        ['faults', index, 'where'],
        `no port matches: ${fault.name} hits none; selvage topology lists them`,
      );
    }
    let placed = 0;
    const { probability } = fault.where;
    const stream = new RandomStream(this.site.scenario.seed, `fault ${fault.name} is where`);
    const seen = new Set<string>();
    for (const end of ends) {
      const key = keyOf(fault, end);
      if (seen.has(key)) continue;
      seen.add(key);
      if (probability < 1 && stream.uniform() >= probability) placed++;
      else placed += this.placeAt(fault, index, end) ? 1 : 0;
    }
    if (placed > 0) return;
    const message = `none of the ports that ${fault.name} hits has ${NEEDS[fault.kind]!}`;
    throw this.fail(['faults', index, 'where'], message);
  }

  private select({ where, kind, swap }: FaultSection): LinkEnd[] {
    const all = this.linkEnds.flat();
    if (kind === 'mis-cabling') return all.filter((end) => swap.includes(end.name));
    const isSwitch = ({ device }: LinkEnd): boolean =>
      this.topology.devices[device]!.kind === 'switch';
    return all.filter(
      (end) => (isSwitch(end) || !isOfSwitches(kind)) && this.selector.matches(where, end),
    );
  }

  /** False if the fault has no effect at this port. */
  private placeAt(fault: FaultSection, index: number, end: LinkEnd): boolean {
    const peer = this.linkEnds[end.peerDevice]![end.peerPort]!;
    const put = (at: LinkEnd, effect: FaultEffect): void => {
      this.put(fault, index, at, effect, linkName(end, peer));
    };
    switch (fault.kind) {
      case 'link-down':
        put(end, { kind: 'down' });
        put(peer, { kind: 'down' });
        return true;
      case 'delay':
      case 'slow-link': {
        const effect = this.effectOf(fault, end)!;
        put(end, effect);
        put(peer, effect);
        return true;
      }
      case 'reboot':
        this.reboot(fault, index, end.device);
        return true;
      case 'forge':
        if (fault.octets.length === ORDERED_SET_OCTETS && !this.hasOrderedSets(peer)) return false;
        put(end, this.forged(fault, index, end));
        return true;
      case STUCK_GRANTS: {
        const { priorities } = fault;
        const messages = grantMessagesOf(this.specs[end.device]!.ports[end.port]!);
        for (const name of messages) {
          const match = { ...CONTROL_FRAMES[name]!, priorities };
          put(end, { kind: 'control', match, action: 'lose', probability: 1, delayPs: 0 });
        }
        if (messages.length > 0) put(peer, { kind: 'excuse' });
        return messages.length > 0;
      }
      case 'full-table':
        return this.fillTable(fault, index, end.device);
      case 'mis-cabling':
        // The topology has the swapped links already: the fault is only named.
        put(end, { kind: 'excuse' });
        return true;
      case 'shrink-buffer': {
        const spec = this.specs[end.device]!;
        if (spec.kind === 'switch' && !hasSharedBuffer(spec)) return false;
        this.linkEnds[end.device]!.forEach((own, p) => {
          const shrink: FaultEffect = { kind: 'shrink', octets: fault.bytes };
          const scope = this.topology.devices[end.device]!.name;
          this.put(fault, index, own, p === 0 ? shrink : { kind: 'excuse' }, scope);
        });
        return true;
      }
      default: {
        const effect = this.effectOf(fault, end);
        if (effect === null) return false;
        put(end, effect);
        if (effect.kind === 'loss' || effect.kind === 'bit-errors' || effect.kind === 'control') {
          // A pause that is lost lets the other end overflow.
          put(peer, { kind: 'excuse' });
        }
        if (effect.kind === 'map') {
          this.checkClasses(fault, index, end.device);
          // The class that should stop does not, and may overflow the buffer at the other end.
          put(peer, { kind: 'excuse' });
        }
        return true;
      }
    }
  }

  /** Elsewhere an ordered set would arrive sooner than anything may. */
  private hasOrderedSets({ device, port }: LinkEnd): boolean {
    return this.specs[device]!.ports[port]!.orderedSets === true;
  }

  /** The part has the classes that a wrong table names. */
  private checkClasses({ classes }: FaultSection, index: number, device: number): void {
    const spec = this.specs[device]!;
    const count = spec.kind === 'host' ? (spec.nic?.classes ?? 0) : 0;
    const beyond = classes.find((tc) => tc >= count);
    if (beyond === undefined) return;
    const message = `${spec.name} has no class ${beyond}: its NIC has ${count}, 0 to ${count - 1}`;
    throw this.fail(['faults', index, 'classes'], message);
  }

  /** All its links are down, and its contents are lost. */
  private reboot(fault: FaultSection, index: number, device: number): void {
    const scope = this.topology.devices[device]!.name;
    this.linkEnds[device]!.forEach((own, p) => {
      const peer = this.linkEnds[own.peerDevice]![own.peerPort]!;
      if (p === 0) this.put(fault, index, own, { kind: 'flush' }, scope);
      this.put(fault, index, own, { kind: 'down' }, scope);
      this.put(fault, index, peer, { kind: 'down' }, scope);
    });
  }

  private forged(fault: FaultSection, index: number, end: LinkEnd): FaultEffect {
    const { frames, to, source, priorities, named, pausePs, intervalPs: everyPs } = fault;
    const { mac } = this.specs[end.device]!.ports[end.port]!;
    const octets =
      to === null
        ? Uint8Array.from(fault.octets)
        : this.injector.make(
            {
              template: MESSAGE_TEMPLATES.find((own) => own.frames === frames)!,
              to: this.hostAt(index, 'to', to),
              source: this.hostAt(index, 'source', source ?? to),
              priority: named ? 31 - Math.clz32(priorities) : null,
              pausePs,
            },
            end.device,
            mac,
          );
    const isSet = octets.length === ORDERED_SET_OCTETS;
    if (isSet || isOfLink(octets))
      return { kind: 'send', octets: [...octets], everyPs, message: null };
    const peerMac = this.specs[end.peerDevice]!.ports[end.peerPort]!.mac;
    const message = this.injector.around(octets, peerMac);
    if (typeof message === 'string') throw this.fail(['faults', index, 'octets'], message);
    // A run without a duration ends when nothing is in flight, and this always would be.
    if (this.site.scenario.durationPs === null && goesOnForEver(fault)) {
      const advice = 'give it for, until or times, or the run a duration';
      throw this.fail(['faults', index], `messages forged for ever let no run end: ${advice}`);
    }
    return { kind: 'send', octets: [...octets], everyPs, message };
  }

  private hostAt(index: number, key: string, name: string): number {
    const position = this.topology.devices.findIndex((device) => device.name === name);
    if (position >= 0 && position < hostCount(this.topology)) return position;
    throw this.fail(['faults', index, key], `no host is called ${name}`);
  }

  private fillTable(fault: FaultSection, index: number, device: number): boolean {
    const { table, entries } = fault;
    const spec = this.specs[device]!;
    if (spec.kind !== 'switch') return false;
    const has =
      table === 'mac' ? spec.forwarding.kind !== 'routed' : spec.slices[table] !== undefined;
    if (!has) return false;
    const effect: FaultEffect = { kind: 'table', table, entries };
    const scope = this.topology.devices[device]!.name;
    this.put(fault, index, this.linkEnds[device]![0]!, effect, scope);
    return true;
  }

  private put(
    fault: FaultSection,
    index: number,
    end: LinkEnd,
    effect: FaultEffect,
    scope: string,
  ): void {
    if (this.placed.length >= PLACES_MAX) {
      throw this.fail(['faults', index], `faults at too many ports; at most ${PLACES_MAX} in all`);
    }
    const spec = {
      fault: index,
      seed: this.site.scenario.seed,
      stream: `${fault.name} hits ${end.name}`,
      when: timesOf(fault, scope),
      effect,
    };
    this.placed.push({ device: end.device, port: end.port, spec });
  }

  /** Null if the fault has no effect at a port. */
  private effectOf(fault: FaultSection, end: LinkEnd): FaultEffect | null {
    const { kind, probability, priorities, delayPs, jitterPs, intervalPs } = fault;
    const device = this.specs[end.device]!;
    const port = device.ports[end.port]!;
    switch (kind) {
      case 'loss':
        return { kind, probability, priorities, control: !fault.named };
      case 'bit-errors':
        return { kind, ...frameErrorsOf({ ...INDEPENDENT, ber: fault.errorRate }) };
      case 'freeze':
        return { kind };
      case 'delay':
        return { kind, delayPs, jitterPs };
      case 'slow-link':
        return { kind: 'slow', octetPs: Math.ceil(OCTET_BITS_PS / fault.rateBps) };
      case 'control': {
        const match = { ...CONTROL_FRAMES[fault.frames]!, priorities };
        return { kind, match, action: fault.action, probability, delayPs };
      }
      case STEAL_GRANTS:
        if (grantMessagesOf(port).length === 0) return null;
        return { kind: 'steal', priorities, octets: fault.bytes, everyPs: intervalPs };
      case 'lldp-drift':
        return port.discovery === null ? null : { kind: 'drift', ppm: fault.ppm };
      case 'slow-receiver':
        return reading(device, OCTET_BITS_PS / fault.rateBps);
      case 'host-pause':
        return reading(device, Infinity);
      case 'wrong-map': {
        const isMapped =
          device.kind === 'host' && device.nic?.dcb === true && port.pausing?.wholePort === false;
        return NIC !== null && isMapped ? { kind: 'map', table: NIC.mapOf(fault.classes) } : null;
      }
      case 'storm':
        return stormOf(fault, port);
      default:
        return null;
    }
  }
}

/** Names of the messages that bring grants to a port. */
function grantMessagesOf({ grants, grantMessages }: PortSpec): string[] {
  return [...(grants === null ? [] : ['ce-grant']), ...(grantMessages ? [grantMessages] : [])];
}

/** Null for switches, and for NICs with rings, which set the speed of their software. */
function reading(device: DeviceSpec, octetPs: number): FaultEffect | null {
  return device.kind === 'host' && device.nic === null ? { kind: 'read', octetPs } : null;
}

/** A NIC that pauses its link partner without cause; null where nothing would respond. */
function stormOf(
  { priorities, intervalPs, quanta }: FaultSection,
  port: PortSpec,
): FaultEffect | null {
  const { pausing, mac, octetPs } = port;
  const named = (pausing?.priorities ?? 0) & priorities;
  if (pausing === null || named === 0) return null;
  const lasts = quanta * QUANTUM_OCTETS * octetPs;
  const everyPs = intervalPs === Infinity ? Math.ceil(lasts / STORM_REPEATS) : intervalPs;
  const octets = pausingOf(pausing.mechanism)!.compose(mac, named, quanta);
  return { kind: 'send', octets: [...octets], everyPs, message: null };
}

function timesOf(fault: FaultSection, scope: string): FaultTimes {
  const { startPs, forPs, everyPs, times, untilPs, random, stream } = fault;
  return { startPs, forPs, everyPs, times, untilPs, random, stream: `${stream} of ${scope}` };
}

function goesOnForEver({ forPs, everyPs, times, untilPs }: FaultSection): boolean {
  if (untilPs !== Infinity) return false;
  return forPs === Infinity || (everyPs !== Infinity && times === Infinity);
}

function isOfSwitches(kind: FaultSection['kind']): boolean {
  return kind === 'reboot' || kind === 'shrink-buffer' || kind === 'full-table';
}

/** Key of what a fault affects once, however many of its ports are selected. */
function keyOf({ kind }: FaultSection, end: LinkEnd): string {
  if (isOfSwitches(kind)) return String(end.device);
  const isOfLink = kind === 'link-down' || kind === 'delay' || kind === 'slow-link';
  const [a, b] = [`${end.device}:${end.port}`, `${end.peerDevice}:${end.peerPort}`];
  return isOfLink && b < a ? b : a;
}

/** The same from both ends. */
function linkName(a: LinkEnd, b: LinkEnd): string {
  return [a.name, b.name].sort().join(' ');
}
