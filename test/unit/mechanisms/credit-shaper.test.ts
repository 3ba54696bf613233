import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CreditCarrier } from '../../../services/mechanisms/credit/machine.js';
import { makeCreditShaper } from '../../../services/mechanisms/credit/shaper.js';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { Tables } from '../../../services/engine/kernel/tables.js';
import { creditSpec, LossyCreditLink } from '../../kit/credit-link.js';

const BUCKET_UNITS = 64;
const CHUNK_UNITS = 16;

/** Two accounts of a port whose shaper has an empty bucket; both wait for tokens. */
function twoThatWait() {
  const spec = creditSpec(200);
  const shaper = { octetPs: 8000, bucketOctets: BUCKET_UNITS * 64, chunkOctets: CHUNK_UNITS * 64 };
  const terms = { ...spec, priorities: 0b11000, granting: { ...spec.granting, shaper } };
  const { accounts } = new LossyCreditLink(terms, new RandomStream(1, 'link')).receiver.credit;
  const woken: number[] = [];
  const carrier = {
    clock: { now: 0 },
    wake: (row: number) => woken.push(row),
  } as unknown as CreditCarrier;
  const shaping = makeCreditShaper(new Tables({ port: 1, credit: 2 }), accounts, carrier);
  const [first, second] = [accounts.firstRow(0), accounts.firstRow(0) + 1];
  assert.equal(shaping.grant(first, BUCKET_UNITS), BUCKET_UNITS);
  assert.equal(shaping.grant(second, CHUNK_UNITS), 0);
  assert.equal(shaping.grant(first, CHUNK_UNITS), 0);
  assert.ok(shaping.isWaiting(first) && shaping.isWaiting(second));
  woken.length = 0;
  return { shaping, woken, first, second };
}

it('the next account has its turn when the one before wants no more', () => {
  const { shaping, woken, first, second } = twoThatWait();
  assert.equal(shaping.dueAt(first), Infinity);
  assert.equal(shaping.grant(second, 0), 0);
  assert.ok(!shaping.isWaiting(second));
  assert.deepEqual(woken, [first]);
  assert.ok(shaping.dueAt(first) < Infinity);
});

it('an account that leaves without having waited wakes none', () => {
  const { shaping, woken, first, second } = twoThatWait();
  shaping.leave(second);
  woken.length = 0;
  shaping.leave(second);
  assert.deepEqual(woken, []);
  shaping.leave(first);
  assert.equal(shaping.dueAt(first), Infinity);
});
