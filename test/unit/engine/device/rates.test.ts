import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Engine } from '../../../../services/engine/device/engine.js';
import { restoreDevice, saveDevice } from '../../../../services/engine/device/checkpoint.js';
import { ENGINE_KINDS } from '../../../../services/mechanisms/registry.js';
import { fabricOf } from '../../../kit/emulate.js';

const FLOWS = 200;

const FABRIC = fabricOf(`
duration: 1ms
fabric: { generator: pair }
priorities: { 1: { flowControl: none, ecn: { step: 60KB } } }
load:
${`  - { stream: { from: h1, to: h2 }, bytes: 1KB, priority: 1, congestion: dcqcn }\n`.repeat(FLOWS)}
`);

/** An engine, and how many rows its invariants were computed for. */
function counted(): { engine: Engine; checked: () => number } {
  let rows = 0;
  const rateControls = ENGINE_KINDS.rateControls.map((kind) => ({
    kind: kind.kind,
    create: (...given: Parameters<typeof kind.create>) => {
      const control = kind.create(...given);
      const broken = control.broken.bind(control);
      control.broken = (row) => {
        rows++;
        return broken(row);
      };
      return control;
    },
  }));
  const engine = new Engine(FABRIC.specs, { ...ENGINE_KINDS, rateControls });
  return {
    engine,
    checked: () => {
      rows = 0;
      assert.equal(engine.rates.broken(FABRIC.specs.length), null);
      return rows;
    },
  };
}

describe('invariants of rate controls', () => {
  it('are computed for rows that changed since the last check, and no others', () => {
    const { engine, checked } = counted();
    assert.equal(checked(), FLOWS);
    assert.equal(checked(), 0);
    engine.rates.notified(7, 1);
    engine.rates.notified(7, 1);
    engine.rates.lost(9, true);
    assert.equal(checked(), 2);
    assert.equal(checked(), 0);
  });

  it('leave rows of other devices for a later check', () => {
    const { engine, checked } = counted();
    assert.equal(engine.rates.broken(0), null);
    assert.equal(checked(), FLOWS);
  });

  it('are computed again for a device that was restored', () => {
    const { engine, checked } = counted();
    checked();
    restoreDevice(engine, 0, saveDevice(engine, 0));
    assert.equal(checked(), FLOWS);
  });
});
