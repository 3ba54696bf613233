/** What is measured of a flow: the rows of table `flows`. */

import type { Reordering } from '../engine/contract/transport.js';
import type { Engine } from '../engine/device/engine.js';
import {
  CUT,
  FRAMES,
  LAST_AT,
  LATENCY_MAX,
  LATENCY_MIN,
  LATENCY_SUM,
  MARKED,
  MESSAGES,
  PAYLOAD,
} from '../engine/device/host/receivers.js';
import { measures, type ValuesOf } from '../mechanisms/measure.js';
import { goodputOf } from './flow-statistics.js';

/** A flow at a time: its connections, and what is known of it as a whole. */
interface FlowReading {
  readonly engine: Engine;
  readonly nowPs: number;
  /** Its connection at the sender, and those at its receivers, by their numbers in the service. */
  readonly send: number;
  readonly receives: readonly number[];
  /** Its frames carry the time at which they were released. */
  readonly isRaw: boolean;
  readonly startPs: number;
  readonly offeredUntilPs: number;
  /** Null here and below, where it has none. */
  readonly completionPs: number | null;
  readonly idealPs: number | null;
  readonly offeredOctets: number | null;
}

export function received({ engine, receives }: FlowReading, word: number): number {
  return receives.reduce((total, c) => total + engine.receivers.get(c, word), 0);
}

function most({ engine, receives }: FlowReading, word: number): number {
  return receives.reduce((a, c) => Math.max(a, engine.receivers.get(c, word)), -Infinity);
}

/** Of a transport that stores what comes out of order; 0 of others. */
function reordered({ engine, receives }: FlowReading, key: keyof Reordering): number {
  return receives.reduce((a, c) => a + (engine.receivers.reordering(c)?.[key] ?? 0), 0);
}

/** Of raw frames: the others have no time of release. */
function latency(flow: FlowReading, of: (flow: FlowReading) => number): number | null {
  return flow.isRaw && received(flow, FRAMES) > 0 ? of(flow) : null;
}

