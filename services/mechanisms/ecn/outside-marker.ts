import type { QueueMarking } from '../../engine/contract/outside.js';
import type { DevicePlace } from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, ECN_CE, ECN_MASK, LENGTH } from '../../engine/frame/frame-pool.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { EcnMarker, type MarkerTools } from './marker.js';
import type { EcnSpec } from './spec.js';

/** A marker some of whose classes have a marking from outside, which sees every frame of them. */
export class OutsideMarker extends EcnMarker {
  readonly #pool: FramePool;

  constructor(
    specs: readonly EcnSpec[],
    place: Pick<DevicePlace, 'name' | 'seed'>,
    tools: MarkerTools,
    /** By traffic class; null: a curve. */
    private readonly markings: readonly (QueueMarking | null)[],
  ) {
    super(specs, place, tools);
    this.#pool = tools.pool;
  }

  protected override mark(
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    const marking = this.markings[trafficClass];
    if (marking === null) {
      super.mark(port, trafficClass, frame, queueOctets);
      return;
    }
    const { words } = this.#pool;
    const ecn = words[frame + CLASS] & ECN_MASK;
    const isCapable = ecn !== 0 && ecn !== ECN_CE;
    const isMarked = marking.marks(
      port,
      trafficClass,
      words[frame + LENGTH],
      queueOctets,
      isCapable,
    );
    if (isMarked && isCapable) this.setMark(port, frame);
  }
}
