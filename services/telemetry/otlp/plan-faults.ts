import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Episode } from '../congestion/congestion.js';
import { type FaultAtPort, faultTimes } from '../congestion/fault-times.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/** A span links to so many episodes: more are found by their links to it. */
const LINKS_MOST = 8;

/** Episodes of a run, each with its root, up to a time. */
interface Seen {
  readonly episodes: readonly Episode[];
  readonly roots: ReadonlyMap<string, Episode>;
  readonly nowPs: number;
}

/**
 * One trace per fault: from its first to its last activity, and below it a span for each time that
 * it was active at a port, with links to the episodes there that it caused or took part in.
 */
export function planFaults(digest: string, fabric: Fabric, seen: Seen): PlannedSpan[] {
  const byName = new Map<string, FaultAtPort[]>();
  for (const place of faultTimes(fabric, seen.nowPs)) {
    if (place.spells.length === 0) continue;
    byName.set(place.name, [...(byName.get(place.name) ?? []), place]);
  }
  return [...byName].flatMap(([fault, places]) =>
    faultSpans(digest, fabric, places, { fault, seen }),
  );
}

/** The whole of a fault, which episodes link to. */
export function faultLink(digest: string, fault: string): { trace: string; id: string } {
  return { trace: traceIdOf(digest, `fault ${fault}`), id: spanIdOf(digest, `fault ${fault}`) };
}

function faultSpans(
  digest: string,
  fabric: Fabric,
  places: readonly FaultAtPort[],
  { fault, seen: { episodes, roots, nowPs } }: { readonly fault: string; readonly seen: Seen },
): PlannedSpan[] {
  const { trace, id } = faultLink(digest, fault);
  const [first] = places as [FaultAtPort];
  const caused = episodes.filter((episode) => episode.fault === fault);
  const deviceOf = ({ device }: FaultAtPort): string => fabric.topology.devices[device]!.name;
  const common = { trace, name: first.kind, role: 'internal', error: null } as const;
  const attributes = { 'selvage.fault': fault, 'selvage.kind': first.kind };
  const active = places.flatMap((place) => {
    const { name: port } = fabric.linkEnds[place.device]![place.port]!;
    return place.spells.map(({ beginPs, endPs }): PlannedSpan => {
      const untilPs = Math.min(endPs, nowPs);
      const during = caused.filter(
        (episode) => episode.startPs < endPs && (episode.endPs ?? nowPs) >= beginPs,
      );
      return {
        ...common,
        id: spanIdOf(digest, `fault ${fault} ${port} ${beginPs}`),
        parent: id,
        device: deviceOf(place),
        startPs: beginPs,
        endPs: untilPs,
        attributes: {
          ...attributes,
          'selvage.port': port,
          'network.interface.name': port,
          'selvage.start_ps': beginPs,
          'selvage.end_ps': untilPs,
        },
        links: during.slice(0, LINKS_MOST).map((episode) => ({
          trace: traceIdOf(digest, roots.get(episode.id)!.id),
          id: spanIdOf(digest, episode.id),
        })),
      };
    });
  });
  const startPs = active.reduce((least, span) => Math.min(least, span.startPs), Infinity);
  const endPs = active.reduce((most, span) => Math.max(most, span.endPs), 0);
  const whole: PlannedSpan = {
    ...common,
    ...{ id, parent: null, device: deviceOf(first), startPs, endPs, links: [] },
    attributes: {
      ...attributes,
      'selvage.start_ps': startPs,
      'selvage.end_ps': endPs,
      'selvage.episodes': caused.length,
    },
  };
  return [whole, ...active];
}
