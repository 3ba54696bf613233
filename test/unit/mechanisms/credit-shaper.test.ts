import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CreditCarrier } from '../../../services/mechanisms/credit/machine.js';
import { makeCreditShaper } from '../../../services/mechanisms/credit/shaper.js';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { Tables } from '../../../services/engine/kernel/tables.js';
import { creditSpec, LossyCreditLink } from '../../kit/credit-link.js';

const BUCKET_UNITS = 64;
const CHUNK_UNITS = 16;

const OCTET_PS = 8000;
/** In which the bucket gains tokens for a unit. */
const UNIT_PS = 64 * OCTET_PS;

/** Two accounts of a port with equal shares, and a full bucket. */
function twoAccounts() {
  const spec = creditSpec(200);
  const shaper = {
    octetPs: OCTET_PS,
    bucketOctets: BUCKET_UNITS * 64,
    chunkOctets: CHUNK_UNITS * 64,
  };
  const terms = { ...spec, priorities: 0b11000, granting: { ...spec.granting, shaper } };
  const { accounts } = new LossyCreditLink(terms, new RandomStream(1, 'link')).receiver.credit;
  const woken: number[] = [];
  const clock = { now: 0 };
  const carrier = {
    clock,
    wake: (row: number) => woken.push(row),
  } as unknown as CreditCarrier;
  const shaping = makeCreditShaper(new Tables({ port: 1, credit: 2 }), accounts, carrier);
  const [first, second] = [accounts.firstRow(0), accounts.firstRow(0) + 1];
  return { shaping, woken, clock, first, second };
}

/** The same with an empty bucket; both wait for tokens. */
function twoThatWait() {
  const { shaping, woken, first, second } = twoAccounts();
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

it('an account is granted a chunk at least, unless it wants less, and is woken for it', () => {
  const { shaping, woken, clock, first } = twoAccounts();
  assert.equal(shaping.grant(first, BUCKET_UNITS), BUCKET_UNITS);
  clock.now += (CHUNK_UNITS / 2) * UNIT_PS;
  assert.deepEqual(woken, []);
  assert.equal(shaping.grant(first, CHUNK_UNITS), 0);
  assert.deepEqual(woken, [first]);
  clock.now += (CHUNK_UNITS / 2) * UNIT_PS;
  assert.equal(shaping.grant(first, CHUNK_UNITS), CHUNK_UNITS);
  clock.now += 2 * UNIT_PS;
  assert.equal(shaping.grant(first, 2), 2);
});

it('an account that wanted nothing does not catch up with one that was served', () => {
  const { shaping, clock, first, second } = twoAccounts();
  for (let times = 0; times < 3; times++) {
    assert.equal(shaping.grant(first, BUCKET_UNITS), BUCKET_UNITS);
    clock.now += BUCKET_UNITS * UNIT_PS;
  }
  assert.equal(shaping.grant(first, BUCKET_UNITS), BUCKET_UNITS);
  const granted = [0, 0];
  for (let chunk = 0; chunk < 12; chunk++) {
    clock.now += CHUNK_UNITS * UNIT_PS;
    granted[0]! += shaping.grant(first, CHUNK_UNITS);
    granted[1]! += shaping.grant(second, CHUNK_UNITS);
  }
  assert.equal(granted[0]! + granted[1]!, 12 * CHUNK_UNITS);
  assert.ok(Math.abs(granted[0]! - granted[1]!) <= 4 * CHUNK_UNITS, granted.join());
});
