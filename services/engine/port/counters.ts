import { DROP_REASONS } from '../contract/probe.js';
import { COUNTER, SHAPE, STAMP } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { PortRow, Priority } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import { field, fields } from '../kernel/fields.js';

// Words of a counter record: one per port and priority, eight doubles (one cache line).

export const RX_FRAMES = 0;
export const RX_OCTETS = 1;
export const TX_FRAMES = 2;
export const TX_OCTETS = 3;
export const DROP_FRAMES = 4;
export const DROP_OCTETS = 5;
/** Created here: what a host sends, and copies beyond the received frame (flooding, groups). */
export const MADE_FRAMES = 6;
export const MADE_OCTETS = 7;
const STRIDE = 8;
const RECORD = fields(STRIDE, {
  rxFrames: [RX_FRAMES, COUNTER],
  rxOctets: [RX_OCTETS, COUNTER],
  txFrames: [TX_FRAMES, COUNTER],
  txOctets: [TX_OCTETS, COUNTER],
  dropFrames: [DROP_FRAMES, COUNTER],
  dropOctets: [DROP_OCTETS, COUNTER],
  madeFrames: [MADE_FRAMES, COUNTER],
  madeOctets: [MADE_OCTETS, COUNTER],
});

const REASONS = DROP_REASONS.length;

const LOSS_TIME = 0;
const LOSS_PORT = 1;
const LOSS_PRIORITY = 2;
const LOSS_COUNT = 3;
const LOSS_STRIDE = 4;
const LOSS = fields(LOSS_STRIDE, {
  firstAt: [LOSS_TIME, STAMP],
  port: [LOSS_PORT, SHAPE],
  priority: [LOSS_PRIORITY, SHAPE],
  count: [LOSS_COUNT, COUNTER],
});

const framesAndOctets = (of: string) => field(of, COUNTER, 2);

interface FirstLoss {
  readonly timePs: number;
  readonly port: PortRow;
  readonly priority: Priority;
  readonly count: number;
}

/** Counters of every port. Octets are frame octets, destination address to FCS. */
export type Counters = ReturnType<typeof makeCounters>;

