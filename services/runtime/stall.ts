import type { Engine } from '../engine/device/engine.js';
import { TX_FRAMES } from '../engine/port/counters.js';

/** A fabric whose frames stand still for so long (virtual time) will not move again. */
export const STALL_PS = 100e9;

/**
 * Notices that nothing moves any more although not all is delivered: every sender is held by
 * another one, and only control frames go back and forth.
 */
export class StallWatch {
  private framesSeen = -1;
  /** When to look next. */
  dueAt = STALL_PS;

  constructor(private readonly engine: Engine) {}

  /** True if no frame has started since the last look. */
  look(): boolean {
    const frames = framesStarted(this.engine);
    const stalled = frames === this.framesSeen && framesUnderway(this.engine) > 0;
    this.framesSeen = frames;
    this.dueAt += STALL_PS;
    return stalled;
  }
}

export function framesStarted(engine: Engine): number {
  const { counters, ports } = engine.shared;
  let frames = 0;
  for (let port = 0; port < ports.count; port++) {
    for (let priority = 0; priority < 8; priority++) {
      frames += counters.get(port, priority, TX_FRAMES);
    }
  }
  return frames;
}

function framesUnderway(engine: Engine): number {
  return engine.shared.pool.inUse();
}
