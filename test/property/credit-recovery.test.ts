import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bufferBacksCredit } from '../../services/mechanisms/credit/invariants.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Harm } from '../kit/credit-link.js';
import {
  creditSpec,
  KEEP_ALIVE_PS,
  LossyCreditLink,
  NO_HARM,
  SYNC_PS,
  nothingIsLost,
} from '../kit/credit-link.js';
import { isLong } from '../kit/long-suite.js';
import { fc } from '../kit/properties.js';

const BUFFER = 200;
interface Case extends Harm {
  readonly seed: number;
  readonly policy: 'static' | 'demand';
  readonly isWide: boolean;
  /** Which end loses its state halfway. */
  readonly restart: 'nobody' | 'sender' | 'receiver' | 'both';
}

const share = fc.integer({ min: 0, max: 40 }).map((percent) => percent / 100);
const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(),
  policy: fc.constantFrom('static', 'demand'),
  isWide: fc.boolean(),
  restart: fc.constantFrom('nobody', 'nobody', 'sender', 'receiver', 'both'),
  lose: share,
  repeat: share,
  corrupt: share,
  delay: share,
  flip: fc.constant(0),
  loseData: share,
});

/** Traffic and harm for a while, then quiet; the invariants are looked at after every event. */
function live(c: Case): LossyCreditLink {
  const link = new LossyCreditLink(
    creditSpec(BUFFER, c.policy, c.isWide),
    new RandomStream(c.seed, 'credit'),
  );
  const look = (): void => {
    assert.ok(link.stored <= BUFFER, `${link.stored} units stored`);
    assert.ok(bufferBacksCredit(link.view, link.inFlight), 'credit was created');
  };
  link.harm = c;
  link.offer(400);
  link.run(60e6, look);
  if (c.restart === 'sender' || c.restart === 'both') link.sender.credit.sender.startOver(link.row);
  if (c.restart === 'receiver' || c.restart === 'both') {
    link.receiver.credit.receiver.startOver(link.row);
  }
  link.offer(400);
  link.run(150e6, look);
  link.harm = NO_HARM;
  link.stop();
  // Both heartbeats, a resynchronisation that they may ask for, and what was delayed before.
  link.run(150e6 + 3 * KEEP_ALIVE_PS + 4 * SYNC_PS, look);
  return link;
}

describe('Credit on a link that loses, repeats, corrupts and delays its messages', () => {
  it('is never created, and is all back when the harm is over', () => {
    const property = fc.property(cases, (c) => {
      const link = live(c);
      assert.ok(nothingIsLost(link.view), 'credit is lost for ever');
      if (c.policy === 'static') {
        assert.equal(link.sender.credit.sender.available(link.row), BUFFER);
      }
    });
    fc.assert(property, { seed: 5, numRuns: isLong ? 10_000 : 3_000 });
  });
});
