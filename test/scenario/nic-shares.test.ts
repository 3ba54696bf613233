import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

const PAIR = 'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 2ms\n';

const framesOf = (results: ReturnType<typeof runScenario>): number[] =>
  results.flows.map(({ frames }) => frames);

describe('an 82599', () => {
  it('shares a group as configured beside classes that have no load', () => {
    const four =
      'classes: { transmit: [0, 1, 2, 3, 0, 1, 2, 3], receive: [0, 1, 2, 3, 0, 1, 2, 3] }\n';
    for (const [tcs, classes] of [
      [4, four],
      [8, ''],
    ] as const) {
      const bandwidth =
        'bandwidth: { groups: { 0: 50%, 1: 50% }, classes: { 0: { group: 0, share: 50% }, ' +
        '1: { group: 0, share: 50% }, 2: { group: 1, share: 100% } } }';
      const [a, b] = framesOf(
        runScenario(
          `${PAIR}${classes}hosts: { nic: { model: 82599, tcs: ${tcs}, ${bandwidth} } }\nload:\n` +
            '  - { stream: { from: h1, to: h2 }, priority: 0 }\n' +
            '  - { stream: { from: h1, to: h2 }, priority: 1 }\n',
        ),
      ) as [number, number];
      assert.ok(Math.abs(a / b - 1) < 0.03, `${tcs} classes: ${a} and ${b}`);
    }
  });
});
