import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankUetAck,
  blankUetCredit,
  blankUetCreditRequest,
  blankUetNack,
  blankUetRequest,
  decodeUetAck,
  decodeUetCredit,
  decodeUetCreditRequest,
  decodeUetNack,
  decodeUetRequest,
  encodeUetAck,
  encodeUetCredit,
  encodeUetCreditRequest,
  encodeUetNack,
  encodeUetRequest,
  UET_ACK_CC_OCTETS,
  UET_NACK_OCTETS,
  UET_REQUEST_OCTETS,
} from '../../../../services/engine/wire/uet.js';
import { fc } from '../../../kit/properties.js';
import { hexOf, octetsOf } from './vectors.js';

const SEED = { seed: 52 };
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffffffff);
const signed = fc.integer({ min: -0x8000, max: 0x7fff });

describe('a request of Ultra Ethernet Transport', () => {
  const request = fc.record({
    ...{ retransmitted: fc.boolean(), ackRequested: fc.boolean(), syn: fc.boolean() },
    ...{ psn: u32, sourcePdc: u16, destinationPdc: u16 },
  });

  it('has these octets: packet 258 of connection 17 to 34, which asks for an answer', () => {
    const octets = new Uint8Array(UET_REQUEST_OCTETS);
    const record = { ...blankUetRequest(), ackRequested: true };
    Object.assign(record, { psn: 258, sourcePdc: 17, destinationPdc: 34 });
    assert.equal(encodeUetRequest(octets, 0, record), UET_REQUEST_OCTETS);
    assert.deepEqual(octets, octetsOf('1188 0000 00000102 0011 0022'));
  });

  it('comes back as it was', () => {
    fc.assert(
      fc.property(request, (record) => {
        const octets = new Uint8Array(UET_REQUEST_OCTETS);
        encodeUetRequest(octets, 0, record);
        const read = blankUetRequest();
        assert.equal(decodeUetRequest(octets, 0, read), 'ok');
        assert.deepEqual({ ...read }, { ...record });
      }),
      SEED,
    );
    const read = blankUetRequest();
    assert.equal(decodeUetRequest(new Uint8Array(11), 0, read), 'too-short');
    assert.equal(decodeUetRequest(new Uint8Array(12), 0, read), 'wrong-opcode');
  });
});

describe('an acknowledgement of Ultra Ethernet Transport', () => {
  const ack = fc.record({
    ...{ marked: fc.boolean(), cumulativePsn: u32, ackOffset: signed, sourcePdc: u16 },
    ...{ destinationPdc: u16, sackOffset: signed, sackLow: u32, sackHigh: u32 },
    ...{ serviceTime: u16, restore: fc.boolean(), penalty: fc.nat(0x7f) },
    ...{ receivedUnits: fc.nat(0xffffff), outOfOrder: u16 },
  });

  it('has these octets: 256 expected, 258 and 259 have come, 259 was marked', () => {
    const octets = new Uint8Array(UET_ACK_CC_OCTETS);
    const known = {
      ...{ ...blankUetAck(), marked: true, ackOffset: 3, cumulativePsn: 256, sourcePdc: 34 },
      ...{ destinationPdc: 17, sackLow: 0xd, serviceTime: 8, penalty: 64, receivedUnits: 291 },
      outOfOrder: 2,
    };
    assert.equal(encodeUetAck(octets, 0, known), UET_ACK_CC_OCTETS);
    const expected = octetsOf(
      '4220 0003 00000100 0022 0011 00 80 0000 000000000000000D 0008 40 000123 0002',
    );
    assert.equal(hexOf(octets), hexOf(expected));
  });

  it('comes back as it was, and is refused with the state of credit', () => {
    const octets = new Uint8Array(UET_ACK_CC_OCTETS);
    const read = blankUetAck();
    fc.assert(
      fc.property(ack, (record) => {
        encodeUetAck(octets, 0, record);
        assert.equal(decodeUetAck(octets, 0, read), 'ok');
        assert.deepEqual({ ...read }, { ...record });
      }),
      SEED,
    );
    octets[12] = 0x10;
    assert.equal(decodeUetAck(octets, 0, read), 'wrong-version');
    assert.equal(decodeUetAck(octets.subarray(1), 0, read), 'too-short');
    assert.equal(decodeUetAck(new Uint8Array(32), 0, read), 'wrong-opcode');
  });
});

