import { SHAPE } from '../../engine/kernel/kinds.js';
import type {
  DequeueObserver,
  DevicePlace,
  EnqueueObserver,
  SwitchCarrier,
  SwitchRole,
} from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, ECN_CE, ECN_MASK, STORED } from '../../engine/frame/frame-pool.js';
import { RandomStream } from '../../engine/kernel/random.js';
import { drawMark, leastMarked } from './machine.js';
import type { EcnMoment, EcnSpec } from './spec.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

export interface MarkerTools {
  readonly pool: FramePool;
  readonly carrier: Pick<SwitchCarrier, 'marked'>;
}

/** Marks ECN-capable frames in the queues of one switch. */
export class EcnMarker implements SwitchRole, EnqueueObserver, DequeueObserver {
  static readonly kinds = { atEnqueue: SHAPE, atDequeue: SHAPE };

  readonly #specs: readonly EcnSpec[];
  /** Classes that mark when a frame joins the queue, and when it leaves, one bit each. */
  readonly atEnqueue: number;
  readonly atDequeue: number;
  private readonly random: RandomStream;
  readonly #pool: FramePool;
  readonly #carrier: Pick<SwitchCarrier, 'marked'>;

  constructor(
    specs: readonly EcnSpec[],
    { name, seed }: Pick<DevicePlace, 'name' | 'seed'>,
    { pool, carrier }: MarkerTools,
  ) {
    this.#specs = specs;
    this.random = new RandomStream(seed, `${name}/ecn`);
    this.atEnqueue = classesMarkingAt('enqueue', specs);
    this.atDequeue = classesMarkingAt('dequeue', specs);
    this.#pool = pool;
    this.#carrier = carrier;
  }

  joinsFrom(_port: PortRow, trafficClass: TrafficClass): number | null {
    return this.leastOctets('enqueue', trafficClass);
  }

  leavesFrom(_port: PortRow, trafficClass: TrafficClass): number | null {
    return this.leastOctets('dequeue', trafficClass);
  }

  joined(
    _via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    if ((this.atEnqueue & (1 << trafficClass)) !== 0) {
      this.mark(out, trafficClass, frame, queueOctets);
    }
  }

  /** The frame itself counts as part of the queue that it leaves. */
  left(port: PortRow, trafficClass: TrafficClass, frame: FrameRef, queueOctets: number): void {
    if ((this.atDequeue & (1 << trafficClass)) !== 0) {
      const octets = queueOctets + this.#pool.words[frame + STORED];
      this.mark(port, trafficClass, frame, octets);
    }
  }

  /** The frame's class word as it leaves a queue of so many octets. */
  markedClass(frameClass: number, trafficClass: TrafficClass, queueOctets: number): number {
    const ecn = frameClass & ECN_MASK;
    if (ecn === 0 || ecn === ECN_CE) return frameClass;
    return drawMark(this.#specs[trafficClass], queueOctets, this.random)
      ? frameClass | ECN_CE
      : frameClass;
  }

  broken(): string | null {
    return null;
  }

  /** A frame is in a queue of so many octets. */
  protected mark(
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    const { words } = this.#pool;
    const before = words[frame + CLASS];
    const after = this.markedClass(before, trafficClass, queueOctets);
    if (after === before) return;
    assert((before & ECN_MASK) !== 0 && (after & ECN_MASK) === ECN_CE, 'ecn.capable-frame');
    assert(queueOctets > 0, 'ecn.marked-queue-has-octets');
    this.setMark(port, frame);
  }

  protected setMark(port: PortRow, frame: FrameRef): void {
    this.#pool.words[frame + CLASS] |= ECN_CE;
    this.#carrier.marked(port, frame);
  }

  /** The shortest queue at which frames may be marked at a moment; null: never. */
  private leastOctets(moment: EcnMoment, trafficClass: TrafficClass): number | null {
    const spec = this.#specs[trafficClass];
    return spec.kind === 'off' || spec.at !== moment ? null : leastMarked(spec);
  }

  get onEnqueue(): EnqueueObserver | undefined {
    return this.atEnqueue === 0 ? undefined : this;
  }

  get onDequeue(): DequeueObserver | undefined {
    return this.atDequeue === 0 ? undefined : this;
  }
}

function classesMarkingAt(moment: EcnMoment, specs: readonly EcnSpec[]): number {
  return specs.reduce(
    (mask, spec, tc) => (spec.kind !== 'off' && spec.at === moment ? mask | (1 << tc) : mask),
    0,
  );
}
