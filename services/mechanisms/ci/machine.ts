/**
 * Where CIMs are sent, and when an entry ends: the rules of 802.1Qcz clause 49 that need no tables.
 */

import type { CiSwitchSpec } from './spec.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** An entry was made by this bridge, or by a CIM (the create mask of 49.3.7). */
export const FOUND_HERE = 1;
export const FROM_CIM = 2;

/**
 * Identity of a flow: source, destination and UDP source port, which a stream identification
 * function finds in a frame and in the frame that a CIM quotes.
 */
export function flowKey(source: number, target: number, udpSourcePort: number): number {
  assert(source >= 0 && target >= 0 && target < 2 ** 16, 'ci.flow-of-stations');
  return (source * 2 ** 16 + target) * 2 ** 14 + (udpSourcePort & 0x3fff);
}

/** 49.4.2: no more than cipMaxCIM messages for a congesting flow. */
export function mayTransmitCim(cimCount: number, maxCim: number): boolean {
  return cimCount < maxCim;
}

/** An entry is removed when its flow has ended, or when congestion ended long ago. */
export function isOutlived(
  entry: { readonly mask: number; readonly seenPs: number; readonly uncongestedPs: number },
  now: number,
  idlePs: number,
  maxFlowLifePs: number,
): boolean {
  assert(now >= entry.seenPs, 'ci.entry-was-made-before');
  if (now - entry.seenPs >= idlePs) return true;
  return (entry.mask & FROM_CIM) !== 0 && now - entry.uncongestedPs >= maxFlowLifePs;
}

/**
 * For a link partner without isolation, frames of the congesting queue have their original
 * priority: if that is paused, so is the congesting queue.
 */
export function blockedAlong(
  classOf: readonly number[],
  ci: CiSwitchSpec,
  port: PortRow,
): [number, number] {
  if (ci.ports[port].isPeer) return [0, 0];
  let monitored = 0;
  classOf.forEach((trafficClass, priority) => {
    if ((ci.monitorQueues & (1 << trafficClass)) !== 0) monitored |= 1 << priority;
  });
  return [monitored, 1 << ci.priority];
}
