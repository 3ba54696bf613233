import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenInvariant } from '../../../../services/engine/analysis/ledger/invariants.js';
import { Session } from '../../../../services/runtime/session.js';
import { fabricOf } from '../../../kit/emulate.js';

describe('invariants of ports', () => {
  for (const method of ['credit', 'cbfc']) {
    it(`no priority without ${method} stands behind one that waits for it`, () => {
      const fabric = fabricOf(`
duration: 10us
fabric: { generator: star, hosts: 2 }
priorities: { 4: ${method} }
load: [ { stream: { from: h1, to: h2 }, priority: 4 } ]
`);
      const { engine } = new Session(fabric, { check: false });
      assert.equal(brokenInvariant(engine, engine.devices.length), null);
      engine.shared.ports.setClasses(engine.devices[1]!.firstPort, [0, 1, 4, 3, 4, 5, 6, 7]);
      const { device, port, what } = brokenInvariant(engine, engine.devices.length)!;
      assert.deepEqual([device, port, what], [1, 0, 'port.class-of-one-permission']);
    });
  }
});
