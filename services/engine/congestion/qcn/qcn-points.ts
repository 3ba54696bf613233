import type { QcnPointSpec } from '../../contract/spec.js';
import { carryOctets } from '../../frame/carried-octets.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  GROUP_FLAG,
  KIND_CNM,
  LENGTH,
  PRIORITY_MASK,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import type { RandomStream } from '../../kernel/random.js';
import type { Tables } from '../../kernel/tables.js';
import { blankCnm, CNM_OCTETS, encodeCnm } from '../../wire/cnm.js';
import {
  DELTA,
  FEEDBACK,
  MESSAGES,
  OFFSET,
  PERIOD,
  POINT_WORDS,
  sample,
  SAMPLES,
} from './qcn-machine.js';
import { CNM_FRAME_OCTETS } from './qcn-managed.js';

/** A message says queue lengths in units of so many octets, in 16 bits with sign. */
const UNIT_OCTETS = 64;
const UNITS_MAX = 0x7fff;
/** A switch is no station. */
const NO_STATION = -1;

/** Congestion points (802.1Q 31.1.1): the queues of CNPVs, which tell sources to slow down. */
export type QcnPoints = ReturnType<typeof makeQcnPoints>;

export function makeQcnPoints(tables: Tables, pool: FramePool) {
  const { words, ends } = pool;
  /** By port: traffic classes that are watched, one bit each. */
  const watched = tables.uint8('port', 1);
  /** One plane per traffic class. */
  const table = tables.float64('port', POINT_WORDS, 8);
  /** Octets until the next sample. */
  const untilSample = tables.float64('port', 1, 8);
  const portCount = tables.count('port');
  /** By port, numbered through the service; only where something is watched. */
  const specs: QcnPointSpec[] = [];
  const firstPorts: number[] = [];
  const streams: RandomStream[] = [];
  const message = blankCnm();
  const scratch = new Uint8Array(CNM_OCTETS);

  /** `classOf`: traffic class of each priority. */
  function configure(
    firstPort: number,
    spec: QcnPointSpec,
    classOf: readonly number[],
    stream: RandomStream,
  ): void {
    spec.ports.forEach((own, p) => {
      const port = firstPort + p;
      specs[port] = spec;
      firstPorts[port] = firstPort;
      streams[port] = stream;
      if (own.defence === 'disabled') return;
      classOf.forEach((tc, priority) => {
        if ((spec.priorities & (1 << priority)) === 0) return;
        watched[port] |= 1 << tc;
        untilSample[rowOf(port, tc)] = own.sampleOctets;
      });
    });
  }

  /** A frame of so many octets has joined a watched queue; true if it is to be sampled. */
  function isDue(port: number, trafficClass: number, octets: number): boolean {
    return (untilSample[rowOf(port, trafficClass)] -= octets) <= 0;
  }

  /** Samples the queue by the frame that has just joined it; true if its source is to be told. */
  function measure(
    port: number,
    trafficClass: number,
    frame: number,
    queueOctets: number,
  ): boolean {
    const row = rowOf(port, trafficClass);
    const s = row * POINT_WORDS;
    const own = specs[port].ports[port - firstPorts[port]];
    const feedback = sample(table, s, own, queueOctets, streams[port].uniform());
    untilSample[row] = table[s + PERIOD];
    return feedback > 0 && (words[frame + CLASS] & GROUP_FLAG) === 0;
  }

  /** The message about the frame that has just been sampled (32.9.4). */
  function compose(port: number, trafficClass: number, frame: number): number {
    const s = rowOf(port, trafficClass) * POINT_WORDS;
    const spec = specs[port];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    message.feedback = table[s + FEEDBACK];
    message.bridge = spec.bridge;
    message.port = port - firstPorts[port] + 1;
    message.queuePriority = priority;
    message.queueOffset = inUnits(table[s + OFFSET]);
    message.queueDelta = inUnits(table[s + DELTA]);
    message.priority = priority;
    message.destination = spec.stations[words[frame + TARGET]];
    encodeCnm(scratch, 0, message);
    table[s + MESSAGES]++;
    const notice = pool.copyFrom(pool, frame);
    carryOctets(pool, notice, scratch, CNM_OCTETS);
    words[notice + CLASS] = spec.messageClass | KIND_CNM;
    words[notice + TARGET] = ends[frame + SOURCE];
    words[notice + LENGTH] = CNM_FRAME_OCTETS;
    ends[notice + SOURCE] = NO_STATION;
    return notice;
  }

  function samples(port: number, trafficClass: number): number {
    return table[rowOf(port, trafficClass) * POINT_WORDS + SAMPLES];
  }

  function messages(port: number, trafficClass: number): number {
    return table[rowOf(port, trafficClass) * POINT_WORDS + MESSAGES];
  }

  function rowOf(port: number, trafficClass: number): number {
    return trafficClass * portCount + port;
  }

  return { watched, configure, isDue, measure, compose, samples, messages };
}

function inUnits(octets: number): number {
  const units = Math.trunc(octets / UNIT_OCTETS);
  return Math.max(-UNITS_MAX, Math.min(UNITS_MAX, units));
}
