import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeCrc32 } from '../../../../services/engine/wire/crc32.js';
import {
  AETH_OCTETS,
  blankBaseTransportHeader,
  BTH_OCTETS,
  decodeAcknowledgeHeader,
  decodeBaseTransportHeader,
  encodeAcknowledgeHeader,
  encodeBaseTransportHeader,
  invariantCrc,
  ROCE_CNP,
  SYNDROME_NAK_SEQUENCE_ERROR,
} from '../../../../services/engine/wire/roce.js';
import { CNP_ROCEV2, hexOf, octetsOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 17 };
const PLAIN = { noNullPrototype: true };
const IP_AT = 14;
const BTH_AT = 42;
const ICRC_AT = CNP_ROCEV2.length - 4;

const cnp = {
  ...blankBaseTransportHeader(),
  opcode: ROCE_CNP,
  becn: true,
  destinationQueuePair: 17,
};

describe('the base transport header', () => {
  it('is encoded as the known CNP has it', () => {
    const octets = new Uint8Array(BTH_OCTETS);
    assert.equal(encodeBaseTransportHeader(octets, 0, cnp), BTH_OCTETS);
    assert.equal(hexOf(octets), hexOf(CNP_ROCEV2.subarray(BTH_AT, BTH_AT + BTH_OCTETS)));
  });

  it('is decoded', () => {
    const decoded = blankBaseTransportHeader();
    assert.equal(decodeBaseTransportHeader(CNP_ROCEV2, BTH_AT, decoded), 'ok');
    assert.deepEqual(decoded, cnp);
  });

  it('comes back as it was', () => {
    const header = fc.record(
      {
        opcode: fc.nat(255),
        solicitedEvent: fc.boolean(),
        migrationRequest: fc.boolean(),
        padOctets: fc.nat(3),
        partitionKey: fc.nat(0xffff),
        fecn: fc.boolean(),
        becn: fc.boolean(),
        destinationQueuePair: fc.nat(0xffffff),
        acknowledgeRequest: fc.boolean(),
        sequence: fc.nat(0xffffff),
      },
      PLAIN,
    );
    const octets = new Uint8Array(BTH_OCTETS);
    fc.assert(
      fc.property(header, (chosen) => {
        encodeBaseTransportHeader(octets, 0, chosen);
        const decoded = blankBaseTransportHeader();
        assert.equal(decodeBaseTransportHeader(octets, 0, decoded), 'ok');
        assert.deepEqual(decoded, chosen);
      }),
      SEED,
    );
  });

  it('is refused when cut short or of another version', () => {
    const decoded = blankBaseTransportHeader();
    assert.equal(decodeBaseTransportHeader(new Uint8Array(11), 0, decoded), 'too-short');
    assert.equal(
      decodeBaseTransportHeader(octetsOf('04 01').subarray(0, 2), 0, decoded),
      'too-short',
    );
    const version1 = new Uint8Array(BTH_OCTETS).fill(1, 1, 2);
    assert.equal(decodeBaseTransportHeader(version1, 0, decoded), 'wrong-version');
  });
});

describe('the acknowledge header', () => {
  it('comes back as it was', () => {
    const octets = new Uint8Array(AETH_OCTETS);
    const nak = { syndrome: SYNDROME_NAK_SEQUENCE_ERROR, messageSequence: 0x010203 };
    assert.equal(encodeAcknowledgeHeader(octets, 0, nak), AETH_OCTETS);
    assert.equal(hexOf(octets), '60 01 02 03');
    const decoded = { syndrome: 0, messageSequence: 0 };
    assert.equal(decodeAcknowledgeHeader(octets, 0, decoded), 'ok');
    assert.deepEqual(decoded, nak);
    assert.equal(decodeAcknowledgeHeader(octets, 1, decoded), 'too-short');
  });
});

describe('the invariant CRC', () => {
  const icrc = (octets: Uint8Array): string => {
    const written = new Uint8Array(4);
    encodeCrc32(written, 0, invariantCrc(octets, IP_AT, ICRC_AT));
    return hexOf(written);
  };

  it('is that of the known CNP', () => {
    assert.equal(icrc(CNP_ROCEV2), '93 72 71 50');
  });

  it('does not see what routers may change, and sees everything else', () => {
    const mayChange = new Set([15, 22, 24, 25, 40, 41, 46]);
    for (let at = IP_AT + 1; at < ICRC_AT; at++) {
      const changed = CNP_ROCEV2.map((octet, i) => (i === at ? octet ^ 0xff : octet));
      assert.equal(icrc(changed) === '93 72 71 50', mayChange.has(at), `octet ${at}`);
    }
  });
});
