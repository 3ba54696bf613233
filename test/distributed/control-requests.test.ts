/** Control frames that were requested for something that ends before the wire is free. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

/** Discovery takes credit from the priority of a link that is down. */
const CREDIT_FLAP = `
duration: 2ms
discovery: true
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostLink: { rate: 100G, length: 5m }, fabricLink: { rate: 100G, length: 30m } }
switches: { pipeline: 450ns, buffer: { size: 8MB } }
priorities: { 4: { flowControl: credit } }
load: [ { name: c, all-to-all: {}, bytes: 1MB, priority: 4 } ]
faults: [ { kind: link-down, where: { device: leaf1, peer: spine1 }, at: 20us, for: 4us } ]
`;

/** The same again and again, beside PFC, SFC with proxies and rate control. */
const MIXED_FLAPS = `
seed: 123
duration: 250us
discovery: true
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostLink: { rate: 400G, length: 5m }, fabricLink: { rate: 800G, length: 30m } }
switches: { pipeline: 450ns, buffer: { size: 32MB }, cutThrough: true }
priorities:
  3: { flowControl: pfc, responseDelay: 200ns, xoff: 500KB, sfc: true, ecn: { min: 100KB, max: 400KB, probability: 5% } }
  4: { flowControl: credit }
sfc: { detect: { dynamic: 0.02 }, target: 100KB, minInterval: 4us, sources: 3, processing: 900ns, scope: flow }
devices: { h1: { sfc: { receive: false } } }
load:
  - { name: a, incast: { from: h1..h7, to: h8 }, bytes: 700KB, priority: 3, transport: reliable, congestion: dcqcn }
  - { name: c, all-to-all: {}, bytes: 100KB, priority: 4 }
faults:
  - { kind: link-down, where: { device: leaf1, peer: spine1 }, for: 4us, every: 60us, random: true }
  - { kind: control, where: { kind: host }, frames: pfc, action: lose, probability: 20% }
`;

/** LLDPDUs are requested while the link is down, and the hosts send none when it is up. */
const SILENCED_LLDP = `
duration: 100us
fabric: { generator: star, hosts: 3 }
discovery: { second: 10us, changes: [ { at: 50us, devices: h*, status: receive } ] }
faults: [ { kind: link-down, at: 49us, for: 5us } ]
load: [ { stream: { from: h1, to: h2 }, bytes: 4KB } ]
`;

async function sameInThreads(scenario: string): Promise<RunResults> {
  const fabric = fabricOf(scenario);
  const alone = run(fabric);
  for (const threads of [2, 3]) {
    assert.deepEqual((await inThreads(fabric, threads).run()).results, alone, `${threads} threads`);
  }
  return alone;
}

const isFinished = ({ completionPs }: RunResults['flows'][number]): boolean =>
  completionPs !== null;

describe('a request for a control frame that outlives what it was for', () => {
  it('sends nothing where credit exchange has ended: every flow finishes', async () => {
    const { status, flows } = await sameInThreads(CREDIT_FLAP);
    assert.equal(status, 'complete');
    assert.deepEqual(flows.map(isFinished), Array<boolean>(12).fill(true));
    assert.ok(flows.reduce((sum, { frames }) => sum + frames, 0) > 8000);
  });

  it('gives one result with every mechanism beside each other', async () => {
    assert.equal((await sameInThreads(MIXED_FLAPS)).status, 'complete');
  });

  it('sends no LLDPDU from an agent that has none due', async () => {
    const { status, flows } = await sameInThreads(SILENCED_LLDP);
    assert.equal(status, 'complete');
    assert.ok(flows.every(isFinished));
  });
});
