import type { Topology } from '../../fabric/topology/topology.js';
import type { Episode } from '../../telemetry/congestion/congestion.js';
import { PAUSING_CONTROLS } from '../../mechanisms/registry.js';
import { nodesOf } from './nodes.js';

/** As those programs call it. */
export const PAUSES_FILE = 'pfc.txt';

const PS_PER_NS = 1000;
const [PAUSED, RESUMED] = [1, 0];
const [HOST, SWITCH] = [0, 1];
/**
 * Pauses as those programs log them: `time_ns node type port what` at each port that is paused,
 * when it is and when it may send again. A port has a line for each priority.
 */
export function pausesFile(topology: Topology, episodes: readonly Episode[]): string {
  const nodes = nodesOf(topology);
  const places = new Map(topology.devices.map(({ name }, place) => [name, place]));
  const lines: { readonly ps: number; readonly line: string }[] = [];
  for (const { kind, mechanism, device, port, startPs, endPs } of episodes) {
    if (kind !== 'blocked' || !PAUSING_CONTROLS.includes(mechanism)) continue;
    const place = places.get(device)!;
    const type = topology.devices[place]!.kind === 'host' ? HOST : SWITCH;
    const number = port.slice(port.lastIndexOf(':p') + 2);
    for (const [ps, what] of [
      [startPs, PAUSED],
      [endPs, RESUMED],
    ] as const) {
      if (ps === null) continue;
      const ns = Math.floor(ps / PS_PER_NS);
      lines.push({ ps, line: `${ns} ${nodes[place]!} ${type} ${number} ${what}` });
    }
  }
  return lines
    .toSorted((a, b) => a.ps - b.ps)
    .map(({ line }) => `${line}\n`)
    .join('');
}