export const FLOW_MEASURES = measures<FlowReading>()({
  startPs: { unit: 'ps', meaning: 'When it is offered.', read: ({ startPs }) => startPs },
  lastArrivalPs: {
    unit: 'ps',
    meaning: 'Last delivery of a frame.',
    read: (flow) => (received(flow, FRAMES) > 0 ? most(flow, LAST_AT) : null),
    mayLack: true,
  },
  completionPs: {
    unit: 'ps',
    meaning: 'Flow completion time, from its start; empty: not complete.',
    read: ({ completionPs }) => completionPs,
    mayLack: true,
  },
  acknowledgedPs: {
    unit: 'ps',
    meaning:
      'Time from its start until its sender has an acknowledgement of all; empty: it has none.',
    read: ({ engine, send, startPs }) => {
      const atPs = engine.senders.acknowledgedAt(send);
      return atPs === Infinity ? null : atPs - startPs;
    },
    mayLack: true,
  },
  idealPs: {
    unit: 'ps',
    meaning: 'Its completion time on an idle fabric.',
    read: ({ idealPs }) => idealPs,
    mayLack: true,
  },
  slowdown: {
    unit: 'ratio',
    meaning: '`completion_ps` / `ideal_ps`.',
    read: ({ completionPs, idealPs }) =>
      completionPs === null || idealPs === null ? null : completionPs / idealPs,
    isReal: true,
    mayLack: true,
  },
  frames: {
    unit: 'frames',
    meaning: 'Frames delivered.',
    read: (flow) => received(flow, FRAMES),
  },
  payloadOctets: {
    unit: 'bytes',
    meaning: 'Payload delivered.',
    read: (flow) => received(flow, PAYLOAD),
  },
  offeredOctets: {
    unit: 'bytes',
    meaning: 'Payload offered, at every receiver; empty: a stream without end.',
    read: ({ offeredOctets }) => offeredOctets,
    mayLack: true,
  },
  offeredUntilPs: {
    unit: 'ps',
    meaning: 'When all of it had arrived, or the end of the run.',
    read: ({ offeredUntilPs }) => offeredUntilPs,
  },
  unfinishedPs: {
    unit: 'ps',
    meaning: 'Time until the end of the run, where it did not complete.',
    read: ({ offeredOctets, completionPs, startPs, nowPs }) =>
      offeredOctets !== null && completionPs === null ? Math.max(0, nowPs - startPs) : null,
    mayLack: true,
  },
  messages: {
    unit: 'messages',
    meaning: 'Messages that arrived whole.',
    read: (flow) => received(flow, MESSAGES),
  },
  goodputBps: {
    unit: 'bit/s',
    meaning: 'Payload over the time in which it was offered.',
    read: (flow) => goodputOf([{ ...flow, payloadOctets: received(flow, PAYLOAD) }]),
    isReal: true,
    onPage: { by: 'goodput', head: 'goodput' },
  },
  latencyMeanPs: {
    unit: 'ps',
    meaning: 'Mean delay of its frames.',
    read: (flow) => latency(flow, () => received(flow, LATENCY_SUM) / received(flow, FRAMES)),
    isReal: true,
    mayLack: true,
    onPage: { by: 'latency', head: 'frame latency' },
  },
  latencyMinPs: {
    unit: 'ps',
    meaning: 'Shortest delay of a frame.',
    read: (flow) =>
      latency(flow, ({ engine, receives }) =>
        receives.reduce((a, c) => Math.min(a, engine.receivers.get(c, LATENCY_MIN)), Infinity),
      ),
    mayLack: true,
  },
  latencyMaxPs: {
    unit: 'ps',
    meaning: 'Longest delay of a frame.',
    read: (flow) => latency(flow, () => most(flow, LATENCY_MAX)),
    mayLack: true,
    total: 'most',
    expected: ['latency.max', 'longest time of a raw frame from release to arrival'],
  },
  sentFrames: {
    unit: 'frames',
    meaning: 'Frames sent.',
    read: ({ engine, send }) => engine.senders.sentFrames[send]!,
    total: 'sum',
    summarised: true,
  },
  retransmittedFrames: {
    unit: 'frames',
    meaning: 'Of those, again.',
    read: ({ engine, send }) => engine.senders.retransmitted[send]!,
    total: 'sum',
    compared: { label: 'retransmitted frames', at: 3 },
    swept: { label: 'retransmitted frames', at: 2 },
    duelled: 'run',
    summarised: true,
    onPage: { by: 'retransmitted', head: 'retransmitted', warns: true },
  },
  timeouts: {
    unit: 'times',
    meaning: 'Expiries of its retransmission timer.',
    read: ({ engine, send }) => engine.senders.timeouts[send]!,
    total: 'sum',
    summarised: true,
  },
  markedFrames: {
    unit: 'frames',
    meaning: 'Frames delivered with CE set.',
    read: (flow) => received(flow, MARKED),
    total: 'sum',
    summarised: true,
  },
  trimmedFrames: {
    unit: 'frames',
    meaning: 'Frames of which only the headers arrived: switches had no buffer for them.',
    read: (flow) => received(flow, CUT),
    total: 'sum',
    duelled: 'run',
    summarised: true,
  },
  outOfOrderFrames: {
    unit: 'frames',
    meaning: 'Frames that came before an earlier one, and were stored until it had come.',
    read: (flow) => reordered(flow, 'outOfOrder'),
    total: 'sum',
    summarised: true,
  },
  duplicateFrames: {
    unit: 'frames',
    meaning: 'Frames that had come already: sent again in vain (where such are stored).',
    read: (flow) => reordered(flow, 'duplicates'),
    total: 'sum',
    expected: ['duplicates', 'frames that were sent again in vain, as they had come already'],
    summarised: true,
  },
  reorderPeakFrames: {
    unit: 'frames',
    meaning: 'Most that a receiver stored at once because an earlier one was missing.',
    read: (flow) => reordered(flow, 'peakPackets'),
    total: 'most',
    expected: ['reorder.frames', 'most frames that one receiver stored to put them in order'],
    summarised: true,
  },
  reorderPeakOctets: {
    unit: 'bytes',
    meaning: 'Most payload that a receiver stored so.',
    read: (flow) => reordered(flow, 'peakOctets'),
    total: 'most',
    summarised: true,
  },
  reorderP99Frames: {
    unit: 'frames',
    meaning: 'So many or fewer were stored when 99 % of those had come, to half an octave.',
    read: (flow) => reordered(flow, 'p99Packets'),
    total: 'most',
    summarised: true,
  },
});

export type FlowValues = ValuesOf<typeof FLOW_MEASURES>;
