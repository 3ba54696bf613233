/** Two ports of one 82599: two hosts that share a PCIe link. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { nic82599 } from '../../services/mechanisms/nic-82599/slice.js';
import { nicText } from '../../services/report/nic-text.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';

const nics = (first: string, second: string): string =>
  `devices: { h1: { nic: { model: 82599, ${first} } }, h2: { nic: { ${second} } } }\n`;
const SHARED = nics('pcie: { rate: 12G }', 'model: 82599, secondPortOf: h1');

const text = (devices: string, load: string, more = ''): string => `duration: 1ms
fabric: { generator: star, hosts: 4, hostLink: { rate: 10G, length: 10m } }
priorities: { 3: pfc }
${devices}${more}load:
${load}`;

const stream = (from: string, to: string): string =>
  `  - { name: ${from}-${to}, stream: { from: ${from}, to: ${to} }, priority: 3 }\n`;

/** Frames of a flow that were sent, or that arrived. */
function framesOf(results: RunResults, name: string): number {
  return results.flows.find(({ load }) => load === name)!.frames;
}

/** Frames of so many octets, and of a descriptor where they are written, in a millisecond. */
const framesAt = (gbps: number, octets: number): number => (1e-3 * gbps * 1e9) / (8 * octets);

function assertNear(found: number, wanted: number): void {
  assert.ok(Math.abs(found / wanted - 1) < 0.03, `${found} for ${wanted}`);
}

describe('two ports of an 82599', () => {
  const sending = stream('h1', 'h3') + stream('h2', 'h4');
  const receiving = stream('h3', 'h1') + stream('h4', 'h2');

  it('have half of the PCIe link each while both are busy, and one alone has all it needs', () => {
    const both = run(fabricOf(text(SHARED, sending)));
    for (const name of ['h1-h3', 'h2-h4']) assertNear(framesOf(both, name), framesAt(6, 1518));
    const alone = run(fabricOf(text(SHARED, stream('h2', 'h4'))));
    assertNear(framesOf(alone, 'h2-h4'), framesAt(10, 1538));
  });

  it('write to memory in turn, and the network holds the rest back', () => {
    const both = run(fabricOf(text(SHARED, receiving)));
    for (const name of ['h3-h1', 'h4-h2']) assertNear(framesOf(both, name), framesAt(6, 1534));
    const pauses = both.ports.filter(({ port }) => ['s1:p1', 's1:p2'].includes(port));
    assert.equal(pauses.length, 2);
    assert.ok(both.priorities.every(({ drops }) => Object.keys(drops).length === 0));
  });

  it('have a link for each direction: writes do not slow down reads', () => {
    const mixed = run(fabricOf(text(SHARED, stream('h1', 'h3') + stream('h4', 'h2'))));
    for (const name of ['h1-h3', 'h4-h2']) assertNear(framesOf(mixed, name), framesAt(10, 1538));
  });

  it('are one digest wherever they are executed, and are never apart', () => {
    const fabric = fabricOf(text(SHARED, sending + receiving));
    assert.equal(whatIsWrong(fabric, 1), null);
    assert.equal(whatIsWrong(fabric, 2), null);
    const { topology } = fabric;
    for (const placement of [placeEachAlone(topology), placeInServices(fabric, 3)]) {
      assert.ok(placement.some(({ devices }) => devices.includes(0) && devices.includes(1)));
      const placed = placement.flatMap(({ devices }) => devices);
      assert.deepEqual(placed.sort(), [0, 1, 2, 3, 4]);
    }
    const placement = 'placement: { left: [h2, s1], right: [h3] }\n';
    const named = fabricOf(text(SHARED, sending, placement)).placement;
    assert.deepEqual(named.find(({ name }) => name === 'left')!.devices, [0, 1, 4]);
  });

  it('are named where their tables are shown', () => {
    const { nics: shown } = run(fabricOf(text(SHARED, sending)));
    assert.match(
      nicText(nic82599, shown[1]!),
      /^h2 \(82599 at h2:p1, second port of the 82599 of h1\)/,
    );
    assert.match(nicText(nic82599, shown[0]!), /^h1 \(82599 at h1:p1\)/);
  });

  for (const [devices, message] of [
    [nics('pcie: { rate: 12G }', 'model: 82599, secondPortOf: h9'), /no host is called h9/],
    [nics('pcie: { rate: 12G }', 'model: 82599, secondPortOf: s1'), /no host is called s1/],
    [nics('dcb: true', 'model: 82599, secondPortOf: h2'), /h2 is this port itself/],
    [
      nics('dcb: true', 'model: 82599, secondPortOf: h3'),
      /h3 has a plain NIC; give it model: 82599/,
    ],
    [nics('secondPortOf: h2', 'model: 82599, secondPortOf: h1'), /is a second port itself/],
    [
      nics('pcie: { rate: 12G }', 'model: 82599, secondPortOf: h1, pcie: { rate: 20G }'),
      /both ports have the PCIe link of h1; leave pcie out here/,
    ],
    [
      nics('dcb: true', 'model: 82599, secondPortOf: h1, pcie: { latency: 1us }'),
      /both ports have the PCIe link of h1/,
    ],
    [
      'hosts: { nic: { model: 82599 } }\n' +
        'devices: { h2: { nic: { secondPortOf: h1 } }, h3: { nic: { secondPortOf: h1 } } }\n',
      /h1 has a second port already: h2/,
    ],
  ] as const) {
    it(`are refused: ${message.source}`, () => {
      assert.throws(() => fabricOf(text(devices, sending)), message);
    });
  }

  it('are refused in two services', () => {
    const placement = 'placement: { left: [h1], right: [h2] }\n';
    assert.throws(
      () => fabricOf(text(SHARED, sending, placement)),
      /h1 and h2 are ports of one NIC; place them together/,
    );
  });
});
