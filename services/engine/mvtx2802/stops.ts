import type { SlotsSpec } from '../contract/spec.js';
import type { QueueView } from './machine.js';
import { congestedPorts, isUncongested } from './machine.js';
import { assert } from '../kernel/assert.js';

/** Reasons to pause a source; it resumes when none is left. */
export const UNICAST = 1;
export const MULTICAST = 2;

/** Which sources are paused, and why: the transitions of 7.9.1 and 7.9.2. */
export class SourceStops {
  readonly #spec: SlotsSpec;
  /** By source: UNICAST and MULTICAST, one bit each. */
  readonly reasons: Uint8Array;
  /** By source: the destinations that were congested when it was paused, one bit each. */
  readonly portMap: Uint8Array;

  constructor(spec: SlotsSpec) {
    this.#spec = spec;
    this.reasons = new Uint8Array(spec.flowControl.length);
    this.portMap = new Uint8Array(spec.flowControl.length);
  }

  /** A slot of the source's own region was taken, and so many are in use now. */
  sourceSlotTaken(source: number, used: number): void {
    const { flowControl, xoffSlots } = this.#spec;
    if (flowControl[source] && used >= xoffSlots[source]) this.reasons[source] |= UNICAST;
  }

  /** All of them must be free again, not only those above the threshold. */
  sourceSlotFreed(source: number, used: number): void {
    assert(used >= 0, 'slots.used-of-source');
    if (used === 0) this.reasons[source] &= ~UNICAST;
  }

  /** Unmanaged: so many frames with several destinations are in memory, this one counted. */
  multicastAdmitted(source: number, frames: number): void {
    const { flowControl, multicast } = this.#spec;
    if (multicast.kind !== 'unmanaged' || frames <= multicast.mcc) return;
    if (multicast.stops === 'source') {
      if (flowControl[source]) this.reasons[source] |= MULTICAST;
      return;
    }
    for (let p = 0; p < flowControl.length; p++) {
      if (flowControl[p]) this.reasons[p] |= MULTICAST;
    }
  }

  /** Unmanaged: one has left, and so many are still there. */
  multicastFreed(frames: number): void {
    const { multicast } = this.#spec;
    if (multicast.kind !== 'unmanaged' || frames >= multicast.mcc) return;
    for (let p = 0; p < this.reasons.length; p++) this.reasons[p] &= ~MULTICAST;
  }

  /** Managed: a frame is sent to these ports (one bit each); those congested now are recorded. */
  multicastArrived(source: number, fanOut: number, vlan: number, queues: QueueView): void {
    const { flowControl, multicast } = this.#spec;
    if (multicast.kind !== 'managed' || !flowControl[source] || this.portMap[source] !== 0) return;
    const threshold = multicast.thresholdOfVlan[vlan] ?? multicast.thresholdFrames;
    const congested = congestedPorts(fanOut, threshold, queues);
    if (congested === 0) return;
    assert((congested & ~fanOut) === 0, 'slots.congested-of-fan-out');
    this.portMap[source] = congested;
    this.reasons[source] |= MULTICAST;
  }

  /** Managed: a lowest queue has become shorter. */
  lowestQueueFell(queues: QueueView): void {
    const { multicast } = this.#spec;
    if (multicast.kind !== 'managed') return;
    for (let p = 0; p < this.portMap.length; p++) {
      if (this.portMap[p] === 0) continue;
      if (!isUncongested(this.portMap[p], multicast.lowFrames, queues)) continue;
      this.portMap[p] = 0;
      this.reasons[p] &= ~MULTICAST;
    }
  }
}
