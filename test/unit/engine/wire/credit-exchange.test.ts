import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CeTag } from '../../../../services/engine/wire/ce-tag.js';
import {
  blankCeTag,
  CE_TAG_GRANT,
  CE_TAG_REQUEST,
  decodeCeTag,
  encodeCeTag,
  encodeLoneCeTag,
} from '../../../../services/engine/wire/ce-tag.js';
import type { CeFrame } from '../../../../services/engine/wire/mac-control/ce-frame.js';
import {
  blankCeFrame,
  CE_ACK,
  CE_REPORT,
  CE_SYN,
  decodeCe,
  encodeCe,
  isCeFrame,
} from '../../../../services/engine/wire/mac-control/ce-frame.js';
import {
  OPCODE_CE_GRANT,
  OPCODE_CE_REQUEST,
} from '../../../../services/engine/wire/mac-control/opcodes.js';
import {
  CE_ACK_CH7,
  CE_DEMAND_CH7,
  CE_GRANT,
  CE_GRANT_CH7,
  CE_REPORT_CH7,
  CE_REQUEST,
  CE_RESYNC_CH7,
  CE_SYN_CH7,
  CE_TAG_ALONE,
  CE_TAG_GRANT_P3,
  CE_TAG_REQUEST_P3,
  PAUSE_FFFF,
  PFC_P3_FFFF,
} from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SOURCE = 0x02000000000a;
const REQUEST = OPCODE_CE_REQUEST;
const GRANT = OPCODE_CE_GRANT;

function ceFrame(
  opcode: number,
  flags: number,
  words: Readonly<Record<number, number>>,
  channel: number,
): CeFrame {
  const frame = { ...blankCeFrame(), source: SOURCE, opcode, flags, channel };
  for (const [priority, word] of Object.entries(words)) {
    frame.tcSelectionVector |= 1 << Number(priority);
    frame.tcCredits[Number(priority)] = word;
  }
  return frame;
}

function octetsOf(frame: CeFrame): Uint8Array {
  const octets = new Uint8Array(60).fill(0xee);
  assert.equal(encodeCe(octets, 0, frame), 60);
  return octets;
}

