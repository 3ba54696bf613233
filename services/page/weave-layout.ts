import type { FabricMap } from '../report/page/page-data.js';

const CELL_HEIGHT = 18;
const HOST_HEIGHT = { least: 3, most: 11, together: 84 };
/** Between rows of switches, and from them to the hosts below. */
const ROW_GAP = { switches: 128, hosts: 5 };
/** For the frame of a chosen cell, and half a label. */
const MARGIN = 8;
const CELL_WIDTH_MAX = 64;
const CELL_GAP = 1;

/** A switch, or a host under its switch. */
export interface Cell {
  readonly name: string;
  readonly ports: readonly number[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isHost: boolean;
}

/** A link between two switches. */
export interface Thread {
  readonly ports: readonly number[];
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

export interface Weave {
  readonly cells: readonly Cell[];
  readonly threads: readonly Thread[];
  /** Of each row of devices, where its middle is. */
  readonly tiers: readonly Tier[];
  readonly height: number;
}

interface Tier {
  readonly count: string;
  readonly name: string;
  readonly y: number;
}

type Box = FabricMap['boxes'][number];

/** A fabric too large for boxes: a row of cells for each layer, hosts in columns below theirs. */
export function layOutWeave(
  map: FabricMap,
  width: number,
  portName: (port: number) => string,
): Weave {
  const layers = [...new Set(map.boxes.map(({ layer }) => layer))].sort((a, b) => b - a);
  const cells: Cell[] = [];
  const tiers: Tier[] = [];
  const cellOf = new Map<number, Cell>();
  let y = MARGIN;
  for (const layer of layers.filter((one) => one > 0)) {
    const boxes = map.boxes.filter((box) => box.layer === layer);
    const count = countText(boxes.length);
    tiers.push({ count, name: tierName(boxes), y: y + CELL_HEIGHT / 2 });
    for (const cell of rowOf(boxes, y, width)) {
      cells.push(cell);
      for (const port of cell.ports) cellOf.set(port, cell);
    }
    y +=
      CELL_HEIGHT +
      (layer === Math.min(...layers.filter((one) => one > 0)) ? ROW_GAP.hosts : ROW_GAP.switches);
  }
  const peers = peersOf(map);
  const hosts = map.boxes.filter(({ layer }) => layer === 0);
  const columns = new Map<Cell, number[]>();
  for (const port of hosts.flatMap(({ ports }) => ports)) {
    const above = cellOf.get(peers.get(port) ?? -1);
    if (above !== undefined) columns.set(above, [...(columns.get(above) ?? []), port]);
  }
  const deepest = Math.max(1, ...[...columns.values()].map(({ length }) => length));
  const { least, most, together } = HOST_HEIGHT;
  const height = Math.min(most, Math.max(least, together / deepest));
  for (const [above, ports] of columns) {
    ports.forEach((port, i) => {
      const name = portName(port).replace(/:.*/, '');
      const place = {
        x: above.x,
        y: y + i * height,
        width: above.width,
        height: height - CELL_GAP,
      };
      cells.push({ name, ports: [port], ...place, isHost: true });
    });
  }
  if (hosts.length > 0) {
    const count = countText(hosts.reduce((sum, { ports }) => sum + ports.length, 0));
    const middle = y + (deepest * height) / 2;
    tiers.push({ count, name: 'hosts', y: middle });
  }
  const bottom = y + Math.max(deepest * height, CELL_HEIGHT);
  return { cells, threads: threadsOf(map, cellOf), tiers, height: bottom };
}

function countText(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** What the names of its switches have in common. */
function tierName(boxes: readonly Box[]): string {
  const [name, ...others] = new Set(boxes.map(({ label }) => label.replace(/\d.*/, '')));
  return others.length > 0 || name === '' ? 'switches' : name!;
}

function rowOf(boxes: readonly Box[], y: number, width: number): Cell[] {
  const pitch = width / boxes.length;
  const cellWidth = Math.min(CELL_WIDTH_MAX, pitch > 4 ? pitch - CELL_GAP : pitch * 0.8);
  return [...boxes]
    .sort((a, b) => a.x - b.x)
    .map(({ label: name, ports }, i) => {
      const x = (i + 0.5) * pitch - cellWidth / 2;
      return { name, ports, x, y, width: cellWidth, height: CELL_HEIGHT, isHost: false };
    });
}

function peersOf({ links }: FabricMap): Map<number, number> {
  const peers = new Map<number, number>();
  for (const { a, b } of links) {
    a.ports.forEach((port, i) => {
      peers.set(port, b.ports[i]!);
      peers.set(b.ports[i]!, port);
    });
  }
  return peers;
}

/** They leave a cell side by side, in the order of its ports. */
function threadsOf({ links }: FabricMap, cellOf: ReadonlyMap<number, Cell>): Thread[] {
  return links.flatMap(({ a, b }) =>
    a.ports.flatMap((port, i): Thread[] => {
      const other = b.ports[i]!;
      const [from, to] = [cellOf.get(port), cellOf.get(other)];
      if (from === undefined || to === undefined) return [];
      const [upper, lower] = from.y <= to.y ? [from, to] : [to, from];
      const [upPort, lowPort] = upper === from ? [port, other] : [other, port];
      return [
        {
          ports: [port, other],
          ...{ ax: plugAt(upper, upPort), ay: upper.y + upper.height },
          ...{ bx: plugAt(lower, lowPort), by: lower.y },
        },
      ];
    }),
  );
}

/** As near as a pointer hits. */
const MISS_MOST = 4;
const HALVINGS = 20;

/** The link whose line passes a point, drawn as `WeaveMap` draws it. */
export function threadAt({ threads }: Weave, x: number, y: number): Thread | null {
  let [found, nearest]: [Thread | null, number] = [null, MISS_MOST];
  // All lines between two rows are at a height at the same share of their way.
  const shares = new Map<string, number>();
  for (const thread of threads) {
    const { ax, ay, bx, by } = thread;
    if (y <= ay || y >= by) continue;
    const key = `${ay} ${by}`;
    let t = shares.get(key);
    if (t === undefined) shares.set(key, (t = shareAt(ay, by, y)));
    const stay = (1 - t) ** 3 + 3 * (1 - t) ** 2 * t;
    const distance = Math.abs(ax * stay + bx * (1 - stay) - x);
    if (distance >= nearest) continue;
    [found, nearest] = [thread, distance];
  }
  return found;
}

/** Where on its way a curve with both control points at half height is at `y`. */
function shareAt(ay: number, by: number, y: number): number {
  const middle = (ay + by) / 2;
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const t = (low + high) / 2;
    const at = ay * (1 - t) ** 3 + 3 * middle * t * (1 - t) + by * t ** 3;
    if (at < y) low = t;
    else high = t;
  }
  return (low + high) / 2;
}

function plugAt({ x, width, ports }: Cell, port: number): number {
  return x + (width * (ports.indexOf(port) + 0.5)) / ports.length;
}
