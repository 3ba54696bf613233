import type { PfcPortSpec, PortSpec, StopPortSpec } from '../../engine/contract/spec.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { switchPortMac } from '../address.js';
import type { PfcSection, PrioritySection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { AssemblyInput } from './assembly.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';
import type { LinkEnd } from './link-ends.js';

/** What a control frame and its refresh say is the same for all priorities of a device. */
const SHARED_KEYS = [
  ['quanta', 'quanta'],
  ['refreshFraction', 'refresh'],
  ['responseDelayPs', 'responseDelay'],
] as const;

const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

export function isPfc({ flowControl }: PrioritySection): boolean {
  return flowControl === 'pfc';
}

/** Priority group of each priority: one for all where a whole port is stopped. */
export function groupsOf({ pause, classes }: AssemblyInput['scenario']): readonly number[] {
  return pause.enabled ? ONE_GROUP : classes.receive;
}

export function portSpecs(
  { scenario, addresses, topology, fail }: AssemblyInput,
  device: number,
  settings: Settings,
  linkEnds: readonly LinkEnd[],
): PortSpec[] {
  const { kind } = topology.devices[device]!;
  const own = kind === 'host' ? settings.host.arbiter : settings.switch.arbiter;
  const shared = {
    classOf: scenario.classes.transmit,
    groupOf: groupsOf(scenario),
    arbiter: own ?? scenario.classes.arbiter,
    pfc: scenario.pause.enabled ? null : pfcSpec(settings, topology.devices[device]!.name, fail),
    pause: scenario.pause.enabled ? stopSpec(scenario.pause.pfc) : null,
  };
  return linkEnds.map(({ name, port, octetPs, latencyPs }) => ({
    name,
    octetPs,
    latencyPs,
    mac: readU48(kind === 'host' ? addresses[device]!.mac : switchPortMac(device, port), 0),
    ...shared,
  }));
}

/** Both ends of a link must run PFC for the same priorities (802.1Q 36.1.1). */
export function checkPfcOfLinks(
  linkEnds: readonly (readonly LinkEnd[])[],
  settings: readonly Settings[],
  fail: Fail,
): void {
  for (const end of linkEnds.flat()) {
    const [here, there] = [settings[end.device]!, settings[end.peerDevice]!];
    if (here.priorities === there.priorities) continue;
    const differing = here.priorities.find((p, i) => isPfc(p) && !isPfc(there.priorities[i]!));
    if (differing === undefined) continue;
    const { priority } = differing;
    const peer = linkEnds[end.peerDevice]![end.peerPort]!;
    const places = [here, there].map((side) => placeOfPriority(side, priority));
    throw fail(
      places.find(([section]) => section === 'devices') ?? places[0]!,
      `priority ${priority} has pfc at ${end.name} but not at the other end, ${peer.name}`,
    );
  }
}

function pfcSpec(settings: Settings, device: string, fail: Fail): PfcPortSpec | null {
  const lossless = settings.priorities.filter(isPfc);
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
  return { priorities, ...stopSpec(first.pfc) };
}

function stopSpec({ quanta, refreshFraction, responseDelayPs }: PfcSection): StopPortSpec {
  return { quanta, refreshFraction, responseDelayPs };
}
