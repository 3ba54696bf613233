import { DROP_REASONS } from '../contract/probe.js';
import { priorityRow, type Tables } from '../kernel/tables.js';

// Words of a counter record: one per port and priority, eight doubles (one cache line).

export const RX_FRAMES = 0;
export const RX_OCTETS = 1;
export const TX_FRAMES = 2;
export const TX_OCTETS = 3;
export const DROP_FRAMES = 4;
export const DROP_OCTETS = 5;
/** Made here: what a host sends, and copies beyond the frame that came in (flooding, groups). */
export const MADE_FRAMES = 6;
export const MADE_OCTETS = 7;
const STRIDE = 8;

const REASONS = DROP_REASONS.length;

const LOSS_TIME = 0;
const LOSS_PORT = 1;
const LOSS_PRIORITY = 2;
const LOSS_COUNT = 3;
const LOSS_STRIDE = 4;

export interface FirstLoss {
  readonly timePs: number;
  readonly port: number;
  readonly priority: number;
  readonly count: number;
}

/** What every port counts. Octets are frame octets, destination address to FCS. */
export class Counters {
  private readonly values: Float64Array;
  /** By port, priority, reason. */
  private readonly reasons: Float64Array;
  /** By port and priority: frames that this port marked. */
  private readonly marks: Float64Array;
  /** By port and priority: octets of VLAN tags put on less those taken off. */
  readonly tagOctets: Float64Array;
  /** By device: time, port and priority of its first loss on a lossless account, and how many. */
  private readonly losses: Float64Array;
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
    this.losses = tables.float64('device', LOSS_STRIDE);
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

  /** A frame was dropped whose account was lossless; `port` is counted from the device's first. */
  lost(device: number, port: number, priority: number, time: number): void {
    const { losses } = this;
    const at = device * LOSS_STRIDE;
    if (losses[at + LOSS_COUNT]++ > 0) return;
    losses[at + LOSS_TIME] = time;
    losses[at + LOSS_PORT] = port;
    losses[at + LOSS_PRIORITY] = priority;
  }

  /** First loss of a device on a lossless account; null if it never lost a frame. */
  firstLoss(device: number): FirstLoss | null {
    const { losses } = this;
    const at = device * LOSS_STRIDE;
    if (losses[at + LOSS_COUNT] === 0) return null;
    return {
      timePs: losses[at + LOSS_TIME],
      port: losses[at + LOSS_PORT],
      priority: losses[at + LOSS_PRIORITY],
      count: losses[at + LOSS_COUNT],
    };
  }

  made(port: number, priority: number, octets: number): void {
    const at = priorityRow(port, priority) * STRIDE;
    this.values[at + MADE_FRAMES]++;
    this.values[at + MADE_OCTETS] += octets;
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
