import { DROP } from '../contract/probe.js';
import type { WatchdogTools } from '../contract/flow-control.js';
import { CLASS, ISOLATING_FLAG, PORT, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { Device } from './device.js';
import { DID_WATCHDOG } from './device.js';
import { QUEUE_FRAMES } from '../port/queues.js';
import type { DeviceParts } from './parts.js';
import type { Shared } from './shared.js';
import type { FrameRef, Priority, TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Effects of a watchdog on the queues of a switch. */
export function makeWatchdogTools(
  shared: Shared,
  devices: readonly Device[],
  { starting, egressPath, switching }: DeviceParts,
): WatchdogTools {
  const { clock, ports, pool, queues, digests } = shared;

  /** Frames of a congesting queue are paused by the priority that is the queue's number. */
  function isPausedBy(priority: Priority, trafficClass: TrafficClass, frame: FrameRef): boolean {
    const frameClass = pool.words[frame + CLASS];
    const isolating = (frameClass & ISOLATING_FLAG) !== 0;
    return (isolating ? trafficClass : frameClass & PRIORITY_MASK) === priority;
  }

  function waits(port: number, priority: Priority): boolean {
    let some = false;
    queues.forEach(port, (frame, tc) => {
      if (isPausedBy(priority, tc, frame)) some = true;
    });
    return some;
  }

  function discard(port: number, priority: Priority): number {
    const tc = ports.classOf(port, priority);
    const kept: number[] = [];
    let dropped = 0;
    const waiting = queues.get(port, tc, QUEUE_FRAMES);
    while (queues.head(port, tc) >= 0) {
      const frame = queues.shift(port, tc);
      if (isPausedBy(priority, tc, frame)) {
        drop(port, tc, frame);
        dropped++;
      } else kept.push(frame);
    }
    for (const frame of kept) queues.push(port, tc, frame);
    const left = queues.get(port, tc, QUEUE_FRAMES);
    assert(left === waiting - dropped, 'watchdog.dropped-or-kept');
    if (starting.reconsider(port)) egressPath.wakeTransmitter(ports.owner(port), port);
    return dropped;
  }

  function drop(port: number, trafficClass: TrafficClass, frame: FrameRef): void {
    const d = ports.owner(port);
    const { firstPort, listeners } = devices[d];
    listeners.frameDiscarded?.frameDiscarded(d, port - firstPort, clock.now, pool, frame);
    switching.free(port, trafficClass, frame);
    egressPath.lose(d, pool.words[frame + PORT], frame, DROP.WATCHDOG);
  }

  function note(port: number, priority: Priority, on: boolean): void {
    const d = ports.owner(port);
    const { firstPort, listeners } = devices[d];
    digests.mix(d, DID_WATCHDOG | (port - firstPort), (priority << 1) | (on ? 1 : 0));
    listeners.watchdogActed?.watchdogActed(d, port - firstPort, clock.now, priority, on);
  }

  return { waits, discard, note };
}
