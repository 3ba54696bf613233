/** Maps of the ports of a switch as rules of a scenario: most ports share one. */

import { PRIORITY_NUMBERS } from '../engine/units/ethernet.js';
import type { FilePlace } from './file-errors.js';
import type { PortPlace } from './port-place.js';

interface Written {
  readonly keys: string;
  readonly places: PortPlace[];
}

/** `from`: how a line says where it came from. */
export function rulesOfMaps(
  places: readonly PortPlace[],
  from: (place: FilePlace) => string,
): string[] {
  const devices = [...new Set(places.map(({ device }) => device))];
  return devices.flatMap((device) => {
    const kinds = new Map<string, Written>();
    for (const place of places.filter((one) => one.device === device)) {
      const keys = keysOf(place);
      const kind = kinds.get(keys) ?? { keys, places: [] };
      kinds.set(keys, kind);
      kind.places.push(place);
    }
    const [usual, ...others] = [...kinds.values()].sort(
      (a, b) => b.places.length - a.places.length,
    );
    const rule = (where: string, { keys, places: [first] }: Written): string => {
      const { mapsPlace, place } = first!.port;
      return `  - { where: { ${where} }, ${keys} }${from(mapsPlace ?? place)}`;
    };
    return [
      rule(`device: ${device}`, usual!),
      ...others.flatMap((kind) =>
        kind.places.map(({ number }) => rule(`port: '${device}:p${number}'`, kind)),
      ),
    ];
  });
}

function keysOf({ port }: PortPlace): string {
  const { classOfDscp, classOfPcp, groupOfClass, queueOfClass, queueOfPfc, groupOfPfc } = port;
  const maps = [
    ...(classOfDscp === null ? [] : [`dscp: ${dscpText(classOfDscp)}`]),
    `groups: ${listOf(groupOfClass)}`,
    `queues: ${listOf(queueOfClass)}`,
    `pfcGroups: ${listOf(groupOfPfc)}`,
    `pfcQueues: ${listOf(queueOfPfc)}`,
  ];
  const pcps = classOfPcp?.flatMap((to, pcp) => (to === pcp ? [] : [`${pcp}: ${to}`])) ?? [];
  // Frames without a tag have PCP 0 where a port goes by that.
  const untagged = classOfDscp === null ? ['defaultPriority: 0'] : [];
  const coding = pcps.length === 0 ? [] : [`regeneration: { ${pcps.join(', ')} }`];
  return [...untagged, ...coding, `maps: { ${maps.join(', ')} }`].join(', ');
}

const listOf = (map: readonly number[]): string => `[${map.join(', ')}]`;

/** The class of most DSCPs stands for all that are not named. */
function dscpText(map: readonly number[]): string {
  const count = (tc: number): number => map.filter((own) => own === tc).length;
  const other = [...PRIORITY_NUMBERS].sort((a, b) => count(b) - count(a))[0]!;
  const own = map.flatMap((tc, dscp) => (tc === other ? [] : [`${dscp}: ${tc}`]));
  return `{ ${[...own, `other: ${other}`].join(', ')} }`;
}
