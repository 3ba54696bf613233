import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type {
  CreditPortSpec,
  PfcPortSpec,
  PfcWatchdogSpec,
  PortSpec,
  StopPortSpec,
} from '../../engine/contract/spec.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { switchPortMac } from '../address.js';
import type { ArbiterSection, PfcSection } from '../scenario/scenario.js';
import type { DiscoverySection } from '../scenario/discovery-section.js';
import type { Fail } from '../topology/cabling.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { AssemblyInput } from './assembly.js';
import type { OwnMemoryPlan } from './own-memory.js';
import { classesOf } from './fixed-classes.js';
import type { CreditPlan } from './credit-plan.js';
import type { DiscoveryPlan } from './discovery-plan.js';
import { hasPfc, type Methods } from './link-methods.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';
import type { LinkEnd } from './link-ends.js';

/** Keys of control frames and their refresh are the same for all priorities of a device. */
const SHARED_KEYS = [
  ['quanta', 'quanta'],
  ['refreshFraction', 'refresh'],
  ['responseDelayPs', 'responseDelay'],
] as const;

const WEIGHTED_STRICT: ArbiterSpec = { kind: 'weighted-strict' };
const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

/** Priority group of each priority: one for all where a whole port is paused. */
export function groupsOf({ pause, classes }: AssemblyInput['scenario']): readonly number[] {
  return pause.enabled ? ONE_GROUP : classes.receive;
}

/** What slices say of a port's link layer. */
export type LinkLayerOfPort = Pick<PortSpec, 'orderedSets' | 'grantMessages' | 'retry'>;

export function linkLayerOf(
  mechanisms: readonly PlannedMechanism[],
  device: number,
  port: number,
): LinkLayerOfPort {
  const hasSets = mechanisms.some(({ plan }) => plan.hasOrderedSets?.(device, port) === true);
  const grantMessages = mechanisms.flatMap(
    ({ plan }) => plan.grantMessages?.(device, port) ?? [],
  )[0];
  const [retry] = mechanisms.flatMap(({ plan }) => plan.retry?.(device, port) ?? []);
  return {
    ...(hasSets && { orderedSets: true }),
    ...(grantMessages !== undefined && { grantMessages }),
    ...(retry !== undefined && { retry }),
  };
}

export function portSpecs(
  { scenario, addresses, topology, fail }: AssemblyInput,
  device: number,
  settingsOf: readonly Settings[],
  linkEnds: readonly LinkEnd[],
  methods: readonly Methods[],
  credit: CreditPlan,
  chips: OwnMemoryPlan,
  discovery: DiscoveryPlan,
  linkLayer: (port: number) => LinkLayerOfPort,
): PortSpec[] {
  const { kind, name: deviceName } = topology.devices[device]!;
  const settings = settingsOf[device]!;
  const chosen = kind === 'host' ? settings.host.arbiter : settings.switch.arbiter;
  const nic = kind === 'host' ? settings.host.nic : null;
  // Without DCB a NIC with buffers has one each way.
  const undivided = nic !== null && !nic.dcb;
  const shared = {
    classOf: undivided ? ONE_GROUP : classesOf(settings, scenario),
    groupOf: undivided || chips.isChip(device) ? ONE_GROUP : groupsOf(scenario),
    arbiter:
      nic === null
        ? changeable(chosen ?? scenario.classes.arbiter, scenario.discovery)
        : WEIGHTED_STRICT,
  };
  const paused = scenario.pause.enabled ? stopSpec(scenario.pause.pfc) : null;
  const watchesOf = (place: number): Watches =>
    topology.devices[place]!.kind === 'host' ? null : watchesOfSwitch(settingsOf[place]!);
  const own = watchesOf(device);
  const pfcByMethods = new Map<Methods, PfcPortSpec | null>();
  const pfcOf = ({ port, peerDevice }: LinkEnd): PfcPortSpec | null => {
    const method = methods[port]!;
    if (!pfcByMethods.has(method)) {
      pfcByMethods.set(method, pfcSpec(settings, method, own, deviceName, fail));
    }
    const spec = pfcByMethods.get(method) ?? null;
    const defying = spec && defyingGroups(watchesOf(peerDevice), shared.groupOf);
    return spec && defying ? { ...spec, partnerWatchdog: defying } : spec;
  };
  return linkEnds.map((end) => {
    const { name, port, octetPs, latencyPs } = end;
    const exchange = credit.port(end, methods[port]!);
    const layer = linkLayer(port);
    checkCounts(exchange, layer, name, fail);
    return {
      name,
      octetPs,
      latencyPs,
      mac: readU48(kind === 'host' ? addresses[device]!.mac : switchPortMac(device, port), 0),
      ...shared,
      arbiter: chips.arbiter(end) ?? shared.arbiter,
      pause: paused ?? chips.pause(end),
      pfc: scenario.pause.enabled ? null : pfcOf(end),
      credit: exchange,
      discovery: discovery.port(end, exchange),
      ...layer,
      faults: [],
    };
  });
}

