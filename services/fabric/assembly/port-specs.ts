import { GRANTS, type GrantPlan, type GrantPortSpec } from '../../mechanisms/registry.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { switchPortMac } from '../address.js';
import type { ArbiterSection } from '../scenario/scenario.js';
import type { DiscoverySection } from '../scenario/discovery-section.js';
import type { Fail } from '../topology/cabling.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { AssemblyInput } from './assembly.js';
import type { OwnMemoryPlan } from './own-memory.js';
import { classesOf } from './fixed-classes.js';
import type { DiscoveryPlan } from './discovery-plan.js';
import type { Methods } from './link-methods.js';
import { groupsAt } from './priority-groups.js';
import type { Settings } from './settings.js';
import type { LinkEnd } from './link-ends.js';

const WEIGHTED_STRICT: ArbiterSpec = { kind: 'weighted-strict' };
const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

/** What slices say of a port. */
export type PlannedPort = Pick<PortSpec, 'pausing' | 'orderedSets' | 'grantMessages' | 'retry'>;

export function plannedPorts(
  mechanisms: readonly PlannedMechanism[],
): (device: number, port: number) => PlannedPort {
  const plans = mechanisms.map(({ plan }) => plan);
  // Few have each of these, and a large fabric has many ports.
  const withSets = plans.filter((plan) => plan.hasOrderedSets !== undefined);
  const withMessages = plans.filter((plan) => plan.grantMessages !== undefined);
  const withRetry = plans.filter((plan) => plan.retry !== undefined);
  const withPausing = plans.filter((plan) => plan.pausing !== undefined);
  return (device, port) => {
    const hasSets = withSets.some((plan) => plan.hasOrderedSets!(device, port));
    const [grantMessages] = withMessages.flatMap((plan) => plan.grantMessages!(device, port) ?? []);
    const [retry] = withRetry.flatMap((plan) => plan.retry!(device, port) ?? []);
    const [pausing = null] = withPausing.flatMap((plan) => plan.pausing!(device, port) ?? []);
    return {
      pausing,
      ...(hasSets && { orderedSets: true }),
      ...(grantMessages !== undefined && { grantMessages }),
      ...(retry !== undefined && { retry }),
    };
  };
}

export function portSpecs(
  { scenario, addresses, topology, fail }: AssemblyInput,
  device: number,
  settingsOf: readonly Settings[],
  linkEnds: readonly LinkEnd[],
  methods: readonly Methods[],
  grants: GrantPlan,
  chips: OwnMemoryPlan,
  discovery: DiscoveryPlan,
  planned: (port: number) => PlannedPort,
): PortSpec[] {
  const { kind } = topology.devices[device]!;
  const settings = settingsOf[device]!;
  const chosen = kind === 'host' ? settings.host.arbiter : settings.switch.arbiter;
  const nic = kind === 'host' ? settings.host.nic : null;
  // Without DCB a NIC with buffers has one each way.
  const undivided = nic !== null && !nic.dcb;
  const shared = {
    classOf: undivided ? ONE_GROUP : classesOf(settings, scenario),
    groupOf: groupsAt(scenario, settings, kind === 'host'),
    arbiter:
      nic === null
        ? changeable(chosen ?? scenario.classes.arbiter, scenario.discovery)
        : WEIGHTED_STRICT,
  };
  return linkEnds.map((end) => {
    const { name, port, octetPs, latencyPs } = end;
    const exchange = grants.port(end, methods[port]!);
    const { pausing, ...layer } = planned(port);
    checkCounts(exchange, layer, name, fail);
    return {
      name,
      octetPs,
      latencyPs,
      mac: readU48(kind === 'host' ? addresses[device]!.mac : switchPortMac(device, port), 0),
      ...shared,
      arbiter: chips.arbiter(end) ?? shared.arbiter,
      pausing: chips.pausing(end) ?? pausing,
      grants: exchange,
      discovery: discovery.port(end, exchange),
      ...layer,
      faults: [],
    };
  });
}

/** Increments have no epoch: what is still to come after the link was down is unknown. */
function checkCounts(
  grants: GrantPortSpec | null,
  { retry }: Pick<PlannedPort, 'retry'>,
  port: string,
  fail: Fail,
): void {
  if (grants?.counts !== 'incremental') return;
  if ((grants.priorities & (retry?.priorities ?? 0)) === 0) return;
  throw fail(
    [GRANTS.name, 'counts'],
    `counts: incremental at ${port}, where link-level retry sends frames again after the link ` +
      'was down: they would come beside all that was granted since; counts: cumulative, or ' +
      `llr: { priorities: … } without those that exchange ${GRANTS.name}`,
  );
}

/** Where a neighbor may recommend shares, strict priority is ETS without any. */
function changeable(
  arbiter: ArbiterSection,
  { enabled, drives }: DiscoverySection,
): ArbiterSection {
  if (!enabled || !drives || arbiter.kind !== 'strict') return arbiter;
  return { kind: 'ets', shares: [null, null, null, null, null, null, null, null] };
}
