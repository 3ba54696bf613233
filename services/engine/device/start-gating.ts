import type { StartGate } from '../contract/slice.js';
import { CLASS, COPY_FLAG, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { CreditGating } from './credit-gating.js';
import type { Shared } from './shared.js';

/**
 * Queues with a gate beside those that start with credit of credit exchange. A frame of a queue
 * with a gate waits in its queue: the mechanism holds its priority until it may start.
 */
export function withGate(
  credit: CreditGating,
  gate: StartGate,
  { ports, queues, pool }: Shared,
): CreditGating {
  const { words } = pool;
  /** The port at which a frame is just starting: its queues are looked at when that is over. */
  let starting = -1;

  function isGated(port: number, trafficClass: number): boolean {
    return (ports.gatedClasses(port) & (1 << trafficClass)) !== 0;
  }

  /** What one queue may start depends on what others have started. */
  function lookAtAll(port: number): void {
    for (let rest = ports.gatedClasses(port); rest !== 0; rest &= rest - 1) {
      const trafficClass = 31 - Math.clz32(rest & -rest);
      gate.look(port, trafficClass, queues.head(port, trafficClass));
    }
  }

  function isOfCredit(port: number, frame: number): boolean {
    return ports.isCredited(port, words[frame + CLASS] & PRIORITY_MASK);
  }

  return {
    ...credit,
    enqueue(port, trafficClass, frame) {
      if (!isGated(port, trafficClass)) {
        credit.enqueue(port, trafficClass, frame);
        return;
      }
      queues.push(port, trafficClass, frame);
      if (port === starting || queues.head(port, trafficClass) !== frame) return;
      gate.look(port, trafficClass, frame);
    },
    spend(port, trafficClass, frame) {
      if (!isGated(port, trafficClass)) {
        credit.spend(port, trafficClass, frame);
        return;
      }
      gate.started(port, frame);
      starting = port;
    },
    next(port, trafficClass) {
      return isGated(port, trafficClass) || credit.next(port, trafficClass);
    },
    settle(port) {
      starting = -1;
      lookAtAll(port);
    },
    refused(port, frame) {
      if (isOfCredit(port, frame)) credit.refused(port, frame);
      else gate.passed(port, frame);
    },
    isGranted(port, frame) {
      const frameClass = words[frame + CLASS];
      if (isOfCredit(port, frame) || (frameClass & COPY_FLAG) !== 0) {
        return credit.isGranted(port, frame);
      }
      if (!ports.isCharged(port, frameClass & PRIORITY_MASK)) return true;
      return gate.wasAllowed(port, frame);
    },
    permit(port) {
      lookAtAll(port);
      return credit.permit(port);
    },
  };
}
