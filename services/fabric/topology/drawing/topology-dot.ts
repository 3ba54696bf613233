import type { Topology } from '../topology.js';
import { portName } from '../topology.js';
import { linkLabel } from './labels.js';
import { layersOf } from './layers.js';

/** A graph in the DOT language of Graphviz, one rank for each layer. */
export function topologyDot(topology: Topology): string {
  const layers = layersOf(topology);
  const lines = ['graph fabric {', '  graph [ranksep=1.2, nodesep=0.2]'];
  lines.push('  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]');
  for (const layer of [...new Set(layers)].sort((a, b) => b - a)) {
    const names = topology.devices
      .filter((_, device) => layers[device] === layer)
      .map(({ name }) => quoted(name));
    lines.push(`  { rank=same; ${names.join('; ')} }`);
  }
  for (const link of topology.links) {
    // Graphviz puts the first end above the second.
    const ends = [link.a, link.b].sort((a, b) => layers[b.device]! - layers[a.device]!);
    const [upper, lower] = ends.map(({ device }) => quoted(topology.devices[device]!.name));
    const { rate, delay } = linkLabel(link);
    const tip = `${ends.map((end) => portName(topology, end)).join(' - ')}, ${rate}, ${delay}`;
    lines.push(`  ${upper!} -- ${lower!} [tooltip=${quoted(tip)}]`);
  }
  return [...lines, '}', ''].join('\n');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
