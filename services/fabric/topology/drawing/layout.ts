import { adjacencyOf } from '../adjacency.js';
import type { Topology } from '../topology.js';
import { shortNames } from './labels.js';
import { layersOf } from './layers.js';
import { placeRing, ringOf } from './ring-layout.js';

/** A device, or all hosts of a switch where there are too many to show each. */
export interface Box {
  readonly label: string;
  readonly devices: readonly number[];
  readonly layer: number;
  /** Of its centre. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly layers: readonly number[];
  /** All boxes lie within, from 0. */
  readonly width: number;
  readonly height: number;
  /** Switches are around a circle, their hosts outside: links are straight. */
  readonly isRing: boolean;
}

/** A switch and the hosts below it; no switch where hosts are linked to each other. */
interface Column {
  readonly parent: number | null;
  readonly hosts: readonly number[];
}

/** A box before its coordinates are known. */
interface Sketch {
  readonly label: string;
  readonly devices: readonly number[];
}

/** More hosts than this are drawn as one box for each switch. */
const SINGLE_HOSTS_MAX = 40;

const CHARACTER_WIDTH = 7;
const SWITCH = { height: 30, widthMin: 64, padding: 22, gap: 24 };
const HOST = { height: 24, widthMin: 32, padding: 12, gap: 8 };
const COLUMN_GAP = 28;
const PAIR_OF_HOSTS_GAP = 90;
const LAYER_DISTANCE = { min: 104, max: 320, ofWidth: 1 / 14 };

/** Hosts are placed below their switch; the switches above are spread over the width. */
export function layOut(topology: Topology): Layout {
  const layers = layersOf(topology);
  const ring = ringOf(topology, layers);
  if (ring !== null) return layOutRing(topology, layers, ring);
  const top = Math.max(...layers);
  const below = placeColumns(topology, layers, columnsOf(topology, layers));
  const rows: Sketch[][] = [];
  for (let layer = 2; layer <= top; layer++) {
    const devices = [...layers.keys()].filter((device) => layers[device] === layer);
    rows.push(devices.map((device) => sketch(topology, [device])));
  }
  const rowWidths = rows.map((row) => row.length * (boxWidth(row, SWITCH) + SWITCH.gap));
  const width = Math.max(below.width, ...rowWidths);
  const shift = (width - below.width) / 2;
  // Half a gap more at both ends puts as many switches as there are columns right above them.
  const above = rows.flatMap((row, i) => {
    return spread(row, i + 2, width + COLUMN_GAP, -COLUMN_GAP / 2);
  });
  const { min, max, ofWidth } = LAYER_DISTANCE;
  const distance = Math.min(max, Math.max(min, width * ofWidth));
  const heightOf = (layer: number): number => (top - layer) * distance + SWITCH.height / 2;
  return {
    boxes: [...below.boxes.map((box) => ({ ...box, x: box.x + shift })), ...above].map((box) => ({
      ...box,
      y: heightOf(box.layer),
    })),
    layers,
    width,
    height: heightOf(0) + SWITCH.height / 2,
    isRing: false,
  };
}

function layOutRing(
  topology: Topology,
  layers: readonly number[],
  ring: readonly number[],
): Layout {
  const hostsOf = new Map(
    columnsOf(topology, layers).map(({ parent, hosts }) => [parent, hosts] as const),
  );
  const all = [...hostsOf.values()].reduce((sum, { length }) => sum + length, 0);
  const rows = ring.map((device) => {
    const hosts = hostsOf.get(device) ?? [];
    const isTogether = all > SINGLE_HOSTS_MAX && hosts.length > 0;
    return isTogether ? [sketch(topology, hosts)] : hosts.map((host) => sketch(topology, [host]));
  });
  const switches = ring.map((device) => sketch(topology, [device]));
  const [hostWidth, switchWidth] = [boxWidth(rows.flat(), HOST), boxWidth(switches, SWITCH)];
  const widthOf = (row: readonly Sketch[]): number =>
    row.length === 0 ? 0 : row.length * (hostWidth + HOST.gap) - HOST.gap;
  const { places, width, height } = placeRing(ring.length, {
    switch: { width: switchWidth, height: SWITCH.height },
    hosts: { width: Math.max(...rows.map(widthOf)), height: HOST.height },
  });
  const boxes = places.flatMap(({ x, y, hostsX, hostsY }, i): Box[] => {
    const start = hostsX + (hostWidth - widthOf(rows[i]!)) / 2;
    return [
      ...rows[i]!.map((host, n): Box => {
        const at = { x: start + n * (hostWidth + HOST.gap), y: hostsY };
        return { ...host, ...at, layer: 0, width: hostWidth, height: HOST.height };
      }),
      {
        ...{ ...switches[i]!, x, y, width: switchWidth, height: SWITCH.height },
        layer: layers[ring[i]!]!,
      },
    ];
  });
  return { boxes, layers, width, height, isRing: true };
}

