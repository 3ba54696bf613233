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
  countDown,
  DELTA,
  FEEDBACK,
  initialisePoint,
  MESSAGES,
  OFFSET,
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
export class QcnPoints {
  /** By port: traffic classes that are watched, one bit each. */
  readonly watched: Uint8Array;
  private readonly table: Float64Array;
  private readonly portCount: number;
  /** By port, numbered through the service; only where something is watched. */
  private readonly specs: QcnPointSpec[] = [];
  private readonly firstPorts: number[] = [];
  private readonly streams: RandomStream[] = [];
  private readonly message = blankCnm();
  private readonly scratch = new Uint8Array(CNM_OCTETS);

  constructor(
    tables: Tables,
    private readonly pool: FramePool,
  ) {
    this.watched = tables.uint8('port', 1);
    this.table = tables.float64('port', POINT_WORDS, 8);
    this.portCount = tables.count('port');
  }

  /** `classOf`: traffic class of each priority. */
  configure(
    firstPort: number,
    spec: QcnPointSpec,
    classOf: readonly number[],
    stream: RandomStream,
  ): void {
    spec.ports.forEach((own, p) => {
      const port = firstPort + p;
      this.specs[port] = spec;
      this.firstPorts[port] = firstPort;
      this.streams[port] = stream;
      if (own.defence === 'disabled') return;
      classOf.forEach((tc, priority) => {
        if ((spec.priorities & (1 << priority)) === 0) return;
        this.watched[port] |= 1 << tc;
        initialisePoint(this.table, this.rowOf(port, tc), own);
      });
    });
  }

  /** A frame has joined a watched queue; true if its source is to be told. */
  joined(port: number, trafficClass: number, frame: number, queueOctets: number): boolean {
    const { table, pool } = this;
    const s = this.rowOf(port, trafficClass);
    if (!countDown(table, s, pool.words[frame + LENGTH])) return false;
    const own = this.specs[port].ports[port - this.firstPorts[port]];
    const feedback = sample(table, s, own, queueOctets, this.streams[port].uniform());
    return feedback > 0 && (pool.words[frame + CLASS] & GROUP_FLAG) === 0;
  }

  /** The message about the frame that has just been sampled (32.9.4). */
  compose(port: number, trafficClass: number, frame: number): number {
    const { table, pool, message, scratch } = this;
    const { words, ends } = pool;
    const s = this.rowOf(port, trafficClass);
    const spec = this.specs[port];
    const frameClass = words[frame + CLASS];
    message.feedback = table[s + FEEDBACK];
    message.bridge = spec.bridge;
    message.port = port - this.firstPorts[port] + 1;
    message.queuePriority = frameClass & PRIORITY_MASK;
    message.queueOffset = inUnits(table[s + OFFSET]);
    message.queueDelta = inUnits(table[s + DELTA]);
    message.priority = frameClass & PRIORITY_MASK;
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

  samples(port: number, trafficClass: number): number {
    return this.table[this.rowOf(port, trafficClass) + SAMPLES];
  }

  messages(port: number, trafficClass: number): number {
    return this.table[this.rowOf(port, trafficClass) + MESSAGES];
  }

  private rowOf(port: number, trafficClass: number): number {
    return (trafficClass * this.portCount + port) * POINT_WORDS;
  }
}

function inUnits(octets: number): number {
  const units = Math.trunc(octets / UNIT_OCTETS);
  return Math.max(-UNITS_MAX, Math.min(UNITS_MAX, units));
}
