import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeInServices } from '../services/fabric/placement/parts.js';
import type { Fabric } from '../services/fabric/assembly/fabric.js';
import type { Topology } from '../services/fabric/topology/topology.js';
import { fabricOf } from './fabrics.js';

// How many links our cuts cross and how even they are, beside METIS if it is there (Debian: metis).
//   npm run build && node dist/bench/cuts.js

const FABRICS: Readonly<Record<string, string>> = {
  'fat-tree k=4': 'generator: fat-tree, k: 4',
  'fat-tree k=8': 'generator: fat-tree, k: 8',
  'fat-tree k=16': 'generator: fat-tree, k: 16',
  'leaf-spine 64 x 16': 'generator: leaf-spine, leaves: 64, spines: 16, hostsPerLeaf: 16',
  'clos of 8 pods':
    'generator: clos, pods: 8, leavesPerPod: 8, hostsPerLeaf: 16, planes: 4, spinesPerPlane: 4',
};
const PARTS = [4, 16, 64];

/** With equal links, and as much work at each port. */
function fabricWith(generator: string): Fabric {
  const load = 'load: [{ permutation: { hosts: all, shift: 1 }, bytes: 1KB }]';
  const fabric = `{ ${generator}, link: { delay: 1us } }`;
  return { ...fabricOf(`selvage: 1\nfabric: ${fabric}\n${load}\n`), flows: [], flowEnds: [] };
}

function portsOf({ devices, links }: Topology): number[] {
  const ports = devices.map(() => 0);
  for (const { device } of links.flatMap(({ a, b }) => [a, b])) ports[device]!++;
  return ports;
}

/** Links between parts, the heaviest part over the mean, and pairs of parts with a link. */
function costOf(topology: Topology, partOf: readonly number[], parts: number): string {
  const ports = portsOf(topology);
  const work = Array.from({ length: parts }, () => 0);
  partOf.forEach((part, device) => (work[part]! += ports[device]!));
  const pairs = topology.links.map(({ a, b }) => [partOf[a.device]!, partOf[b.device]!].sort());
  const crossing = pairs.filter(([a, b]) => a !== b).map(String);
  const balance = (Math.max(...work) * parts) / (2 * topology.links.length);
  const words = [crossing.length, balance.toFixed(2), new Set(crossing).size];
  return words.map((word) => `${word}`.padStart(7)).join('');
}

function ourParts(fabric: Fabric, parts: number): number[] {
  const partOf: number[] = [];
  placeInServices(fabric, parts).forEach(({ devices }, part) => {
    for (const device of devices) partOf[device] = part;
  });
  return partOf;
}

/** Null if there is no METIS. */
function partsOfMetis(topology: Topology, parts: number): number[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-cuts-'));
  try {
    const neighbors = topology.devices.map((): number[] => []);
    for (const { a, b } of topology.links) {
      neighbors[a.device]!.push(b.device + 1);
      neighbors[b.device]!.push(a.device + 1);
    }
    const rows = portsOf(topology).map((ports, d) => [ports, ...neighbors[d]!].join(' '));
    const head = `${topology.devices.length} ${topology.links.length} 010`;
    const graph = join(folder, 'graph');
    writeFileSync(graph, `${[head, ...rows].join('\n')}\n`);
    const words = ['-ufactor=50', '-ncuts=5', '-seed=1', graph, `${parts}`];
    if (spawnSync('gpmetis', words).status !== 0) return null;
    return readFileSync(`${graph}.part.${parts}`, 'utf8').trim().split('\n').map(Number);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const titles = ['links', 'work', 'pairs'].map((title) => title.padStart(7)).join('');
process.stdout.write(`${'fabric'.padEnd(20)}${'parts'.padStart(6)} |${titles} | METIS${titles}\n`);
for (const [name, generator] of Object.entries(FABRICS)) {
  const fabric = fabricWith(generator);
  const { topology } = fabric;
  for (const parts of PARTS.filter((count) => count < topology.devices.length)) {
    const ours = costOf(topology, ourParts(fabric, parts), parts);
    const theirs = partsOfMetis(topology, parts);
    const beside = theirs === null ? ' not there' : costOf(topology, theirs, parts);
    const label = `${name.padEnd(20)}${`${parts}`.padStart(6)}`;
    process.stdout.write(`${label} |${ours} |      ${beside}\n`);
  }
}
