import { misCabling } from '../faults/mis-cabling.js';
import type { FaultSection } from '../scenario/fault-section.js';
import type { Fail } from './cabling.js';
import type { Topology, TopologyEnd, TopologyLink } from './topology.js';
import { portName } from './topology.js';

/** The topology with the links of two ports swapped by mistake. */
export function swapLinks(
  planned: Topology,
  faults: readonly FaultSection[],
  fail: Fail,
): Topology {
  return faults.reduce((topology, { kind, given }, index) => {
    if (kind !== misCabling.name) return topology;
    return swapped(topology, given['swap'] as [string, string], (message) =>
      fail(['faults', index, 'swap'], message),
    );
  }, planned);
}

function swapped(
  topology: Topology,
  [first, second]: readonly [string, string],
  refuse: (message: string) => Error,
): Topology {
  const a = endOf(topology, first, refuse);
  const b = endOf(topology, second, refuse);
  const put = (end: TopologyEnd): TopologyEnd => (same(end, a) ? b : same(end, b) ? a : end);
  const links = topology.links.map((link): TopologyLink => {
    const moved = { ...link, a: put(link.a), b: put(link.b) };
    if (moved.a.device !== moved.b.device) return moved;
    const { name } = topology.devices[moved.a.device]!;
    throw refuse(`the swap of ${first} and ${second} would join ${name} to itself`);
  });
  if (
    links.every(
      (link, i) => same(link.a, topology.links[i]!.a) && same(link.b, topology.links[i]!.b),
    )
  )
    throw refuse(`${first} and ${second} are the same port`);
  return { ...topology, links };
}

function endOf(topology: Topology, name: string, refuse: (message: string) => Error): TopologyEnd {
  const ends = topology.links.flatMap(({ a, b }) => [a, b]);
  const found = ends.find((end) => portName(topology, end) === name);
  if (found === undefined) throw refuse(`no link is at ${name}`);
  return found;
}

function same(a: TopologyEnd, b: TopologyEnd): boolean {
  return a.device === b.device && a.port === b.port;
}
