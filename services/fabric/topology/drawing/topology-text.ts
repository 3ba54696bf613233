import type { Adjacency } from '../../../engine/routing/adjacency.js';
import { adjacencyOf, portCount } from '../adjacency.js';
import type { Topology } from '../topology.js';
import { linkClasses, shortNames, sizeLabel } from './labels.js';
import { layersOf } from './layers.js';

/** Tables for a terminal: the link partners of every switch, and the kinds of links. */
export function topologyText(topology: Topology): string {
  const adjacency = adjacencyOf(topology);
  const layers = layersOf(topology);
  const shown = [...topology.devices.keys()]
    .filter((device) => topology.devices[device]!.kind === 'switch' || onHost(adjacency, device))
    .sort((a, b) => layers[b]! - layers[a]! || a - b);
  const devices = shown.map((device) => {
    const { name, tier } = topology.devices[device]!;
    const ports = String(portCount(adjacency, device));
    return [name, tier, ports, linksOf(topology, adjacency, layers, device)];
  });
  const links = linkClasses(topology, layers).map(({ count, tiers, rate, delay }) => {
    return [String(count), tiers, rate, delay];
  });
  return [
    sizeLabel(topology),
    '',
    ...table(['device', 'tier', 'ports', 'linked to'], devices),
    '',
    ...table(['links', 'between', 'rate', 'delay'], links),
    '',
  ].join('\n');
}

/** A host linked to another host is in no switch's line. */
function onHost({ firstSlot, peer, hosts }: Adjacency, device: number): boolean {
  return peer[firstSlot[device]!]! < hosts;
}

/** `p1-p3 h1..h3, p4-p5 spine1 spine2`: ports next to each other that lead to the same layer. */
function linksOf(
  topology: Topology,
  { firstSlot, peer }: Adjacency,
  layers: readonly number[],
  device: number,
): string {
  const first = firstSlot[device]!;
  const end = firstSlot[device + 1]!;
  const parts: string[] = [];
  for (let from = first; from < end;) {
    let to = from;
    while (to < end && layers[peer[to]!] === layers[peer[from]!]) to++;
    const names = [...peer.subarray(from, to)].map((other) => topology.devices[other]!.name);
    const last = to - from > 1 ? `-p${to - first}` : '';
    parts.push(`p${from - first + 1}${last} ${shortNames(names)}`);
    from = to;
  }
  return parts.join(', ');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