describe('CE frames', () => {
  const examples: readonly (readonly [string, Uint8Array, CeFrame])[] = [
    ['request', CE_REQUEST, ceFrame(REQUEST, 0, { 3: 0, 4: 0 }, 0)],
    ['grant', CE_GRANT, ceFrame(GRANT, 0, { 3: 64, 4: 16 }, 0)],
    ['demand', CE_DEMAND_CH7, ceFrame(REQUEST, 0, { 3: 0x123 }, 7)],
    ['limit', CE_GRANT_CH7, ceFrame(GRANT, 0, { 3: 0x323 }, 7)],
    ['report', CE_REPORT_CH7, ceFrame(REQUEST, CE_REPORT, { 3: 0x323 }, 7)],
    ['resynchronisation', CE_SYN_CH7, ceFrame(REQUEST, CE_SYN | 5, { 3: 0x323 }, 7)],
    ['agreement to one', CE_ACK_CH7, ceFrame(GRANT, CE_ACK | 5, { 3: 0x523 }, 7)],
    ['demand for one', CE_RESYNC_CH7, ceFrame(GRANT, CE_SYN | 6, { 3: 0 }, 7)],
  ];
  for (const [name, octets, frame] of examples) {
    it(`are octets as written down, both ways: ${name}`, () => {
      assert.deepEqual(octetsOf(frame), octets);
      const read = blankCeFrame();
      assert.equal(decodeCe(octets, 0, read), 'ok');
      assert.deepEqual(read, frame);
      assert.ok(isCeFrame(octets, octets.length));
    });
  }

  it('come back as they were written, whatever they say', () => {
    const word = fc.nat(0xffff);
    const total = fc.oneof(word, fc.nat(0xffffffff));
    const any = fc.tuple(
      fc.constantFrom(REQUEST, GRANT),
      fc.nat(0xff),
      fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7'), total),
      word,
    );
    const property = fc.property(any, ([opcode, flags, words, channel]) => {
      const frame = ceFrame(opcode, flags, words, channel);
      const read = blankCeFrame();
      assert.equal(decodeCe(octetsOf(frame), 0, read), 'ok');
      assert.deepEqual(read, frame);
    });
    fc.assert(property, { seed: 3, numRuns: 500 });
  });

  it('keep their octets where totals have 16 bits; upper halves stand in the padding', () => {
    const octets = octetsOf(ceFrame(GRANT, 5, { 3: 0x00120523 }, 7));
    assert.deepEqual([...octets.subarray(24, 26)], [0x05, 0x23]);
    assert.deepEqual([...octets.subarray(36 + 2 * 3, 36 + 2 * 3 + 2)], [0x00, 0x12]);
    const others = octetsOf(ceFrame(GRANT, 5, { 3: 0x0523 }, 7)).subarray(36);
    assert.ok(others.every((octet) => octet === 0));
  });

  it('are not taken for PAUSE or PFC, nor those for them', () => {
    for (const octets of [PAUSE_FFFF, PFC_P3_FFFF]) {
      assert.equal(decodeCe(octets, 0, blankCeFrame()), 'wrong-opcode');
      assert.equal(isCeFrame(octets, octets.length), false);
    }
  });

  it('carry the amount of a request in padding, rounded up by less than an eighth', () => {
    for (
      let units = 0;
      units < 1 << 20;
      units = units < 100 ? units + 1 : Math.ceil(units * 1.03)
    ) {
      const read = blankCeFrame();
      const frame = ceFrame(REQUEST, 0, { 3: 7 }, 0);
      frame.amounts[3] = units;
      assert.equal(decodeCe(octetsOf(frame), 0, read), 'ok');
      const amount = read.amounts[3]!;
      assert.ok(amount >= units && amount <= Math.max(16, units * 1.125), `${units}: ${amount}`);
      if (units <= 16) assert.equal(amount, units);
      assert.deepEqual([read.tcCredits[3], read.amounts[2]], [7, 0]);
    }
    // A grant has none: the proposal's padding.
    const grant = ceFrame(GRANT, 0, { 3: 7 }, 0);
    grant.amounts[3] = 9;
    assert.deepEqual(octetsOf(grant).subarray(36), new Uint8Array(24));
  });

  it('to another group are refused', () => {
    const octets = Uint8Array.from(CE_GRANT, (octet, at) => (at === 5 ? 2 : octet));
    assert.equal(decodeCe(octets, 0, blankCeFrame()), 'wrong-destination');
  });
});

describe('CE-Tags', () => {
  const request: CeTag = { ...blankCeTag(), type: CE_TAG_REQUEST, tcSelectionVector: 8 };
  const grant: CeTag = {
    type: CE_TAG_GRANT,
    flags: 0,
    tcSelectionVector: 8,
    tcCredit: 64,
    channel: 7,
  };

  it('are read from the front of a data frame', () => {
    const tag = blankCeTag();
    assert.equal(decodeCeTag(CE_TAG_REQUEST_P3, 0, tag), 'ok');
    assert.deepEqual(tag, request);
    assert.equal(decodeCeTag(CE_TAG_GRANT_P3, 0, tag), 'ok');
    assert.deepEqual(tag, grant);
  });

  it('are written where the EtherType was', () => {
    const octets = CE_TAG_REQUEST_P3.slice();
    assert.equal(encodeCeTag(octets, 0, grant), 20);
    assert.deepEqual(octets, CE_TAG_GRANT_P3);
  });

  it('may travel alone on a frame of the least length', () => {
    const octets = new Uint8Array(60).fill(0xee);
    assert.equal(encodeLoneCeTag(octets, 0, SOURCE, { ...grant, channel: 0 }), 60);
    assert.deepEqual(octets, CE_TAG_ALONE);
  });

  it('name exactly one priority', () => {
    for (const priorities of [0, 3, 0xff]) {
      const octets = Uint8Array.from(CE_TAG_GRANT_P3, (o, at) => (at === 15 ? priorities : o));
      assert.equal(decodeCeTag(octets, 0, blankCeTag()), 'bad-length');
    }
  });
});
