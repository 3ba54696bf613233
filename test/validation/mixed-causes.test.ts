import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { mixOf, refutedBy, textOf } from '../causes/mixes.js';
import { isLong } from '../kit/long-suite.js';

const ROUNDS = isLong ? 400 : 6;
const CONTROLS = isLong ? 40 : 6;

it(`no run without what is named first in a mix of causes refutes it, in ${ROUNDS} worlds`, () => {
  const random = new RandomStream(3, 'mixed causes');
  const wrongs: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const mix = mixOf(random);
    const wrong = refutedBy(mix);
    if (wrong !== null) wrongs.push(`${mix.method}: ${wrong}\n${textOf(mix, new Set())}`);
  }
  assert.deepEqual(wrongs, []);
});

it('refutes what is not the cause, in most worlds', () => {
  const random = new RandomStream(4, 'wrong causes');
  const mixes = Array.from({ length: CONTROLS }, () => mixOf(random));
  const refuted = mixes.filter((mix) => refutedBy(mix, true) !== null).length;
  assert.ok(refuted >= CONTROLS / 2, `${refuted} of ${CONTROLS}`);
});
