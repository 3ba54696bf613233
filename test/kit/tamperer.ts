import { NullProbe } from '../../services/engine/contract/probe.js';
import type { Engine } from '../../services/engine/device/engine.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import { CARRIES_FLAG, CLASS } from '../../services/engine/frame/frame-pool.js';

/** Changes the octets that frames carry on every wire, just before they are read. */
export class Tamperer extends NullProbe {
  constructor(
    private readonly engine: Engine,
    private readonly change: (octets: Uint8Array) => void,
  ) {
    super();
  }

  override frameReceived(
    _device: number,
    _port: number,
    _now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if ((pool.words[frame + CLASS]! & CARRIES_FLAG) === 0) return;
    const { controlPayloads } = this.engine;
    const octets = controlPayloads.octets(frame).slice();
    this.change(octets);
    controlPayloads.release(frame);
    controlPayloads.load(frame, octets, octets.length);
  }
}
