import { topologyDot } from '../../fabric/topology/drawing/topology-dot.js';
import { topologySvg } from '../../fabric/topology/drawing/topology-svg.js';
import { topologyText } from '../../fabric/topology/drawing/topology-text.js';
import type { Topology } from '../../fabric/topology/topology.js';
import { portName } from '../../fabric/topology/topology.js';
import { InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { writeOut } from '../write-out.js';

export interface TopologyOptions {
  readonly set: readonly string[];
  readonly format: string;
  readonly out?: string;
  readonly json?: boolean;
}

const DRAWINGS: Readonly<Record<string, (topology: Topology) => string>> = {
  text: topologyText,
  dot: topologyDot,
  svg: topologySvg,
  json: topologyJson,
};

export function topologyCommand(file: string, options: TopologyOptions): void {
  const draw = DRAWINGS[options.json === true ? 'json' : options.format];
  if (draw === undefined) {
    throw new InputError(`--format ${options.format} is not known; there are text, dot and svg`);
  }
  const drawing = draw(loadFabric(file, options.set).fabric.topology);
  writeOut(drawing.endsWith('\n') ? drawing : `${drawing}\n`, options.out);
}

function topologyJson(topology: Topology): string {
  const links = topology.links.map(({ a, b, ...link }) => ({
    between: [portName(topology, a), portName(topology, b)],
    ...link,
  }));
  return JSON.stringify({ devices: topology.devices, links }, null, 2);
}
