import type { SlotsSpec, WredSpec } from '../contract/spec.js';

/** Reads the queues of the switch; ports as the device counts them. */
export interface QueueView {
  octets(port: number, trafficClass: number): number;
  frames(port: number, trafficClass: number): number;
}

// Region of a slot: from 2 on, the region is the class that it is reserved for.

export const SHARED = 0;
export const SOURCE = 1;
/** P1 and P0 have no slots of their own. */
export const LEAST_KEPT_CLASS = 2;
export const REGIONS = 8;
export const NO_REGION = -1;

/** All flow-controlled frames share the lowest queue of their destination (7.9). */
export const LOWEST_CLASS = 0;

/** Frames of flow-controlled ports have no class of their own, unless the option gives them one. */
export function isDowngraded(spec: SlotsSpec, source: number): boolean {
  return spec.flowControl[source] && !spec.normalQos;
}

/** Region of the slot of a source's next frame, by what each region has free. */
export function regionFor(
  trafficClass: number,
  downgraded: boolean,
  free: Int32Array,
  sourceFree: number,
  order: SlotsSpec['allocationOrder'],
): number {
  const kept = !downgraded && trafficClass >= LEAST_KEPT_CLASS;
  if (kept && free[trafficClass] > 0) return trafficClass;
  if (order === 'source-first' && sourceFree > 0) return SOURCE;
  if (free[SHARED] > 0) return SHARED;
  return sourceFree > 0 ? SOURCE : NO_REGION;
}

/** By class: weight of an octet in the load of an output port. */
const DELAY_BOUND_WEIGHTS = [0, 0, 1, 2, 4, 8, 16, 16] as const;
const WFQ_WEIGHTS = [0, 0, 1, 1, 1, 1, 1, 1] as const;

/** Load of an output port, as WRED computes it. */
export function outputLoad(spec: WredSpec, queues: QueueView, port: number): number {
  const weights = spec.sum === 'wfq' ? WFQ_WEIGHTS : DELAY_BOUND_WEIGHTS;
  let load = 0;
  for (let tc = LEAST_KEPT_CLASS; tc < weights.length; tc++) {
    load += weights[tc] * queues.octets(port, tc);
  }
  return load;
}

/** Share of frames to drop: a queue within its threshold loses nothing. */
export function wredShare(
  spec: WredSpec,
  queues: QueueView,
  port: number,
  trafficClass: number,
  highPrecedence: boolean,
): number {
  if (trafficClass < LEAST_KEPT_CLASS || (spec.spared & (1 << trafficClass)) !== 0) return 0;
  if (queues.octets(port, trafficClass) <= spec.thresholdOctets[trafficClass]) return 0;
  const load = outputLoad(spec, queues, port);
  const [first, second, third] = spec.levelOctets;
  if (load <= first) return 0;
  if (load > third) return 1;
  if (load > second) return highPrecedence ? spec.secondHigh : spec.secondLow;
  return highPrecedence ? spec.firstHigh : 0;
}

/**
 * Classes of an output that have more than their part, one bit each: while its load is above the
 * first level, those above their threshold. `trafficClass` has so many octets more than
 * its queue.
 */
export function excessiveClasses(
  spec: WredSpec,
  queues: QueueView,
  port: number,
  trafficClass: number,
  moreOctets: number,
): number {
  const [first] = spec.levelOctets;
  let load = outputLoad(spec, queues, port);
  if (trafficClass >= 0) {
    load += (spec.sum === 'wfq' ? WFQ_WEIGHTS : DELAY_BOUND_WEIGHTS)[trafficClass] * moreOctets;
  }
  if (load <= first) return 0;
  let excessive = 0;
  for (let tc = LEAST_KEPT_CLASS; tc < DELAY_BOUND_WEIGHTS.length; tc++) {
    const octets = queues.octets(port, tc) + (tc === trafficClass ? moreOctets : 0);
    if (octets > spec.thresholdOctets[tc]) excessive |= 1 << tc;
  }
  return excessive;
}

/** Of a fan-out, the ports whose lowest queue is longer than the threshold, one bit each. */
export function congestedPorts(fanOut: number, threshold: number, queues: QueueView): number {
  let congested = 0;
  for (let rest = fanOut; rest !== 0; rest &= rest - 1) {
    const port = 31 - Math.clz32(rest & -rest);
    if (queues.frames(port, LOWEST_CLASS) > threshold) congested |= 1 << port;
  }
  return congested;
}

/** Every port of the map is below the fixed threshold at this moment. */
export function isUncongested(map: number, low: number, queues: QueueView): boolean {
  for (let rest = map; rest !== 0; rest &= rest - 1) {
    const port = 31 - Math.clz32(rest & -rest);
    if (queues.frames(port, LOWEST_CLASS) >= low) return false;
  }
  return true;
}

/** As results name it. */
export function regionName(region: number): string {
  if (region === SHARED) return 'shared';
  return region === SOURCE ? 'sources' : `P${region}`;
}