export function makeCounters(tables: Tables) {
  const portCount = tables.count('port');
  /** One plane per priority. */
  const values = tables.float64('port', RECORD, 8);
  const reasons = tables.float64('port', field('drops', COUNTER, REASONS), 8);
  const marks = tables.float64('port', field('marks', COUNTER), 8);
  const tagOctets = tables.float64('port', field('tag octets', COUNTER), 8);
  /** Frames and octets that were for a switch itself. */
  const consumptions = tables.float64('port', framesAndOctets('consumed'), 8);
  /** Frames and octets that a fault on the link added as copies of received ones. */
  const repetitions = tables.float64('port', framesAndOctets('repeated'), 8);
  /** Frames and octets that were discarded on arrival, and that link-level retry gets again. */
  const rejections = tables.float64('port', framesAndOctets('rejected'), 8);
  const losses = tables.float64('device', LOSS);
  const controlSent = tables.float64('port', field('control sent', COUNTER));
  const controlReceived = tables.float64('port', field('control received', COUNTER));
  const controlUnclaimed = tables.float64('port', field('control unclaimed', COUNTER));

  function rowOf(port: PortRow, priority: Priority): number {
    return priority * portCount + port;
  }

  function received(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * STRIDE;
    values[at + RX_FRAMES]++;
    values[at + RX_OCTETS] += octets;
  }

  function sent(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * STRIDE;
    values[at + TX_FRAMES]++;
    values[at + TX_OCTETS] += octets;
  }

  function dropped(port: PortRow, priority: Priority, octets: number, reason: number): void {
    const row = rowOf(port, priority);
    values[row * STRIDE + DROP_FRAMES]++;
    values[row * STRIDE + DROP_OCTETS] += octets;
    assert(reason >= 0 && reason < REASONS, 'counters.reason-of-drop');
    reasons[row * REASONS + reason]++;
  }

  function rejected(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * 2;
    rejections[at]++;
    rejections[at + 1] += octets;
  }

  function rejectedFrames(port: PortRow, priority: Priority): number {
    return rejections[rowOf(port, priority) * 2];
  }

  function rejectedOctets(port: PortRow, priority: Priority): number {
    return rejections[rowOf(port, priority) * 2 + 1];
  }

  /** A frame was dropped whose account was lossless; `port` is counted from the device's first. */
  function lost(device: number, port: PortRow, priority: Priority, time: number): void {
    const at = device * LOSS_STRIDE;
    if (losses[at + LOSS_COUNT]++ > 0) {
      assert(time >= losses[at + LOSS_TIME], 'counters.first-loss-is-first');
      return;
    }
    losses[at + LOSS_TIME] = time;
    losses[at + LOSS_PORT] = port;
    losses[at + LOSS_PRIORITY] = priority;
  }

  /** First loss of a device on a lossless account; null if it never lost a frame. */
  function firstLoss(device: number): FirstLoss | null {
    const at = device * LOSS_STRIDE;
    if (losses[at + LOSS_COUNT] === 0) return null;
    return {
      timePs: losses[at + LOSS_TIME],
      port: losses[at + LOSS_PORT],
      priority: losses[at + LOSS_PRIORITY],
      count: losses[at + LOSS_COUNT],
    };
  }

  function made(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * STRIDE;
    values[at + MADE_FRAMES]++;
    values[at + MADE_OCTETS] += octets;
  }

  /** The priority of a received frame was changed. */
  function remapped(port: PortRow, from: number, to: number, octets: number): void {
    made(port, to, octets);
    const at = rowOf(port, from) * STRIDE;
    assert(from !== to, 'counters.remapped-to-another');
    values[at + MADE_FRAMES]--;
    values[at + MADE_OCTETS] -= octets;
  }

  function marked(port: PortRow, priority: Priority): void {
    marks[rowOf(port, priority)]++;
  }

  function retagged(port: PortRow, priority: Priority, octets: number): void {
    tagOctets[rowOf(port, priority)] += octets;
  }

  function repeated(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * 2;
    repetitions[at]++;
    repetitions[at + 1] += octets;
  }

  function repeatedFrames(port: PortRow, priority: Priority): number {
    return repetitions[rowOf(port, priority) * 2];
  }

  function repeatedOctets(port: PortRow, priority: Priority): number {
    return repetitions[rowOf(port, priority) * 2 + 1];
  }

  function consumed(port: PortRow, priority: Priority, octets: number): void {
    const at = rowOf(port, priority) * 2;
    consumptions[at]++;
    consumptions[at + 1] += octets;
  }

  function consumedFrames(port: PortRow, priority: Priority): number {
    return consumptions[rowOf(port, priority) * 2];
  }

  function consumedOctets(port: PortRow, priority: Priority): number {
    return consumptions[rowOf(port, priority) * 2 + 1];
  }

  function get(port: PortRow, priority: Priority, word: number): number {
    return values[rowOf(port, priority) * STRIDE + word];
  }

  function drops(port: PortRow, priority: Priority, reason: number): number {
    return reasons[rowOf(port, priority) * REASONS + reason];
  }

  function marksOf(port: PortRow, priority: Priority): number {
    return marks[rowOf(port, priority)];
  }

  function tagOctetsOf(port: PortRow, priority: Priority): number {
    return tagOctets[rowOf(port, priority)];
  }

  /** Whether any port has counted something of a priority. */
  function isUsed(priority: Priority): boolean {
    const end = rowOf(portCount, priority) * STRIDE;
    for (let at = rowOf(0, priority) * STRIDE; at < end; at++) if (values[at] !== 0) return true;
    return false;
  }

  return {
    controlSent,
    controlReceived,
    controlUnclaimed,
    received,
    sent,
    dropped,
    rejected,
    rejectedFrames,
    rejectedOctets,
    lost,
    firstLoss,
    made,
    remapped,
    marked,
    retagged,
    consumed,
    consumedFrames,
    consumedOctets,
    repeated,
    repeatedFrames,
    repeatedOctets,
    get,
    isUsed,
    drops,
    marksOf,
    tagOctetsOf,
  };
}
