import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyOf } from '../../../../services/report/why.js';
import { repeatRun } from '../../../../services/runtime/repeat-run.js';
import { fabricOf } from '../../../kit/emulate.js';

/** Five switches with two hosts each: the first hosts send two switches on, and close a cycle. */
const RING_FLOWS = ['h1->h5', 'h3->h7', 'h5->h9', 'h7->h1', 'h9->h3'];
/** Over one link of the ring, from another port and to another one. */
const BESIDE = 'h2->h4';

const streams = [...RING_FLOWS, BESIDE].map((name) => {
  const [from, to] = name.split('->');
  const stream = `{ from: ${from}, to: ${to} }`;
  return `{ stream: ${stream}, rate: line, transport: raw, frame: 1518, priority: 3 }`;
});

const RING = `
name: ring
duration: 200us
fabric:
  generator: ring
  switches: 5
  hostsPerSwitch: 2
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 100G, length: 5m }
switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, xoff: 60KB, xonGap: 6KB } }
load: [${streams.join()}]
`;

describe('victims of a deadlock', () => {
  it('are the flows behind it, and none of those that keep it closed', () => {
    const fabric = fabricOf(RING);
    const { results, congestion } = repeatRun(fabric, null, null);
    const { trees, deadlocks } = whyOf(fabric, results, congestion);
    assert.equal(deadlocks.length, 1);
    const victims = new Set(trees.flatMap((tree) => tree.victims));
    assert.deepEqual([...victims], [`stream6/${BESIDE}`]);
  });
});
