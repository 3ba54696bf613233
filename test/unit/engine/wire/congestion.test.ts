import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCnTag } from '../../../../services/engine/wire/cn-tag.js';
import {
  blankCnm,
  blankCnmEnvelope,
  CNM_MSDU_OCTETS_MAX,
  decodeCnm,
  decodeCnmFrame,
  encodeCnmFrame,
} from '../../../../services/engine/wire/cnm.js';
import {
  blankCnp,
  CNP_FRAME_OCTETS_MAX,
  CNP_OCTETS,
  decodeCnp,
  decodeCnpPacket,
  encodeCnp,
  encodeCnpFrame,
} from '../../../../services/engine/wire/cnp.js';
import {
  blankEnvelope,
  decodeEnvelope,
} from '../../../../services/engine/wire/congestion-message.js';
import { CNM, CNP_ROCEV2, hexOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 23 };
const UDP_PAYLOAD_AT = 42;
const PDU_AT = 22;
const MSDU_AT = 46;

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
  msdu: new Uint8Array(CNM_MSDU_OCTETS_MAX),
};
EXAMPLE.msdu.set(CNM.subarray(MSDU_AT));

describe('the congestion notification packet', () => {
  it('is the known one from its base transport header to the ICRC', () => {
    const octets = new Uint8Array(CNP_OCTETS).fill(0xff);
    assert.equal(encodeCnp(octets, 0, { destinationQueuePair: 17 }), CNP_OCTETS);
    assert.equal(hexOf(octets), hexOf(CNP_ROCEV2.subarray(UDP_PAYLOAD_AT, -4)));
    const heard = blankCnp();
    assert.equal(decodeCnp(CNP_ROCEV2, UDP_PAYLOAD_AT, heard), 'ok');
    assert.equal(heard.destinationQueuePair, 17);
  });

  it('is the known one as a whole frame, and refused when a bit of it is wrong', () => {
    const around = blankEnvelope();
    const heard = blankCnp();
    assert.equal(decodeEnvelope(CNP_ROCEV2, 0, around), 'ok');
    assert.equal(decodeCnpPacket(CNP_ROCEV2, 0, around, heard), 'ok');
    assert.equal(heard.destinationQueuePair, 17);
    const octets = new Uint8Array(CNP_FRAME_OCTETS_MAX);
    const end = encodeCnpFrame(octets, 0, around, heard);
    assert.equal(hexOf(octets.subarray(0, end)), hexOf(CNP_ROCEV2));
    const wrong = CNP_ROCEV2.with(60, CNP_ROCEV2[60]! ^ 1);
    assert.equal(decodeCnpPacket(wrong, 0, around, heard), 'bad-checksum');
    around.pduEnd = around.pduAt + CNP_OCTETS;
    assert.equal(decodeCnpPacket(CNP_ROCEV2, 0, around, heard), 'too-short');
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
  it('is the known one, with its tags and what it encapsulates', () => {
    const around = blankCnmEnvelope();
    const pdu = blankCnm();
    assert.equal(decodeCnmFrame(CNM, 0, around, pdu), 'ok');
    assert.deepEqual(pdu, EXAMPLE);
    assert.equal(around.flowId, 5);
    assert.equal(around.pduAt, PDU_AT);
    const octets = new Uint8Array(CNM.length);
    assert.equal(encodeCnmFrame(octets, 0, around, EXAMPLE), CNM.length);
    assert.equal(hexOf(octets), hexOf(CNM));
  });

  it('comes back as it was, signs and all', () => {
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
        msduOctets: fc.nat(CNM_MSDU_OCTETS_MAX),
        msdu: fc.uint8Array({ minLength: CNM_MSDU_OCTETS_MAX, maxLength: CNM_MSDU_OCTETS_MAX }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(message, fc.nat(0xffff), (chosen, flowId) => {
        const octets = new Uint8Array(128);
        const end = encodeCnmFrame(octets, 0, { ...blankCnmEnvelope(), flowId }, chosen);
        const heard = blankCnm();
        const around = blankCnmEnvelope();
        assert.equal(decodeCnmFrame(octets.subarray(0, end), 0, around, heard), 'ok');
        assert.equal(around.flowId, flowId);
        chosen.msdu.fill(0, chosen.msduOctets);
        assert.deepEqual(heard, chosen);
      }),
      SEED,
    );
  });

  it('never makes its reader throw, whatever comes', () => {
    const [around, heard] = [blankCnmEnvelope(), blankCnm()];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128 }), fc.nat(CNM.length), (noise, cut) => {
        decodeCnmFrame(noise, 0, around, heard);
        const mixed = CNM.slice(0, cut);
        mixed.set(noise.subarray(0, Math.max(0, cut - PDU_AT)), Math.min(cut, PDU_AT));
        decodeCnmFrame(mixed, 0, around, heard);
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
