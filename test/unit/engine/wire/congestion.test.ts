import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  carriedOctets,
  CARRIED_OCTETS_MAX,
  carryOctets,
} from '../../../../services/engine/frame/carried-octets.js';
import { FramePool } from '../../../../services/engine/frame/frame-pool.js';
import {
  blankCnm,
  CN_TAG_OCTETS,
  CNM_OCTETS,
  decodeCnm,
  decodeCnTag,
  encodeCnm,
  encodeCnTag,
} from '../../../../services/engine/wire/cnm.js';
import {
  blankCnp,
  CNP_OCTETS,
  decodeCnp,
  encodeCnp,
} from '../../../../services/engine/wire/cnp.js';
import { CNM, CNP_ROCEV2, hexOf } from './vectors.js';

const SEED = { seed: 23 };
const UDP_PAYLOAD_AT = 42;
const TAG_AT = 16;
const PDU_AT = 22;

const EXAMPLE = {
  feedback: 32,
  bridge: 0x0200000000c1,
  port: 0,
  queuePriority: 3,
  queueOffset: 813,
  queueDelta: 110,
  priority: 5,
  destination: 0x02000000000b,
  msduOctets: 24,
};

describe('the congestion notification packet', () => {
  it('is the known one from its base transport header to the ICRC', () => {
    const octets = new Uint8Array(CNP_OCTETS).fill(0xff);
    assert.equal(encodeCnp(octets, 0, { destinationQueuePair: 17 }), CNP_OCTETS);
    assert.equal(hexOf(octets), hexOf(CNP_ROCEV2.subarray(UDP_PAYLOAD_AT, -4)));
    const heard = blankCnp();
    assert.equal(decodeCnp(CNP_ROCEV2, UDP_PAYLOAD_AT, heard), 'ok');
    assert.equal(heard.destinationQueuePair, 17);
  });

  it('is refused when it is cut short, another opcode, or without BECN', () => {
    const heard = blankCnp();
    const payload = CNP_ROCEV2.slice(UDP_PAYLOAD_AT, -4);
    assert.equal(decodeCnp(payload.subarray(1), 0, heard), 'too-short');
    assert.equal(decodeCnp(payload.with(0, 0x11), 0, heard), 'wrong-opcode');
    assert.equal(decodeCnp(payload.with(4, 0), 0, heard), 'wrong-opcode');
  });
});

describe('the congestion notification message', () => {
  it('is the known one, with its tag', () => {
    const octets = CNM.slice();
    octets.fill(0, TAG_AT, TAG_AT + CN_TAG_OCTETS);
    octets.fill(0, PDU_AT, PDU_AT + CNM_OCTETS);
    assert.equal(encodeCnTag(octets, TAG_AT, 5), TAG_AT + CN_TAG_OCTETS);
    assert.equal(encodeCnm(octets, PDU_AT, EXAMPLE), PDU_AT + CNM_OCTETS);
    assert.equal(hexOf(octets), hexOf(CNM));
    const [tag, pdu] = [{ flowId: 0 }, blankCnm()];
    assert.equal(decodeCnTag(CNM, TAG_AT, tag), 'ok');
    assert.equal(decodeCnm(CNM, PDU_AT, pdu), 'ok');
    assert.deepEqual(tag, { flowId: 5 });
    assert.deepEqual(pdu, EXAMPLE);
  });

  it('comes back as it was, signs and all, also when a frame of the pool carries it', () => {
    const pool = new FramePool(0);
    const message = fc.record(
      {
        feedback: fc.nat(63),
        bridge: fc.nat(2 ** 48 - 1),
        port: fc.nat(255),
        queuePriority: fc.nat(7),
        queueOffset: fc.integer({ min: -32_768, max: 32_767 }),
        queueDelta: fc.integer({ min: -32_768, max: 32_767 }),
        priority: fc.nat(7),
        destination: fc.nat(2 ** 48 - 1),
        msduOctets: fc.constant(0),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(message, (chosen) => {
        const octets = new Uint8Array(CNM_OCTETS);
        encodeCnm(octets, 0, chosen);
        const frame = pool.allocate();
        carryOctets(pool, frame, octets, CARRIED_OCTETS_MAX);
        const copy = pool.copyFrom(pool, frame);
        const carried = new Uint8Array(CNM_OCTETS);
        carriedOctets(pool, copy, carried, CARRIED_OCTETS_MAX);
        assert.equal(hexOf(carried), hexOf(octets));
        const heard = blankCnm();
        assert.equal(decodeCnm(carried, 0, heard), 'ok');
        assert.deepEqual(heard, chosen);
        pool.release(frame);
        pool.release(copy);
      }),
      SEED,
    );
  });

  it('is refused when it is cut short, of another version, or claims too much data', () => {
    const pdu = CNM.slice(PDU_AT);
    const heard = blankCnm();
    assert.equal(decodeCnm(pdu.subarray(0, 23), 0, heard), 'too-short');
    assert.equal(decodeCnm(pdu.subarray(0, 47), 0, heard), 'too-short');
    assert.equal(decodeCnm(pdu.with(0, 0x10), 0, heard), 'wrong-version');
    assert.equal(decodeCnm(pdu.with(23, 65), 0, heard), 'bad-length');
    assert.equal(decodeCnTag(CNM, 0, { flowId: 0 }), 'wrong-type');
    assert.equal(decodeCnTag(CNM.subarray(0, 3), 0, { flowId: 0 }), 'too-short');
  });
});
