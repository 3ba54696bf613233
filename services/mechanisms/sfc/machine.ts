import type { SfcDetector, SfcPortSpec, SfcSwitchSpec } from './spec.js';
import type { Priority } from '../../engine/units/indices.js';

/** Input of a detector: a queue after a frame joined it, and the shared buffer. */
export interface QueueView {
  /** Octets in the queue, the frame included. */
  octets: number;
  /** Octets per picosecond of its recent growth; 0 when it does not grow. */
  growth: number;
  /** Buffer that is free for all queues. */
  freeOctets: number;
}

/** Probability that a queue is congested, from 0 to 1: only `marking` is ever in between. */
export function congestionProbability(detector: SfcDetector, queue: Readonly<QueueView>): number {
  switch (detector.kind) {
    case 'threshold':
      return queue.octets >= detector.octets ? 1 : 0;
    case 'dynamic':
      return queue.octets >= detector.alpha * queue.freeOctets ? 1 : 0;
    case 'marking':
      return rising(queue.octets, detector);
    case 'predicted':
      return queue.octets + queue.growth * detector.horizonPs >= detector.octets ? 1 : 0;
  }
}

/** A shorter queue is not observed: its growth is known long before it is congested. */
export function leastWatched(detector: SfcDetector): number {
  switch (detector.kind) {
    case 'threshold':
      return Math.floor(detector.octets / 4);
    case 'marking':
      return Math.floor(detector.minOctets / 4);
    case 'dynamic':
    case 'predicted':
      return 0;
  }
}

function rising(
  octets: number,
  {
    minOctets,
    maxOctets,
    probability,
  }: { readonly minOctets: number; readonly maxOctets: number; readonly probability: number },
): number {
  if (octets <= minOctets) return 0;
  if (octets >= maxOctets) return 1;
  return (probability * (octets - minOctets)) / (maxOctets - minOctets);
}

/** A growth rate is measured over at least so long, and over four times that at most. */
const GROWTH_SAMPLE_PS = 250_000;
const GROWTH_GAP_PS = 4 * GROWTH_SAMPLE_PS;

/** Growth of a queue, measured from frame to frame; after a gap the measurement begins anew. */
export interface GrowthSample {
  octets: number;
  atPs: number;
  /** Octets per picosecond, 0 when it does not grow. */
  growth: number;
}

export function sampleGrowth(sample: GrowthSample, octets: number, now: number): void {
  const age = now - sample.atPs;
  if (age < GROWTH_SAMPLE_PS) return;
  if (age < GROWTH_GAP_PS) sample.growth = Math.max(0, (octets - sample.octets) / age);
  sample.octets = octets;
  sample.atPs = now;
}

/** A drain rate is measured over so much at line rate: rounds of arbiters are mostly shorter. */
const DRAIN_OCTETS = 32 * 1538;

/**
 * How fast a queue drains, whatever its share and the load of other classes: what came in, less its
 * growth. Only what joins a queue of `leastOctets` or more is seen.
 */
export interface DrainSample {
  /** Beginning of the measurement; its octets then, and what has joined since. */
  fromPs: number;
  fromOctets: number;
  joinedOctets: number;
  /** The last frame that joined, with the queue behind it. */
  lastPs: number;
  lastOctets: number;
  /** Time of an octet by the last measurement; 0 before the first. */
  octetPs: number;
}

/** What a queue is like when a frame has joined it. */
interface Joining {
  readonly now: number;
  /** Of the queue, the frame included, and of the frame. */
  readonly octets: number;
  readonly frameOctets: number;
}

export function sampleDrain(
  sample: DrainSample,
  { now, octets, frameOctets }: Joining,
  lineOctetPs: number,
  leastOctets: number,
): void {
  const shortest = sample.lastOctets - (now - sample.lastPs) / lineOctetPs;
  if (sample.lastPs < 0 || shortest < leastOctets) {
    sample.octetPs = 0;
    beginDrain(sample, now, octets);
  } else sample.joinedOctets += frameOctets;
  sample.lastPs = now;
  sample.lastOctets = octets;
  const agePs = now - sample.fromPs;
  if (agePs < DRAIN_OCTETS * lineOctetPs) return;
  const drained = sample.joinedOctets - (octets - sample.fromOctets);
  sample.octetPs = agePs / Math.max(0, drained);
  beginDrain(sample, now, octets);
}

/** A queue that may not send says nothing about how fast it drains. */
export function beginDrain(sample: DrainSample, now: number, octets: number): void {
  sample.fromPs = now;
  sample.fromOctets = octets;
  sample.joinedOctets = 0;
}

/**
 * Time of an octet of a queue that drains. Before it is known, the least: a pause that ends too
 * early is followed by another, and one that ends too late leaves the port idle.
 */
export function drainOctetPs({ octetPs }: DrainSample, lineOctetPs: number): number {
  return Math.max(octetPs, lineOctetPs);
}

/**
 * Pause time for sources: until the octets above the target, and those that will arrive before the
 * pause takes effect, have drained. A queue that does not drain requests the longest pause.
 */
export function pauseTimeNs(
  spec: Pick<SfcSwitchSpec, 'pauseNs' | 'pauseMinNs' | 'pauseMaxNs'>,
  queue: Readonly<QueueView>,
  targetOctets: number,
  loopPs: number,
  drainOctetPs: number,
): number {
  if (spec.pauseNs !== null) return spec.pauseNs;
  if (drainOctetPs === Infinity) return spec.pauseMaxNs;
  const surplus = queue.octets + queue.growth * loopPs - targetOctets;
  const drainNs = Math.ceil((surplus * drainOctetPs) / 1000);
  return Math.min(spec.pauseMaxNs, Math.max(spec.pauseMinNs, drainNs));
}

/** An SFCM may be sent to a source at `now` when the last one was sent at `lastPs`. */
export function intervalIsOver(lastPs: number, now: number, minIntervalPs: number): boolean {
  return now - lastPs >= minIntervalPs;
}

/**
 * Whether a bridge is a proxy for the station at a port, which may respond to messages itself.
 */
export function actsForStation(proxy: SfcPortSpec['proxy'], responds: boolean): boolean {
  return proxy === 'on' || (proxy === 'auto' && !responds);
}

/** Sources are indexed by their address, and by priority, since a pause names one. */
export function sourceKey(position: number, priority: Priority): number {
  return position * 8 + priority;
}
