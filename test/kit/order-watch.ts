import { NullProbe } from '../../services/engine/contract/probe.js';
import type { Engine } from '../../services/engine/device/engine.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  KIND_DATA,
  KIND_MASK,
  SEQUENCE,
  SOURCE,
} from '../../services/engine/frame/frame-pool.js';

/**
 * Sees every data frame that reaches a host, and counts those that another of its flow overtook.
 */
export class OrderWatch extends NullProbe {
  frames = 0;
  overtaken = 0;
  private readonly last = new Map<string, number>();

  constructor(private readonly engine: Engine) {
    super();
  }

  override frameReceived(
    device: number,
    _port: number,
    _now: number,
    { words, ends }: FramePool,
    frame: number,
  ): void {
    if (this.engine.devices[device]!.spec.kind !== 'host') return;
    if ((words[frame + CLASS]! & KIND_MASK) > KIND_DATA) return;
    const flow = `${ends[frame + SOURCE]} ${device} ${ends[frame + CONNECTION]}`;
    const sequence = words[frame + SEQUENCE]!;
    this.frames++;
    if (sequence <= (this.last.get(flow) ?? -1)) this.overtaken++;
    this.last.set(flow, sequence);
  }
}
