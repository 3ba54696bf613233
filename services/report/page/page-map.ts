import { ARC_HEIGHT, linkLinesOf, round } from '../../fabric/topology/drawing/link-lines.js';
import { layOut } from '../../fabric/topology/drawing/layout.js';
import type { Topology, TopologyEnd } from '../../fabric/topology/topology.js';
import { portName } from '../../fabric/topology/topology.js';
import type { FabricMap, MapEnd } from './page-data.js';

/** Names in a tooltip. */
const NAMES_MAX = 12;

/** The drawing of `selvage topology`, with the ports that each box and line stands for. */
export function mapOf(
  topology: Topology,
  ports: readonly { readonly name: string; readonly flowControl: string }[],
): FabricMap {
  const layout = layOut(topology);
  const lines = linkLinesOf(topology, layout);
  const top = lines.some(({ arc }) => arc) ? ARC_HEIGHT : 0;
  const placeOf = new Map(ports.map(({ name }, place) => [name, place]));
  const place = (end: TopologyEnd): number => placeOf.get(portName(topology, end))!;
  const isMixed = new Set(ports.map(({ flowControl }) => flowControl)).size > 1;
  const portsOf: number[][] = topology.devices.map(() => []);
  for (const { a, b } of topology.links) {
    for (const end of [a, b]) portsOf[end.device]!.push(place(end));
  }
  return {
    width: round(layout.width),
    height: round(layout.height + top),
    boxes: layout.boxes.map(({ label, devices, layer, x, y, width, height }) => ({
      ...{ label, layer, width: round(width), height, x: round(x), y: round(y + top) },
      names: namesOf(topology, devices),
      ports: devices.flatMap((device) => portsOf[device]!).sort((a, b) => a - b),
    })),
    links: lines.map(({ links, a, b, path }) => {
      const end = ({ x, y }: MapPoint, side: 'a' | 'b'): MapEnd => ({
        ...{ x: round(x), y: round(y + top) },
        ports: links.map((link) => place(link[side])),
      });
      const controls = links.map((link) => ports[place(link.a)]!.flowControl);
      const label = isMixed ? [...new Set(controls)].filter(Boolean).join(', ') : '';
      // Hosts come first, so all links of a line have their hosts on the same side.
      return { path: shifted(path, top), label, a: end(a, 'a'), b: end(b, 'b') };
    }),
  };
}

interface MapPoint {
  readonly x: number;
  readonly y: number;
}

function namesOf(topology: Topology, devices: readonly number[]): string {
  const names = devices.slice(0, NAMES_MAX).map((device) => topology.devices[device]!.name);
  return devices.length > NAMES_MAX ? `${names.join(' ')} …` : names.join(' ');
}

/** Moves the points of a path down; they are pairs of absolute coordinates. */
function shifted(path: string, by: number): string {
  if (by === 0) return path;
  let isY = false;
  return path.replace(/-?\d+(\.\d+)?/g, (number) => {
    const moved = isY ? String(round(Number(number) + by)) : number;
    isY = !isY;
    return moved;
  });
}
