import { DROP_REASONS } from '../contract/probe.js';

/** Words of a counter record: one per port and priority, eight doubles (one cache line). */
export const RX_FRAMES = 0;
export const RX_OCTETS = 1;
export const TX_FRAMES = 2;
export const TX_OCTETS = 3;
export const DROP_FRAMES = 4;
export const DROP_OCTETS = 5;
export const MARKED_FRAMES = 6;
/** Copies made beyond the frame that came in (flooding, multicast). */
export const COPY_FRAMES = 7;

export const COUNTER_STRIDE = 8;

/** What every port counts. Octets are frame octets, destination address to FCS. */
export class Counters {
  /** By port, priority, word. */
  readonly values: Float64Array;
  /** Octets of the copies counted in COPY_FRAMES, by port and priority. */
  readonly copiedOctets: Float64Array;
  /** By port, priority, reason. */
  readonly dropsByReason: Float64Array;
  /** By port: MAC control frames. */
  readonly controlSent: Float64Array;
  readonly controlReceived: Float64Array;
  /** By port: MAC control frames that no mechanism claimed. */
  readonly controlUnclaimed: Float64Array;

  constructor(ports: number) {
    this.values = new Float64Array(ports * 8 * COUNTER_STRIDE);
    this.copiedOctets = new Float64Array(ports * 8);
    this.dropsByReason = new Float64Array(ports * 8 * DROP_REASONS.length);
    this.controlSent = new Float64Array(ports);
    this.controlReceived = new Float64Array(ports);
    this.controlUnclaimed = new Float64Array(ports);
  }

  received(port: number, priority: number, octets: number): void {
    const at = ((port << 3) | priority) * COUNTER_STRIDE;
    this.values[at + RX_FRAMES]++;
    this.values[at + RX_OCTETS] += octets;
  }

  sent(port: number, priority: number, octets: number): void {
    const at = ((port << 3) | priority) * COUNTER_STRIDE;
    this.values[at + TX_FRAMES]++;
    this.values[at + TX_OCTETS] += octets;
  }

  dropped(port: number, priority: number, octets: number, reason: number): void {
    const account = (port << 3) | priority;
    this.values[account * COUNTER_STRIDE + DROP_FRAMES]++;
    this.values[account * COUNTER_STRIDE + DROP_OCTETS] += octets;
    this.dropsByReason[account * DROP_REASONS.length + reason]++;
  }

  copied(port: number, priority: number, octets: number): void {
    const account = (port << 3) | priority;
    this.values[account * COUNTER_STRIDE + COPY_FRAMES]++;
    this.copiedOctets[account] += octets;
  }

  marked(port: number, priority: number): void {
    this.values[((port << 3) | priority) * COUNTER_STRIDE + MARKED_FRAMES]++;
  }

  get(port: number, priority: number, word: number): number {
    return this.values[((port << 3) | priority) * COUNTER_STRIDE + word];
  }

  drops(port: number, priority: number, reason: number): number {
    return this.dropsByReason[((port << 3) | priority) * DROP_REASONS.length + reason];
  }
}
