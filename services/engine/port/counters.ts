import { DROP_REASONS } from '../contract/probe.js';
import { priorityRow, type Tables } from '../kernel/tables.js';

// Words of a counter record: one per port and priority, eight doubles (one cache line).

export const RX_FRAMES = 0;
export const RX_OCTETS = 1;
export const TX_FRAMES = 2;
export const TX_OCTETS = 3;
export const DROP_FRAMES = 4;
export const DROP_OCTETS = 5;
/** Copies made beyond the frame that came in (flooding, multicast). */
export const COPY_FRAMES = 6;
export const COPY_OCTETS = 7;
const STRIDE = 8;

const REASONS = DROP_REASONS.length;

/** What every port counts. Octets are frame octets, destination address to FCS. */
export class Counters {
  private readonly values: Float64Array;
  /** By port, priority, reason. */
  private readonly reasons: Float64Array;
  /** By port and priority: frames that this port marked. */
  private readonly marks: Float64Array;
  /** By port and priority: octets of VLAN tags put on less those taken off. */
  readonly tagOctets: Float64Array;
  /** By port: MAC control frames. */
  readonly controlSent: Float64Array;
  readonly controlReceived: Float64Array;
  /** By port: MAC control frames that no mechanism claimed. */
  readonly controlUnclaimed: Float64Array;

  constructor(tables: Tables) {
    this.values = tables.float64('port', 8 * STRIDE);
    this.reasons = tables.float64('port', 8 * REASONS);
    this.marks = tables.float64('port', 8);
    this.tagOctets = tables.float64('port', 8);
    this.controlSent = tables.float64('port', 1);
    this.controlReceived = tables.float64('port', 1);
    this.controlUnclaimed = tables.float64('port', 1);
  }

  received(port: number, priority: number, octets: number): void {
    const at = priorityRow(port, priority) * STRIDE;
    this.values[at + RX_FRAMES]++;
    this.values[at + RX_OCTETS] += octets;
  }

  sent(port: number, priority: number, octets: number): void {
    const at = priorityRow(port, priority) * STRIDE;
    this.values[at + TX_FRAMES]++;
    this.values[at + TX_OCTETS] += octets;
  }

  dropped(port: number, priority: number, octets: number, reason: number): void {
    const row = priorityRow(port, priority);
    this.values[row * STRIDE + DROP_FRAMES]++;
    this.values[row * STRIDE + DROP_OCTETS] += octets;
    this.reasons[row * REASONS + reason]++;
  }

  copied(port: number, priority: number, octets: number): void {
    const at = priorityRow(port, priority) * STRIDE;
    this.values[at + COPY_FRAMES]++;
    this.values[at + COPY_OCTETS] += octets;
  }

  marked(port: number, priority: number): void {
    this.marks[priorityRow(port, priority)]++;
  }

  retagged(port: number, priority: number, octets: number): void {
    this.tagOctets[priorityRow(port, priority)] += octets;
  }

  get(port: number, priority: number, word: number): number {
    return this.values[priorityRow(port, priority) * STRIDE + word];
  }

  drops(port: number, priority: number, reason: number): number {
    return this.reasons[priorityRow(port, priority) * REASONS + reason];
  }

  marksOf(port: number, priority: number): number {
    return this.marks[priorityRow(port, priority)];
  }

  tagOctetsOf(port: number, priority: number): number {
    return this.tagOctets[priorityRow(port, priority)];
  }
}
