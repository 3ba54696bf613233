/** Control frames of every kind can be forged; each does what a true one would, and is counted. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CiCounters } from '../../services/mechanisms/ci/managed.js';
import { ciPointOf } from '../../services/mechanisms/ci/results.js';
import { NullProbe } from '../../services/engine/contract/probe.js';
import type { Engine } from '../../services/engine/device/engine.js';
import { CONTROL_FRAMES } from '../../services/engine/faults/control-frames.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

const LEAST_OCTETS = 60;
const TYPE_AT = 12;

/** The first true frame of a kind. */
class Listener extends NullProbe {
  heard: string | null = null;

  constructor(private readonly kind: string) {
    super();
  }

  override controlSent(_: number, __: number, ___: number, octets: Uint8Array): void {
    const { etherType, opcode } = CONTROL_FRAMES[this.kind]!;
    if (this.heard !== null) return;
    const frame = Buffer.alloc(Math.max(LEAST_OCTETS, octets.length));
    frame.set(octets);
    if (frame.readUInt16BE(TYPE_AT) !== etherType) return;
    if (opcode >= 0 && frame.readUInt16BE(TYPE_AT + 2) !== opcode) return;
    this.heard = frame.toString('hex');
  }

  override tagSent(device: number, port: number, now: number, octets: Uint8Array): void {
    this.controlSent(device, port, now, octets);
  }
}

function finished(example: string, ...set: string[]): Session {
  const session = new Session(fabricOf(`examples/${example}.yaml`, 'expect=[]', ...set), {
    check: false,
  });
  while (session.advance(1000) === 'running');
  return session;
}

function placeOf({ devices }: Engine, name: string): number {
  return devices.findIndex(({ spec }) => spec.name === name);
}

/** Of all mechanisms at a port of a device. */
function countOf({ engine }: Session, device: string, port: number, counter: string): number {
  const number = engine.devices[placeOf(engine, device)]!.firstPort + port;
  const values = engine.mechanisms.flatMap(
    (one) => one.managedValues?.(number, engine.clock.now) ?? [],
  );
  return values.filter(({ name }) => name === counter).reduce((sum, { value }) => sum + value, 0);
}

function recorded(kind: string, example: string, ...set: string[]): string {
  const session = new Session(fabricOf(`examples/${example}.yaml`, ...set), { check: false });
  const listener = new Listener(kind);
  session.engine.listen(listener);
  while (session.advance(1000) === 'running');
  return listener.heard!;
}

function forgedBy(octets: string, where: string): string {
  const times = 'interval: 2us, at: 20us, for: 60us';
  return `faults=[{ kind: forge, where: ${where}, octets: '${octets}', ${times} }]`;
}

/** By kind: the port where it is spoofed, its destination, and the counters there. */
const CASES = [
  ['pfc', 'victim-behind-pfc', 'leaf2:p2', ['h6', 0], 'ieee8021PfcIndications'],
  ['ce-grant', 'incast-credit', 's1:p2', ['h2', 0], 'ceGrantsReceived'],
  ['ce-request', 'incast-credit', 'h2:p1', ['s1', 1], 'ceRequestsReceived'],
  ['ce-tag-grant', 'mixed-methods', 's1:p1', ['h1', 0], 'ceGrantsReceived'],
  ['ce-tag-request', 'mixed-methods', 'h2:p1', ['s1', 1], 'ceRequestsReceived'],
  ['lldp', 'discovery-willing-hosts', 'h1:p1', ['leaf1', 0], 'statsFramesInTotal'],
] as const;

describe('a forged control frame', () => {
  for (const [kind, example, liar, [receiver, to], counter] of CASES) {
    it(`is one more ${kind} to its receiver`, () => {
      const truth = finished(example);
      const lie = finished(example, forgedBy(recorded(kind, example), `{ port: '${liar}' }`));
      const { hits } = lie.results('complete').faults[0]!;
      assert.ok(hits >= 20, `${hits} forged`);
      const more = countOf(lie, receiver, to, counter) - countOf(truth, receiver, to, counter);
      assert.ok(more >= hits / 2, `${more} more, ${hits} forged`);
    });
  }

  it('is of the fault that requested it, where two forge at one port', () => {
    const first = recorded('pfc', 'victim-behind-pfc');
    const second = first.replace(/ffff/, '0100');
    assert.notEqual(first, second);
    const each = [first, second].map(
      (octets, i) =>
        `{ kind: forge, name: f${i}, where: { port: 'leaf2:p2' }, octets: '${octets}', ` +
        `interval: ${2 + i}us, at: 20us, for: 60us }`,
    );
    const { faults } = finished('victim-behind-pfc', `faults=[${each.join(', ')}]`).results(
      'complete',
    );
    assert.deepEqual(
      faults.map(({ hits }) => hits),
      [30, 20],
    );
  });

  it('stops a priority, if it is PFC', () => {
    const forged = forgedBy(recorded('pfc', 'victim-behind-pfc'), "{ port: 'leaf2:p2' }");
    const blocked = (...set: string[]): number =>
      countOf(finished('victim-behind-pfc', ...set), 'h6', 0, 'pausedTimePs');
    assert.equal(blocked(), 0);
    assert.ok(blocked(forged) >= 60e6, `${blocked(forged)} ps`);
  });

  it('is spent like a true one, if it grants credit that is counted up and not a total', () => {
    const counts = 'credit.counts=incremental';
    const forged = forgedBy(recorded('ce-grant', 'incast-credit', counts), "{ port: 's1:p2' }");
    const spent = (...set: string[]): number =>
      countOf(finished('incast-credit', 'duration=80us', ...set), 'h2', 0, 'creditsSpent');
    assert.ok(spent(counts, forged) > spent(counts));
    assert.equal(spent(forged), spent());
  });
});

