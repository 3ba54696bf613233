/**
 * What link partners come to by DCBX, of LLDPDUs on the wire and both ends' configuration: PFC by
 * the symmetric machine (802.1Q 38.4.2), shares by the asymmetric one (38.4.1). A port begins with
 * its own configuration, and computes anew when an LLDPDU takes effect.
 */

import type { Configuration } from '../configuration.js';
import {
  bitsOf,
  ETHERTYPE,
  etherTypeOf,
  maskOf,
  ORDERED_SET,
  PRIORITIES,
  u16,
} from '../ethernet.js';
import type { Verdict } from '../verdict.js';
import type { Observer } from './observer.js';
import { type Port, reasonOf, restarts } from './port.js';

/** By traffic class: percent; null: strict priority. */
type Shares = readonly (number | null)[];

interface Pfc {
  readonly isWilling: boolean;
  readonly capability: number;
  /** Priorities, one bit each. */
  readonly enabled: number;
}

type End = ReturnType<typeof endOf>;

type Lldpdu = ReturnType<typeof readLldpdu>;

interface Listener {
  pfcChanged?(port: Port, enabled: number, atPs: number): void;
  sharesChanged?(port: Port, shares: Shares): void;
}

const ORGANIZATION = 127;
const OUI_8021 = 0x0080c2;
const [ETS_CONFIGURATION, ETS_RECOMMENDATION, PFC_CONFIGURATION] = [0x09, 0x0a, 0x0b];
const TTL = 3;
const [TSA_STRICT, TSA_ETS] = [0, 2];

export class Negotiation implements Observer {
  readonly listeners: Listener[] = [];
  private readonly ends = new Map<Port, End>();
  private readonly unknown = new Map<Port, string | null>();