/** The lowest switches and others with hosts, in their order, and the remaining hosts. */
function columnsOf(topology: Topology, layers: readonly number[]): Column[] {
  const { hosts, firstSlot, peer } = adjacencyOf(topology);
  const hostsOf = new Map<number, number[]>();
  for (let device = hosts; device < layers.length; device++) {
    if (layers[device] === 1) hostsOf.set(device, []);
  }
  const cabled: Column[] = [];
  for (let host = 0; host < hosts; host++) {
    const parent = peer[firstSlot[host]!]!;
    if (parent >= hosts) hostsOf.set(parent, [...(hostsOf.get(parent) ?? []), host]);
    else if (parent > host) cabled.push({ parent: null, hosts: [host, parent] });
  }
  const columns = [...hostsOf].sort(([a], [b]) => a - b);
  return [...columns.map(([parent, hosts]) => ({ parent, hosts })), ...cabled];
}

type FlatBox = Omit<Box, 'y'>;

/** Puts columns side by side: hosts, and above their middle the switch where it is a lowest one. */
function placeColumns(
  topology: Topology,
  layers: readonly number[],
  columns: readonly Column[],
): { boxes: FlatBox[]; width: number } {
  const all = columns.reduce((sum, { hosts }) => sum + hosts.length, 0);
  const together = all > SINGLE_HOSTS_MAX;
  const rows = columns.map(({ hosts }) => {
    if (together && hosts.length > 0) return [sketch(topology, hosts)];
    return hosts.map((host) => sketch(topology, [host]));
  });
  const parents = columns.map(({ parent }) => {
    return parent !== null && layers[parent] === 1 ? [sketch(topology, [parent])] : [];
  });
  const hostWidth = boxWidth(rows.flat(), HOST);
  const parentWidth = boxWidth(parents.flat(), SWITCH);
  const boxes: FlatBox[] = [];
  let left = 0;
  columns.forEach(({ parent }, i) => {
    const gap = parent === null ? PAIR_OF_HOSTS_GAP : HOST.gap;
    const rowWidth = rows[i]!.length * (hostWidth + gap) - gap;
    const width = Math.max(rowWidth, parents[i]!.length * parentWidth);
    const start = left + (width - rowWidth + hostWidth) / 2;
    rows[i]!.forEach((host, n) => {
      const x = start + n * (hostWidth + gap);
      boxes.push({ ...host, layer: 0, x, width: hostWidth, height: HOST.height });
    });
    boxes.push(...spread(parents[i]!, 1, width, left, parentWidth));
    left += width + COLUMN_GAP;
  });
  return { boxes, width: left - COLUMN_GAP };
}

/** Switches at equal distances over a width. */
function spread(
  row: readonly Sketch[],
  layer: number,
  width: number,
  left = 0,
  each = boxWidth(row, SWITCH),
): FlatBox[] {
  return row.map((item, i) => {
    const x = left + ((i + 0.5) * width) / row.length;
    return { ...item, layer, x, width: each, height: SWITCH.height };
  });
}

function sketch(topology: Topology, devices: readonly number[]): Sketch {
  return { label: shortNames(devices.map((device) => topology.devices[device]!.name)), devices };
}

/** Boxes of a row are as wide as the longest label needs. */
function boxWidth(
  row: readonly Sketch[],
  style: { readonly widthMin: number; readonly padding: number },
): number {
  const characters = row.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.max(style.widthMin, characters * CHARACTER_WIDTH + style.padding);
}
