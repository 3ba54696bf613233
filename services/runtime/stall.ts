import type { Engine } from '../engine/device/engine.js';
import { TX_FRAMES } from '../engine/port/counters.js';

/** A fabric whose frames stand still for so long (virtual time) will hardly move again. */
const STALL_PS = 100e9;
const QUANTUM_OCTETS = 64;

/**
 * Notices that nothing moves any more although not all is delivered: every sender is held by
 * another one, and only control frames go back and forth.
 */
export class StallWatch {
  private framesSeen = -1;
  private readonly intervalPs: number;
  /** When to look next. */
  dueAt: number;

  constructor(private readonly engine: Engine) {
    this.intervalPs = Math.max(STALL_PS, 4 * longestStopPs(engine));
    this.dueAt = this.intervalPs;
  }

  /** True if no frame has started since the last look. */
  look(): boolean {
    const frames = framesStarted(this.engine);
    const stalled = frames === this.framesSeen && framesUnderway(this.engine) > 0;
    this.framesSeen = frames;
    this.dueAt += this.intervalPs;
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

/** A slow port may be stopped for seconds by one frame, and go on. */
function longestStopPs(engine: Engine): number {
  const ports = engine.devices.flatMap((device) => device.spec.ports);
  return ports.reduce((longest, { pfc, pause, octetPs }) => {
    const quanta = (pfc ?? pause)?.quanta ?? 0;
    return Math.max(longest, quanta * QUANTUM_OCTETS * octetPs);
  }, 0);
}
