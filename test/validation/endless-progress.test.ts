/** A world whose endless flow stops has failed, unless it is owed nothing. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { stuckFlow } from '../../services/hunt/worlds/progress.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

const STREAMS = (arbiter: string): string => `
duration: 1ms
fabric: { generator: pair }
classes: { arbiter: ${arbiter} }
load:
  - { name: low, stream: { from: h1, to: h2 }, priority: 1 }
  - { name: high, stream: { from: h1, to: h2 }, priority: 7, start: 100us }
`;

/** What is wrong with a run in which a priority of h1 is held from a time on, for no reason. */
function stuckIn(fabric: Fabric, heldFromPs = Infinity, priority = 0): string | null {
  const session = new Session(fabric, { check: false });
  session.runTo(Math.min(heldFromPs, 1e9));
  if (heldFromPs < Infinity) session.engine.hold(0, 0, 1 << priority);
  while (session.advance(1000) === 'running');
  return stuckFlow(fabric, session.engine, session.results('complete'));
}

describe('an endless flow', () => {
  it('is stuck when nothing of it arrives any more', () => {
    const fabric = fabricOf(STREAMS('round-robin'));
    assert.equal(stuckIn(fabric), null);
    assert.match(
      stuckIn(fabric, 500e6, 1) ?? '',
      /low.* of priority 1 is stuck since (499|5\d\d)\.\d* us/,
    );
    // Four times what waits here drains in some 10 us: it is not 40 % of the run that is waited for.
    assert.match(stuckIn(fabric, 900e6, 1) ?? '', /is stuck since (899|9\d\d)\.\d* us/);
  });

  it('is not stuck behind a class above its own, or with a share of nothing', () => {
    assert.equal(stuckIn(fabricOf(STREAMS('strict'))), null);
    assert.equal(stuckIn(fabricOf(STREAMS('{ ets: { 1: 0%, 7: 100% } }'))), null);
  });
});
