import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Engine, type EngineKinds } from '../../../../services/engine/device/engine.js';
import { ENGINE_KINDS } from '../../../../services/mechanisms/registry.js';
import { fabricOf } from '../../../kit/emulate.js';

const END_PS = 20e6;

/** Two senders with more than a link carries, and nothing that holds them back. */
const FABRIC = fabricOf(`
duration: 20us
fabric: { generator: star, hosts: 3 }
load:
  - { stream: { from: h1, to: h3 }, rate: line }
  - { stream: { from: h2, to: h3 }, rate: line }
`);

function engineOf(kinds: EngineKinds): Engine {
  const engine = new Engine(FABRIC.specs, kinds);
  for (const { a, b } of FABRIC.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  return engine;
}

/** Runs device after device up to the next event of any. */
function digestsOf(engine: Engine): string[] {
  const { horizon, digests } = engine.shared;
  for (;;) {
    const next = engine.devices.reduce((d, _, i) => (horizon[i]! < horizon[d]! ? i : d), 0);
    if (horizon[next]! >= END_PS) break;
    engine.run(next, horizon[next]! + 1);
  }
  return engine.devices.map((_, d) => digests.hex(d));
}

describe('an engine', () => {
  it('needs no mechanism: without any it does the same where none is configured', () => {
    const bare = digestsOf(engineOf({ ...ENGINE_KINDS, rateControls: [], mechanisms: [] }));
    assert.deepEqual(bare, digestsOf(engineOf(ENGINE_KINDS)));
    const untouched = engineOf(ENGINE_KINDS).shared.digests;
    bare.forEach((digest, d) => {
      assert.notEqual(digest, untouched.hex(d));
    });
  });

  it('refuses two mechanisms with one slot', () => {
    const [first, second, ...others] = ENGINE_KINDS.mechanisms;
    const moved = { ...second!, slot: first!.slot };
    const mechanisms = [first!, moved, ...others];
    assert.throws(() => engineOf({ ...ENGINE_KINDS, mechanisms }), /engine\.slot-of-one/);
  });
});