/**
 * A CIM of h1's flow to h5, as spine1 sends it to leaf1 in an incast; and leaf1's counters of CIMs.
 */
function recordedCim(): string {
  const session = new Session(fabricOf('examples/incast-ci.yaml'), { check: false });
  const point = ciPointOf(session.engine, placeOf(session.engine, 'leaf1'))!;
  const heard: string[] = [];
  const processCim = point.processCim.bind(point);
  point.processCim = (port, octets) => {
    heard.push(Buffer.from(octets).toString('hex'));
    processCim(port, octets);
  };
  while (session.advance(1000) === 'running');
  return heard[0]!;
}

describe('a forged CIM', () => {
  /** Without congestion, nothing is isolated. */
  const calm = (...set: string[]): Session =>
    finished('incast-ci', 'load.0.rate=10%', 'load.1.rate=10%', ...set);
  const ofLeaf1 = ({ engine }: Session): CiCounters =>
    ciPointOf(engine, placeOf(engine, 'leaf1'))!.counters;

  it('isolates a flow that does not congest, and is counted like a true one', () => {
    const truth = ofLeaf1(calm());
    assert.deepEqual([truth.ciCimsReceived, truth.ciFramesIsolated], [0, 0]);
    const session = calm(forgedBy(recordedCim(), '{ device: spine1, peer: leaf1 }'));
    const { hits } = session.results('complete').faults[0]!;
    const lie = ofLeaf1(session);
    assert.ok(hits >= 20, `${hits} forged`);
    assert.equal(lie.ciCimsReceived, hits);
    assert.equal(lie.ciFlowsByCim, 1);
    assert.ok(lie.ciFramesIsolated > 10, `${lie.ciFramesIsolated} frames`);
    assert.equal(session.results('complete').failure, null);
  });

  it('is discarded where no link partner isolates flows, and has no effect', () => {
    const leaf1 = fabricOf('examples/incast-ci.yaml').specs.find(({ name }) => name === 'leaf1')!;
    const address = leaf1.ports[0]!.mac.toString(16).padStart(12, '0');
    const octets = address + recordedCim().slice(address.length);
    const session = calm(forgedBy(octets, '{ device: h1 }'));
    const lie = ofLeaf1(session);
    assert.ok(lie.ciCimsRefused >= 20);
    assert.equal(lie.ciCimsRefused, lie.ciCimsReceived);
    assert.equal(lie.ciFramesIsolated, 0);
  });
});

describe('a host with an 82599', () => {
  const scenario = (load: string): string => `
fabric: { generator: pair }
priorities: { 1: credit }
devices: { h2: { nic: { model: "82599" } } }
load: [${load}]
faults:
  - { kind: forge, where: { device: h2 }, frames: cnm, to: h1, interval: 5us, at: 10us, for: 21us }
`;

  for (const [what, load] of [
    ['is idle', ''],
    ['has a load', '{ stream: { from: h2, to: h1 }, priority: 1, bytes: 40KB }'],
  ] as const) {
    it(`that ${what} sends forged frames at their time`, () => {
      const session = new Session(fabricOf(scenario(load)), { check: true });
      while (session.advance(1000) === 'running');
      const { status, faults, ports, virtualPs } = session.results('complete');
      assert.equal(status, 'complete');
      assert.equal(faults[0]!.hits, 5);
      const sent = ports.find(({ port }) => port === 'h2:p1')!.priorities;
      assert.equal(sent.find(({ priority }) => priority === 6)!.txFrames, 5);
      assert.ok(virtualPs < 40e6);
    });
  }
});
