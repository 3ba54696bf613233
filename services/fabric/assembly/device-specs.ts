import { FAULT_KINDS } from '../faults/registry.js';
import type { HostSpec, SwitchSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import { BY_FLOW } from '../scenario/equal-cost.js';
import type { Scenario } from '../scenario/scenario.js';
import type { FabricPlans } from './fabric-plans.js';
import { failoverOf, forwardingOf } from './forwarding.js';
import { slicesOf } from './mechanism-plans.js';
import { nicSpec } from './nic-spec.js';
import { plannedPorts, portSpecs } from './port-specs.js';
import type { ResolvedFabric } from './resolved-fabric.js';
import type { Settings } from './settings.js';
import type { TopologyDevice } from '../topology/topology.js';

/** In topology order. What does not fit is said of all devices at once. */
export function deviceSpecs(fabric: ResolvedFabric, plans: FabricPlans): DeviceSpec[] {
  const { scenario, topology, settings, linkEnds } = fabric;
  const { chips, discovery } = plans;
  const planned = plannedPorts(plans.mechanisms);
  const inOrder = keepsOrder(settings, scenario);
  const specOf = ({ name, kind }: TopologyDevice, index: number): DeviceSpec => {
    const ports = portSpecs(fabric, index, {
      ...{ settings: settings[index]!, linkEnds: linkEnds[index]!, chips, discovery },
      methods: fabric.methods[index]!,
      codings: fabric.codings[index]!,
      ports: fabric.ports[index]!,
      planned: (port) => planned(index, port),
      live: plans.live.get(index),
    });
    const common: Common = { index, name, seed: scenario.seed, ports };
    return kind === 'host'
      ? { ...common, ...hostSpec(fabric, plans, index), inOrder }
      : { ...common, ...switchSpec(fabric, plans, index) };
  };
  const errors = new CollectedErrors();
  const specs = topology.devices.map((device, index) =>
    errors.attempt(() => specOf(device, index)),
  );
  errors.settle();
  return specs.map((spec) => spec!);
}

/** What a host has beside all devices. */
function hostSpec(
  fabric: ResolvedFabric,
  plans: FabricPlans,
  index: number,
): Omit<HostSpec, keyof Common | 'inOrder'> {
  const { mechanisms, memory } = plans;
  const ends = plans.hostEnds[index]!;
  const nic = nicSpec(fabric, plans, index);
  const [end] = fabric.linkEnds[index]!;
  return {
    kind: 'host',
    position: index,
    ...ends,
    operations: plans.operations.ofHost(index, ends.receives.length),
    slices: slicesOf(mechanisms, ({ plan }) => plan.ofHost?.(index, ends.sends) ?? null),
    nic,
    receiveMemory: nic !== null || end === undefined ? null : memory.ofHost(end),
  };
}

/** What a switch has beside all devices. */
function switchSpec(
  fabric: ResolvedFabric,
  { mechanisms, memory, chips, trees, telemetry }: FabricPlans,
  index: number,
): Omit<SwitchSpec, keyof Common> {
  const own = fabric.settings[index]!.switch;
  const slots = chips?.spec(index) ?? null;
  return {
    kind: 'switch',
    buffer: memory.ofSwitch(index).buffer,
    slots,
    pipelinePs: own.pipelinePs,
    cutThrough: own.cutThrough,
    forwarding: forwardingOf({ ...fabric, trees }, index),
    failover: failoverOf(own, fabric.routes),
    telemetry,
    slices: slots === null ? slicesOf(mechanisms, ({ plan }) => plan.ofSwitch(index)) : {},
  };
}

/** Whether frames of one flow all take one path. */
function keepsOrder(settings: readonly Settings[], { faults, load }: Scenario): boolean {
  const spreads = load.some(({ transport }) => transport.kind !== 'raw' && transport.spreads);
  if (spreads) return false;
  const detours = faults.some(({ kind }) => FAULT_KINDS.get(kind)!.breaksLinks);
  return !settings.some(
    ({ switch: { ecmp, failover } }) => ecmp.name !== BY_FLOW || (detours && failover.enabled),
  );
}

/** What all devices have. */
type Common = Pick<HostSpec, 'index' | 'name' | 'seed' | 'ports'>;
