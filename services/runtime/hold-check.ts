import type { TransmitGate } from '../engine/contract/flow-control.js';
import { DeafProbe } from '../engine/contract/probe.js';
import type { Engine } from '../engine/device/engine.js';
import type { FramePool } from '../engine/frame/frame-pool.js';
import { CLASS, ISOLATED_FLAG, PRIORITY_MASK } from '../engine/frame/frame-pool.js';

export interface Breach {
  readonly timePs: number;
  readonly device: number;
  readonly port: number;
  readonly priority: number;
}

/**
 * Sees every frame that starts, and asks the mechanisms that hold priorities whether it was allowed
 * to. (Credit holds frames and not priorities; its books are balanced instead.)
 */
export class HoldCheck extends DeafProbe {
  /** The first frame that started although its priority was held. */
  breach: Breach | null = null;
  private readonly gates: readonly TransmitGate[];

  constructor(private readonly engine: Engine) {
    super();
    this.gates = engine.mechanisms.filter((mechanism) => mechanism !== engine.credit);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.breach !== null) return;
    const priority = this.stoppedBy(device, pool.words[frame + CLASS]!);
    const number = this.engine.devices[device]!.firstPort + port;
    if (this.gates.some((gate) => gate.holdReason(number, priority) !== null)) {
      this.breach = { timePs: now, device, port, priority };
    }
  }

  /** The priority whose stop holds a frame: a congesting queue has one of its own. */
  private stoppedBy(device: number, frameClass: number): number {
    if ((frameClass & ISOLATED_FLAG) === 0) return frameClass & PRIORITY_MASK;
    return this.engine.switching.parts(device).ci!.spec.priority;
  }
}
