import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checksumOf, sumOver } from '../../../../services/engine/wire/checksum.js';
import {
  CRC32_START,
  crc32Over,
  crc32Repeated,
  crc32Value,
  crc32Zeros,
  encodeCrc32,
} from '../../../../services/engine/wire/crc32.js';
import { octetsOf, PAUSE_FFFF } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 32 };
/** State after any octets followed by their own CRC. */
const RESIDUE = 0xdebb20e3;

/** Of a whole frame: the sequence behind it is that of what is before. */
function frameCheckHolds(frame: Uint8Array): boolean {
  return crc32Over(CRC32_START, frame, 0, frame.length) === RESIDUE;
}

function frameCheckSequence(octets: Uint8Array, end: number): number {
  return crc32Value(crc32Over(CRC32_START, octets, 0, end));
}

const digits = octetsOf('31 32 33 34 35 36 37 38 39');

describe('CRC-32', () => {
  it('of the nine digits is the published check value', () => {
    assert.equal(frameCheckSequence(digits, digits.length), 0xcbf43926);
  });

  it('may be taken in pieces', () => {
    const half = crc32Over(CRC32_START, digits, 0, 4);
    assert.equal(crc32Over(half, digits, 4, 9), crc32Over(CRC32_START, digits, 0, 9));
    const ones = new Uint8Array(5).fill(0xff);
    assert.equal(crc32Repeated(half, 0xff, 5), crc32Over(half, ones, 0, 5));
  });

  it('over zeros is the same at once as one by one', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.nat(2000), (state, count) => {
        assert.equal(crc32Zeros(state, count), crc32Repeated(state, 0, count));
      }),
      SEED,
    );
  });

  it('behind a frame holds, until any one bit turns over', () => {
    const frame = new Uint8Array(64);
    frame.set(PAUSE_FFFF);
    assert.equal(encodeCrc32(frame, 60, frameCheckSequence(frame, 60)), 64);
    assert.equal(frameCheckHolds(frame), true);
    fc.assert(
      fc.property(fc.nat(8 * 64 - 1), (bit) => {
        const turned = frame.slice();
        turned[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(frameCheckHolds(turned), false);
      }),
      SEED,
    );
  });
});

describe('the Internet checksum', () => {
  it('is that of the example in RFC 1071', () => {
    const octets = octetsOf('0001 f203 f4f5 f6f7');
    assert.equal(checksumOf(sumOver(0, octets, 0, octets.length)), 0x220d);
  });

  it('takes an odd last octet as a high half', () => {
    assert.equal(checksumOf(sumOver(0, octetsOf('0001 f2'), 0, 3)), 0x0dfe);
  });

  it('over octets that contain it is zero', () => {
    const octets = octetsOf('0001 f203 f4f5 f6f7 220d');
    assert.equal(checksumOf(sumOver(0, octets, 0, octets.length)), 0);
  });
});
