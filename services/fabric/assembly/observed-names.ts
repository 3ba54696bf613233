import { didYouMean, show } from '../../settings/errors.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';

/** Separates the names of two devices that a link joins. */
const LINK_MARK = '--';

/** What names can refer to. */
interface Named {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly flows: readonly Flow[];
  readonly linkEnds: readonly (readonly LinkEnd[])[];
}

/** Whether a port is selected by its name, by that of its device, or by its link's. */
export function isCaptured(
  topology: Topology,
  name: string,
  { name: own, device, peerDevice }: LinkEnd,
): boolean {
  const [here, there] = [topology.devices[device]!.name, topology.devices[peerDevice]!.name];
  const at = name.indexOf(LINK_MARK);
  if (at < 0) return matchesGlob(name, own) || matchesGlob(name, here);
  const [a, b] = [name.slice(0, at), name.slice(at + LINK_MARK.length)];
  return (
    (matchesGlob(a, here) && matchesGlob(b, there)) ||
    (matchesGlob(a, there) && matchesGlob(b, here))
  );
}

/** Flows by number, name or glob. */
export function flowsNamed(flows: readonly Flow[], wanted: number | string): number[] {
  return [...flows.keys()].filter(
    (flow) => flow === wanted || matchesGlob(String(wanted), flows[flow]!.name),
  );
}

/** Names to observe must exist: a name without a match is a mistake. */
export function checkObserved(fabric: Named, fail: Fail): void {
  const { ports, traces, captures } = fabric.scenario.observe;
  const ends = fabric.linkEnds.flat();
  const portNames = ends.map(({ name }) => name);
  const flowNames = fabric.flows.map(({ name }) => name);
  ports.forEach((glob, i) => {
    if (portNames.some((name) => matchesGlob(glob, name))) return;
    throw fail(['observe', 'ports', i], noPort(glob, portNames));
  });
  traces?.flows.forEach((glob, i) => {
    if (flowNames.some((name) => matchesGlob(glob, name))) return;
    throw fail(['observe', 'traces', 'flows', i], noFlow(glob, flowNames));
  });
  captures?.ports.forEach((name, i) => {
    if (ends.some((end) => isCaptured(fabric.topology, name, end))) return;
    const deviceNames = fabric.topology.devices.map((device) => device.name);
    const known = name.includes(':') ? portNames : deviceNames;
    throw fail(['observe', 'captures', 'ports', i], noPort(name, known));
  });
  captures?.filters.forEach(({ flow }, i) => {
    if (flow === null || flowsNamed(fabric.flows, flow).length > 0) return;
    throw fail(['observe', 'captures', 'filters', i, 'flow'], noFlow(String(flow), flowNames));
  });
}

function noPort(name: string, names: readonly string[]): string {
  return `there is no port, device or link ${show(name)}${didYouMean(name, names)}`;
}

function noFlow(name: string, names: readonly string[]): string {
  const last = names.length - 1;
  return (
    `there is no flow ${show(name)}; they are numbered from 0 to ${last}` + didYouMean(name, names)
  );
}
