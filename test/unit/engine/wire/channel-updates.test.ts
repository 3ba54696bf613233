import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CfUpdate } from '../../../../services/engine/wire/cf-update.js';
import {
  blankCfUpdate,
  CF_COUNT_MASK,
  decodeCfUpdate,
  encodeCfUpdate,
} from '../../../../services/engine/wire/cf-update.js';
import {
  blankChannelCredits,
  blankLinkLayer,
  type ChannelCredits,
  decodeChannelCredits,
  decodeLinkLayer,
  encodeChannelCredits,
  encodeLinkLayer,
} from '../../../../services/engine/wire/lldp/link-layer-tlvs.js';
import type { CcUpdate } from '../../../../services/engine/wire/mac-control/cc-update.js';
import {
  blankCcUpdate,
  CC_UPDATE_MESSAGE_AT,
  CREDIT_COUNT_MASK,
  decodeCcUpdate,
  encodeCcUpdate,
  isCcUpdate,
} from '../../../../services/engine/wire/mac-control/cc-update.js';
import {
  beginOrderedSet,
  ORDERED_SET_OCTETS,
  orderedSetType,
} from '../../../../services/engine/wire/ordered-set.js';
import { fc } from '../../../kit/properties.js';
import { CC_UPDATE_HIGH, CC_UPDATE_LOW, CF_UPDATE_3_AND_31, hexOf, octetsOf } from './vectors.js';

type Pair = readonly [channel: number, count: number];

function cfUpdate([a, b]: readonly [Pair, Pair]): CfUpdate {
  return { channels: Uint8Array.of(a[0], b[0]), counts: Uint16Array.of(a[1], b[1]) };
}

function orderedSet(update: CfUpdate): Uint8Array {
  const octets = new Uint8Array(ORDERED_SET_OCTETS).fill(0xee);
  assert.equal(encodeCfUpdate(octets, 0, update), ORDERED_SET_OCTETS);
  return octets;
}

const anyPair = fc.tuple(fc.nat(31), fc.nat(CF_COUNT_MASK));
const anyPairs = fc.tuple(anyPair, anyPair);

