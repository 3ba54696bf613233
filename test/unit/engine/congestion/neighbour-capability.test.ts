import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../../../services/engine/device/engine.js';
import { ciOf, ciPointOf } from '../../../../services/mechanisms/ci/results.js';
import { sfcOf, sfcPointOf } from '../../../../services/mechanisms/sfc/results.js';
import { Session } from '../../../../services/runtime/session.js';
import { fabricOf } from '../../../kit/emulate.js';

const FABRIC = `
duration: 200us
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostLink: { rate: 100G, length: 10m }, fabricLink: { rate: 400G, length: 50m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
`;
const LOAD =
  'load: [{ name: s, stream: { from: [h1, h2, h3], to: h4 }, rate: line, frame: 1518, priority: 3 }]\n';

/** Runs an engine with given capabilities of link partners. */
function emulate(text: string, learn: (engine: Engine, port: PortOf) => void): Session {
  const session = new Session(fabricOf(text), { check: true });
  const { engine } = session;
  learn(engine, (name, port) => {
    const device = engine.devices.find(({ spec }) => spec.name === name)!;
    return device.firstPort + port - 1;
  });
  while (session.advance(1000) === 'running');
  return session;
}

function placeOf(engine: Engine, name: string): number {
  return engine.devices.findIndex(({ spec }) => spec.name === name);
}

type PortOf = (device: string, port: number) => number;

describe('a bridge that learns whether its station responds to messages', () => {
  const text = (more: string): string =>
    `${FABRIC}${LOAD}sfc: { detect: 30KB, target: 20KB, minInterval: 5us${more} }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, sfc: true } }
`;
  const invoked = ({ engine }: Session): number =>
    sfcPointOf(engine, placeOf(engine, 'leaf1'))!.counters.sfcPfcInvoked;

  it('acts for it until then, and no longer', () => {
    assert.equal(invoked(emulate(text(''), () => undefined)), 0);
    const stranger = emulate(text(''), (engine, port) => {
      sfcOf(engine).stationPauses(port('leaf1', 1), false);
    });
    assert.ok(invoked(stranger) > 3);
  });

  it('does what the scenario says where that is not left to what it learns', () => {
    const learn = (engine: Engine, port: PortOf): void => {
      for (const p of [1, 2, 3]) sfcOf(engine).stationPauses(port('leaf1', p), false);
    };
    assert.equal(invoked(emulate(text(', proxy: off'), learn)), 0);
    assert.ok(invoked(emulate(text(', proxy: on'), () => undefined)) > 10);
  });

  it('never acts towards another bridge', () => {
    const { engine } = emulate(text(''), (engine, port) => {
      sfcOf(engine).stationPauses(port('leaf1', 4), false);
    });
    const leaf = engine.devices.find(({ spec }) => spec.name === 'leaf1')!;
    assert.equal(sfcOf(engine).actsFor(leaf.firstPort + 3), false);
  });
});

describe('a bridge that learns whether its link partner processes CIMs', () => {
  const text = `${FABRIC}${LOAD}ci: { detect: 40KB, low: 10KB }
priorities:
  2: { flowControl: pfc, responseDelay: 200ns, xoff: 100KB }
  3: { flowControl: pfc, responseDelay: 200ns, xoff: 250KB, ci: true }
`;
  const told = ({ engine }: Session): number =>
    ciPointOf(engine, placeOf(engine, 'leaf2'))!.counters.ciCimAddsTransmitted;

  it('sends it CIMs for congesting flows, and others none', () => {
    assert.ok(told(emulate(text, () => undefined)) > 0);
    const stranger = emulate(text, (engine, port) => {
      ciOf(engine).peerIsolates(port('leaf2', 4), false);
    });
    assert.equal(told(stranger), 0);
  });
});
