import type { Topology } from '../../fabric/topology/topology.js';

/** Names that an import of such files gives: hN and sN, of node N. */
const IMPORTED = /^[hs](\d+)$/;

/** Numbers of the devices: those of the files that a fabric was imported from, or by position. */
export function nodesOf({ devices }: Pick<Topology, 'devices'>): readonly number[] {
  const named = devices.map(({ name }) => Number(IMPORTED.exec(name)?.[1] ?? NaN));
  const isImported = named.every((node) => node < devices.length);
  // A fabric of our own may have both h1 and s1.
  const isUnique = new Set(named).size === devices.length;
  return isImported && isUnique ? named : devices.map((_, place) => place);
}
