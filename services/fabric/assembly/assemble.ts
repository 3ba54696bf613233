import type { DeviceSpec } from '../../engine/device/engine.js';
import { headroomSize } from './accounts.js';
import type { Assembly, AssemblyInput } from './assembly.js';
import { clustersOf } from './clusters.js';
import { deviceSpecs } from './device-specs.js';
import { DiscoveryExchange } from './discovery-exchange.js';
import { type FabricPlans, planFabric } from './fabric-plans.js';
import { placeFaults, withFaults } from './fault-plan.js';
import type { LinkEnd } from './link-ends.js';
import { linkFaults, warnOfLastingErrors } from './link-faults.js';
import { hopsOf, lookaheadOf } from './lookahead.js';
import { type ResolvedFabric, resolveFabric } from './resolved-fabric.js';
import type { PlanBuffer } from './set-buffers.js';

/** From a scenario, and its topology, to devices that can be run. */
export function assemble(input: AssemblyInput): Assembly {
  const fabric = resolveFabric(input);
  const plans = planFabric(fabric);
  const devices = deviceSpecs(fabric, plans);
  checkWires(fabric, devices);
  const faulty = withFaultsOf(fabric, plans.memory.planBuffer, devices);
  const specs = startsConverged(fabric) ? converged(faulty, fabric.linkEnds) : faulty;
  return resultOf(fabric, plans, specs);
}

/** Real hosts obey pauses at most: no kernel grants credit, or numbers frames on a link. */
function checkWires({ live, fail }: ResolvedFabric, specs: readonly DeviceSpec[]): void {
  for (const { section, position } of live?.hosts ?? []) {
    const [port] = specs[position]!.ports;
    const needs = [
      port!.grants === null && port!.grantMessages === undefined ? [] : ['grants credit'],
      port!.retry === undefined ? [] : ['acknowledges frames of link-level retry'],
    ].flat();
    if (!section.isWire || needs.length === 0) continue;
    const message = `nothing behind a wire ${needs.join(' or ')}`;
    const remedy = 'write mode: nic, or none at its link';
    throw fail(['live', 'hosts', section.name, 'mode'], `${message}: ${remedy}`);
  }
}

/** The devices with the scenario's faults and the lasting errors of their links. */
function withFaultsOf(
  fabric: ResolvedFabric,
  planBuffer: PlanBuffer,
  specs: readonly DeviceSpec[],
): readonly DeviceSpec[] {
  const { scenario, topology, addresses, linkEnds, fail, warn } = fabric;
  const site = { scenario, topology, addresses, linkEnds, specs, planBuffer };
  const placed = placeFaults(site, scenario.faults, 0, fail);
  warnOfLastingErrors(scenario.faults, placed, linkEnds, warn);
  return withFaults(specs, [...placed, ...linkFaults(linkEnds, scenario.seed)]);
}

function startsConverged({ scenario: { discovery } }: ResolvedFabric): boolean {
  return discovery.enabled && discovery.start === 'converged';
}

/** Devices that knew their neighbors before the run began. */
function converged(
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

function resultOf(
  { topology, linkEnds, ports, methods, linkFrames, longestFrameOctets, live }: ResolvedFabric,
  { mechanisms, memory, chips, flowEnds, operations }: FabricPlans,
  specs: readonly DeviceSpec[],
): Assembly {
  const margins = topology.devices.flatMap(({ kind }, index) =>
    kind === 'switch' ? memory.ofSwitch(index).margins : [],
  );
  const hops = hopsOf(specs, linkEnds.flat());
  return {
    specs,
    lookaheadPs: lookaheadOf(hops),
    cluster: clustersOf(specs.length, hops, topology.pairs),
    ...{ linkEnds, ports, methods, linkFrames },
    margins,
    mechanisms,
    planBuffer: memory.planBuffer,
    sizes: () =>
      [...margins, ...memory.hostMargins].map((own) =>
        headroomSize(own, linkEnds[own.device]![own.port]!),
      ),
    slotMargins: chips?.margins ?? [],
    longestFrameOctets,
    live,
    flowEnds,
    jobs: operations.jobs,
  };
}
