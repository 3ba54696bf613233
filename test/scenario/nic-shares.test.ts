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

  it('gives a class less of the link where its high watermark is low, though shares are equal', () => {
    const [low, high] = framesOf(
      runScenario(
        'duration: 2ms\nfabric: { generator: pair, link: { rate: 10G, length: 2km } }\n' +
          'priorities: { 3: pfc, 4: pfc }\ndevices: { h2: { nic: { model: 82599, ' +
          'pcie: { rate: 6G }, watermarks: { 3: { high: 3, low: 1 } } } } }\nload:\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 3 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 4 }\n',
      ),
    ) as [number, number];
    assert.ok(low > 0.3 * high && low < 0.7 * high, `${low} and ${high}`);
  });
});
