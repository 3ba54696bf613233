import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { wrongsIn } from '../causes/judge.js';
import { CAUSE_NAMES, METHODS, worldOf } from '../causes/worlds.js';
import { isLong } from '../kit/long-suite.js';

const ROUNDS = isLong ? 40 : 1;
/** In so many worlds of the long suite another one may be named first. */
const WRONG_MOST = 0.01;

describe('a cause that was put into a world is named first, with port, culprits and victims', () => {
  let all = 0;
  let wrong = 0;
  for (const [name, { not }] of Object.entries(METHODS)) {
    // Some causes cannot be with some methods; worlds.ts says why.
    for (const kind of CAUSE_NAMES.filter((one) => not[one] === undefined)) {
      it(`${kind} with ${name}`, () => {
        const random = new RandomStream(7, `${name} ${kind}`);
        const found: string[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const world = worldOf(name, kind, random);
          const wrongs = wrongsIn(world);
          if (wrongs.length > 0) found.push(`round ${round}: ${wrongs.join('; ')}\n${world.text}`);
        }
        all += ROUNDS;
        wrong += found.length;
        assert.ok(found.length <= ROUNDS / 10, found.join('\n'));
      });
    }
  }

  it('in at least 99 % of all worlds', () => {
    assert.ok(wrong <= WRONG_MOST * all, `${wrong} of ${all}`);
  });
});