/** Increments have no epoch: what is still to come after the link was down is unknown. */
function checkCounts(
  credit: CreditPortSpec | null,
  { retry }: LinkLayerOfPort,
  port: string,
  fail: Fail,
): void {
  if (credit?.counts !== 'incremental') return;
  if ((credit.priorities & (retry?.priorities ?? 0)) === 0) return;
  throw fail(
    ['credit', 'counts'],
    `counts: incremental at ${port}, where link-level retry sends frames again after the link ` +
      'was down: they would come beside all that was granted since; counts: cumulative, or ' +
      'llr: { priorities: … } without those that exchange credit',
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

function pfcSpec(
  settings: Settings,
  methods: Methods,
  watches: Watches,
  device: string,
  fail: Fail,
): PfcPortSpec | null {
  const lossless = settings.priorities.filter(({ priority }) => hasPfc(methods[priority]));
  const [first, ...others] = lossless;
  if (first === undefined) return null;
  for (const other of others) {
    const differing = SHARED_KEYS.find(([key]) => other.pfc[key] !== first.pfc[key]);
    if (differing === undefined) continue;
    throw fail(
      placeOfPriority(settings, other.priority),
      `priorities ${first.priority} and ${other.priority} of ${device} differ in ` +
        `${differing[1]}; it is the same for all that have pfc`,
    );
  }
  const priorities = lossless.reduce((mask, { priority }) => mask | (1 << priority), 0);
  const watched = watches?.some((watch, p) => watch !== null && (priorities & (1 << p)) !== 0);
  const watchdog = watched === true ? watches : null;
  return { priorities, ...stopSpec(first.pfc), watchdog, partnerWatchdog: null };
}

/** By priority; null where a device has no watchdog. */
type Watches = PfcPortSpec['watchdog'];

function watchesOfSwitch({ priorities }: Settings): Watches {
  return priorities.some(({ pfc }) => pfc.watchdog !== null)
    ? priorities.map(({ pfc }) => pfc.watchdog)
    : null;
}

/** By group: how soon a link partner with these watchdogs may ignore its pauses, and how long. */
function defyingGroups(watches: Watches, groupOf: readonly number[]): Watches {
  const defying = (watches ?? []).map((watch) => (watch?.action === 'forward' ? watch : null));
  if (defying.every((watch) => watch === null)) return null;
  return groupOf.map((_, group) =>
    defying
      .filter((_watch, priority) => groupOf[priority] === group)
      .reduce((a, b) => (a === null || b === null ? (a ?? b) : soonest(a, b)), null),
  );
}

function soonest(a: PfcWatchdogSpec, b: PfcWatchdogSpec): PfcWatchdogSpec {
  const detectionPs = Math.min(a.detectionPs, b.detectionPs);
  return { ...a, detectionPs, restorationPs: Math.max(a.restorationPs, b.restorationPs) };
}

function stopSpec({ quanta, refreshFraction, responseDelayPs }: PfcSection): StopPortSpec {
  return { quanta, refreshFraction, responseDelayPs };
}
