/** Headroom of a link as others have it: a vendor's script, and an operator's table. */

import type { HeadroomChip, HeadroomRequest } from '../buffers/headroom-script.js';
import { cableOctets, scriptedProfile, scriptedTerms } from '../buffers/headroom-script.js';
import { PS_PER_MM } from '../link-length.js';
import type { PortSizes } from './memory-sizes.js';

export interface OtherHeadroom {
  readonly called: string;
  /** By the name of the term that Annex N has; empty: it is known as a whole. */
  readonly terms: Readonly<Record<string, number>>;
  /** Null: it has none for this link. */
  readonly totalOctets: number | null;
  /** What is wrong with it. */
  readonly problem: string | null;
}

/** What a table has for a rate in Mb/s and a cable such as `300m`; null: no line. */
export type HeadroomTable = (rateMbps: number, cable: string) => number | null;

interface Others {
  readonly chip: { readonly name: string; readonly script: HeadroomChip } | null;
  readonly table: { readonly file: string; readonly lookUp: HeadroomTable } | null;
}

/** As scripts have them where the switch says nothing else. */
const USUAL = { mtu: 9100, losslessMtu: 9100, smallPercent: 100, gearboxNs: 0, lanes: 4 };

export function otherHeadroom(
  { rateBps, propagationPs }: PortSizes,
  { chip, table }: Others,
): OtherHeadroom[] {
  const link = { rateMbps: rateBps / 1e6, cableMetres: propagationPs / PS_PER_MM / 1000 };
  return [
    ...(chip === null
      ? []
      : [scripted(chip.name, chip.script, { ...USUAL, ...link, isShared: true })]),
    ...(table === null ? [] : [tabled(table.file, table.lookUp, link)]),
  ];
}

function scripted(name: string, script: HeadroomChip, request: HeadroomRequest): OtherHeadroom {
  const { xoff } = scriptedProfile(script, request);
  const own = scriptedTerms(script, request);
  const terms = {
    W: own.waitOctets,
    '2C': own.linkOctets,
    '2ID': own.interfaceOctets,
    HD: own.responseOctets,
    F: request.losslessMtu,
    pipeline: own.tileOctets,
  };
  const rounded = Object.fromEntries(
    Object.entries(terms).map(([term, octets]) => [term, Math.round(octets)]),
  );
  const sum = Object.values(rounded).reduce((all, octets) => all + octets, 0);
  return {
    called: `script of ${name}`,
    terms: { ...rounded, cells: xoff - sum },
    ...{ totalOctets: xoff, problem: null },
  };
}

function tabled(
  file: string,
  lookUp: HeadroomTable,
  { rateMbps, cableMetres }: { readonly rateMbps: number; readonly cableMetres: number },
): OtherHeadroom {
  const cable = `${cableMetres}m`;
  const called = `table ${file}`;
  const totalOctets = lookUp(rateMbps, cable);
  if (totalOctets === null) {
    const problem = `${called} has no line for ${rateMbps} ${cable}: the port has no headroom`;
    return { called, terms: {}, totalOctets, problem };
  }
  const held = cableOctets(rateMbps, cableMetres);
  const what = `${called} has ${totalOctets} bytes for ${rateMbps} ${cable}`;
  const isBelow = totalOctets < held;
  const problem = isBelow ? `${what}, and the cable alone holds ${held}: frames are lost` : null;
  return { called, terms: {}, totalOctets, problem };
}
