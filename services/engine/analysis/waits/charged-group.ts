import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { CLASS, ISOLATED_FLAG, PORT, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { FrameRef } from '../../units/indices.js';

/**
 * The groups that frames in a switch are charged to: by their priority, but for frames that a link
 * partner has marked, as it isolates their flow. These have the group of the isolating priority.
 */
export class ChargedGroups {
  /** Bits of a frame that mark it here. */
  readonly #mark: number;
  readonly #isolating: number;

  constructor(
    private readonly engine: Engine,
    { spec, place }: Device,
  ) {
    const isolation = spec.kind === 'switch' ? engine.switching.isolationOf(place) : null;
    this.#mark = isolation === null ? 0 : ISOLATED_FLAG;
    this.#isolating = isolation?.priority ?? 0;
  }

  of(frame: FrameRef): number {
    const { pool, ports } = this.engine.shared;
    const packed = pool.words[frame + CLASS];
    const priority = (packed & this.#mark) === 0 ? packed & PRIORITY_MASK : this.#isolating;
    return ports.groupOf(pool.words[frame + PORT], priority);
  }
}
