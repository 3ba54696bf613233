import type { BufferSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import type { PlacedFault } from './fault-plan.js';

/** Only hosts whose applications these faults slow down have receive memory. */
export function withReceiveMemory(
  specs: readonly DeviceSpec[],
  placed: readonly PlacedFault[],
  memoryOf: (device: number) => BufferSpec,
): readonly DeviceSpec[] {
  const slowed = new Set(
    placed.flatMap(({ device, spec }) => (spec.effect.kind === 'read' ? [device] : [])),
  );
  return specs.map((spec, d) =>
    spec.kind === 'host' && slowed.has(d) ? { ...spec, receiveMemory: memoryOf(d) } : spec,
  );
}
