import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankCim, decodeCim, encodeCim } from '../../../../services/engine/wire/cim.js';
import type { Cim } from '../../../../services/engine/wire/cim.js';
import type { Envelope } from '../../../../services/engine/wire/congestion-message.js';
import {
  blankEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  envelopeOctets,
  UDP_PORT_CIM,
  UDP_PORT_SFCM,
} from '../../../../services/engine/wire/congestion-message.js';
import type { Sfcm } from '../../../../services/engine/wire/sfcm.js';
import {
  blankSfcm,
  decodeSfcm,
  encodeSfcm,
  SFCM_PAUSE,
  SFCM_RESUME,
} from '../../../../services/engine/wire/sfcm.js';
import {
  CIM_IPV4_ADD,
  CIM_L2_ADD,
  CIM_L2_DEL,
  octetsOf,
  SFCM_IPV4_PAUSE,
  SFCM_IPV6_PAUSE,
  SFCM_L2_PAUSE,
  SFCM_L2_RESUME,
} from './vectors.js';
import { fc } from '../../../kit/properties.js';

const HOST_A = 0x02000000000a;
const HOST_B = 0x02000000000b;
const BRIDGE = 0x0200000000c1;
const PEER = 0x020000000051;
const TAG = (6 << 13) | 100;

/** The first octets of a frame from A to B. */
const MSDU = octetsOf(
  '0800 4500002e000040004011 26bd 0a000001 0a000002 1388 1389 001a 0000 0000 0000',
);

function pauseOf(changes: Partial<Sfcm> = {}): Sfcm {
  const pdu = blankSfcm();
  pdu.msdu.set(MSDU.subarray(0, 34));
  return Object.assign(pdu, {
    priority: 3,
    dscp: 26,
    sequence: 1,
    pauseNs: 20_000,
    destination: HOST_B,
    source: HOST_A,
    vlan: 100,
    queueMac: BRIDGE,
    queueNumber: 3,
    queueUnits: 40,
    msduOctets: 34,
    ...changes,
  });
}

function cimOf(add: boolean): Cim {
  const pdu = blankCim();
  pdu.msdu.set(MSDU);
  return Object.assign(pdu, {
    add,
    destination: HOST_B,
    source: HOST_A,
    vlan: 100,
    msduOctets: 48,
  });
}

function layer2(destination: number): Envelope {
  const envelope = blankEnvelope();
  Object.assign(envelope.ethernet, { destination, source: BRIDGE, cTag: TAG });
  return envelope;
}

function ipv4Of(text: string): number {
  return text.split('.').reduce((all, octet) => all * 256 + Number(octet), 0);
}

function ipv4(destination: number, to: string, from: string, port: number): Envelope {
  const envelope = blankEnvelope();
  envelope.encapsulation = 'ipv4';
  Object.assign(envelope.ethernet, { destination, source: BRIDGE });
  Object.assign(envelope.ipv4, {
    dscp: 48,
    source: ipv4Of(from),
    destination: ipv4Of(to),
  });
  Object.assign(envelope.udp, { sourcePort: port, destinationPort: port });
  return envelope;
}

function ipv6(): Envelope {
  const envelope = ipv4(HOST_A, '10.0.0.1', '10.0.0.1', UDP_PORT_SFCM);
  envelope.encapsulation = 'ipv6';
  envelope.ipv6.dscp = 48;
  envelope.ipv6.source.set(octetsOf('20010db8 00000000 00000000 000000c1'));
  envelope.ipv6.destination.set(octetsOf('20010db8 00000000 00000000 00000001'));
  return envelope;
}

/** A whole frame, behind some octets that are not to be touched. */
function framed(
  envelope: Envelope,
  encode: (octets: Uint8Array, at: number) => number,
  length: number,
): Uint8Array {
  const octets = new Uint8Array(600);
  const pduAt = 5 + envelopeOctets(envelope);
  const pduOctets = encode(octets, pduAt) - pduAt;
  assert.equal(encodeEnvelope(octets, 5, envelope, pduOctets), 5 + length);
  return octets.slice(5, 5 + length);
}

