import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LlrSet } from '../../../../services/engine/wire/llr.js';
import {
  blankLlrSet,
  decodeLlrSet,
  encodeLlrSet,
  encodeNumberedPreamble,
  isLlrSet,
  LLR_ACK,
  LLR_INIT,
  LLR_INIT_ECHO,
  LLR_NACK,
} from '../../../../services/engine/wire/llr.js';

function octetsOf(set: LlrSet): Uint8Array {
  const octets = new Uint8Array(8);
  assert.equal(encodeLlrSet(octets, 0, set), 8);
  return octets;
}

function hex(set: LlrSet): string {
  return Buffer.from(octetsOf(set)).toString('hex');
}

describe('an ordered set of link-level retry', () => {
  it('is laid out as the public descriptions say', () => {
    assert.equal(hex({ type: LLR_ACK, number: 0xabcde, data: 0 }), '4b01abcde6000000');
    assert.equal(hex({ type: LLR_NACK, number: 1, data: 0 }), '4b02000016000000');
    assert.equal(hex({ type: LLR_INIT, number: 0xfffff, data: 0x1234 }), '4b03fffff6341200');
    assert.equal(hex({ type: LLR_INIT_ECHO, number: 0, data: 0xff00 }), '4b0400000600ff00');
  });

  it('says what it was made of', () => {
    const number = fc.integer({ min: 0, max: 0xfffff });
    const data = fc.integer({ min: 1, max: 0xffff });
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 3, 4), number, data, (type, n, d) => {
        const set = { type, number: n, data: type < LLR_INIT ? 0 : d };
        const into = blankLlrSet();
        assert.equal(decodeLlrSet(octetsOf(set), 8, into), 'ok');
        assert.deepEqual(into, set);
        assert.ok(isLlrSet(octetsOf(set), 8));
      }),
    );
  });

  it('with any one bit changed is refused, or says something else', () => {
    for (const type of [LLR_ACK, LLR_NACK, LLR_INIT, LLR_INIT_ECHO]) {
      const set = { type, number: 0x5a5a5, data: type < LLR_INIT ? 0 : 0x3c3c };
      for (let bit = 0; bit < 64; bit++) {
        const octets = octetsOf(set);
        octets[bit >> 3]! ^= 1 << (bit & 7);
        const into = blankLlrSet();
        if (decodeLlrSet(octets, 8, into) === 'ok') assert.notDeepEqual(into, set);
      }
    }
  });

  it('is no frame, and no other ordered set', () => {
    const octets = octetsOf({ type: LLR_ACK, number: 7, data: 0 });
    assert.equal(decodeLlrSet(octets, 9, blankLlrSet()), 'wrong-type');
    octets[1] = 0x10;
    assert.equal(decodeLlrSet(octets, 8, blankLlrSet()), 'wrong-opcode');
    assert.ok(!isLlrSet(octets, 8));
  });
});

function preambleOf(number: number): Uint8Array {
  const octets = new Uint8Array(8);
  assert.equal(encodeNumberedPreamble(octets, 0, { number }), 8);
  return octets;
}

describe('the preamble of a frame with a number', () => {
  it('is laid out as the public descriptions say', () => {
    assert.equal(Buffer.from(preambleOf(0xabcde)).toString('hex'), 'fba7bcde555555d5');
    assert.equal(Buffer.from(preambleOf(1)).toString('hex'), 'fb070001555555d5');
  });

  it('has all bits of the number, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xfffff }), (number) => {
        const octets = preambleOf(number);
        const [start, high, middle, low, ...rest] = octets;
        assert.deepEqual([start, high! & 15, ...rest], [0xfb, 7, 0x55, 0x55, 0x55, 0xd5]);
        assert.equal(((high! >> 4) << 16) | (middle! << 8) | low!, number);
      }),
    );
  });

  it('has room for eight octets, or none is written', () => {
    assert.throws(() => encodeNumberedPreamble(new Uint8Array(7), 0, { number: 1 }), RangeError);
  });
});