describe('a negative acknowledgement of Ultra Ethernet Transport', () => {
  it('has these octets: packet 258 was trimmed in the fabric', () => {
    const octets = new Uint8Array(UET_NACK_OCTETS);
    const record = { ...blankUetNack(), code: 1, psn: 258, sourcePdc: 34, destinationPdc: 17 };
    assert.equal(encodeUetNack(octets, 0, record), UET_NACK_OCTETS);
    assert.equal(hexOf(octets), hexOf(octetsOf('5000 01 00 00000102 0022 0011 00000000')));
  });

  it('comes back as it was', () => {
    const nack = fc.record({
      ...{ marked: fc.boolean(), code: fc.nat(0xff), psn: u32, sourcePdc: u16 },
      destinationPdc: u16,
    });
    const octets = new Uint8Array(UET_NACK_OCTETS);
    const read = blankUetNack();
    fc.assert(
      fc.property(nack, (record) => {
        encodeUetNack(octets, 0, record);
        assert.equal(decodeUetNack(octets, 0, read), 'ok');
        assert.deepEqual({ ...read }, { ...record });
      }),
      SEED,
    );
    assert.equal(decodeUetNack(octets.subarray(1), 0, read), 'too-short');
    assert.equal(decodeUetNack(new Uint8Array(16), 0, read), 'wrong-opcode');
  });
});

describe('credit of Ultra Ethernet Transport', () => {
  it('has these octets: a target of 879 units with packet 258, and 64 units granted', () => {
    const octets = new Uint8Array(16);
    const request = { ...blankUetCreditRequest(), ackRequested: true, psn: 258 };
    Object.assign(request, { sourcePdc: 17, destinationPdc: 34, creditTarget: 879 });
    encodeUetCreditRequest(octets, 0, request);
    assert.equal(hexOf(octets), hexOf(octetsOf('6988 0000 00000102 0011 0022 00 00036f')));
    encodeUetCredit(octets, 0, { psn: 256, sourcePdc: 34, destinationPdc: 17, credit: 64 });
    assert.equal(hexOf(octets), hexOf(octetsOf('5b80 0000 00000100 0022 0011 00000040')));
  });

  it('comes back as it was', () => {
    const octets = new Uint8Array(16);
    const ends = { psn: u32, sourcePdc: u16, destinationPdc: u16 };
    const flags = { retransmitted: fc.boolean(), ackRequested: fc.boolean(), syn: fc.boolean() };
    const request = fc.record({ ...ends, ...flags, creditTarget: fc.nat(0xffffff) });
    const credit = fc.record({ ...ends, credit: u32 });
    const [asked, granted] = [blankUetCreditRequest(), blankUetCredit()];
    fc.assert(
      fc.property(request, credit, (one, other) => {
        encodeUetCreditRequest(octets, 0, one);
        assert.equal(decodeUetCreditRequest(octets, 0, asked), 'ok');
        assert.deepEqual({ ...asked }, { ...one });
        assert.equal(decodeUetCredit(octets, 0, granted), 'wrong-opcode');
        encodeUetCredit(octets, 0, other);
        assert.equal(decodeUetCredit(octets, 0, granted), 'ok');
        assert.deepEqual({ ...granted }, { ...other });
        assert.equal(decodeUetCreditRequest(octets, 0, asked), 'wrong-opcode');
      }),
      SEED,
    );
    assert.equal(decodeUetCredit(octets.subarray(1), 0, granted), 'too-short');
    assert.equal(decodeUetCreditRequest(octets.subarray(1), 0, asked), 'too-short');
  });
});
