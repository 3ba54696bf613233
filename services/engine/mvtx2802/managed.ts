import type { ManagedValue } from '../contract/flow-control.js';
import type { Shapers } from './shaper.js';
import type { SlotMemory } from './slots.js';

/** What the part is; the size of a slot is a choice. */
export const MVTX2802_PORTS = 4;
/** The ports and the CPU. */
export const MVTX2802_SOURCES = 5;
export const MVTX2802_RATES_BPS: readonly number[] = [10e6, 100e6, 1e9];
export const MVTX2802_SLOT_OCTETS = 1536;
export const MVTX2802_MEMORIES = { '1MB': 1 << 20, '2MB': 1 << 21 } as const;

/** Registers that a scenario may leave out. */
export const MVTX2802_DEFAULTS = {
  memory: '1MB',
  temporarySlots: 8,
  classSlots: 8,
  sourceSlots: 64,
  mcc: 64,
  congestionFrames: 16,
} as const;

/** How a port serves its queues. */
export const SCHEDULERS = [
  /** Of `classes`, as at other switches. */
  'classes',
  /** Delay bounds for P7 to P2, best effort for P1 and P0. */
  'delay-bound',
  /** P7 and P6 strict, delay bounds for P5 to P2, best effort for P1 and P0. */
  'strict-delay-bound',
  /** P7 and P6 strict, weights for the others. */
  'strict-wfq',
  /** Weights for all. */
  'wfq',
] as const;

/** By class: bound of the delay at a port of 1 Gb/s. P1 and P0 have none. */
export const DELAY_BOUNDS_US = [null, null, 2560, 1280, 640, 320, 160, 160] as const;
/** Weights, and rates of the shaper, are in 64ths of a port. */
export const RATE_PARTS = 64;
/** How far a shaped class may be ahead of its average rate: a choice. */
export const SHAPER_BURST = '16KiB';

/** A single frame never pauses its source. */
export const LEAST_XOFF_SLOTS = 2;

/** Levels of the load of an output, and the share dropped at the first two. */
export const WRED_DEFAULTS = {
  levels: ['240KiB', '280KiB', '320KiB'],
  /** Each class at its threshold adds as much to the load under delay bound. */
  thresholds: { 2: '64KiB', 3: '32KiB', 4: '16KiB', 5: '8KiB', 6: '4KiB', 7: '4KiB' },
  x: '25%',
  y: '50%',
  z: '25%',
} as const;

/** The fixed threshold at which a destination counts as uncongested again: a choice. */
export function uncongestedBelow(congestionFrames: number): number {
  return Math.max(1, Math.floor(congestionFrames / 2));
}

/** By port of a switch. */
export class Mvtx2802Counters {
  readonly xoffs: Float64Array;
  readonly xons: Float64Array;
  readonly pausedSincePs: Float64Array;
  /** Of pauses that are over. */
  readonly pausedPs: Float64Array;
  /** Frames by their ingress port. */
  readonly downgraded: Float64Array;
  readonly withoutSlot: Float64Array;
  /** Frames by their intended egress port. */
  readonly wredDrops: Float64Array;
  /** Frames by their ingress port that found no slot at their first bit. */
  readonly withoutTemporary: Float64Array;
  /** Frames by their egress port that started after their due date. */
  readonly late: Float64Array;

  constructor(ports: number) {
    this.xoffs = new Float64Array(ports);
    this.xons = new Float64Array(ports);
    this.pausedSincePs = new Float64Array(ports);
    this.pausedPs = new Float64Array(ports);
    this.downgraded = new Float64Array(ports);
    this.withoutSlot = new Float64Array(ports);
    this.wredDrops = new Float64Array(ports);
    this.withoutTemporary = new Float64Array(ports);
    this.late = new Float64Array(ports);
  }

  change(port: number, stop: boolean, now: number): void {
    if (stop) {
      this.xoffs[port]++;
      this.pausedSincePs[port] = now;
    } else {
      this.xons[port]++;
      this.pausedPs[port] += now - this.pausedSincePs[port];
    }
  }

  /** How long a source has been paused until `now`: its flows to idle outputs as well. */
  pausedUntil(port: number, now: number): number {
    const stands = this.xoffs[port] > this.xons[port];
    return this.pausedPs[port] + (stands ? now - this.pausedSincePs[port] : 0);
  }
}

interface ManagedParts {
  readonly counters: Mvtx2802Counters;
  readonly memory: SlotMemory;
  readonly shapers: Shapers;
}

export function mvtx2802ManagedValues(
  port: number,
  { counters, memory, shapers }: ManagedParts,
  now: number,
): ManagedValue[] {
  const show = (name: string, value: number): ManagedValue => ({ name, priority: null, value });
  return [
    show('sourceSlotsUsed', memory.usedBySource[port]),
    show('sourceSlotsPeak', memory.peakBySource[port]),
    show('xoffs', counters.xoffs[port]),
    show('xons', counters.xons[port]),
    show('peerPausedTimePs', counters.pausedUntil(port, now)),
    show('downgradedFrames', counters.downgraded[port]),
    show('framesWithoutSlot', counters.withoutSlot[port]),
    show('wredDrops', counters.wredDrops[port]),
    show('framesWithoutTemporarySlot', counters.withoutTemporary[port]),
    show('lateFrames', counters.late[port]),
    show('shapedTimePs', shapers.blockedPs(port, now)),
  ];
}
