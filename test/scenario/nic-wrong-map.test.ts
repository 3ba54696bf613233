/** The caution of 7.7.2.2: an 82599 whose RTTUP2TC is not the table of its software. */

import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

/** h2 stores priority 3 more slowly than it arrives, and pauses it. */
const text = (faults: string, nic = ''): string => `duration: 400us
fabric: { generator: pair, link: { rate: 10G, length: 10m } }
priorities: { 3: { flowControl: pfc, responseDelay: 500ns }, 5: { flowControl: pfc, responseDelay: 500ns } }
hosts: { nic: { model: 82599${nic} } }
devices:
  h2:
    nic:
      pools: { 1: { software: 9us } }
      receiveRings: { descriptors: 16 }
load:
  - { name: paused, stream: { from: h1, to: h2 }, priority: 3, vm: 1, rate: 5G }
  - { name: free, stream: { from: h1, to: h2 }, priority: 5, rate: 3G }
faults: [${faults}]
`;
const SWAPPED = '{ kind: wrong-map, where: { device: h1 }, classes: [0, 1, 2, 5, 4, 3, 6, 7]';

const framesOf = (results: RunResults, name: string): number =>
  results.flows.find(({ load }) => load === name)!.frames;

describe('RTTUP2TC unlike the table of software', () => {
  it('stops the wrong class, and not the one that is paused', () => {
    const right = runScenario(text(''));
    assert.equal(right.status, 'complete');
    assert.deepEqual(
      right.priorities.map(({ drops }) => drops),
      [{}, {}],
    );
    const wrong = runScenario(text(`${SWAPPED}, at: 20us }`));
    // The sender goes on after XOFF, and its frames find the buffer full: by the fault.
    const dropped = wrong.priorities.find(({ priority }) => priority === 3)!.drops;
    assert.ok(dropped['overflow-by-fault']! > 10, JSON.stringify(dropped));
    assert.ok(framesOf(wrong, 'free') < 0.8 * framesOf(right, 'free'));
    // It stands still for good: what it is stopped by is meant for the other, and repeated.
    assert.deepEqual(
      [wrong.status, wrong.stalls.map(({ name }) => name)],
      ['stalled', ['free/h1->h2']],
    );
    assert.equal(nicsOf(wrong)[0]!.registers['RTTUP2TC'], 0o76345210);
  });

  it('is right again when the fault is over', () => {
    const results = runScenario(text(`${SWAPPED}, at: 150us, for: 60us }`));
    assert.equal(nicsOf(results)[0]!.registers['RTTUP2TC'], 0o76543210);
    const lasting = runScenario(text(`${SWAPPED}, at: 150us }`));
    assert.ok(framesOf(results, 'free') > framesOf(lasting, 'free'));
  });

  it('has one digest in every runner, saved and restored', () => {
    const faults = `${SWAPPED}, at: 110us, for: 90us, every: 150us }, { kind: wrong-map, where: { device: h1 }, at: 170us, for: 80us, classes: [3, 3, 3, 3, 0, 0, 0, 0] }`;
    const fabric = fabricOf(text(faults));
    for (const seed of [1, 2]) assert.equal(whatIsWrong(fabric, seed), null);
  });

  it('is refused where it means nothing', () => {
    const at = (where: string): string => SWAPPED.replace('h1', where);
    const four = `duration: 1us
fabric: { generator: pair, link: { rate: 10G, length: 10m } }
priorities: { 3: pfc, 7: pfc }
classes: { transmit: [0, 1, 2, 3, 0, 1, 2, 3], receive: [0, 1, 2, 3, 0, 1, 2, 3] }
hosts: { nic: { model: 82599, tcs: 4 } }
load: [{ stream: { from: h1, to: h2 } }]
faults: [${SWAPPED} }]
`;
    assert.throws(() => fabricOf(four), /:8:.*h1 has no class 5: its NIC has 4, 0 to 3/);
    const plain = text(`${at('h2')} }`)
      .replace(/hosts:[^]*load:/, 'load:')
      .replace(', vm: 1', '');
    assert.throws(
      () => fabricOf(plain),
      /none of the ports that fault1 hits has an 82599 with DCB/,
    );
    const short = SWAPPED.replace(', 6, 7]', ']');
    assert.throws(() => fabricOf(text(`${short} }`)), /not eight classes/);
  });
});
