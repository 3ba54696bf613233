/**
 * What link partners come to by DCBX, of LLDPDUs on the wire and both ends' configuration: PFC by
 * the symmetric machine (802.1Q 38.4.2), shares by the asymmetric one (38.4.1). A port begins with
 * its own configuration, and computes anew when an LLDPDU takes effect.
 */

import type { Configuration } from '../configuration.js';
import { ETHERTYPE, etherTypeOf, ORDERED_SET, PRIORITIES } from '../ethernet.js';
import type { Verdict } from '../verdict.js';
import type { Observer } from './observer.js';
import type { Device, Port } from './port.js';

/** By traffic class: percent; null: strict priority. */
type Shares = readonly (number | null)[];

interface Pfc {
  readonly isWilling: boolean;
  readonly capability: number;
  readonly enabled: number;
}

/** What an end configures, or an LLDPDU says. */
interface Side {
  readonly mac: number;
  readonly pfc: Pfc | null;
  readonly recommended: Shares | null;
}

interface End {
  readonly pfc: Pfc;
  /** Null: an algorithm that ETS does not describe. */
  readonly shares: Shares | null;
  readonly takesShares: boolean;
  readonly listens: boolean;
  /** Its address, once it has sent an LLDPDU. */
  mac: number | null;
  /** Operational: priorities with PFC, one bit each, and whether they are the link partner's. */
  enabled: number;
  isPeers: boolean;
  now: Shares | null;
}

/** What follows from a change at a port. */
interface Listener {
  pfcChanged?(port: Port, enabled: number, atPs: number): void;
  sharesChanged?(port: Port, shares: Shares): void;
}

const ORGANIZATION = 127;
const OUI_8021 = 0x0080c2;
const ETS_CONFIGURATION = 0x09;
const ETS_RECOMMENDATION = 0x0a;
const PFC_CONFIGURATION = 0x0b;
const TTL = 3;
const TSA_STRICT = 0;
const TSA_ETS = 2;

export class Negotiation implements Observer {
  readonly listeners: Listener[] = [];
  private readonly ends = new Map<Port, End>();
  private readonly unknown = new Map<Port, string>();

  constructor(
    private readonly configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    if (!configuration.negotiates) return;
    for (const port of devices.flatMap(({ ports }) => [...ports])) {
      const why = whyUnknown(configuration, port);
      if (why === null) this.ends.set(port, endOf(configuration, port));
      else {
        this.unknown.set(port, why);
        verdict.decline('negotiation', why);
      }
    }
  }

  /** What ports begin with: a link is built for all that its ends may come to. */
  begin(): void {
    for (const [port, { enabled }] of this.ends) {
      for (const listener of this.listeners) listener.pfcChanged?.(port, enabled, 0);
    }
  }

  /** Why it is not known what a port and its link partner come to; null: it is. */
  whyUnknown(port: Port): string | null {
    return this.unknown.get(port) ?? null;
  }

  /** A port responds to pauses of a priority. */
  hasPfc(port: Port, priority: number): boolean {
    if (port.configuration.methods[priority] !== 'pfc') return false;
    const own = this.ends.get(port);
    return own === undefined || (own.enabled & (1 << priority)) !== 0;
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.ends.get(port);
    if (own === undefined || !this.isNegotiating(octets)) return;
    own.mac = macOf(octets);
    const { pfc, shares } = readLldpdu(octets);
    const place = { device: port.device.index, port: port.index, atPs };
    this.verdict.judge('negotiation');
    const enabled = own.isPeers ? own.enabled : own.pfc.enabled;
    if (pfc !== null && pfc.enabled !== enabled) {
      const [stated, expected] = [pfc.enabled, enabled].map((mask) => mask.toString(2));
      const what = `PFC Configuration states priorities ${stated}, expected ${expected}`;
      this.verdict.broken('negotiation', place, `${what} (802.1Q 38.4.2)`);
    }
    if (shares === null || own.now === null || isAlike(shares, own.now)) return;
    const what = `ETS Configuration states shares ${show(shares)}, expected ${show(own.now)}`;
    this.verdict.broken('negotiation', place, `${what} (802.1Q 38.4.1)`);
  }

  controlEffective(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.ends.get(port);
    if (own === undefined || !own.listens || !this.isNegotiating(octets)) return;
    const peer = readLldpdu(octets);
    this.resolvePfc(port, own, peer, atPs);
    const table = peer.ttl === 0 || !own.takesShares ? null : peer.recommended;
    // A vendor's algorithm is not given up for a recommended table.
    if (own.shares === null) return;
    const shares = table ?? own.shares;
    if (own.now !== null && isAlike(own.now, shares)) return;
    own.now = shares;
    for (const listener of this.listeners) listener.sharesChanged?.(port, shares);
  }

  private resolvePfc(port: Port, own: End, peer: Side & { ttl: number }, atPs: number): void {
    const before = own.enabled;
    [own.enabled, own.isPeers] = [own.pfc.enabled, false];
    if (peer.ttl > 0 && peer.pfc !== null) {
      const [local, remote] = [own.pfc, peer.pfc];
      // Of two willing ends the one with the greater address keeps its own.
      const isGreater = own.mac !== null && own.mac > peer.mac;
      const follows = local.isWilling && !(remote.isWilling && isGreater);
      const isFollowed = remote.isWilling && !(local.isWilling && !isGreater);
      if (follows && count(remote.enabled) <= local.capability) {
        [own.enabled, own.isPeers] = [remote.enabled, true];
      } else if (follows || !isFollowed || count(local.enabled) > remote.capability) {
        own.enabled = local.enabled & remote.enabled;
      }
    }
    if (own.enabled === before) return;
    for (const listener of this.listeners) {
      listener.pfcChanged?.(port, own.enabled, atPs);
    }
  }

