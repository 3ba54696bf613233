/**
 * How ports read and write the priorities of frames, and what becomes of these on each link. Flow
 * control by priority knows numbers only: what its link partner pauses as 3 must be what the port
 * sends as 3, or it stops the wrong frames and loses those that it ought to have stopped.
 */

import {
  codePointOf,
  DROP_ELIGIBLE,
  PLAIN_CODING,
  prioritiesAcross,
  UNTAGGED,
} from '../../engine/wire/code-points.js';
import type { VlanPortSpec } from '../../engine/contract/spec.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { WHOLE_PORT } from '../../mechanisms/registry.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail, Path } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import { notificationsOf } from './congestion-plan.js';
import type { LinkEnd } from './link-ends.js';
import type { Methods } from './link-methods.js';
import type { PortSettings } from './port-settings.js';
import { matchesRule, PortSelector } from './select-ports.js';

interface CodingsInput {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly ports: readonly (readonly PortSettings[])[];
  readonly methods: readonly (readonly Methods[])[];
  readonly bridges: readonly (readonly VlanPortSpec[] | null)[];
  readonly flows: readonly Flow[];
  readonly fail: Fail;
}

/** What a port does to priorities; what is absent, it leaves as it is. */
export interface PlannedCoding {
  readonly received?: readonly number[];
  readonly codePoints?: readonly number[];
}

/** By device and port: nothing where no rule says so. */
export type PlannedCodings = readonly (readonly PlannedCoding[])[];

export function codingsOf(input: CodingsInput): PlannedCodings {
  const { scenario, ports, linkEnds } = input;
  if (!scenario.ports.some(({ coding }) => coding !== null)) return linkEnds.map(() => []);
  checkRules(input);
  return linkEnds.map((ends) =>
    ends.map((end) => {
      const coding = ports[end.device]![end.port]!.coding;
      const codePoints = Array.from({ length: UNTAGGED }, (_, at) => codePointOf(coding, at));
      const received = receivedAt(input, end);
      return {
        ...(received !== null && { received: [...received] }),
        ...(codePoints.some((code, at) => code !== at) && { codePoints }),
      };
    }),
  );
}

function checkRules({ scenario, topology, linkEnds, fail }: CodingsInput): void {
  const selector = new PortSelector(topology, linkEnds);
  const ofSwitches = linkEnds.flat().filter(({ device }) => isSwitch(topology, device));
  for (const { coding, where, path } of scenario.ports) {
    const key = ['defaultPriority', 'regeneration'].find((name) => name in (coding ?? {}));
    if (key === undefined) continue;
    if (ofSwitches.some((end) => matchesRule(selector, where, end))) continue;
    throw fail(
      [...path, key],
      'of switches only, and no port of one matches; hosts receive frames with the priority ' +
        'that their tags have',
    );
  }
}

const isSwitch = ({ devices }: Topology, device: number): boolean =>
  devices[device]!.kind === 'switch';

/** By the priority at the sender of the link: null where each stays as it is. */
function receivedAt(input: CodingsInput, end: LinkEnd): Uint8Array | null {
  const { ports, topology } = input;
  const { coding: given } = ports[end.device]![end.port]!;
  const { defaultPriority, regeneration } = PLAIN_CODING;
  const own = isSwitch(topology, end.device) ? given : { ...given, defaultPriority, regeneration };
  const received = prioritiesAcross(ports[end.peerDevice]![end.peerPort]!.coding, own);
  if (received !== null) checkFlowControl(input, end, received);
  return received;
}

/** A priority with flow control keeps its number on the link, and no other frames get it. */
function checkFlowControl(input: CodingsInput, end: LinkEnd, received: Uint8Array): void {
  const methods = input.methods[end.device]![end.port]!;
  if (methods[0] === WHOLE_PORT || methods.every((method) => method === 'none')) return;
  const peer = input.linkEnds[end.peerDevice]![end.peerPort]!;
  const untagged = untaggedFrom(input, peer);
  received.forEach((after, at) => {
    const [sent, came] = [at % DROP_ELIGIBLE, after % DROP_ELIGIBLE];
    const isTagged = at < UNTAGGED;
    if (sent === came || (!isTagged && !untagged.includes(sent))) return;
    const ruled = [sent, came].find((priority) => methods[priority] !== 'none');
    if (ruled === undefined) return;
    const [what, then] =
      ruled === sent
        ? [`what is sent with it`, `its link partner would stop priority ${came} in its place`]
        : [`what is sent with priority ${sent}`, `nothing would stop that`];
    throw input.fail(
      placeOf(input, end) ?? placeOf(input, peer)!,
      `priority ${ruled} has ${methods[ruled]!} on ${peer.name} - ${end.name}, where ${what}` +
        `${isTagged ? '' : ' and without a tag'}${at & DROP_ELIGIBLE ? ' as drop eligible' : ''} ` +
        `is received with priority ${came}, and ${then}; keep ${ruled} as it is` +
        `${isTagged ? '' : ', let the sender tag its frames (tag: priority)'}, or give the link ` +
        `no flow control for it: ports: [{ where: { link: ${peer.name} ${end.name} }, ` +
        `priorities: { ${ruled}: none } }]`,
    );
  });
}

/** Where the file says how a port codes priorities; null: nowhere. */
function placeOf({ ports }: CodingsInput, { device, port }: LinkEnd): Path | null {
  return ports[device]![port]!.codingPath;
}

/** Priorities of the frames without a tag that a port may send. */
function untaggedFrom(
  { topology, bridges, flows, scenario }: CodingsInput,
  { device }: LinkEnd,
): readonly number[] {
  const untagged = flows.filter(({ vlan: { inner, outer } }) => inner === null && outer === null);
  if (isSwitch(topology, device)) {
    return untagged.length > 0 || bridges[device] !== null ? PRIORITY_NUMBERS : [];
  }
  return untagged.flatMap((flow) => {
    if (flow.source === device) return flow.priority;
    if (flow.destination !== device && !flow.group) return [];
    const { transport, congestion } = flow;
    const notifications = notificationsOf(congestion, scenario);
    return [
      ...(transport.kind === 'reliable' ? [transport.ackPriority] : []),
      ...(notifications === null ? [] : [notifications.priority]),
    ];
  });
}
