import type { VlanPortSpec } from '../../engine/contract/spec.js';
import { NIC } from '../../mechanisms/registry.js';
import type { AssemblyInput, ResolvedInput } from './assembly.js';
import { FlowPaths } from './flow-paths.js';
import { bridgePorts } from './forwarding.js';
import { frameLengths } from './frame-lengths.js';
import { checkGroupFlows, membersOf } from './groups.js';
import { checkMtus, linkFramesOf } from './link-frames.js';
import { planLive } from '../live/live-plan.js';
import type { LivePlan } from '../live/live-section.js';
import { linkEndsOf } from './link-ends.js';
import { methodsOfLinks, type Prospects } from './link-methods.js';
import { prospectsOf } from './prospects.js';
import { checkPorts } from './check-ports.js';
import { checkMaps } from './port-maps.js';
import { codingsOf, type PlannedCodings } from './port-codings.js';
import { portSettingsOf, withPauseOfLinks } from './port-settings.js';
import { settingsOfDevices } from './settings.js';

/** The scenario on its topology: settings, links and paths, before anything is planned. */
export interface ResolvedFabric extends ResolvedInput {
  /** By device, then port. */
  readonly prospects: readonly (readonly Prospects[])[];
  /** By group: the hosts in it. */
  readonly members: readonly (readonly number[])[];
  /** VLANs, by device and port; null for those that do not change tags. */
  readonly bridges: readonly (readonly VlanPortSpec[] | null)[];
  readonly codings: PlannedCodings;
  readonly paths: FlowPaths;
  /** Null: every host is emulated. */
  readonly live: LivePlan | null;
  /** The longest frame of all priorities. */
  readonly longestOctets: number;
}

export function resolveFabric(input: AssemblyInput): ResolvedFabric {
  const { scenario, topology, routes, flows, fail } = input;
  const settings = settingsOfDevices(scenario, topology, fail);
  const linkEnds = linkEndsOf(topology);
  const negotiates = scenario.discovery.enabled && scenario.discovery.drives;
  const configured = portSettingsOf({ ...input, settings, linkEnds });
  const prospects = prospectsOf(input, configured);
  const methods = methodsOfLinks({
    ...{ linkEnds, ports: configured, fail },
    prospects: negotiates ? prospects : null,
  });
  const ports = withPauseOfLinks(configured, methods, scenario);
  checkMaps({ ...input, ports });
  const members = membersOf(scenario.groups, topology, fail);
  checkGroupFlows(flows, members, fail);
  checkLocalFlows(flows, settings, fail);
  const bridges = bridgePorts(topology, settings, linkEnds, fail);
  const codings = codingsOf({ ...input, linkEnds, ports, methods, bridges });
  const paths = new FlowPaths(topology, routes, linkEnds, bridges, fail);
  const bridgesTag = bridges.some((ports) => ports?.some(({ tagged }) => tagged.length > 0));
  const live = planLive({ ...input, settings });
  const lengths = frameLengths(scenario, flows, bridgesTag);
  const longestFrameOctets = lengths.map((own) => Math.max(...own));
  const linkFrames = linkFramesOf({ linkEnds, ports, flows }, lengths);
  checkPorts({ ...input, linkEnds, ports, methods, linkFrames });
  checkMtus({ linkEnds, ports, flows }, routes, members, fail);
  return {
    ...input,
    ...{ settings, linkEnds, ports, methods, linkFrames, prospects, members, bridges, paths },
    codings,
    live,
    longestFrameOctets,
    longestOctets: Math.max(...longestFrameOctets),
  };
}

/** Only the switch of a NIC takes frames from one virtual machine of a host to another. */
function checkLocalFlows(
  flows: ResolvedInput['flows'],
  settings: ResolvedInput['settings'],
  fail: ResolvedInput['fail'],
): void {
  const stray = flows.find(
    ({ source, destination, group }) =>
      !group && source === destination && settings[source]!.host.nic === null,
  );
  if (stray === undefined) return;
  const remedy = NIC === null ? '' : `; the host needs ${NIC.needsOfLocalFlow}`;
  throw fail(['load', stray.load], `${stray.name} stays within a plain NIC${remedy}`);
}