describe('messages about congestion', () => {
  const SOURCE_V4 = ['10.0.0.1', '10.255.0.2'] as const;
  const sfcms: readonly (readonly [string, Uint8Array, Envelope, Sfcm])[] = [
    ['layer 2', SFCM_L2_PAUSE, layer2(HOST_A), pauseOf()],
    [
      'resume',
      SFCM_L2_RESUME,
      layer2(HOST_A),
      pauseOf({ type: SFCM_RESUME, sequence: 2, pauseNs: 0, queueUnits: 5 }),
    ],
    ['IPv4', SFCM_IPV4_PAUSE, ipv4(HOST_A, ...SOURCE_V4, UDP_PORT_SFCM), pauseOf()],
    ['IPv6', SFCM_IPV6_PAUSE, ipv6(), pauseOf()],
  ];
  for (const [name, octets, envelope, pdu] of sfcms) {
    it(`are octets as written down, both ways: SFCM, ${name}`, () => {
      const made = framed(envelope, (to, at) => encodeSfcm(to, at, pdu), octets.length);
      assert.deepEqual(made, octets);
      const read = blankEnvelope();
      assert.equal(decodeEnvelope(octets, 0, read), 'ok');
      assert.equal(read.encapsulation, envelope.encapsulation);
      assert.deepEqual(read.ethernet, envelope.ethernet);
      const got = blankSfcm();
      assert.equal(decodeSfcm(octets, read.pduAt, read.pduEnd, got), 'ok');
      assert.deepEqual(got, pdu);
    });
  }

  const cims: readonly (readonly [string, Uint8Array, Envelope, Cim])[] = [
    ['add', CIM_L2_ADD, layer2(PEER), cimOf(true)],
    ['delete', CIM_L2_DEL, layer2(PEER), cimOf(false)],
    ['IPv4', CIM_IPV4_ADD, ipv4(PEER, '10.255.0.1', '10.255.0.2', UDP_PORT_CIM), cimOf(true)],
  ];
  for (const [name, octets, envelope, pdu] of cims) {
    it(`are octets as written down, both ways: CIM, ${name}`, () => {
      const made = framed(envelope, (to, at) => encodeCim(to, at, pdu), octets.length);
      assert.deepEqual(made, octets);
      const read = blankEnvelope();
      assert.equal(decodeEnvelope(octets, 0, read), 'ok');
      const got = blankCim();
      assert.equal(decodeCim(octets, read.pduAt, read.pduEnd, got), 'ok');
      assert.deepEqual(got, pdu);
    });
  }

  it('come back as they were sent, whatever they say', () => {
    const mac = fc.nat(2 ** 47);
    const word = fc.nat(0xffff);
    const fields = fc.record({
      type: fc.constantFrom(SFCM_PAUSE, SFCM_RESUME),
      priority: fc.nat(7),
      dscp: fc.integer({ min: -1, max: 63 }),
      sequence: word,
      pauseNs: fc.nat(0xffffffff),
      destination: mac,
      source: mac,
      vlan: fc.nat(4095),
      queueMac: mac,
      queueNumber: word,
      queueUnits: word,
      msduOctets: fc.nat(512),
    });
    const property = fc.property(fields, (chosen) => {
      const octets = new Uint8Array(700);
      const sent = pauseOf(chosen);
      const end = encodeSfcm(octets, 3, sent);
      const got = pauseOf();
      assert.equal(decodeSfcm(octets, 3, octets.length, got), 'ok');
      assert.deepEqual({ ...got, msdu: null }, { ...sent, msdu: null });
      assert.equal(decodeSfcm(octets, 3, end - 1, got), 'too-short');
    });
    fc.assert(property, { seed: 2, numRuns: 300 });
  });

  it('of a version that is not known are refused', () => {
    const octets = SFCM_L2_PAUSE.slice();
    octets[19] = 0x21;
    assert.equal(decodeSfcm(octets, 18, octets.length, blankSfcm()), 'wrong-version');
  });

  it('of a type that is not known can be read, to be ignored', () => {
    const octets = SFCM_L2_PAUSE.slice();
    octets[19] = 0x1f;
    const got = blankSfcm();
    assert.equal(decodeSfcm(octets, 18, octets.length, got), 'ok');
    assert.equal(got.type, 15);
  });

  it('may be longer than this version says', () => {
    const octets = new Uint8Array(SFCM_L2_PAUSE.length + 8);
    octets.set(SFCM_L2_PAUSE);
    octets[21]! += 8;
    assert.equal(decodeSfcm(octets, 18, octets.length, blankSfcm()), 'ok');
  });

  it('are refused when a length inside contradicts the one outside', () => {
    const octets = SFCM_L2_PAUSE.slice();
    octets[21]! -= 1;
    assert.equal(decodeSfcm(octets, 18, octets.length, blankSfcm()), 'bad-length');
  });
});
