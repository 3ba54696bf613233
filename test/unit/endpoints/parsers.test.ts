import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { Refusals } from '../../../services/endpoints/refusals.js';
import { StreamFrames, writeStreamFrame } from '../../../services/endpoints/stream/frames.js';
import { readVxlan, writeVxlan } from '../../../services/endpoints/vxlan/header.js';
import { hexOf, octetsOf } from '../../kit/live-frames.js';

const FRAME = octetsOf(`ffffffffffff0600000000010806${'00'.repeat(46)}`);

function refuse(): never {
  throw new Error('no frame was sent');
}

function randomOctets(random: RandomStream, most: number): Uint8Array {
  return Uint8Array.from({ length: random.below(most) }, () => random.below(256));
}

describe('VXLAN', () => {
  it('has the octets of RFC 7348', () => {
    assert.equal(hexOf(writeVxlan(0x123456, FRAME)), `0800000012345600${hexOf(FRAME)}`);
  });

  it('is read back, whatever reserved bits say', () => {
    const octets = writeVxlan(42, FRAME);
    octets[1] = 0xff;
    octets[7] = 0xff;
    assert.deepEqual(readVxlan(octets), { vni: 42, frame: FRAME });
  });

  it('needs the I flag, and eight octets', () => {
    const octets = writeVxlan(42, FRAME);
    octets[0] = 0xf7;
    assert.equal(readVxlan(octets), 'header');
    assert.equal(readVxlan(octets.subarray(0, 7)), 'header');
    assert.equal(readVxlan(new Uint8Array(0)), 'header');
  });
});

describe('stream of QEMU', () => {
  it('has the length before each frame, the most significant octet first', () => {
    assert.equal(hexOf(writeStreamFrame(FRAME)), `0000003c${hexOf(FRAME)}`);
  });

  it('gives the same frames however its octets are divided', () => {
    const random = new RandomStream(3, 'stream');
    const sent = Array.from({ length: 200 }, () => randomOctets(random, 3000));
    const octets = Buffer.concat(sent.map(writeStreamFrame));
    const frames = new StreamFrames();
    const got: string[] = [];
    for (let at = 0; at < octets.length;) {
      const end = Math.min(
        octets.length,
        at + 1 + random.below(random.below(20) === 0 ? 9000 : 40),
      );
      assert.ok(frames.push(octets.subarray(at, end), (frame) => got.push(hexOf(frame))));
      at = end;
    }
    assert.deepEqual(got, sent.map(hexOf));
  });

  it('ends at a length that no frame has, in one piece or in four', () => {
    const wrong = octetsOf('00011001');
    assert.equal(new StreamFrames().push(wrong, refuse), false);
    const frames = new StreamFrames();
    const read = [...wrong].map((octet) => frames.push(Uint8Array.of(octet), refuse));
    assert.deepEqual(read, [true, true, true, false]);
  });

  it('survives any octets', () => {
    const random = new RandomStream(4, 'any');
    for (let run = 0; run < 300; run++) {
      const frames = new StreamFrames();
      while (frames.push(randomOctets(random, 200), () => undefined)) {
        if (random.below(10) === 0) break;
      }
    }
  });
});

describe('frames that are refused', () => {
  it('are counted by reason, with one warning each', () => {
    const warnings: string[] = [];
    const refusals = new Refusals((text) => warnings.push(text));
    for (let i = 0; i < 3; i++) refusals.add('wrong-vni');
    refusals.add('stranger');
    assert.deepEqual(refusals.all, { 'wrong-vni': 3, stranger: 1 });
    assert.equal(warnings.length, 2);
    assert.match(warnings[1]!, /^stranger: an address/);
  });
});
