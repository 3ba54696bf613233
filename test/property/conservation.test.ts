/** What arrives was sent, by priority: in worlds of any mechanisms, messages and faults. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, overdelivered } from '../../services/engine/analysis/ledger/deliveries.js';
import { isBroken, makeWorld } from '../../services/hunt/worlds/world.js';
import { Session } from '../../services/runtime/session.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const SEED = 9;
const WORLDS = isLong ? 2000 : 120;

function notMoreThanSent({ priorities }: RunResults, where: string): void {
  for (const { priority, sentFrames, deliveredFrames } of priorities) {
    const what = `${deliveredFrames} delivered of ${sentFrames}, priority ${priority}, ${where}`;
    assert.ok(deliveredFrames <= sentFrames, what);
  }
}

describe('frames of a priority', () => {
  it('are delivered at most as often as they were sent, and so are their octets', () => {
    for (let world = 0; world < WORLDS; world++) {
      const { fabric } = makeWorld(SEED, world);
      assert.ok(!isBroken(fabric));
      const session = new Session(fabric, { check: false });
      while (session.advance(1000) === 'running');
      notMoreThanSent(session.results('complete'), `world ${world}`);
      assert.equal(overdelivered(session.engine), null, `world ${world}`);
    }
  });

  it('are counted alike where switches make them: messages, and copies for a group', () => {
    const qcn = runScenario('examples/incast-qcn.yaml');
    notMoreThanSent(qcn, 'QCN');
    const messages = qcn.priorities.find(({ priority }) => priority === 6)!;
    assert.ok(messages.sentFrames > 0 && messages.deliveredFrames > 0);
    const group = runScenario(`
fabric: { generator: star, hosts: 4 }
groups: { three: [ h2, h3, h4 ] }
load: [ { stream: { from: h1, to: three }, bytes: 15KB, priority: 2, frame: 1000 } ]
`);
    const [{ sentFrames, deliveredFrames }] = group.priorities as [
      RunResults['priorities'][number],
    ];
    assert.deepEqual([sentFrames, deliveredFrames], [3 * 16, 3 * 16]);
  });

  it('that arrive twice although nothing repeated them are noticed', () => {
    const session = new Session(fabricOf('examples/incast-pfc.yaml'), { check: true });
    session.runTo(20e6);
    const { engine } = session;
    const { sent, received } = framesOf(engine, 3);
    assert.ok(received < sent);
    const { firstPort } = engine.devices[0]!;
    for (let n = received; n <= sent; n++) engine.shared.counters.received(firstPort, 3, 1518);
    assert.equal(overdelivered(engine)!.what, 'frames that hosts receive <= frames that were sent');
  });
});
