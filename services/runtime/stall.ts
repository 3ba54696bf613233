import type { DeviceSpec, Engine } from '../engine/device/engine.js';
import { TX_FRAMES } from '../engine/port/counters.js';

/** How long a fabric may stand still before that is a fault. */
export function stallIntervalPs(specs: readonly DeviceSpec[]): number {
  return Math.max(STALL_PS, 4 * longestStopPs(specs));
}

export const STALLED = 'nothing moves any more: every sender is held by another';

/** A fabric whose frames stand still for so long (virtual time) will hardly move again. */
const STALL_PS = 100e9;
const QUANTUM_OCTETS = 64;

/**
 * Notices that nothing moves any more although not all is delivered: every sender is held by
 * another one, and only control frames go back and forth.
 */
export class StallWatch {
  /** At the last look; -1 before the first. */
  framesSeen = -1;
  /** When to look next. */
  dueAt: number;

  constructor(private readonly intervalPs: number) {
    this.dueAt = intervalPs;
  }

  /** As it was when everything before `nowPs` had been executed. */
  restore(nowPs: number, framesSeen: number): void {
    this.framesSeen = framesSeen;
    this.dueAt = (Math.floor(nowPs / this.intervalPs) + 1) * this.intervalPs;
  }

  /** True if no frame has started since the last look, although some are under way. */
  look(started: number, underway: () => number): boolean {
    const stalled = started === this.framesSeen && underway() > 0;
    this.framesSeen = started;
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

/** A slow port may be stopped for seconds by one frame, and go on. */
function longestStopPs(specs: readonly DeviceSpec[]): number {
  const ports = specs.flatMap((spec) => spec.ports);
  return ports.reduce((longest, { pfc, pause, octetPs }) => {
    const quanta = (pfc ?? pause)?.quanta ?? 0;
    return Math.max(longest, quanta * QUANTUM_OCTETS * octetPs);
  }, 0);
}
