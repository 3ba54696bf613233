/** What holds of every mechanism by the form of its slice. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  FLOW_CONTROLS,
  MECHANISM_METRICS,
  MECHANISMS,
} from '../../../services/mechanisms/registry.js';
import { evaluateExpectations } from '../../../services/report/expectations.js';
import { fabricOf, run } from '../../kit/emulate.js';

const RETRIED = `
duration: 40us
fabric: { generator: pair, link: { rate: 100G, length: 10m, postFecBer: 1.0e-5 } }
priorities: { 3: pfc }
llr: { enabled: true }
load: [{ stream: { from: h1, to: h2 }, priority: 3, transport: raw, frame: 1000, rate: line }]
`;

it('a flow control that priorities choose plans ports, and has results, through its slice', () => {
  for (const name of FLOW_CONTROLS) {
    const slice = MECHANISMS.find((own) => own.name === name)!;
    assert.ok(slice.flowControl, name);
    const { mechanisms } = fabricOf(`
fabric: { generator: pair }
priorities: { 3: ${name} }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, priority: 3 }]
`);
    const { plan } = mechanisms.find((own) => own.slice === slice)!;
    const ofPort = [plan.pausing?.(0, 0), plan.grants?.(0, 0, null), plan.ofHost?.(0, [])];
    assert.ok(
      ofPort.some((part) => (part ?? null) !== null),
      `${name} plans no port`,
    );
    assert.notDeepEqual(slice.results.published, {}, `${name} has no results`);
  }
});

it('credit exchange is planned only where the ends of a link come to it', () => {
  const plans = (flowControl: string): unknown => {
    const { mechanisms } = fabricOf(`
fabric: { generator: pair }
priorities: { 3: ${flowControl} }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, priority: 3 }]
`);
    const { plan } = mechanisms.find(({ slice }) => slice.name === 'credit')!;
    return [plan.grants!(0, 0, null) !== null, plan.backing!(0, 0, 1).some((octets) => octets > 0)];
  };
  assert.deepEqual(plans('credit'), [true, true]);
  assert.deepEqual(plans('pfc'), [false, false]);
});

it('a measure of a mechanism is taken at the devices and ports that an expectation names', () => {
  const where = ['', ', device: h2', ', device: h1', ', port: "h2:p1"', ', port: "h1:p1"'];
  const expect = where.map((at) => `{ metric: llr.bad, min: 1${at} }`);
  const fabric = fabricOf(`${RETRIED}expect: [${expect.join(', ')}]`);
  const found = evaluateExpectations(fabric.scenario.expect, run(fabric));
  const [all, receiver, sender, receiving, sending] = found.map(({ actual }) => Number(actual));
  assert.ok(receiver! > 0);
  assert.deepEqual([receiving, sending], [receiver, sender]);
  assert.equal(receiver! + sender!, all);
});

it('a measure of lost grants is of the priorities and devices that an expectation names', () => {
  const lost = { peer: 's1:p1', channel: 0, blockedSincePs: null };
  const results = {
    lostCredits: [
      { ...lost, port: 'h1:p1', priority: 3, units: 5 },
      { ...lost, port: 'h2:p1', priority: 4, units: 7 },
    ],
  };
  const measured = (device: string, port: string, priority: number): number | null =>
    MECHANISM_METRICS['credit-lost'].measure(results, {
      device: (name) => device === '' || name === device,
      port: (name) => port === '' || name === port,
      priority: (one) => priority < 0 || one === priority,
    });
  assert.equal(measured('', '', -1), 12);
  assert.equal(measured('', '', 4), 7);
  assert.equal(measured('', 'h1:p1', -1), 5);
  assert.equal(measured('h2', '', -1), 7);
});

it('buffer that no switch has is named by the flow control that grants most of it', () => {
  for (const name of ['credit', 'cbfc']) {
    assert.throws(
      () =>
        fabricOf(`
fabric: { generator: star, hosts: 3 }
priorities: { 3: ${name} }
switches: { buffer: { size: 10KB } }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, priority: 3 }]
`),
      new RegExp(`most of its ${name} is at s1:p1: \\d+ bytes for priority 3, whose loop takes`),
    );
  }
});