describe('CF_Update', () => {
  it('is the octets as written down, both ways', () => {
    const update = cfUpdate([
      [3, 0x1234],
      [31, 0x7ffe],
    ]);
    assert.equal(hexOf(orderedSet(update)), hexOf(CF_UPDATE_3_AND_31));
    const read = blankCfUpdate();
    assert.equal(decodeCfUpdate(CF_UPDATE_3_AND_31, ORDERED_SET_OCTETS, read), 'ok');
    assert.deepEqual(read, update);
  });

  it('comes back as it was written, whatever it says', () => {
    const property = fc.property(anyPairs, (pairs) => {
      const read = cfUpdate([
        [9, 99],
        [8, 88],
      ]);
      const octets = orderedSet(cfUpdate(pairs));
      assert.equal(decodeCfUpdate(octets, octets.length, read), 'ok');
      assert.deepEqual(read, cfUpdate(pairs));
      // Written once more, no bit of it is lost: each belongs to a field, or is checked.
      assert.deepEqual(orderedSet(read), octets);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('is refused, or says something else, for every bit that is turned', () => {
    const octets = CF_UPDATE_3_AND_31;
    const fate: string[] = [];
    for (let bit = 0; bit < 8 * ORDERED_SET_OCTETS; bit++) {
      const turned = octets.map((octet, i) =>
        i === bit >> 3 ? octet ^ (0x80 >> (bit & 7)) : octet,
      );
      const read = blankCfUpdate();
      const decoded = decodeCfUpdate(turned, ORDERED_SET_OCTETS, read);
      if (decoded === 'ok') assert.notDeepEqual(orderedSet(read), octets);
      fate.push(decoded);
    }
    const count = (of: string): number => fate.filter((one) => one === of).length;
    // Block type and O code; the type of the message; what is reserved; two times 20 bits.
    assert.deepEqual(
      [count('wrong-type'), count('wrong-opcode'), count('bad-value'), count('ok')],
      [12, 8, 4, 40],
    );
  });

  it('is eight octets, no fewer and no more', () => {
    const octets = octetsOf(`${hexOf(CF_UPDATE_3_AND_31)} 00`);
    assert.equal(orderedSetType(octets, 8), 0x10);
    assert.equal(orderedSetType(octets, 7), -1);
    assert.equal(orderedSetType(octets, 9), -1);
    assert.throws(() => beginOrderedSet(new Uint8Array(7), 0, 0x10), RangeError);
  });
});

function ccUpdate(firstChannel: number, counters: readonly number[]): CcUpdate {
  const frame = { ...blankCcUpdate(), source: 0x02000000000a, firstChannel };
  frame.counters.set(counters);
  return frame;
}

function ccOctets(frame: CcUpdate): Uint8Array {
  const octets = new Uint8Array(60).fill(0xee);
  assert.equal(encodeCcUpdate(octets, 0, frame), 60);
  return octets;
}

describe('CC_Update', () => {
  const counters = [0, 1, 2, 0xfffff, 0x12345, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xabcde];

  for (const [firstChannel, octets] of [
    [0, CC_UPDATE_LOW],
    [16, CC_UPDATE_HIGH],
  ] as const) {
    it(`is the octets as written down, both ways: from channel ${firstChannel}`, () => {
      const frame = ccUpdate(firstChannel, counters);
      assert.equal(hexOf(ccOctets(frame)), hexOf(octets));
      const read = blankCcUpdate();
      assert.equal(decodeCcUpdate(octets, 0, read), 'ok');
      assert.deepEqual(read, frame);
      assert.ok(isCcUpdate(octets, octets.length));
    });
  }

  it('comes back as it was written, whatever it says', () => {
    const any = fc.tuple(
      fc.constantFrom(0, 16),
      fc.array(fc.nat(CREDIT_COUNT_MASK), { minLength: 16, maxLength: 16 }),
    );
    const property = fc.property(any, ([first, all]) => {
      const read = ccUpdate(16, counters);
      const octets = ccOctets(ccUpdate(first, all));
      assert.equal(decodeCcUpdate(octets, 0, read), 'ok');
      assert.deepEqual(read, ccUpdate(first, all));
      assert.deepEqual(ccOctets(read), octets);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('names what is wrong with it', () => {
    const refusal = (at: number, value: number): string =>
      decodeCcUpdate(
        CC_UPDATE_LOW.map((octet, i) => (i === at ? value : octet)),
        0,
        blankCcUpdate(),
      );
    assert.equal(refusal(13, 9), 'wrong-type');
    assert.equal(refusal(15, 0x7f), 'unsupported-opcode');
    assert.equal(refusal(5, 2), 'wrong-destination');
    assert.equal(refusal(16, 0), 'unsupported-opcode');
    assert.equal(refusal(CC_UPDATE_MESSAGE_AT, 0), 'bad-value');
    assert.equal(refusal(CC_UPDATE_MESSAGE_AT, 3), 'bad-value');
    assert.equal(decodeCcUpdate(CC_UPDATE_LOW.subarray(1), 0, blankCcUpdate()), 'too-short');
  });
});

/** The value of a TLV: OUI, subtype and what follows. */
function valueOf(write: (octets: Uint8Array) => number): Uint8Array {
  const octets = new Uint8Array(200).fill(0xee);
  return octets.slice(2, write(octets));
}

function credits(own: Partial<ChannelCredits>, limits: Readonly<Record<number, number>> = {}) {
  const tlv = { ...blankChannelCredits(), ...own };
  for (const [channel, limit] of Object.entries(limits)) tlv.limits[Number(channel)] = limit;
  return tlv;
}

const creditsValue = (tlv: ChannelCredits): Uint8Array =>
  valueOf((octets) => encodeChannelCredits(octets, 0, tlv));

describe('TLVs of the link layer', () => {
  it('are octets as written down, both ways', () => {
    const features = { version: 1, retry: false, credits: true };
    const value = valueOf((octets) => encodeLinkLayer(octets, 0, features));
    assert.equal(hexOf(value), '02 ce 70 03 01 02');
    const readFeatures = blankLinkLayer();
    assert.equal(decodeLinkLayer(value, readFeatures), 'ok');
    assert.deepEqual(readFeatures, features);
    const retrying = { version: 1, retry: true, credits: false };
    const retryingValue = valueOf((octets) => encodeLinkLayer(octets, 0, retrying));
    assert.equal(hexOf(retryingValue), '02 ce 70 03 01 01');
    assert.equal(decodeLinkLayer(retryingValue, readFeatures), 'ok');
    assert.deepEqual(readFeatures, retrying);
    const tlv = credits(
      { channels: 32, creditOctets: 2048, overhead: -16, total: 0, lossless: (1 << 31) | 8 },
      { 3: 0x7fff, 31: 5 },
    );
    const octets = creditsValue(tlv);
    assert.equal(hexOf(octets), '02 ce 70 04 20 0b f0 00 00 00 80 00 00 08 00 7f ff 00 00 05');
    const read = credits({}, { 7: 7 });
    assert.equal(decodeChannelCredits(octets, read), 'ok');
    assert.deepEqual(read, tlv);
    const shared = credits({ channels: 5, creditOctets: 32, overhead: 127, total: 0xabcde });
    const sharedOctets = creditsValue(shared);
    assert.equal(hexOf(sharedOctets), '02 ce 70 04 05 05 7f 0a bc de 00 00 00 00');
    assert.equal(decodeChannelCredits(sharedOctets, read), 'ok');
    assert.deepEqual(read, shared);
  });

  it('come back as they were written, whatever they say', () => {
    const any = fc.record({
      version: fc.constant(1),
      retry: fc.boolean(),
      credits: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (drawn) => {
        const features = { ...drawn };
        const read = blankLinkLayer();
        const value = valueOf((octets) => encodeLinkLayer(octets, 0, features));
        assert.equal(decodeLinkLayer(value, read), 'ok');
        assert.deepEqual(read, features);
      }),
    );
    const anyCredits = fc
      .record({
        channels: fc.integer({ min: 1, max: 32 }),
        shift: fc.integer({ min: 5, max: 11 }),
        overhead: fc.integer({ min: -16, max: 127 }),
        total: fc.nat(CREDIT_COUNT_MASK),
        bits: fc.integer(),
        limits: fc.array(fc.nat(CREDIT_COUNT_MASK), { minLength: 32, maxLength: 32 }),
      })
      .map(({ channels, shift, overhead, total, bits, limits }) => {
        const lossless = channels === 32 ? bits : bits & ((1 << channels) - 1);
        const own = { channels, creditOctets: 1 << shift, overhead, total, lossless };
        const kept = limits.map((limit, n) => ((lossless & (1 << n)) === 0 ? 0 : limit));
        return credits(own, kept);
      });
    fc.assert(
      fc.property(anyCredits, (tlv) => {
        const read = blankChannelCredits();
        assert.equal(decodeChannelCredits(creditsValue(tlv), read), 'ok');
        assert.deepEqual(read, tlv);
      }),
    );
  });

  it('are refused where a field is out of range', () => {
    const value = creditsValue(credits({ lossless: 8 }, { 3: 5 }));
    const refusal = (at: number, octet: number): string =>
      decodeChannelCredits(
        value.map((own, i) => (i === at ? octet : own)),
        blankChannelCredits(),
      );
    assert.equal(refusal(4, 0), 'bad-value');
    assert.equal(refusal(4, 33), 'bad-value');
    assert.equal(refusal(4, 3), 'bad-value');
    assert.equal(refusal(5, 4), 'bad-value');
    assert.equal(refusal(5, 12), 'bad-value');
    assert.equal(refusal(6, 0xef), 'bad-value');
    assert.equal(refusal(7, 0x10), 'bad-value');
    assert.equal(refusal(13, 9), 'bad-length');
    assert.equal(refusal(14, 0x10), 'bad-value');
    assert.equal(decodeChannelCredits(value.subarray(0, 13), blankChannelCredits()), 'bad-length');
    assert.equal(decodeLinkLayer(octetsOf('02ce70 03 02 02'), blankLinkLayer()), 'wrong-version');
    assert.equal(decodeLinkLayer(octetsOf('02ce70 03 01'), blankLinkLayer()), 'bad-length');
  });
});
