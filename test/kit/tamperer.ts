import { DeafProbe } from '../../services/engine/contract/probe.js';
import type { Engine } from '../../services/engine/device/engine.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import { CARRIES_FLAG, CLASS } from '../../services/engine/frame/frame-pool.js';

/** Changes the octets that frames carry on every wire, just before they are read. */
export class Tamperer extends DeafProbe {
  constructor(
    private readonly engine: Engine,
    private readonly change: (octets: Uint8Array) => void,
  ) {
    super();
  }

  override frameReceived(
    device: number,
    _port: number,
    _now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if ((pool.words[frame + CLASS]! & CARRIES_FLAG) === 0) return;
    const { carriage, devices } = this.engine;
    const octets = carriage.octets(device, frame).slice();
    this.change(octets);
    carriage.unload(device, frame);
    pool.setCarried(frame, devices[device]!.octets.put(octets, octets.length));
  }
}