  constructor(
    private readonly configuration: Configuration,
    ports: readonly Port[],
    private readonly verdict: Verdict,
  ) {
    for (const port of configuration.negotiates ? ports : []) {
      const why = whyUnknown(configuration, port);
      this.unknown.set(port, why);
      if (verdict.knows('negotiation', why)) this.ends.set(port, endOf(configuration, port));
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

  hasPfc(port: Port, priority: number): boolean {
    const own = this.ends.get(port);
    const isEnabled = own === undefined || (own.enabled & (1 << priority)) !== 0;
    return port.methods[priority] === 'pfc' && isEnabled;
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.ends.get(port);
    if (own === undefined || !this.isNegotiating(octets)) return;
    const { mac, pfc, shares } = readLldpdu(octets);
    own.mac = mac;
    this.verdict.judge('negotiation');
    const enabled = own.isPeers ? own.enabled : own.pfc.enabled;
    if (pfc !== null && pfc.enabled !== enabled) {
      const [stated, expected] = [pfc.enabled, enabled].map((mask) => mask.toString(2));
      const what = `PFC Configuration states priorities ${stated}, expected ${expected}`;
      this.verdict.broken('negotiation', port.at(atPs), `${what} (802.1Q 38.4.2)`);
    }
    if (shares === null || own.now === null || isAlike(shares, own.now)) return;
    const what = `ETS Configuration states shares ${show(shares)}, expected ${show(own.now)}`;
    this.verdict.broken('negotiation', port.at(atPs), `${what} (802.1Q 38.4.1)`);
  }

  controlEffective(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.ends.get(port);
    if (own === undefined || !own.listens || !this.isNegotiating(octets)) return;
    const peer = readLldpdu(octets);
    const before = own.enabled;
    [own.enabled, own.isPeers] = operationalPfc(own, peer);
    if (own.enabled !== before) {
      for (const listener of this.listeners) listener.pfcChanged?.(port, own.enabled, atPs);
    }
    // A vendor's algorithm is not given up for a recommended table.
    if (own.shares === null) return;
    const table = peer.ttl === 0 || !own.takesShares ? null : peer.recommended;
    const shares = table ?? own.shares;
    if (own.now !== null && isAlike(own.now, shares)) return;
    own.now = shares;
    for (const listener of this.listeners) listener.sharesChanged?.(port, shares);
  }

  /** An LLDPDU to the first of the addresses: the others negotiate nothing. */
  private isNegotiating(octets: Uint8Array): boolean {
    if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.lldp) return false;
    return macAt(octets, 0) === this.configuration.scenario.discovery.destinations[0];
  }
}

/** Which priorities have PFC now, and whether that is what the link partner has. */
function operationalPfc({ mac, pfc: local }: End, peer: Lldpdu): [enabled: number, is: boolean] {
  const { pfc: remote, ttl } = peer;
  if (ttl === 0 || remote === null) return [local.enabled, false];
  // Of two willing ends the one with the greater address keeps its own.
  const isGreater = mac !== null && mac > peer.mac;
  const follows = local.isWilling && !(remote.isWilling && isGreater);
  const isFollowed = remote.isWilling && !(local.isWilling && !isGreater);
  const count = (mask: number): number => bitsOf(mask).length;
  if (follows && count(remote.enabled) <= local.capability) return [remote.enabled, true];
  const isKept = !follows && isFollowed && count(local.enabled) <= remote.capability;
  return [isKept ? local.enabled : local.enabled & remote.enabled, false];
}

function endOf({ scenario }: Configuration, { device, configuration }: Port) {
  const { settings, isHost } = device.configuration;
  const { willing, pfcCapability: capability, status, dcbx } = settings.discovery;
  const arbiter = (isHost ? settings.host : settings.switch).arbiter ?? scenario.classes.arbiter;
  const enabled = maskOf(PRIORITIES, (p) => configuration.priorities[p]!.flowControl === 'pfc');
  const strict = arbiter.kind === 'strict' ? PRIORITIES.map(() => null) : null;
  /** Null: an algorithm that ETS does not describe. */
  const shares: Shares | null = arbiter.kind === 'ets' ? arbiter.shares : strict;
  return {
    pfc: { isWilling: willing.includes('pfc'), capability, enabled },
    ...{ shares, now: shares, takesShares: willing.includes('ets') },
    listens: dcbx !== 'off' && (status === 'both' || status === 'receive'),
    /** Its address, once it has sent an LLDPDU. */
    mac: null as number | null,
    /** Operational, and whether that is the link partner's. */
    ...{ enabled, isPeers: false },
  };
}

function readLldpdu(octets: Uint8Array) {
  const none = { shares: null as Shares | null, recommended: null as Shares | null };
  const own = { mac: macAt(octets, 6), pfc: null as Pfc | null, ...none, ttl: 0 };
  for (let at = 14; at + 2 <= octets.length;) {
    const type = octets[at]! >> 1;
    const length = u16(octets, at) & 0x1ff;
    const value = octets.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    if (type === 0) break;
    if (type === TTL) own.ttl = u16(value, 0);
    if (type !== ORGANIZATION || ((value[0]! << 16) | u16(value, 1)) !== OUI_8021) continue;
    const [subtype = 0, flags = 0, enabled = 0] = value.subarray(3);
    if (subtype === PFC_CONFIGURATION) {
      own.pfc = { isWilling: (flags & 0x80) !== 0, capability: flags & 15, enabled };
    } else if (subtype === ETS_CONFIGURATION) own.shares = sharesIn(value);
    else if (subtype === ETS_RECOMMENDATION) own.recommended = sharesIn(value);
  }
  return own;
}

/** Behind the organization: an octet, eight priorities' classes, shares, algorithms (D.2.8). */
function sharesIn(value: Uint8Array): Shares | null {
  const [percents, algorithms] = [value.subarray(9, 17), value.subarray(17, 25)];
  const isKnown = algorithms.every((own) => own === TSA_STRICT || own === TSA_ETS);
  if (!isKnown || algorithms.length < 8) return null;
  return PRIORITIES.map((tc) => (algorithms[tc] === TSA_ETS ? percents[tc]! : null));
}

const macAt = (octets: Uint8Array, at: number): number =>
  octets.subarray(at, at + 6).reduce((value, octet) => value * 256 + octet, 0);

const isAlike = (a: Shares, b: Shares): boolean => a.every((share, tc) => share === b[tc]);

const show = (shares: Shares): string => shares.map((share) => share ?? 'strict').join(', ');

/** Messages that they lose, change or delay may age out. */
const FAULTS = [
  ...(['down', 'freeze', 'loss', 'bit-errors', 'control', 'send', 'slow'] as const),
  ...(['delay', 'drift', 'link'] as const),
];

function whyUnknown({ scenario: { discovery } }: Configuration, port: Port): string | null {
  const ends = port.ends.map(({ device }) => device.configuration);
  const own = ends.map(({ settings }) => settings.discovery);
  const hasGrants = port.ends.some(({ configuration: { priorities } }) =>
    priorities.some(({ flowControl }) => flowControl === 'credit' || flowControl === 'cbfc'),
  );
  const isCapable = own.every(({ grantCapable }) => grantCapable.length > 0);
  return reasonOf({
    'what was negotiated before the run': discovery.start === 'converged',
    'an administrator changes what is negotiated': discovery.changes.length > 0,
    'PAUSE holds LLDPDUs': port.configuration.pause !== null,
    'DCBX of CEE': own.some(({ dcbx }) => dcbx === 'cee'),
    'classes are negotiated': own.some(({ classes }) => classes !== null),
    'clocks that drift': own.some(({ driftPpm }) => driftPpm !== 0),
    'an end with registers for classes': ends.some(({ ownMemory }) => ownMemory !== null),
    'credit is negotiated during the run': hasGrants || isCapable,
    'a device that restarts': restarts(port),
    'a fault at the link': port.ends.some((end) => end.hasFault(...FAULTS)),
  });
}
