import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { LivePortSpec } from '../../engine/contract/live.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { switchPortMac } from '../address.js';
import type { ArbiterSection, Scenario } from '../scenario/scenario.js';
import type { DiscoverySection } from '../scenario/discovery-section.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { AssemblyInput } from './assembly.js';
import type { SlottedPlan } from '../../mechanisms/slotted-slice.js';
import { classesOf } from './fixed-classes.js';
import type { Methods } from './link-methods.js';
import type { DiscoveryPlan } from './discovery-plan.js';
import { plannedMaps } from './port-maps.js';
import type { PortSettings } from './port-settings.js';
import type { PlannedCoding } from './port-codings.js';
import { groupsAt, ONE_GROUP } from './priority-groups.js';
import type { Settings } from './settings.js';
import type { LinkEnd } from './link-ends.js';

const WEIGHTED_STRICT: ArbiterSpec = { kind: 'weighted-strict' };

/** What slices say of a port. */
type PlannedPort = Pick<PortSpec, 'pausing' | 'grants' | 'orderedSets' | 'grantMessages' | 'retry'>;

export function plannedPorts(
  mechanisms: readonly PlannedMechanism[],
): (device: number, port: number) => PlannedPort {
  const plans = mechanisms.map(({ plan }) => plan);
  // Few have each of these, and a large fabric has many ports.
  const withSets = plans.filter((plan) => plan.hasOrderedSets !== undefined);
  const withMessages = plans.filter((plan) => plan.grantMessages !== undefined);
  const withRetry = plans.filter((plan) => plan.retry !== undefined);
  const withGrants = plans.filter((plan) => plan.grants !== undefined);
  const withPausing = plans.filter((plan) => plan.pausing !== undefined);
  return (device, port) => {
    const hasSets = withSets.some((plan) => plan.hasOrderedSets!(device, port));
    const [grantMessages] = withMessages.flatMap((plan) => plan.grantMessages!(device, port) ?? []);
    const [retry] = withRetry.flatMap((plan) => plan.retry!(device, port) ?? []);
    const [grants = null] = withGrants.flatMap(
      (plan) => plan.grants!(device, port, retry ?? null) ?? [],
    );
    const [pausing = null] = withPausing.flatMap((plan) => plan.pausing!(device, port) ?? []);
    return {
      pausing,
      grants,
      ...(hasSets && { orderedSets: true }),
      ...(grantMessages !== undefined && { grantMessages }),
      ...(retry !== undefined && { retry }),
    };
  };
}

/** What of a device decides how its ports work. */
interface PortPlans {
  readonly settings: Settings;
  /** By port. */
  readonly ports: readonly PortSettings[];
  readonly linkEnds: readonly LinkEnd[];
  /** By port. */
  readonly methods: readonly Methods[];
  readonly chips: SlottedPlan | null;
  readonly discovery: DiscoveryPlan;
  readonly planned: (port: number) => PlannedPort;
  /** Of a real host. */
  readonly live: LivePortSpec | undefined;
  /** By port. */
  readonly codings: readonly PlannedCoding[];
}

export function portSpecs(
  { scenario, addresses, topology }: AssemblyInput,
  device: number,
  { settings, ports, linkEnds, methods, chips, discovery, planned, codings, live }: PortPlans,
): PortSpec[] {
  const { kind } = topology.devices[device]!;
  const chosen = kind === 'host' ? settings.host.arbiter : settings.switch.arbiter;
  const nic = kind === 'host' ? settings.host.nic : null;
  // Without DCB a NIC with buffers has one each way.
  const undivided = nic !== null && !nic.dcb;
  const shared = {
    classOf: undivided ? ONE_GROUP : classesOf(settings, scenario),
    arbiter:
      nic === null
        ? changeable(withSettings(chosen ?? scenario.classes.arbiter, scenario), scenario.discovery)
        : WEIGHTED_STRICT,
  };
  return linkEnds.map((end) => {
    const { name, port, octetPs, latencyPs } = end;
    const { pausing, grants, ...layer } = planned(port);
    const own = ports[port]!;
    const classOf = own.maps?.queues ?? shared.classOf;
    return {
      name,
      octetPs,
      latencyPs,
      mac: readU48(kind === 'host' ? addresses[device]!.mac : switchPortMac(device, port), 0),
      ...shared,
      classOf,
      groupOf: groupsAt(scenario, own, kind === 'host', methods[port]!),
      ...plannedMaps(own, classOf),
      arbiter: chips?.arbiter(end) ?? shared.arbiter,
      pausing,
      grants,
      discovery: discovery.port(end, grants),
      ...layer,
      ...codings[port],
      ...(live !== undefined && { live }),
      faults: [],
    };
  });
}

/** An arbiter of a plugin with the section of the plugin. */
function withSettings(arbiter: ArbiterSection, { switchPlugins }: Scenario): ArbiterSection {
  if (arbiter.kind !== 'outside') return arbiter;
  return { ...arbiter, settings: switchPlugins[arbiter.name]! };
}

/** Where a neighbor may recommend shares, strict priority is ETS without any. */
function changeable(
  arbiter: ArbiterSection,
  { enabled, drives }: DiscoverySection,
): ArbiterSection {
  if (!enabled || !drives || arbiter.kind !== 'strict') return arbiter;
  return { kind: 'ets', shares: [null, null, null, null, null, null, null, null] };
}
