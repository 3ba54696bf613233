import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashOctets, OctetStore } from '../../../../services/engine/frame/octet-store.js';
import { fc } from '../../../kit/properties.js';

/** FNV-1a, octet by octet. */
function plainHash(octets: Uint8Array): number {
  return octets.reduce((hash, octet) => Math.imul(hash ^ octet, 0x01000193), 0x811c9dc5) | 0;
}

const padded = fc
  .tuple(fc.uint8Array({ maxLength: 80 }), fc.nat(100))
  .map(([head, zeros]) => Uint8Array.of(...head, ...new Uint8Array(zeros)));

describe('Octets on their way', () => {
  it('have the hash of all octets, whatever zeros they end with', () => {
    fc.assert(
      fc.property(padded, (octets) => {
        assert.equal(hashOctets(octets, octets.length) | 0, plainHash(octets));
      }),
    );
  });

  it('come out as they were put in, in slots that had longer or shorter ones before', () => {
    fc.assert(
      fc.property(fc.array(padded, { maxLength: 12 }), (all) => {
        const store = new OctetStore();
        for (const octets of all) {
          const slot = store.put(octets, octets.length);
          assert.deepEqual(store.get(slot).slice(0, store.length(slot)), octets);
          assert.equal(store.hash(slot) | 0, plainHash(octets));
          if (octets.length % 2 === 0) store.giveBack(slot);
        }
        assert.equal(store.inUse(), all.filter(({ length }) => length % 2 === 1).length);
      }),
    );
  });

  it('come in an order that is theirs, and not that of their slots', () => {
    fc.assert(
      fc.property(padded, padded, (first, second) => {
        const [store, reverse] = [new OctetStore(), new OctetStore()];
        const [a, b] = [store.put(first, first.length), store.put(second, second.length)];
        const [d, c] = [reverse.put(second, second.length), reverse.put(first, first.length)];
        const order = Math.sign(store.compare(a, b));
        assert.equal(Math.sign(reverse.compare(c, d)), order);
        assert.equal(Math.sign(store.compare(b, a)), 0 - order);
        assert.equal(order === 0, Buffer.compare(first, second) === 0);
      }),
    );
  });

  it('are not earlier octets of their slot', () => {
    const store = new OctetStore();
    const slot = store.put(Uint8Array.of(1, 0, 0, 0), 4);
    store.get(slot).fill(9);
    store.giveBack(slot);
    assert.equal(store.put(Uint8Array.of(2, 0, 0, 0), 4), slot);
    assert.deepEqual(store.get(slot).slice(0, 4), Uint8Array.of(2, 0, 0, 0));
  });

  it('have another hash when they were changed in their place', () => {
    const store = new OctetStore();
    const slot = store.put(Uint8Array.of(1, 2, 3), 3);
    store.get(slot)[1] = 7;
    store.changed(slot);
    assert.equal(store.hash(slot) | 0, plainHash(Uint8Array.of(1, 7, 3)));
  });
});
