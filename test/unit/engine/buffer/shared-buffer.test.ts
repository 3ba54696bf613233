import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ADMITTED,
  HEADROOM,
  POOL_USED,
  makeSharedBuffer,
  type SharedBuffer,
  USED,
} from '../../../../services/engine/buffer/shared-buffer.js';
import { DROP } from '../../../../services/engine/contract/probe.js';
import type { AccountSpec } from '../../../../services/engine/contract/memory.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { fc } from '../../../kit/properties.js';

const lossy: AccountSpec = {
  lossless: false,
  reservedOctets: 0,
  alpha: 1,
  xoffOctets: Infinity,
  xonGapOctets: 0,
  headroomOctets: 0,
};
const lossless: AccountSpec = { ...lossless0(), headroomOctets: 3000, xonGapOctets: 500 };

function lossless0(): AccountSpec {
  return { ...lossy, lossless: true, xoffOctets: 4000 };
}

function bufferOf(account: AccountSpec, size: number, cell = 1, egressAlpha = 100): SharedBuffer {
  const buffer = makeSharedBuffer(new Tables({ device: 1, port: 2, send: 0, receive: 0 }));
  const unused = { ...lossy, alpha: 0 };
  const groups = [account, ...Array.from({ length: 7 }, () => unused)];
  buffer.configure(0, 0, {
    sizeOctets: size,
    cellOctets: cell,
    egressReservedOctets: 0,
    egressAlpha,
    accounts: [groups, groups],
    pools: null,
  });
  return buffer;
}

describe('shared buffer', () => {
  it('refuses a lossy frame beyond alpha times what is free', () => {
    const buffer = bufferOf(lossy, 10_000);
    assert.equal(buffer.admit(0, 0, 5000, 0), ADMITTED);
    assert.equal(buffer.admit(0, 0, 1, 5000), DROP.INGRESS_THRESHOLD);
    assert.equal(buffer.admit(1, 0, 2500, 0), ADMITTED);
  });

  it('refuses a lossy frame whose egress queue is beyond its own threshold', () => {
    const buffer = bufferOf({ ...lossy, alpha: 100 }, 10_000, 1, 0.5);
    assert.equal(buffer.admit(0, 0, 4000, 0), ADMITTED);
    assert.equal(buffer.admit(1, 0, 1000, 4000), DROP.EGRESS_THRESHOLD);
  });

  it('refuses a lossy frame when memory is gone, but not what was reserved for its account', () => {
    const buffer = bufferOf({ ...lossy, alpha: 1e9, reservedOctets: 1000 }, 10_000);
    assert.equal(buffer.admit(0, 0, 9000, 0), ADMITTED);
    assert.equal(buffer.admit(0, 0, 1, 0), DROP.BUFFER_FULL);
    assert.equal(buffer.admit(1, 0, 1000, 0), ADMITTED);
    assert.equal(buffer.admit(1, 0, 1, 0), DROP.BUFFER_FULL);
  });

  it('charges a stopped lossless account to its headroom and refuses only beyond it', () => {
    const buffer = bufferOf(lossless, 20_000);
    assert.equal(buffer.admit(0, 0, 4000, 0), ADMITTED);
    assert.ok(buffer.atXoff(0, 0));
    buffer.setPaused(0, 0, true);
    assert.equal(buffer.admit(0, 0, 3000, 0), ADMITTED);
    assert.equal(buffer.get(0, 0, HEADROOM), 3000);
    assert.equal(buffer.admit(0, 0, 1, 0), DROP.HEADROOM_EXHAUSTED);
  });

  it('empties the headroom first and lets go below the threshold less the gap', () => {
    const buffer = bufferOf(lossless, 20_000);
    buffer.admit(0, 0, 4000, 0);
    buffer.setPaused(0, 0, true);
    buffer.admit(0, 0, 1000, 0);
    buffer.release(0, 0, 1000);
    assert.equal(buffer.get(0, 0, HEADROOM), 0);
    assert.ok(!buffer.atXon(0, 0));
    buffer.release(0, 0, 500);
    assert.ok(buffer.atXon(0, 0));
  });

  it('rounds frames up to whole cells', () => {
    const buffer = bufferOf(lossy, 10_000, 208);
    assert.equal(buffer.storedOctets(0, 64), 208);
    assert.equal(buffer.storedOctets(0, 209), 416);
  });

  it('comes back to nothing when everything admitted is released, in any order', () => {
    const step = fc.record({
      port: fc.nat(1),
      stored: fc.integer({ min: 64, max: 2000 }),
      stop: fc.boolean(),
      release: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isLossless) => {
        const account = isLossless ? lossless : { ...lossy, reservedOctets: 1500 };
        const buffer = bufferOf(account, 20_000);
        const taken: [number, number][] = [];
        for (const { port, stored, stop, release } of steps) {
          buffer.setPaused(port, 0, stop);
          if (release && taken.length > 0) buffer.release(taken[0]![0], 0, taken.shift()![1]);
          else if (buffer.admit(port, 0, stored, 0) === ADMITTED) taken.push([port, stored]);
          const total = taken.reduce((sum, [, octets]) => sum + octets, 0);
          assert.equal(buffer.get(0, 0, USED) + buffer.get(1, 0, USED), total);
          assert.ok(buffer.memoryOfDevice(0, POOL_USED) >= 0);
        }
        for (const [port, stored] of taken) buffer.release(port, 0, stored);
        assert.equal(buffer.memoryOfDevice(0, POOL_USED), 0);
        assert.equal(buffer.get(0, 0, HEADROOM) + buffer.get(1, 0, HEADROOM), 0);
      }),
    );
  });

  it('refuses to reserve more than there is', () => {
    assert.throws(
      () => bufferOf({ ...lossy, reservedOctets: 6000 }, 10_000),
      /12000 octets reserved of 10000/,
    );
  });
});
