import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, GROUP_FLAG, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { RandomStream } from '../../engine/kernel/random.js';
import { SHAPE, unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { fillEthernet } from '../../engine/notices/notice-envelope.js';
import { type SampledFrame, sampleFrame } from '../../engine/notices/sampled-frame.js';
import { Stations } from '../../engine/notices/stations.js';
import type { Ports } from '../../engine/port/ports.js';
import { blankCnm, blankCnmEnvelope, encodeCnmFrame } from '../../engine/wire/cnm.js';
import {
  DELTA,
  FEEDBACK,
  MESSAGES,
  OFFSET,
  PERIOD,
  POINT_WORDS,
  sample,
  SAMPLES,
} from './machine.js';
import type { QcnSwitchSpec } from './spec.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** A message has queue lengths in units of so many octets, in 16 bits with sign. */
const UNIT_OCTETS = 64;
const UNITS_MAX = 0x7fff;
/** The longest message, with all tags. */
const FRAME_MOST = 128;

/** Congestion points (802.1Q 31.1.1): the queues of CNPVs, which send CNMs to sources. */
export type QcnPoints = ReturnType<typeof makeQcnPoints>;

export function makeQcnPoints(tables: Tables, pool: FramePool, ports: Ports) {
  const { words } = pool;
  const { classOf } = ports;
  /** By port: traffic classes that are sampled, one bit each. */
  const watched = tables.uint8('port', field('watched', SHAPE));
  /** One plane per traffic class. */
  const table = tables.float64('port', field('congestion point', unknown(0), POINT_WORDS), 8);
  /** Octets until the next sample. */
  const untilSample = tables.float64('port', field('until sample', SHAPE), 8);
  const portCount = tables.count('port');
  /** By port, numbered through the service; only where a class is sampled. */
  const specs: QcnSwitchSpec[] = [];
  const directories: Stations[] = [];
  const firstPorts: number[] = [];
  const streams: RandomStream[] = [];
  const message = blankCnm();
  const around = blankCnmEnvelope();
  const sampled: SampledFrame = { destination: 0, source: 0, vlan: 0, msduOctets: 0 };
  /** The message that was composed last. */
  const octets = new Uint8Array(FRAME_MOST);

  /** `classes`: traffic class of each priority. */
  function configure(
    firstPort: number,
    spec: QcnSwitchSpec,
    classes: readonly number[],
    stream: RandomStream,
  ): void {
    const directory = new Stations(spec.stations);
    spec.ports.forEach((own, p) => {
      const port = firstPort + p;
      specs[port] = spec;
      directories[port] = directory;
      firstPorts[port] = firstPort;
      streams[port] = stream;
      if (own.defence === 'disabled') return;
      classes.forEach((tc, priority) => {
        if ((spec.priorities & (1 << priority)) === 0) return;
        watched[port] |= 1 << tc;
        untilSample[rowOf(port, tc)] = own.sampleOctets;
      });
    });
  }

  /** A frame of so many octets has joined a sampled queue; true if it is to be sampled. */
  function isDue(port: PortRow, trafficClass: TrafficClass, octets: number): boolean {
    return (untilSample[rowOf(port, trafficClass)] -= octets) <= 0;
  }

  /** Samples the queue by the frame that has just joined it; true if its source gets a CNM. */
  function measure(
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): boolean {
    const row = rowOf(port, trafficClass);
    const s = row * POINT_WORDS;
    const own = specs[port].ports[port - firstPorts[port]];
    assert((watched[port] & (1 << trafficClass)) !== 0, 'qcn.sampled-queue-is-watched');
    assert(queueOctets > 0, 'qcn.sampled-queue-has-octets');
    const feedback = sample(table, s, own, queueOctets, streams[port].uniform());
    untilSample[row] = table[s + PERIOD];
    assert(untilSample[row] > 0, 'qcn.octets-until-the-next-sample');
    return feedback > 0 && (words[frame + CLASS] & GROUP_FLAG) === 0;
  }

  /** Writes the message about the frame that has just been sampled (32.9.4); returns its length. */
  function compose(port: PortRow, frame: FrameRef, tags: number): number {
    const { bridge, messagePriority, minHeaderOctets } = specs[port];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const s = rowOf(port, classOf(port, priority)) * POINT_WORDS;
    sampleFrame(pool, frame, directories[port], minHeaderOctets, message.msdu, sampled);
    message.feedback = table[s + FEEDBACK];
    message.bridge = bridge;
    message.port = port - firstPorts[port] + 1;
    message.queuePriority = priority;
    message.queueOffset = inUnits(table[s + OFFSET]);
    message.queueDelta = inUnits(table[s + DELTA]);
    message.priority = priority;
    message.destination = sampled.destination;
    message.msduOctets = sampled.msduOctets;
    fillEthernet(around.ethernet, bridge, sampled.source, tags, messagePriority);
    around.flowId = pool.flowId(frame);
    table[s + MESSAGES]++;
    return encodeCnmFrame(octets, 0, around, message);
  }

  function messagePriority(port: PortRow): number {
    return specs[port].messagePriority;
  }

  function samples(port: PortRow, trafficClass: TrafficClass): number {
    return table[rowOf(port, trafficClass) * POINT_WORDS + SAMPLES];
  }

  function messages(port: PortRow, trafficClass: TrafficClass): number {
    return table[rowOf(port, trafficClass) * POINT_WORDS + MESSAGES];
  }

  function rowOf(port: PortRow, trafficClass: TrafficClass): number {
    return trafficClass * portCount + port;
  }

  return {
    watched,
    octets,
    configure,
    isDue,
    measure,
    compose,
    messagePriority,
    samples,
    messages,
  };
}

function inUnits(octets: number): number {
  const units = Math.trunc(octets / UNIT_OCTETS);
  return Math.max(-UNITS_MAX, Math.min(UNITS_MAX, units));
}
