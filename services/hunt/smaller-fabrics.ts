import type { Document } from './document.js';
import { entriesOf, withEntries } from './document.js';

type Fabric = Readonly<Record<string, unknown>>;

/** Keys for the size of a generator's fabric, with their least useful values. */
const SIZES: Readonly<Record<string, number>> = {
  hosts: 2,
  left: 1,
  right: 1,
  switches: 3,
  hostsPerSwitch: 1,
  leaves: 2,
  spines: 1,
  hostsPerLeaf: 1,
  pods: 2,
  leavesPerPod: 1,
  planes: 1,
  spinesPerPlane: 1,
};

/** Simple fabrics that reproduce most failures, with the number of their hosts, smallest first. */
const PLAIN: readonly (readonly [Fabric, number])[] = [
  [{ generator: 'pair' }, 2],
  [{ generator: 'star', hosts: 2 }, 2],
  [{ generator: 'star', hosts: 3 }, 3],
  [{ generator: 'dumbbell', left: 1, right: 1 }, 2],
];

/**
 * The document on smaller fabrics; hosts that are removed are replaced by those that are left. Not
 * every load is valid there, so each is tried alone, too.
 */
export function* smallerFabrics(document: Document): Generator<Document> {
  yield* onSmallerFabrics(document);
  const load = entriesOf(document, 'load');
  if (load.length < 2) return;
  for (const one of load) yield* onSmallerFabrics({ ...document, load: [one], expect: [] });
}

function* onSmallerFabrics(document: Document): Generator<Document> {
  const fabric = (document['fabric'] ?? {}) as Fabric;
  if (fabric['devices'] !== undefined || fabric['links'] !== undefined) return;
  const now = countOf(fabric);
  for (const [plain, hosts] of PLAIN) {
    if (countOf(plain) >= now) continue;
    for (const stand of ['s1', `h${hosts}`]) {
      const smaller = moved(document, { ...linksOf(fabric), ...plain }, hosts, stand);
      yield smaller;
      yield gathered(smaller, stand);
    }
  }
  for (const [key, least] of Object.entries(SIZES)) {
    const size = fabric[key];
    if (typeof size !== 'number' || size <= least) continue;
    for (const fewer of new Set([Math.max(least, Math.floor(size / 2)), size - 1])) {
      const smaller = { ...fabric, [key]: fewer };
      yield moved(document, smaller, hostsOf(smaller), 's1');
    }
  }
}

/** With all faults at one device: fewer devices may be sufficient. */
function gathered(document: Document, device: string): Document {
  const faults = entriesOf(document, 'faults').map((fault) => ({ ...fault, where: { device } }));
  return withEntries(document, 'faults', faults);
}

function linksOf({ link, hostLink, fabricLink }: Fabric): Fabric {
  return {
    ...(link !== undefined && { link }),
    ...(hostLink !== undefined && { hostLink }),
    ...(fabricLink !== undefined && { fabricLink }),
  };
}

function size(fabric: Fabric, key: string): number {
  const value = fabric[key];
  return typeof value === 'number' ? value : SIZES[key]!;
}

function hostsOf(fabric: Fabric): number {
  const of = (key: string): number => size(fabric, key);
  switch (fabric['generator']) {
    case 'star':
      return of('hosts');
    case 'dumbbell':
      return of('left') + of('right');
    case 'ring':
      return of('switches') * of('hostsPerSwitch');
    case 'leaf-spine':
      return of('leaves') * of('hostsPerLeaf');
    case 'clos':
      return of('pods') * of('leavesPerPod') * of('hostsPerLeaf');
    default:
      return 2;
  }
}

/** Estimate of the number of devices, for comparing two fabrics. */
function countOf(fabric: Fabric): number {
  const of = (key: string): number => size(fabric, key);
  switch (fabric['generator']) {
    case 'pair':
      return 2;
    case 'star':
      return 1 + of('hosts');
    case 'dumbbell':
      return 2 + of('left') + of('right');
    case 'ring':
      return of('switches') + hostsOf(fabric);
    case 'leaf-spine':
      return of('leaves') + of('spines') + hostsOf(fabric);
    case 'clos':
    case 'fat-tree':
      return Infinity;
    default:
      return 0;
  }
}

/**
 * Names of devices are replaced everywhere; a document that becomes invalid is refused. Switches
 * that are removed are replaced by another, or by a host: what was behind them.
 */
function moved(document: Document, fabric: Fabric, hosts: number, stand: string): Document {
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return renamed(value, fabric, hosts, stand);
    if (Array.isArray(value)) return [...new Set(value.map(rename))];
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rename(inner)]));
  };
  const load = rename(document['load']) as unknown[] | undefined;
  const faults = (document['faults'] as unknown[] | undefined)?.map(rename);
  const expect = (document['expect'] as Record<string, unknown>[] | undefined)?.filter(
    ({ device, port, flow }) => device === undefined && port === undefined && flow === undefined,
  );
  return {
    ...document,
    fabric,
    ...(load !== undefined && { load }),
    ...(faults !== undefined && { faults }),
    ...(expect !== undefined && { expect }),
  };
}

function renamed(text: string, fabric: Fabric, hosts: number, stand: string): string {
  const range = /^h(\d+)\.\.h(\d+)$/.exec(text);
  if (range !== null) {
    const first = Math.min(Number(range[1]), hosts);
    return `h${first}..h${Math.max(first, Math.min(Number(range[2]), hosts))}`;
  }
  const host = /^h(\d+)$/.exec(text);
  if (host !== null) return `h${((Number(host[1]) - 1) % hosts) + 1}`;
  const isGone = /^(s([2-9]|\d\d+)|leaf\d+|spine\d+)$/.test(text);
  return isGone && fabric['generator'] !== 'leaf-spine' ? stand : text;
}
