import type { ArbiterSpec } from '../../../engine/contract/arbiter.js';
import type { Engine } from '../../../engine/device/engine.js';
import { STORED } from '../../../engine/frame/frame-pool.js';

const DUE_LATER = 'a frame went before one that is due earlier';
const BEFORE_STRICT = 'a class went before one that is strict';
const BEFORE_BOUNDED = 'a class without a delay bound went before one that has one';

/** Order of due dates at a port: what is wrong with the frame that starts, or null. */
export function breachOfDueDates(
  { shared }: Engine,
  arbiter: Extract<ArbiterSpec, { kind: 'due-dates' }>,
  port: number,
  frame: number,
  trafficClass: number,
  eligible: number,
): string | null {
  const { clock, queues, pool, ports, chips } = shared;
  const { chip, firstPort } = chips[ports.owner(port)]!;
  if ((eligible & arbiter.strict) !== 0) {
    return (arbiter.strict & (1 << trafficClass)) !== 0 ? null : BEFORE_STRICT;
  }
  const own = arbiter.boundsPs[trafficClass] ?? null;
  // The frame has left its queue already.
  const stored = pool.words[frame + STORED]!;
  const excessive = chip.excessive(port - firstPort, trafficClass, stored);
  const dueOf = (tc: number, first: number, boundPs: number): number => {
    const duePs = chip.admittedPs(pool.slot(first)) + boundPs;
    return (excessive & (1 << tc)) !== 0 ? Math.max(duePs, clock.now) : duePs;
  };
  for (let tc = 0; tc < arbiter.boundsPs.length; tc++) {
    const boundPs = arbiter.boundsPs[tc] ?? null;
    if (boundPs === null || (eligible & (1 << tc)) === 0 || tc === trafficClass) continue;
    if (own === null) return BEFORE_BOUNDED;
    if (dueOf(tc, queues.head(port, tc), boundPs) < dueOf(trafficClass, frame, own)) {
      return DUE_LATER;
    }
  }
  return null;
}
