import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { fabricOf } from '../kit/emulate.js';

const HOSTS_PER_LEAF = 4;
const MECHANISMS = {
  pfc: 'priorities: { 3: { flowControl: pfc, xoff: 40KB, xonGap: 6KB } }',
  pause: 'pause: { xoff: 40KB, xonGap: 6KB }',
  credit: 'priorities: { 3: { flowControl: credit } }',
} as const;

interface Incast {
  readonly text: string;
  /** The port that is asked for more than it can send, the only one. */
  readonly root: string;
}

/**
 * Two or three hosts send to one at line rate, and another to another one. Links between switches
 * carry four hosts at once, so only the receiver's own link is ever contended.
 */
function incast(random: RandomStream, mechanism: keyof typeof MECHANISMS): Incast {
  const leaves = 2 + random.below(2);
  const hosts = Array.from({ length: leaves * HOSTS_PER_LEAF }, (_, i) => i + 1);
  const take = (): number => hosts.splice(random.below(hosts.length), 1)[0]!;
  const receiver = take();
  const senders = Array.from({ length: 2 + random.below(2) }, take);
  const [bystander, friend] = [take(), take()];
  const leaf = Math.ceil(receiver / HOSTS_PER_LEAF);
  const port = receiver - (leaf - 1) * HOSTS_PER_LEAF;
  const text = `
name: known-root
duration: 60us
fabric:
  generator: leaf-spine
  leaves: ${leaves}
  spines: ${1 + random.below(2)}
  hostsPerLeaf: ${HOSTS_PER_LEAF}
  hostLink: { rate: 100G, length: ${5 + random.below(20)}m }
  fabricLink: { rate: 400G, length: ${10 + random.below(40)}m }
switches: { pipeline: ${100 + random.below(400)}ns, buffer: { size: 4MB } }
seed: ${random.below(1e6)}
${MECHANISMS[mechanism]}
load:
  - name: incast
    stream: { from: [${senders.map((host) => `h${host}`).join()}], to: h${receiver} }
    rate: line
    frame: ${300 + random.below(1200)}
    priority: 3
  - name: other
    stream: { from: h${bystander}, to: h${friend} }
    rate: line
    frame: 1518
    priority: 3
`;
  return { text, root: `leaf${leaf}:p${port}` };
}

function treesOf(text: string): readonly CongestionTree[] {
  const fabric = fabricOf(text);
  const { results, congestion } = repeatRun(fabric, null, null);
  return whyOf(fabric, results, congestion).trees;
}

describe('the root of congestion', () => {
  for (const [mechanism, rounds] of [
    ['pfc', 100],
    ['pause', 50],
    ['credit', 50],
  ] as const) {
    it(`is the port that everybody sends to, in ${rounds} random incasts with ${mechanism}`, () => {
      const random = new RandomStream(1, mechanism);
      for (let round = 0; round < rounds; round++) {
        const { text, root } = incast(random, mechanism);
        const [worst] = treesOf(text);
        assert.ok(worst !== undefined, `round ${round}: nothing is blocked\n${text}`);
        assert.equal(worst.root.port, root, `round ${round}\n${text}`);
        assert.equal(worst.root.kind, 'queue');
      }
    });
  }
});
