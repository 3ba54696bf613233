import type { EcnMarker } from '../../congestion/ecn/ecn-mechanism.js';
import type { SwitchRole } from '../../contract/slice.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { SwitchHooks } from './switch-hooks.js';

/**
 * What a switch does: all there is; routing, with a look at queues and flows, and samples of queues
 * or none; routing alone.
 */
export const FULL = 0;
export const SAMPLED = 1;
export const WATCHED = 2;
export const BARE = 3;

/** No queue is ever so long. */
export const NEVER = 0x7fffffff;

/** Those who may want to look at a queue of a switch when a frame joins it, or leaves. */
export interface Watchers {
  readonly ecn: EcnMarker;
  readonly roles: readonly SwitchRole[];
}

/**
 * From how many octets on somebody wants to see a frame join a queue. Below, the data path pays a
 * comparison and nothing else, whatever is configured.
 */
export function joiningFrom({ ecn, roles }: Watchers, port: number, trafficClass: number): number {
  return Math.min(
    ecn.leastOctets('enqueue', trafficClass) ?? NEVER,
    ...roles.map(({ onEnqueue }) => onEnqueue?.joinsFrom(port, trafficClass) ?? NEVER),
  );
}

/** The same of a frame that leaves: octets with it. `telemetry`: it may be written upon. */
export function leavingFrom(
  { ecn, roles }: Watchers,
  port: number,
  trafficClass: number,
  telemetry: number,
): number {
  if ((telemetry & (1 << trafficClass)) !== 0) return 0;
  return Math.min(
    ecn.leastOctets('dequeue', trafficClass) ?? NEVER,
    ...roles.map(({ onDequeue }) => onDequeue?.leavesFrom(port, trafficClass) ?? NEVER),
  );
}

/** Frames leave as they came, and at most somebody looks at long queues and their flows. */
export function plainnessOf(
  spec: SwitchSpec,
  { ecn, roles }: Watchers,
  { sampler, boundary }: SwitchHooks,
  firstPort: number,
): number {
  const isGuarded = spec.ports.some(({ pfc }) => (pfc?.watchdog ?? null) !== null);
  const isEdge = spec.ports.some((_, p) => boundary?.untags(firstPort + p) === true);
  if (spec.mvtx2802 !== null || isGuarded || isEdge) return FULL;
  if (spec.forwarding.kind !== 'routed') return FULL;
  if (sampler !== null) return SAMPLED;
  const marks = ecn.atEnqueue | ecn.atDequeue | spec.telemetry;
  return roles.length === 0 && marks === 0 ? BARE : WATCHED;
}
