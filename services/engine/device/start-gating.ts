import type { StartGate } from '../contract/slice.js';
import { CLASS, COPY_FLAG, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { GrantGating } from './grant-gating.js';
import type { Shared } from './shared.js';
import type { FrameRef, TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/**
 * Queues with a gate beside those that start with grants. A frame of a queue with a gate waits in
 * its queue: the mechanism holds its priority until it may start.
 */
export function withGate(
  grants: GrantGating,
  gate: StartGate,
  { ports, queues, pool }: Shared,
): GrantGating {
  const { words } = pool;
  /** The port at which a frame is just starting: its queues are looked at when that is over. */
  let starting = -1;

  function isGated(port: number, trafficClass: TrafficClass): boolean {
    return (ports.gatedClasses(port) & (1 << trafficClass)) !== 0;
  }

  /** What one queue may start depends on what others have started. */
  function lookAtAll(port: number): void {
    for (let rest = ports.gatedClasses(port); rest !== 0; rest &= rest - 1) {
      const trafficClass = 31 - Math.clz32(rest & -rest);
      gate.observe(port, trafficClass, queues.head(port, trafficClass));
    }
  }

  function isOfAccount(port: number, frame: FrameRef): boolean {
    return ports.hasAccounts(port, words[frame + CLASS] & PRIORITY_MASK);
  }

  return {
    ...grants,
    enqueue(port, trafficClass, frame) {
      if (!isGated(port, trafficClass)) {
        grants.enqueue(port, trafficClass, frame);
        return;
      }
      queues.push(port, trafficClass, frame);
      if (port === starting || queues.head(port, trafficClass) !== frame) return;
      gate.observe(port, trafficClass, frame);
    },
    spend(port, trafficClass, frame) {
      if (!isGated(port, trafficClass)) {
        grants.spend(port, trafficClass, frame);
        return;
      }
      assert(starting < 0, 'gate.one-frame-starts');
      gate.started(port, frame);
      starting = port;
    },
    next(port, trafficClass) {
      return isGated(port, trafficClass) || grants.next(port, trafficClass);
    },
    settle(port) {
      starting = -1;
      lookAtAll(port);
    },
    refused(port, frame) {
      if (isOfAccount(port, frame)) grants.refused(port, frame);
      else gate.passed(port, frame);
    },
    isGranted(port, frame) {
      const frameClass = words[frame + CLASS];
      if (isOfAccount(port, frame) || (frameClass & COPY_FLAG) !== 0) {
        return grants.isGranted(port, frame);
      }
      if (!ports.isCharged(port, frameClass & PRIORITY_MASK)) return true;
      return gate.wasAllowed(port, frame);
    },
    permit(port) {
      lookAtAll(port);
      return grants.permit(port);
    },
  };
}
