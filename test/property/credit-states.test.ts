/** The machines of a credit account, in every state that they can be in at small windows. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Harms } from '../kit/credit-states.js';
import { CreditStates, smallSpec } from '../kit/credit-states.js';

/** More is a mistake in what distinguishes states. */
const MOST = 100_000;

const NONE: Harms = { lose: false, duplicate: false, corrupt: false, restart: false, most: 1 };
const RUNS: readonly (readonly [string, number, Harms])[] = [
  ['a frame or a message is lost', 2, { ...NONE, lose: true }],
  ['a message comes twice', 2, { ...NONE, duplicate: true }],
  ['an end restarts', 1, { ...NONE, restart: true }],
  ['a message has a wrong bit', 1, { ...NONE, corrupt: true }],
];

for (const policy of ['static', 'demand'] as const) {
  describe(`every state of a credit account, ${policy} policy`, () => {
    for (const [name, buffer, harms] of RUNS) {
      it(`creates no credit and loses none, when once ${name} (buffer ${buffer})`, () => {
        const states = new CreditStates(smallSpec(policy, buffer), harms);
        states.explore(MOST);
        const { seen, transitions } = states;
        console.log(`credit, ${policy}, ${name}: ${seen.size} states, ${transitions} transitions`);
        assert.ok(seen.size > 10_000);
      });
    }
  });
}

describe('incremental counts, which the exploration has to refuse', () => {
  const spec = { ...smallSpec('static', 2), counts: 'incremental' as const };

  it('lose credit with a message', () => {
    const states = new CreditStates(spec, { ...NONE, lose: true });
    assert.throws(() => {
      states.explore(MOST);
    }, /^Error: credit is lost for ever, after .*lose to/);
  });
});
