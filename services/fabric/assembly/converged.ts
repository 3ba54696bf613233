import type { DeviceSpec } from '../../engine/device/engine.js';
import { DiscoveryExchange } from './discovery-exchange.js';
import type { LinkEnd } from './link-ends.js';

/** Devices that knew their neighbors before the run began. */
export function converged(
  specs: readonly DeviceSpec[],
  linkEnds: readonly (readonly LinkEnd[])[],
): readonly DeviceSpec[] {
  const exchange = new DiscoveryExchange(specs.map(withoutChanges), linkEnds);
  exchange.settle();
  return specs.map((spec, device) => ({
    ...spec,
    ports: spec.ports.map((port, p) => ({
      ...port,
      discovery: { ...port.discovery!, learned: exchange.learnedAt(device, p) },
    })),
  }));
}

function withoutChanges(spec: DeviceSpec): DeviceSpec {
  const ports = spec.ports.map((port) => {
    const { stages, ...rest } = port.discovery!;
    return { ...port, discovery: { ...rest, stages: stages.slice(0, 1) } };
  });
  return { ...spec, ports };
}
