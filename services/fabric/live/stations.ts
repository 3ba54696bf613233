import type { LiveFrame } from '../../engine/contract/live.js';
import { isOfLink } from '../../engine/faults/control-frames.js';
import { readU16, readU48 } from '../../engine/wire/big-endian.js';
import { ETHERTYPE_AT, ETHERTYPE_MAC_CONTROL } from '../../engine/wire/ethernet.js';
import { ETHERTYPE_LLDP, LLDP_FRAME_MOST } from '../../engine/wire/lldp/lldpdu.js';
import type { Refusal } from '../../endpoints/refusals.js';
import { classOf } from './frame-facts.js';
import type { LivePlan } from './live-section.js';

/** Addresses that are learned at most: a host may forge any. */
const LEARNED_MOST = 65_536;
/** 01-80-C2-00-00-00 to -0F: no bridge forwards these (802.1Q table 8-1). */
const RESERVED = 0x0180c2000000;
/** Group bit of an address: the least of its first octet. */
const GROUP_BIT = 0x010000000000;

/** A frame for the fabric; null: it belongs to the link. */
type Entering = { readonly frame: LiveFrame | null } | Refusal;

/**
 * Where frames of real hosts go: their addresses are those that they send from. What they send is
 * all that this depends on, in the order in which it came, so that a replay finds the same.
 */
export class LiveStations {
  private readonly learned = new Map<number, number>();

  constructor(private readonly plan: LivePlan) {}

  /** A frame of the live host at a position, without FCS and padded. */
  enter(position: number, octets: Uint8Array): Entering {
    const host = this.plan.hosts.find((own) => own.position === position)!;
    const destination = readU48(octets, 0);
    if (isOfLink(octets) || isReserved(destination)) {
      if (!host.section.isWire) return 'link-local';
      const etherType = readU16(octets, ETHERTYPE_AT);
      const passes = etherType === ETHERTYPE_MAC_CONTROL || etherType === ETHERTYPE_LLDP;
      return passes && octets.length <= LLDP_FRAME_MOST ? { frame: null } : 'link-type';
    }
    this.learn(readU48(octets, 6), position);
    const facts = classOf(octets, host.section.priority);
    const target = isGroup(destination) ? undefined : this.positionOf(destination);
    if (target === position) return 'own-address';
    if (target !== undefined) return { frame: { ...facts, target, isGroup: false } };
    if (this.plan.hosts.length === 1) return 'alone';
    return { frame: { ...facts, target: this.plan.group, isGroup: true } };
  }

  private positionOf(address: number): number | undefined {
    return this.learned.get(address) ?? this.plan.emulated.get(address);
  }

  private learn(address: number, position: number): void {
    if (isGroup(address)) return;
    if (this.learned.size < LEARNED_MOST || this.learned.has(address)) {
      this.learned.set(address, position);
    }
  }
}

function isReserved(address: number): boolean {
  return address >= RESERVED && address <= RESERVED + 0xf;
}

function isGroup(address: number): boolean {
  return Math.floor(address / GROUP_BIT) % 2 === 1;
}