  /** An LLDPDU to the first of the addresses: the others negotiate nothing. */
  private isNegotiating(octets: Uint8Array): boolean {
    if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.lldp) return false;
    return numberAt(octets, 0) === this.configuration.scenario.discovery.destinations[0];
  }
}

function endOf({ scenario }: Configuration, { device, configuration }: Port): End {
  const { settings, isHost } = device.configuration;
  const { willing, pfcCapability: capability, status, dcbx } = settings.discovery;
  const own = isHost ? settings.host.arbiter : settings.switch.arbiter;
  const arbiter = own ?? scenario.classes.arbiter;
  const enabled = configuration.priorities.reduce(
    (mask, { priority, flowControl }) => (flowControl === 'pfc' ? mask | (1 << priority) : mask),
    0,
  );
  const strict = PRIORITIES.map(() => null);
  const shares =
    arbiter.kind === 'ets' ? arbiter.shares : arbiter.kind === 'strict' ? strict : null;
  return {
    pfc: { isWilling: willing.includes('pfc'), capability, enabled },
    ...{ shares, now: shares, takesShares: willing.includes('ets') },
    listens: dcbx !== 'off' && (status === 'both' || status === 'receive'),
    ...{ mac: null, enabled, isPeers: false },
  };
}

interface Lldpdu extends Side {
  readonly shares: Shares | null;
  readonly ttl: number;
}

function readLldpdu(octets: Uint8Array): Lldpdu {
  let pfc: Pfc | null = null;
  let shares: Shares | null = null;
  let recommended: Shares | null = null;
  let ttl = 0;
  for (let at = 14; at + 2 <= octets.length;) {
    const type = octets[at]! >> 1;
    const length = ((octets[at]! & 1) << 8) | octets[at + 1]!;
    const value = octets.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    if (type === 0) break;
    if (type === TTL) ttl = ((value[0] ?? 0) << 8) | (value[1] ?? 0);
    if (type !== ORGANIZATION) continue;
    const [a = 0, b = 0, c = 0, subtype = 0] = value;
    if (((a << 16) | (b << 8) | c) !== OUI_8021) continue;
    const [flags = 0, mask = 0] = value.subarray(4);
    if (subtype === PFC_CONFIGURATION) {
      pfc = { isWilling: (flags & 0x80) !== 0, capability: flags & 15, enabled: mask };
    } else if (subtype === ETS_CONFIGURATION) shares = sharesIn(value);
    else if (subtype === ETS_RECOMMENDATION) recommended = sharesIn(value);
  }
  return { mac: macOf(octets), pfc, shares, recommended, ttl };
}

/** Behind the organization: an octet, eight priorities' classes, shares, algorithms (D.2.8). */
function sharesIn(value: Uint8Array): Shares | null {
  const [percents, algorithms] = [value.subarray(9, 17), value.subarray(17, 25)];
  const isKnown = algorithms.every((own) => own === TSA_STRICT || own === TSA_ETS);
  if (!isKnown || algorithms.length < 8) return null;
  return PRIORITIES.map((tc) => (algorithms[tc] === TSA_ETS ? percents[tc]! : null));
}

function macOf(octets: Uint8Array): number {
  return numberAt(octets, 6);
}

function numberAt(octets: Uint8Array, at: number): number {
  return octets.subarray(at, at + 6).reduce((value, octet) => value * 256 + octet, 0);
}

function count(mask: number): number {
  return PRIORITIES.filter((priority) => (mask & (1 << priority)) !== 0).length;
}

function isAlike(a: Shares, b: Shares): boolean {
  return a.every((share, tc) => share === b[tc]);
}

function show(shares: Shares): string {
  return shares.map((share) => share ?? 'strict').join(', ');
}

/** Messages that they lose, change or delay may age out. */
const FAULTS = [
  ...(['down', 'freeze', 'loss', 'bit-errors', 'control', 'send', 'slow'] as const),
  ...(['delay', 'drift'] as const),
];

function whyUnknown({ scenario }: Configuration, port: Port): string | null {
  const ends = [port, port.peer];
  const { discovery } = scenario;
  const own = ends.map(({ device }) => device.configuration.settings.discovery);
  const faults = ends.flatMap(({ configuration }) => [...configuration.faults]);
  if (discovery.start === 'converged') return 'what was negotiated before the run';
  if (discovery.changes.length > 0) return 'an administrator changes what is negotiated';
  if (port.configuration.pause !== null) return 'PAUSE holds LLDPDUs';
  if (own.some(({ dcbx }) => dcbx === 'cee')) return 'DCBX of CEE';
  if (own.some(({ classes }) => classes !== null)) return 'classes are negotiated';
  if (own.some(({ driftPpm }) => driftPpm !== 0)) return 'clocks that drift';
  if (ends.some(({ device }) => device.configuration.ownMemory !== null)) {
    return 'an end with registers for classes';
  }
  const grants = new Set<string>(['credit', 'cbfc']);
  const hasGrants = ends.some(({ configuration }) =>
    configuration.priorities.some(({ flowControl }) => grants.has(flowControl)),
  );
  const isCapable = own.every(({ grantCapable }) => grantCapable.length > 0);
  if (hasGrants || isCapable) return 'credit is negotiated during the run';
  const isReset = ends.some(({ device }) =>
    device.ports.some(({ configuration }) => configuration.faults.has('flush')),
  );
  if (isReset) return 'a device that restarts';
  const changed = FAULTS.some((fault) => faults.includes(fault));
  return changed ? 'a fault at the link' : null;
}
