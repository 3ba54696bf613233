import type { SlotsSpec } from '../contract/spec.js';
import { NO_REGION, REGIONS, SOURCE, regionFor } from './machine.js';
import { assert } from '../kernel/assert.js';

export const NO_SLOT = -1;

/**
 * The frame data buffer: slots of one frame each, most of them reserved for a class or a source. A
 * frame with several destinations has one slot, which is free when the last of them has sent it.
 */
export class SlotMemory {
  readonly #spec: SlotsSpec;
  /** By region; of the sources together. */
  readonly free = new Int32Array(REGIONS);
  readonly used = new Int32Array(REGIONS);
  readonly peak = new Int32Array(REGIONS);
  /** By port: slots of its own region. */
  readonly usedBySource: Int32Array;
  readonly peakBySource: Int32Array;
  /** Frames in memory that went to several destinations. */
  multicastFrames = 0;

  // By slot.

  /** Destinations that have not sent the frame; 0 for a free slot. */
  readonly copies: Uint8Array;
  readonly region: Uint8Array;
  readonly source: Uint8Array;
  readonly isMulticast: Uint8Array;
  /** When its frame was admitted, in ps. */
  readonly admittedPs: Float64Array;
  /** Free slots, one behind the other, and their number. */
  private readonly idle: Int32Array;
  private idleCount: number;

  constructor(spec: SlotsSpec) {
    this.#spec = spec;
    const ports = spec.flowControl.length;
    this.free.set(spec.classSlots);
    this.free[0] = spec.sharedSlots;
    this.free[SOURCE] = spec.sourceSlots * ports;
    const slots = this.free.reduce((sum, count) => sum + count, 0);
    this.usedBySource = new Int32Array(ports);
    this.peakBySource = new Int32Array(ports);
    this.copies = new Uint8Array(slots);
    this.region = new Uint8Array(slots);
    this.source = new Uint8Array(slots);
    this.isMulticast = new Uint8Array(slots);
    this.admittedPs = new Float64Array(slots);
    this.idle = Int32Array.from({ length: slots }, (_, i) => slots - 1 - i);
    this.idleCount = slots;
  }

  /** A slot for a frame with so many destinations, NO_SLOT if none is available. */
  take(
    source: number,
    trafficClass: number,
    downgraded: boolean,
    copies: number,
    isMulticast: boolean,
  ): number {
    const spec = this.#spec;
    const { free, used, peak, usedBySource, peakBySource } = this;
    const sourceFree = spec.sourceSlots - usedBySource[source];
    const region = regionFor(trafficClass, downgraded, free, sourceFree, spec.allocationOrder);
    if (region === NO_REGION) return NO_SLOT;
    free[region]--;
    used[region]++;
    if (used[region] > peak[region]) peak[region] = used[region];
    if (region === SOURCE) {
      const own = ++usedBySource[source];
      if (own > peakBySource[source]) peakBySource[source] = own;
    }
    if (isMulticast) this.multicastFrames++;
    const slot = this.idle[--this.idleCount];
    assert(this.idleCount >= 0 && this.copies[slot] === 0, 'slots.idle-slot');
    assert(copies > 0 && free[region] >= 0, 'slots.region-had-a-slot');
    this.copies[slot] = copies;
    this.region[slot] = region;
    this.source[slot] = source;
    this.isMulticast[slot] = isMulticast ? 1 : 0;
    return slot;
  }

  /** A destination has sent the frame; true if it was the last. */
  release(slot: number): boolean {
    assert(this.copies[slot] > 0, 'slots.released-was-taken');
    if (--this.copies[slot] > 0) return false;
    const region = this.region[slot];
    assert(this.used[region] > 0, 'slots.used-of-region');
    this.free[region]++;
    this.used[region]--;
    if (region === SOURCE) this.usedBySource[this.source[slot]]--;
    this.multicastFrames -= this.isMulticast[slot];
    assert(this.multicastFrames >= 0, 'slots.multicast-frames');
    this.idle[this.idleCount++] = slot;
    return true;
  }
}
