import { levelsOf } from '../assembly/clusters.js';
import type { Fabric } from '../assembly/fabric.js';
import { hopsOf } from '../assembly/lookahead.js';
import { hostCount } from '../topology/topology.js';
import type { CutSite } from './cut.js';
import { cut, lookaheadBetween } from './cut.js';
import type { Placement } from './placement.js';
import { named, together } from './placement.js';
import { workOf } from './work.js';

/** Groups of at most so many devices; neighbors stay together where they can. */
export function placeInGroups(fabric: Fabric, devicesPerService: number): Placement {
  const { length } = fabric.specs;
  const site = { ...siteOf(fabric), work: fabric.specs.map(() => 1) };
  const groups = cut(site, Math.ceil(length / devicesPerService), devicesPerService);
  return together(named(groups), fabric.topology);
}

/** So many services with about equal work. */
export function placeInServices(fabric: Fabric, services: number): Placement {
  return together(named(cut(siteOf(fabric), services)), fabric.topology);
}

/** The devices of each service in so many threads, by their work and the links among them. */
export function placeInThreads(fabric: Fabric, services: Placement, threads: number): Placement[] {
  if (threads === 1) return services.map((service) => [service]);
  const site = siteOf(fabric);
  return services.map(({ name, devices }) => {
    const own = onlyWith(site, devices);
    return together(named(cut(own, threads)), own).map((thread) => {
      return { name, devices: thread.devices.map((place) => devices[place]!) };
    });
  });
}

/** What a cut makes of the length of steps, if it is less than what whole clusters would allow. */
interface ShortSteps {
  readonly stepPs: number;
  readonly wholePs: number;
  /** So many clusters are whole then. */
  readonly clusters: number;
}

/** Null where services (or threads) are in step for as long as they can be. */
export function shortSteps(
  { specs, linkEnds, cluster }: Fabric,
  parts: readonly Pick<Placement[number], 'devices'>[],
): ShortSteps | null {
  const hops = hopsOf(specs, linkEnds.flat());
  const groups = parts.map(({ devices }) => devices);
  const stepPs = lookaheadBetween(hops, groups);
  for (const clusters of levelsOf(cluster)) {
    const wholePs = lookaheadBetween(hops, clusters);
    // Islands have no links between them.
    if (wholePs === Infinity) continue;
    return stepPs < wholePs ? { stepPs, wholePs, clusters: clusters.length } : null;
  }
  return null;
}

function siteOf(fabric: Fabric): CutSite {
  const { specs, linkEnds, topology } = fabric;
  return {
    hosts: hostCount(topology),
    hops: hopsOf(specs, linkEnds.flat()),
    pairs: topology.pairs ?? [],
    work: workOf(fabric),
  };
}

/** Some devices of a site, and the links among them; hosts stay before switches. */
function onlyWith({ hosts, hops, pairs, work }: CutSite, devices: readonly number[]): CutSite {
  const placeOf = new Map(devices.map((device, place) => [device, place]));
  return {
    hosts: devices.filter((device) => device < hosts).length,
    hops: hops.flatMap(({ from, to, lookaheadPs }) => {
      const [a, b] = [placeOf.get(from), placeOf.get(to)];
      return a === undefined || b === undefined ? [] : { from: a, to: b, lookaheadPs };
    }),
    // Both of a pair are in one service.
    pairs: pairs.flatMap(([first, second]) => {
      const [a, b] = [placeOf.get(first), placeOf.get(second)];
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    }),
    work: devices.map((device) => work[device]!),
  };
}
