import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CbfcFrame } from '../../../../services/engine/wire/mac-control/cbfc-frame.js';
import {
  blankCbfcFrame,
  CBFC_BUFFER_MOST,
  CBFC_CONSUMED,
  CBFC_FREED,
  CBFC_WIDE_BUFFER_MOST,
  CBFC_WIDE_CHANNELS,
  decodeCbfc,
  encodeCbfc,
  isCbfc,
} from '../../../../services/engine/wire/mac-control/cbfc-frame.js';
import { CE_ACK, CE_REPORT } from '../../../../services/engine/wire/mac-control/ce-frame.js';
import { CBFC_CONSUMED_CH7, CBFC_FREED_CH7, CE_GRANT, PFC_P3_FFFF } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SOURCE = 0x02000000000a;

/** By virtual channel: its counter, and its buffer. */
type Said = Readonly<Record<number, readonly [counter: number, buffer: number]>>;

function cbfcFrame(message: number, flags: number, said: Said, slice: number): CbfcFrame {
  const frame = { ...blankCbfcFrame(), source: SOURCE, message, flags, slice };
  for (const [channel, [counter, buffer]] of Object.entries(said)) {
    frame.virtualChannels |= 1 << Number(channel);
    frame.counters[Number(channel)] = counter;
    frame.buffers[Number(channel)] = message === CBFC_FREED ? buffer : 0;
  }
  return frame;
}

function octetsOf(frame: CbfcFrame): Uint8Array {
  const octets = new Uint8Array(60).fill(0xee);
  assert.equal(encodeCbfc(octets, 0, frame), 60);
  return octets;
}

function altered(octets: Uint8Array, at: number, value: number): Uint8Array {
  return octets.map((octet, i) => (i === at ? value : octet));
}

describe('Updates of CBFC', () => {
  const examples: readonly (readonly [string, Uint8Array, CbfcFrame])[] = [
    ['consumed', CBFC_CONSUMED_CH7, cbfcFrame(CBFC_CONSUMED, CE_REPORT, { 3: [0xfff0, 0] }, 7)],
    ['freed', CBFC_FREED_CH7, cbfcFrame(CBFC_FREED, CE_ACK | 5, { 3: [0xfff0, 512] }, 7)],
  ];
  for (const [name, octets, frame] of examples) {
    it(`are octets as written down, both ways: ${name}`, () => {
      assert.deepEqual(octetsOf(frame), octets);
      const read = blankCbfcFrame();
      assert.equal(decodeCbfc(octets, 0, read), 'ok');
      assert.deepEqual(read, frame);
      assert.ok(isCbfc(octets, octets.length));
    });
  }

  it('come back as they were written, whatever they say', () => {
    const counter = fc.nat(0xffff);
    const any = fc.tuple(
      fc.constantFrom(CBFC_CONSUMED, CBFC_FREED),
      fc.nat(0xff),
      fc.dictionary(
        fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7'),
        fc.tuple(counter, fc.nat(CBFC_BUFFER_MOST)),
      ),
      counter,
    );
    const property = fc.property(any, ([message, flags, said, slice]) => {
      const frame = cbfcFrame(message, flags, said, slice);
      // What was read before leaves nothing behind.
      const read = cbfcFrame(CBFC_FREED, 0xff, { 0: [1, 1], 7: [2, 2] }, 9);
      assert.equal(decodeCbfc(octetsOf(frame), 0, read), 'ok');
      assert.deepEqual(read, frame);
    });
    fc.assert(property, { seed: 3, numRuns: 500 });
  });

  it('have 32 bits for up to four virtual channels, and come back so', () => {
    const any = fc.tuple(
      fc.constantFrom(CBFC_CONSUMED, CBFC_FREED),
      fc.dictionary(
        fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7'),
        fc.tuple(fc.nat(0xffffffff), fc.nat(CBFC_WIDE_BUFFER_MOST)),
        { maxKeys: CBFC_WIDE_CHANNELS },
      ),
      fc.nat(0xffff),
    );
    const property = fc.property(any, ([message, said, slice]) => {
      const frame = { ...cbfcFrame(message, 5, said, slice), isWide: true };
      const read = cbfcFrame(CBFC_FREED, 0xff, { 0: [1, 1], 7: [2, 2] }, 9);
      assert.equal(decodeCbfc(octetsOf(frame), 0, read), 'ok');
      assert.deepEqual(read, frame);
    });
    fc.assert(property, { seed: 3, numRuns: 500 });
    const five = octetsOf({ ...cbfcFrame(CBFC_FREED, 0, {}, 0), isWide: true });
    five[21] = 0b11111;
    assert.equal(decodeCbfc(five, 0, blankCbfcFrame()), 'bad-value');
  });

  it('are not taken for other control frames, nor those for them', () => {
    for (const octets of [CE_GRANT, PFC_P3_FFFF]) {
      assert.equal(decodeCbfc(octets, 0, blankCbfcFrame()), 'wrong-opcode');
      assert.equal(isCbfc(octets, octets.length), false);
    }
    const foreign = altered(CBFC_FREED_CH7, 17, 0xcf);
    assert.equal(decodeCbfc(foreign, 0, blankCbfcFrame()), 'unsupported-opcode');
    assert.equal(isCbfc(foreign, foreign.length), false);
  });

  it('of an unknown kind, to another group, or of a buffer that no counter spans are refused', () => {
    const refused = (octets: Uint8Array): string => decodeCbfc(octets, 0, blankCbfcFrame());
    assert.equal(refused(altered(CBFC_FREED_CH7, 19, 3)), 'unsupported-opcode');
    assert.equal(refused(altered(CBFC_FREED_CH7, 5, 2)), 'wrong-destination');
    assert.equal(refused(altered(CBFC_FREED_CH7, 38 + 2 * 3, 0x80)), 'bad-value');
    assert.equal(refused(CBFC_FREED_CH7.subarray(0, 59)), 'too-short');
  });
});
