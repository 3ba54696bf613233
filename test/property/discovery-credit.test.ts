/**
 * Credit and PFC alternate on a loaded link, whichever end changes what and when: nothing is lost.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runScenario } from '../kit/emulate.js';

const RUNS = 16;
const DEVICES = ['s1', 's2', 'h4', 'h*'];

/** What an administrator may do that leaves priority 3 lossless on every link. */
function changeAt(us: number, random: RandomStream): string {
  const device = DEVICES[random.below(DEVICES.length)]!;
  const what = [
    'credit: []',
    'credit: [3]',
    'willing: [pfc, credit]',
    'willing: [pfc]',
    'status: send',
    'status: receive',
    'status: both',
  ];
  return `{ at: ${us}us, devices: '${device}', ${what[random.below(what.length)]!} }`;
}

function fabric(random: RandomStream): string {
  const changes = Array.from({ length: 8 }, (_, i) =>
    changeAt(10 * i + 5 + random.below(9), random),
  );
  const counts = random.below(3) === 0 ? 'incremental' : 'cumulative';
  return `
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 100G, length: 10m }
    - { between: [h2, s1], rate: 100G, length: 10m }
    - { between: [s1, s2], rate: 100G, length: ${50 + random.below(500)}m }
    - { between: [s2, h3], rate: 100G, length: 10m }
    - { between: [s2, h4], rate: 100G, length: 10m }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
priorities: { 3: { flowControl: credit, xoff: 40KB } }
credit: { fallback: pfc, counts: ${counts}, tags: ${random.below(2) === 0} }
discovery: { second: 1us, changes: [${changes.join(', ')}] }
duration: 150us
load:
  - { name: in, stream: { from: [h1, h2, h3], to: h4 }, rate: line, frame: 1518, priority: 3 }
`;
}

const dropsOf = ({ ports }: RunResults): number =>
  ports
    .flatMap(({ priorities }) => priorities)
    .flatMap(({ drops }) => Object.values(drops))
    .reduce((a, b) => a + b, 0);

for (let run = 0; run < RUNS; run++) {
  it(`loses nothing in schedule ${run}, and goes on sending`, () => {
    const results = runScenario(fabric(new RandomStream(run, 'changes')));
    assert.equal(results.status, 'complete', JSON.stringify(results.failure));
    assert.equal(dropsOf(results), 0);
    const frames = results.flows.reduce((sum, flow) => sum + flow.frames, 0);
    assert.ok(frames > 800, `${frames}`);
  });
}
