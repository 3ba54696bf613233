/** A run that ends with its load, and a flow whose packets are all lost: it ends, and says so. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf, flowOf, run } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

const SCENARIO = `
fabric: { generator: star, hosts: 3, link: { rate: 25G, length: 5m } }
load:
  - name: lost
    stream: { from: h2, to: h1 }
    bytes: 60KB
    transport: { reliable: { timeout: 100us } }
  - { name: sound, stream: { from: h2, to: h3 }, bytes: 60KB, start: 20ms }
faults:
  - { kind: loss, where: { port: "h1:*" }, probability: 100% }
`;

describe('a flow that is lost for good', () => {
  it('is retransmitted so often, and then ends the run with its cause', async () => {
    const fabric = fabricOf(SCENARIO);
    const results = run(fabric);
    assert.equal(results.status, 'stalled');
    assert.equal(results.failure, null);
    assert.deepEqual(results.causes, [{ cause: 'retrying', flows: 1 }]);
    assert.equal(flowOf(results, 'sound/h2->h3').cause, null);
    const { results: inTwo } = await inThreads(fabric, 2).run();
    assert.equal(inTwo.digest, results.digest);
    assert.equal(inTwo.status, results.status);
  });

  it('does not end a run while its links may come back', () => {
    const ends = SCENARIO.replace('probability: 100%', 'probability: 100%, for: 150ms');
    const results = run(fabricOf(ends));
    assert.equal(results.status, 'complete');
  });
});
