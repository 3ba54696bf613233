/** Behind a link layer frames that are flooded, or go nowhere, pass the pipeline as others do. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

const SCENARIO = `
duration: 100us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 200G, length: 5m }
    - { between: [h2, s1], rate: 200G, length: 5m }
    - { between: [s1, s2], rate: 200G, length: 50m }
switches: { forwarding: bridged, pipeline: 1300ns }
priorities: { 1: cbfc }
cbfc: { ccInterval: 5us }
llr: { enabled: true }
load: [ { stream: { from: h1, to: h2 }, priority: 1, frame: 1518 } ]
`;

describe('credits of frames that a bridge floods behind a link layer', () => {
  it('are counted in the order in which frames and CC_Updates were sent', () => {
    const { failure, ports } = runScenario(SCENARIO);
    assert.equal(failure, null, failure?.reason);
    const drops = (name: string): unknown =>
      ports.find(({ port }) => port === name)!.priorities.find(({ priority }) => priority === 1)!
        .drops;
    assert.ok((drops('s2:p1') as { 'no-destination': number })['no-destination'] > 1000);
  });
});
