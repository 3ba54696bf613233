/** What is sampled of a priority at a port while a run goes on. */

import { USED } from '../engine/buffer/shared-buffer.js';
import type { Engine } from '../engine/device/engine.js';
import { DROP_FRAMES, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';
import { WIRE_OVERHEAD_OCTETS } from '../engine/units/ethernet.js';
import { measures } from '../mechanisms/measure.js';
import { EXCHANGE } from '../mechanisms/registry.js';
import { LENSES, PORT_MEASURES, type PortReading } from './port-measures.js';

export interface SeriesReading extends PortReading {
  /** What the port may still send, all channels of the priority together. */
  readonly grantedUnits: number;
}

/** Counters, of which table `series` has what an interval added. */
export const SERIES_CHANGES = measures<SeriesReading>()({
  txFrames: {
    unit: 'frames',
    meaning: 'Frames sent in the interval.',
    read: ({ engine, port, priority }) => engine.shared.counters.get(port, priority, TX_FRAMES),
  },
  txOctets: {
    unit: 'bytes',
    meaning: 'Their bytes, FCS included.',
    read: ({ engine, port, priority }) => engine.shared.counters.get(port, priority, TX_OCTETS),
  },
  droppedFrames: {
    unit: 'frames',
    meaning: 'Frames dropped in the interval.',
    read: ({ engine, port, priority }) => engine.shared.counters.get(port, priority, DROP_FRAMES),
  },
  [LENSES.blocked]: {
    unit: 'ps',
    meaning: `Time paused, or blocked on ${EXCHANGE}, in the interval.`,
    read: PORT_MEASURES[LENSES.blocked].read,
  },
});

/** Levels, which it has as they are at its end. */
export const SERIES_LEVELS = measures<SeriesReading>()({
  queueOctets: {
    unit: 'bytes',
    meaning: 'Egress queue at its end.',
    read: ({ engine, port, priority }) => engine.shared.queues.get(port, priority, QUEUE_OCTETS),
  },
  ingressOctets: {
    unit: 'bytes',
    meaning: 'Ingress buffer of the priority group at its end.',
    read: ({ engine, port, priority }) => engine.shared.buffer.get(port, priority, USED),
  },
  grantedUnits: {
    unit: 'units',
    meaning: `Available ${EXCHANGE} at its end.`,
    read: ({ grantedUnits }) => grantedUnits,
    column: `${EXCHANGE}_units`,
  },
});

/** By priority, into a list: what a port may still send, all channels together. */
export function countGranted({ books }: Engine, port: number, units: Float64Array): void {
  units.fill(0);
  books.accounts.forEach(port, (row) => {
    units[books.accounts.priority(row)]! += books.sender.available(row);
  });
}

/** A snapshot: counters since the beginning, and levels. */
export const SNAPSHOT_MEASURES = measures<SeriesReading>()({
  wireOctets: {
    unit: 'bytes',
    meaning: 'Bytes sent, with preambles and gaps.',
    read: (at) =>
      SERIES_CHANGES.txOctets.read(at) + WIRE_OVERHEAD_OCTETS * SERIES_CHANGES.txFrames.read(at),
  },
  [LENSES.blocked]: SERIES_CHANGES[LENSES.blocked],
  ...SERIES_LEVELS,
  drops: SERIES_CHANGES.droppedFrames,
});
