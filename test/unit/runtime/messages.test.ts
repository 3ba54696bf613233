import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import { MAC_OCTETS, MacKey } from '../../../services/runtime/keys/mac.js';
import { decodeMessage, encodeMessage } from '../../../services/runtime/partition/messages.js';
import { fc } from '../../kit/properties.js';

const KEY = new MacKey(Uint8Array.of(1, 2, 3));
const number = fc.oneof(fc.constantFrom(0, 1, 127, 128, 2 ** 32 - 1), fc.nat(2 ** 31));
const time = fc.oneof(fc.constantFrom(0, Infinity, 1e15), fc.nat(1e9));
const octets = fc.uint8Array({ maxLength: 300 });
const fields = fc.record({
  ...{ protocol: number, epoch: number, from: number, to: number, sequence: number },
  ...{ acknowledged: number, bare: number, probe: fc.boolean(), promisePs: time, frames: octets },
  control: fc.array(fc.record({ link: number, atPs: time, octets }), { maxLength: 4 }),
});

/** Only what a message says, as plain values; what it lacks is in its prototype. */
function said(message: object): object {
  const {
    protocol,
    epoch,
    from,
    to,
    sequence,
    acknowledged,
    bare,
    probe,
    promisePs,
    frames,
    control,
  } = message as selvage.v1.ChannelMessage;
  return {
    numbers: [protocol, epoch, from, to, sequence, acknowledged, bare, probe, promisePs],
    frames: [...frames],
    control: control.map(({ link, atPs, octets: content }) => [link, atPs, ...content!]),
  };
}

describe('a message between services', () => {
  it('is protobuf: any other decoder reads the same', () => {
    fc.assert(
      fc.property(fields, (message) => {
        const encoded = encodeMessage(message, KEY);
        assert.deepEqual(said(selvage.v1.ChannelMessage.decode(encoded)), said(message));
        assert.deepEqual(said(decodeMessage(encoded)!), said(message));
      }),
    );
  });

  it('is read as any other encoder writes it, with fields that are not known', () => {
    fc.assert(
      fc.property(fields, (message) => {
        const mac = new Uint8Array(MAC_OCTETS);
        const encoded = selvage.v1.ChannelMessage.encode({ ...message, mac }).finish();
        assert.deepEqual(said(decodeMessage(encoded)!), said(message));
        const strange = [0x98, 0x06, 0x80, 0x01, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8];
        const more = Buffer.concat([Buffer.from(strange), Buffer.of(0xaa, 0x06, 1, 9), encoded]);
        assert.deepEqual(said(decodeMessage(more)!), said(message));
      }),
    );
  });

  it('is none where it is cut', () => {
    const control = [{ link: 3, atPs: 5, octets: Uint8Array.of(1, 2) }];
    const encoded = encodeMessage({ sequence: 300, frames: new Uint8Array(40), control }, KEY);
    const end = encoded.length - MAC_OCTETS - 2;
    const tail = encoded.subarray(end);
    const cut = (length: number): Uint8Array => Buffer.concat([encoded.subarray(0, length), tail]);
    const [frames, all] = [3 + 42, end];
    const accepted = Array.from({ length: all + 1 }, (_, length) => length).filter(
      (length) => decodeMessage(cut(length)) !== null,
    );
    assert.deepEqual(accepted, [0, 3, frames, all]);
    assert.equal(decodeMessage(encoded.subarray(0, 10)), null);
  });

  it('is filled again by the next one', () => {
    const first = decodeMessage(encodeMessage({ sequence: 7, frames: Uint8Array.of(1) }, KEY))!;
    const second = decodeMessage(encodeMessage({ bare: 2 }, KEY))!;
    assert.equal(first, second);
    assert.deepEqual([second.sequence, second.frames.length, second.bare], [0, 0, 2]);
  });
});
