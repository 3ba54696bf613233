import type { Flow } from '../../fabric/load/flow.js';
import type { Topology } from '../../fabric/topology/topology.js';
import type { FlowResult } from '../../runtime/results/results.js';
import { IdealFct } from './ideal-fct.js';
import { nodesOf } from './nodes.js';

/** Whose scripts read the files: HPCC names hosts by addresses, ConWeave by numbers. */
export type Dialect = 'hpcc' | 'conweave';

const PS_PER_NS = 1000;
const FIRST_PORT = 10_000;
/** 11.0.0.1, the address of node 0. */
const FIRST_ADDRESS = 0x0b000001;
/** The port that RoCEv2 has, where a flow was given none. */
const SINK_PORT = 100;

interface FctFile {
  readonly text: string;
  readonly flows: number;
  /** Those that were not complete, are to groups, or have no octets to count. */
  readonly leftOut: number;
  /** Those that nobody acknowledges: their time ends with their last octet. */
  readonly unacknowledged: number;
}

/**
 * `fct.txt`: a line for each flow that is complete, in the order in which they ended. Times are
 * from the start of a flow to its last acknowledgement, as those programs measure them.
 */
export function fctFile(
  fabric: { readonly topology: Topology; readonly flows: readonly Flow[] },
  results: readonly FlowResult[],
  dialect: Dialect,
): FctFile {
  const nodes = nodesOf(fabric.topology);
  const ideal = new IdealFct(fabric.topology);
  const ports = new Map<string, number>();
  const lines: { readonly endPs: number; readonly line: string }[] = [];
  let unacknowledged = 0;
  fabric.flows.forEach((flow, index) => {
    const { source, destination, transport } = flow;
    const pair = `${source} ${destination}`;
    const port = ports.get(pair) ?? FIRST_PORT;
    ports.set(pair, port + 1);
    const result = results[index]!;
    const { acknowledgedPs, completionPs } = result;
    const tookPs = acknowledgedPs ?? completionPs;
    if (flow.group || completionPs === null || tookPs === null) return;
    const octets = result.payloadOctets;
    const isRaw = transport.kind === 'raw';
    const payload = isRaw ? transport.frameBytes : transport.mtuBytes;
    const idealNs = ideal.ns(source, destination, octets, payload);
    if (idealNs === null || octets === 0) return;
    if (isRaw) unacknowledged++;
    const [from, to] = [source, destination].map((host) => nameOf(nodes[host]!, dialect));
    const [startNs, tookNs] = [result.startPs, tookPs].map((ps) => Math.floor(ps / PS_PER_NS));
    const words = [from, to, port, SINK_PORT, octets, startNs, tookNs, idealNs];
    lines.push({ endPs: result.startPs + tookPs, line: words.join(' ') });
  });
  const sorted = lines.toSorted((a, b) => a.endPs - b.endPs);
  return {
    text: sorted.map(({ line }) => `${line}\n`).join(''),
    ...{ flows: lines.length, leftOut: results.length - lines.length, unacknowledged },
  };
}

function nameOf(node: number, dialect: Dialect): string {
  if (dialect === 'conweave') return String(node);
  const address = FIRST_ADDRESS + (node >> 8) * 0x10000 + (node & 0xff) * 0x100;
  return address.toString(16).padStart(8, '0');
}
