import type { SwitchRole } from '../../contract/slice.js';
import { hasSharedBuffer, type SwitchSpec } from '../../contract/spec.js';
import type { SwitchHooks } from './switch-hooks.js';
import type { TrafficClass } from '../../units/indices.js';

/**
 * What a switch does: everything; routing, with queues and flows observed, and samples of queues or
 * none; routing alone.
 */
export const FULL = 0;
export const SAMPLED = 1;
const OBSERVED = 2;
export const ROUTED = 3;

/** No queue is ever so long. */
export const NEVER = 0x7fffffff;

/**
 * From how many octets on a mechanism observes frames that join a queue. Below, the data path pays
 * a comparison and nothing else, whatever is configured.
 */
export function joiningFrom(
  roles: readonly SwitchRole[],
  port: number,
  trafficClass: TrafficClass,
): number {
  return Math.min(
    NEVER,
    ...roles.map(({ onEnqueue }) => onEnqueue?.joinsFrom(port, trafficClass) ?? NEVER),
  );
}

/** The same of a frame that leaves: octets with it. `telemetry`: it may be added to the frame. */
export function leavingFrom(
  roles: readonly SwitchRole[],
  port: number,
  trafficClass: TrafficClass,
  telemetry: number,
): number {
  if ((telemetry & (1 << trafficClass)) !== 0) return 0;
  return Math.min(
    NEVER,
    ...roles.map(({ onDequeue }) => onDequeue?.leavesFrom(port, trafficClass) ?? NEVER),
  );
}

/** Frames are not changed, and at most long queues and their flows are observed. */
export function effortOf(
  spec: SwitchSpec,
  roles: readonly SwitchRole[],
  { sampler, boundary }: SwitchHooks,
  firstPort: number,
): number {
  const isGuarded = spec.ports.some(({ pausing }) => (pausing?.watchdog ?? null) !== null);
  const isEdge = spec.ports.some((_, p) => boundary?.untags(firstPort + p) === true);
  if (!hasSharedBuffer(spec) || isGuarded || isEdge || spec.buffer.pools !== null) return FULL;
  if (spec.forwarding.kind !== 'routed') return FULL;
  if (sampler !== null) return SAMPLED;
  return roles.length === 0 && spec.telemetry === 0 ? ROUTED : OBSERVED;
}
