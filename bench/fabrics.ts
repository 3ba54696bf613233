import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fabric } from '../services/fabric/assembly/fabric.js';
import { buildFabric } from '../services/fabric/assembly/fabric.js';
import { loadScenario } from '../services/fabric/scenario/load-scenario.js';

/** The fat-tree of all cases: 100 Gb/s, 1 us a link, half a fabric between partners. */
function fatTree(k: number): string {
  return `selvage: 1
name: bench
fabric: { generator: fat-tree, k: ${k}, link: { rate: 100G, delay: 1us } }
switches: { pipeline: 0ns, buffer: { size: 64MB } }
classes: { arbiter: round-robin }
`;
}

/**
 * Every packet has 1,438 octets of payload and is 1,500 octets long; the window is one round trip
 * of six links at line rate.
 */
function reliable(rate: string): string {
  const limits = `window: 100, ackEvery: 1, timeout: 100ms${rate}`;
  return `transport: { reliable: { mtu: 1438, ${limits} } }`;
}

const PFC = '{ flowControl: pfc, xoff: 98KB, xonGap: 24KB }';

/**
 * The full engine at work: a mechanism (PFC unless another is given), ECMP, a packet and its
 * acknowledgement, paced at 90 %.
 */
export function permutation(k: number, virtualUs: number, mechanism = PFC): string {
  return `${fatTree(k)}duration: ${virtualUs}us
priorities: { 3: ${mechanism} }
credit: { buffer: 98KB }
load:
  - name: permutation
    permutation: { hosts: all, shift: ${(k * k * k) / 8 + 1} }
    rate: line
    priority: 3
    ${reliable(', rate: 90G')}
`;
}

/** The same with hosts in the racks of their switches, as real ones are. */
export function racks(k: number, virtualUs: number): string {
  const links = 'hostLink: { rate: 100G, length: 3m }, fabricLink: { rate: 100G, delay: 1us }';
  return permutation(k, virtualUs).replace('link: { rate: 100G, delay: 1us }', links);
}

/** The same with the link layer of Ultra Ethernet: every link retries, and CBFC instead of PFC. */
export function linked(k: number, virtualUs: number): string {
  return `${permutation(k, virtualUs, 'cbfc')}llr: { enabled: true }\n`;
}

/** Four hosts at two leaves, two spines; a service each, 1 us between them: 16 channels. */
export function leafSpine(rate: string, duration: string): string {
  return `selvage: 1
name: bench
fabric:
  { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, link: { rate: 100G, delay: 1us } }
switches: { pipeline: 0ns }
duration: ${duration}
load:
  - permutation: { hosts: all, shift: 2 }
    rate: ${rate}
`;
}

/** What is configured beside PFC, and has nothing to do: all thresholds are out of reach. */
const IDLE: Readonly<Record<string, { priority: string; more: string; control: string }>> = {
  sfc: { priority: 'sfc: true', more: 'sfc: { detect: 30MB }', control: 'none' },
  ci: { priority: 'ci: true', more: 'ci: { detect: 30MB }', control: 'none' },
  qcn: { priority: '', more: 'qcn: { priorities: [3], setPoint: 30MB }', control: 'qcn' },
  dcqcn: { priority: 'ecn: { step: 30MB }', more: '', control: 'dcqcn' },
};

/** `permutation` with a mechanism against congestion that is never triggered. */
export function idle(k: number, virtualUs: number, mechanism: string): string {
  const { priority, more, control } = IDLE[mechanism]!;
  const plain = PFC.slice(0, -2);
  const own = priority === '' ? PFC : `${plain}, ${priority} }`;
  const text = permutation(k, virtualUs, own).replace(
    'priority: 3\n',
    `priority: 3\n    congestion: ${control}\n`,
  );
  const isolated =
    mechanism === 'ci' ? text.replace('priorities: {', `priorities: { 2: ${PFC},`) : text;
  return `${isolated}${more}\n`;
}

const OBSERVE = {
  tracing: 'traces: { share: 0.1% }',
  episodes: 'episodes: true',
  metrics: 'series: 100us',
  capture: 'captures: { ports: ["h1:p1"], frames: 1000000 }',
};

/** The same, looked at in one way. */
export function watched(k: number, virtualUs: number, how: keyof typeof OBSERVE): string {
  return `${permutation(k, virtualUs)}observe: { ${OBSERVE[how]} }\n`;
}

/** The same with an 82599 in every host. */
export function adapters(k: number, virtualUs: number): string {
  return `${permutation(k, virtualUs)}hosts: { nic: { model: 82599 } }\n`;
}

/**
 * A fixed number of raw frames from each host to the one half a fabric away. No port is paused, and
 * buffers are so large that nothing is dropped.
 */
export function rawJob(k: number, frames: number): string {
  return `${fatTree(k).replace('64MB', '4GB')}load:
  - name: raw
    permutation: { hosts: all, shift: ${(k * k * k) / 8} }
    rate: line
    bytes: ${frames * (1500 - 46)}
    transport: raw
    frame: 1500
priorities: { 0: { flowControl: none, alpha: 100 } }
`;
}

/** 128 flows of 10 MB to completion. */
export function transferJob(): string {
  return `${fatTree(8)}load:
  - name: transfer
    permutation: { hosts: all, shift: 65 }
    rate: line
    bytes: 10MB
    priority: 3
    ${reliable('')}
priorities: { 3: { flowControl: pfc, xoff: 98KB, xonGap: 24KB } }
`;
}

/** A ring all-reduce of 16 ranks, which repeats itself frame after frame. */
export function ringJob(): string {
  return `selvage: 1
fabric:
  generator: fat-tree
  k: 4
  hostLink: { rate: 400G, length: 5m }
  fabricLink: { rate: 400G, length: 20m }
switches: { pipeline: 500ns, buffer: { size: 32MB } }
priorities: { 3: { flowControl: pfc } }
load:
  - name: gradients
    all-reduce: { algorithm: ring, hosts: all }
    bytes: 4GB
    priority: 3
    transport: { reliable: { mtu: 4096 } }
`;
}

export function fabricOf(text: string): Fabric {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-bench-'));
  try {
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, text);
    return buildFabric(loadScenario(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
