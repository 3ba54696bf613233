import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  beginOrderedSet,
  halfOfPacked,
  ORDERED_SET_OCTETS,
  packedOf,
  packOrderedSet,
  typeOfPacked,
  unpackOrderedSet,
} from '../../../../services/engine/wire/ordered-set.js';
import { encodeLlrSet, LLR_ACK, LLR_INIT } from '../../../../services/engine/wire/llr.js';
import { encodeCfUpdate } from '../../../../services/engine/wire/cf-update.js';
import { fc } from '../../../kit/properties.js';

function octetsOf(write: (octets: Uint8Array) => void): Uint8Array {
  const octets = new Uint8Array(ORDERED_SET_OCTETS);
  write(octets);
  return octets;
}

function update(first: readonly [number, number], second: readonly [number, number]): Uint8Array {
  const cf = {
    channels: Uint8Array.of(first[0], second[0]),
    counts: Uint16Array.of(first[1], second[1]),
  };
  return octetsOf((octets) => encodeCfUpdate(octets, 0, cf));
}

describe('A packed ordered set', () => {
  it('is an acknowledgement, or an update of one channel', () => {
    const ack = octetsOf((o) => encodeLlrSet(o, 0, { type: LLR_ACK, number: 0xabcde, data: 0 }));
    assert.equal(packOrderedSet(ack), 0x1abcde);
    assert.equal(packedOf(LLR_ACK, 0xabcde), 0x1abcde);
    assert.ok(packOrderedSet(update([3, 0x7123], [3, 0x7123])) > 0);
    assert.equal(packOrderedSet(update([3, 0x7123], [4, 0x7123])), -1);
    const init = octetsOf((o) => encodeLlrSet(o, 0, { type: LLR_INIT, number: 1, data: 1 }));
    assert.equal(packOrderedSet(init), -1);
  });

  it('gives back every octet of what it was packed from', () => {
    const bits = fc.record({
      type: fc.integer({ min: 0, max: 255 }),
      halves: fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 }),
      repeats: fc.constantFrom('zero', 'same', 'other'),
    });
    let packedSets = 0;
    const property = fc.property(bits, ({ type, halves, repeats }) => {
      const octets = octetsOf((own) => {
        beginOrderedSet(own, 0, type);
        own.set([halves[0]!, halves[1]!], 2);
        own[4]! |= halves[2]! & 0xf0;
        if (repeats === 'same') own.set([own[2]!, own[3]!, own[4]! & 0xf0], 5);
        else if (repeats === 'other') own.set(halves.slice(3), 5);
      });
      const packed = packOrderedSet(octets);
      if (packed < 0) return;
      packedSets++;
      assert.equal(typeOfPacked(packed), octets[1]);
      assert.equal(
        halfOfPacked(packed),
        (octets[2]! << 12) | (octets[3]! << 4) | (octets[4]! >> 4),
      );
      const back = new Uint8Array(ORDERED_SET_OCTETS).fill(0xff);
      unpackOrderedSet(packed, back);
      assert.deepEqual(back, octets);
    });
    fc.assert(property, { numRuns: 1000 });
    assert.ok(packedSets > 500);
  });

  it('is never what is no ordered set', () => {
    assert.equal(packOrderedSet(new Uint8Array(ORDERED_SET_OCTETS)), -1);
  });
});
