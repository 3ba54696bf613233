/** What is measured of a priority at a port: the rows of table `ports`. */

import { EXCHANGE } from '../mechanisms/registry.js';
import {
  having,
  type KeysWith,
  type Lens,
  measures,
  type ValuesOf,
} from '../mechanisms/measure.js';
import { USED_PEAK } from '../engine/buffer/shared-buffer.js';
import type { Engine } from '../engine/device/engine.js';
import { RX_FRAMES, RX_OCTETS, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_PEAK } from '../engine/port/queues.js';

/** A priority of a port, numbered through the service, at a time. */
export interface PortReading {
  readonly engine: Engine;
  readonly port: number;
  readonly priority: number;
  readonly nowPs: number;
}

function counted({ engine, port, priority }: PortReading, word: number): number {
  return engine.shared.counters.get(port, priority, word);
}

export const PORT_MEASURES = measures<PortReading>()({
  rxFrames: {
    unit: 'frames',
    meaning: 'Frames received.',
    read: (at) => counted(at, RX_FRAMES),
    monitored: { name: 'received.frames', kind: 'counter' },
  },
  rxOctets: {
    unit: 'bytes',
    meaning: 'Their bytes, FCS included.',
    read: (at) => counted(at, RX_OCTETS),
    monitored: { name: 'received.bytes', kind: 'counter', meaning: 'Bytes of frames received.' },
  },
  txFrames: {
    unit: 'frames',
    meaning: 'Frames sent.',
    read: (at) => counted(at, TX_FRAMES),
    monitored: { name: 'sent.frames', kind: 'counter' },
  },
  txOctets: {
    unit: 'bytes',
    meaning: 'Their bytes, FCS included.',
    read: (at) => counted(at, TX_OCTETS),
    monitored: { name: 'sent.bytes', kind: 'counter', meaning: 'Bytes of frames sent.' },
  },
  /** A time in which the link partner pauses the port, or has granted it nothing. */
  blockedPs: {
    unit: 'ps',
    meaning: `Time paused, or blocked on ${EXCHANGE}.`,
    read: ({ engine, port, priority, nowPs }) => engine.blockedPs(port, priority, nowPs),
    total: 'most',
    monitored: {
      name: 'blocked.seconds',
      kind: 'counter',
      meaning: 'Virtual time that the priority was paused or blocked.',
    },
    expected: ['pause.time', 'time that a priority of a port was paused, for the worst one'],
    compared: { label: 'time paused or blocked (worst port)', at: 4 },
    duelled: 'tier',
    onPage: { head: null },
    lens: 'blocked',
  },
  blockedCount: {
    unit: 'times',
    meaning: 'How often that began.',
    read: ({ engine, port, priority }) => engine.holdCount(port, priority),
    column: 'blocked_episodes',
    total: 'sum',
    monitored: {
      name: 'blocked.episodes',
      kind: 'counter',
      unit: '{episode}',
      meaning: 'Times that the priority began to be paused or blocked.',
    },
    compared: { label: 'pauses and blocks', at: 5 },
    onPage: { head: 'times' },
  },
  /** Many short pauses and few long ones may take the same time; the long ones spread. */
  pauseMeanPs: {
    unit: 'ps',
    meaning: `Mean time of a pause, or of a wait for ${EXCHANGE}; 0: there was none.`,
    read: ({ engine, port, priority, nowPs }) =>
      engine.blockedPs(port, priority, nowPs) / Math.max(1, engine.holdCount(port, priority)),
    isReal: true,
    total: 'most',
    expected: [
      'pause.mean',
      'mean time of a pause of a priority of a port, for the port with the longest',
    ],
    onPage: { head: 'mean' },
  },
  stopsSent: {
    unit: 'frames',
    meaning: 'PAUSE or PFC frames sent that stop the peer or let it go on: XOFF, again, and XON.',
    read: ({ engine, port, priority }) => engine.stopsSent(port, priority),
    column: 'sent_pauses',
    total: 'sum',
    monitored: {
      name: 'sent.pauses',
      kind: 'counter',
      meaning: 'PAUSE or PFC frames sent, to stop the link partner or to let it go on.',
    },
    onPage: { head: 'XOFF and XON' },
  },
  stopsReceived: {
    unit: 'frames',
    meaning: 'PAUSE or PFC frames received that name the priority, whether it is paused or not.',
    read: ({ engine, port, priority }) => engine.stopsReceived(port, priority),
    column: 'received_pauses',
    total: 'sum',
    monitored: { name: 'received.pauses', kind: 'counter' },
  },
  markedFrames: {
    unit: 'frames',
    meaning: 'Frames marked by ECN.',
    read: ({ engine, port, priority }) => engine.shared.counters.marksOf(port, priority),
    total: 'sum',
    monitored: { name: 'marked.frames', kind: 'counter' },
    expected: ['marked', 'frames marked CE by switches (RFC 3168)'],
    duelled: 'run',
    summarised: true,
    ofTraffic: 'marks',
  },
  /** Of the queue of its traffic class. */
  peakQueueOctets: {
    unit: 'bytes',
    meaning: 'Longest egress queue.',
    read: ({ engine: { shared }, port, priority }) =>
      shared.queues.get(port, shared.ports.classOf(port, priority), QUEUE_PEAK),
    total: 'most',
    monitored: { name: 'queue.peak.bytes', kind: 'level', meaning: 'Longest queue so far.' },
    expected: ['peak.egress', 'longest egress queue'],
    compared: { label: 'longest queue', at: 7 },
    duelled: 'run',
    ofBuffers: { label: 'longest queue', at: 2 },
    onPage: { head: 'peak queue' },
    lens: 'queue',
  },
  peakIngressOctets: {
    unit: 'bytes',
    meaning: 'Fullest ingress buffer of the priority group.',
    read: ({ engine: { shared }, port, priority }) =>
      shared.buffer.get(port, shared.ports.groupOf(port, priority), USED_PEAK),
    total: 'most',
    monitored: {
      name: 'ingress_buffer.peak.bytes',
      kind: 'level',
      meaning: 'Most bytes in the ingress buffer so far.',
    },
    expected: ['peak.ingress', 'fullest ingress buffer'],
    compared: { label: 'fullest ingress buffer', at: 6 },
    swept: { label: 'peak ingress buffer', at: 4 },
    duelled: 'run',
    ofBuffers: { label: 'fullest ingress', at: 1 },
  },
  rejectedFrames: {
    unit: 'frames',
    meaning: 'Frames discarded on arrival that link-level retry sends again.',
    read: ({ engine, port, priority }) => engine.shared.counters.rejectedFrames(port, priority),
    total: 'sum',
    summarised: true,
  },
});

export type PortValues = ValuesOf<typeof PORT_MEASURES>;
/** What a summary has of them by priority. */
export type PrioritySum = KeysWith<typeof PORT_MEASURES, 'summarised'>;

type KeyOfLens<Own extends Lens> = {
  [Key in keyof PortValues]: (typeof PORT_MEASURES)[Key] extends { readonly lens: Own }
    ? Key
    : never;
}[keyof PortValues];
/** By lens: the measure that it shows. */
export const LENSES = Object.fromEntries(
  having(PORT_MEASURES, 'lens').map(([key, { lens }]) => [lens, key]),
) as { readonly [Own in Lens]: KeyOfLens<Own> };

/** Nothing was received, sent or asked to pause, and nothing blocked it. */
export function isQuiet(values: PortValues): boolean {
  const { rxFrames, txFrames, blockedCount, stopsSent, stopsReceived } = values;
  return rxFrames + txFrames + blockedCount + stopsSent + stopsReceived === 0;
}
