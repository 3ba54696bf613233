/**
 * Maps of ports of switches, as SONiC has them: from DSCP to class (the priority of a frame here),
 * from class to group and queue, and from a priority of PFC to the group that sends it and to the
 * queue that it pauses. Nothing says that these agree with each other, or with those of the link
 * partner: frames that are charged to one group while another pauses are lost.
 */

import type { PortSpec } from '../../engine/contract/spec.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { Scenario } from '../scenario/scenario.js';
import { DSCP_PER_PRIORITY } from '../../engine/wire/ipv4.js';
import type { ResolvedInput } from './assembly.js';
import type { PortSettings } from './port-settings.js';

type PlannedMaps = Pick<PortSpec, 'classOfDscp' | 'pausingGroupOf' | 'pausedClassOf'>;

/** What ports are given that have maps of their own; `classOf` is that of the port. */
export function plannedMaps({ maps }: PortSettings, classOf: readonly number[]): PlannedMaps {
  if (maps === null) return {};
  const { dscp, pfcGroups, pfcQueues } = maps;
  const isPlain =
    pfcQueues === undefined || pfcQueues.every((queue, p) => queue === p && classOf[p] === p);
  return {
    ...(dscp !== undefined && { classOfDscp: dscp }),
    ...(pfcGroups !== undefined && { pausingGroupOf: pfcGroups }),
    ...(!isPlain && { pausedClassOf: pfcQueues }),
  };
}

/** DSCP of packets of a priority that a host sends, where their load has none. */
export type UsualDscp = (host: number, priority: number) => number;

/** Of packets by which its switch knows their class; a class selector where it goes by none. */
export function usualDscps({
  linkEnds,
  ports,
}: Pick<ResolvedInput, 'linkEnds' | 'ports'>): UsualDscp {
  return (host, priority) => {
    const selector = DSCP_PER_PRIORITY * priority;
    const [end] = linkEnds[host]!;
    const dscp = end && ports[end.peerDevice]![end.peerPort]!.maps?.dscp;
    if (dscp === undefined || dscp[selector] === priority) return selector;
    return Math.max(dscp.indexOf(priority), 0);
  };
}

interface MapsInput {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly ports: readonly (readonly PortSettings[])[];
  readonly fail: Fail;
}

export function checkMaps({ scenario, topology, ports, fail }: MapsInput): void {
  const ruled = ports.flat().filter(({ maps }) => maps !== null);
  const idle = scenario.ports.find(
    ({ maps, path }) => maps !== null && !ruled.some(({ mapsPaths }) => mapsPaths.includes(path)),
  );
  if (idle !== undefined) {
    throw fail([...idle.path, 'maps'], 'of switches only, and no port of one matches');
  }
  const [first] = ruled;
  if (first === undefined) return;
  const { enabled, drives } = scenario.discovery;
  if (enabled && drives) {
    const message = 'DCBX decides on queues here; remove the maps, or set discovery.drives: false';
    throw fail([...first.mapsPaths[0]!, 'maps'], message);
  }
  topology.devices.forEach(({ name }, device) => {
    for (const { maps, mapsPaths, device: own } of ports[device]!) {
      if (maps === null || own.switch.model === 'shared-buffer') continue;
      const message = `${name} is an ${own.switch.model}, which has classes of its own`;
      throw fail([...mapsPaths[0]!, 'maps'], message);
    }
  });
}
