import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankIpv4Header,
  decodeIpv4Header,
  encodeIpv4Header,
  IPV4_HEADER_OCTETS,
} from '../../../../services/engine/wire/ipv4.js';
import {
  blankIpv6Header,
  decodeIpv6Header,
  encodeIpv6Header,
  IPV6_HEADER_OCTETS,
} from '../../../../services/engine/wire/ipv6.js';
import {
  blankUdpHeader,
  decodeUdpHeader,
  encodeUdpHeader,
  fillUdpChecksumIpv6,
} from '../../../../services/engine/wire/udp.js';
import { CNP_ROCEV2, hexOf, octetsOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 4 };
/** An address of zeros that ends so. */
const ipv6Of = (end: string): Uint8Array => octetsOf(end.padStart(32, '0'));
const PLAIN = { noNullPrototype: true };
const IP_AT = 14;
const UDP_AT = 34;

const cnpIp = {
  ...blankIpv4Header(),
  dscp: 48,
  totalOctets: 60,
  protocol: 17,
  source: 0x0a000002,
  destination: 0x0a000001,
};

/** The header of the known packet, some octets changed, and its checksum mended. */
function ipv4With(changes: Readonly<Record<number, number>>): Uint8Array {
  const octets = CNP_ROCEV2.slice(IP_AT, UDP_AT).map((octet, at) => changes[at] ?? octet);
  let sum = 0;
  for (let at = 0; at < octets.length; at += 2) {
    if (at !== 10) sum += octets[at]! * 256 + octets[at + 1]!;
  }
  const checksum = 0xffff - (sum % 0xffff);
  octets.set([checksum >> 8, checksum & 0xff], 10);
  return octets;
}

describe('an IPv4 header', () => {
  it('is encoded with its checksum', () => {
    const octets = new Uint8Array(IPV4_HEADER_OCTETS);
    assert.equal(encodeIpv4Header(octets, 0, cnpIp), IPV4_HEADER_OCTETS);
    assert.equal(hexOf(octets), hexOf(CNP_ROCEV2.subarray(IP_AT, UDP_AT)));
  });

  it('is decoded', () => {
    const decoded = blankIpv4Header();
    assert.equal(decodeIpv4Header(CNP_ROCEV2, IP_AT, decoded), 'ok');
    assert.deepEqual(decoded, cnpIp);
  });

  it('comes back as it was', () => {
    const header = fc.record(
      {
        dscp: fc.nat(63),
        ecn: fc.nat(3),
        totalOctets: fc.integer({ min: 20, max: 0xffff }),
        identification: fc.nat(0xffff),
        dontFragment: fc.boolean(),
        timeToLive: fc.nat(255),
        protocol: fc.nat(255),
        source: fc.nat(0xffffffff),
        destination: fc.nat(0xffffffff),
        headerOctets: fc.constant(IPV4_HEADER_OCTETS),
      },
      PLAIN,
    );
    const octets = new Uint8Array(IPV4_HEADER_OCTETS);
    fc.assert(
      fc.property(header, (chosen) => {
        encodeIpv4Header(octets, 0, chosen);
        const decoded = blankIpv4Header();
        assert.equal(decodeIpv4Header(octets, 0, decoded), 'ok');
        assert.deepEqual(decoded, chosen);
      }),
      SEED,
    );
  });

  it('is refused with any bit turned over', () => {
    for (let bit = 0; bit < 8 * IPV4_HEADER_OCTETS; bit++) {
      const octets = CNP_ROCEV2.slice(IP_AT, UDP_AT);
      octets[bit >> 3]! ^= 0x80 >> (bit & 7);
      assert.notEqual(decodeIpv4Header(octets, 0, blankIpv4Header()), 'ok', `bit ${bit}`);
    }
  });

  it('is refused with the reason, even if the checksum is right', () => {
    const decode = (octets: Uint8Array): string => decodeIpv4Header(octets, 0, blankIpv4Header());
    assert.equal(decode(ipv4With({})), 'ok');
    assert.equal(decode(ipv4With({ 0: 0x65 })), 'wrong-version');
    assert.equal(decode(ipv4With({ 0: 0x44 })), 'bad-length');
    assert.equal(decode(ipv4With({ 0: 0x46 })), 'too-short');
    assert.equal(decode(ipv4With({ 3: 19 })), 'bad-length');
    assert.equal(decode(ipv4With({ 6: 0x20 })), 'fragmented');
    assert.equal(decode(ipv4With({ 7: 1 })), 'fragmented');
    assert.equal(
      decode(ipv4With({}).map((octet, at) => (at === 10 ? octet ^ 1 : octet))),
      'bad-checksum',
    );
  });
});

describe('an IPv6 header', () => {
  it('comes back as it was', () => {
    const address = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const header = fc.record(
      {
        dscp: fc.nat(63),
        ecn: fc.nat(3),
        flowLabel: fc.nat(0xfffff),
        payloadOctets: fc.nat(0xffff),
        nextHeader: fc.nat(255),
        hopLimit: fc.nat(255),
        source: address,
        destination: address,
      },
      PLAIN,
    );
    const octets = new Uint8Array(IPV6_HEADER_OCTETS);
    fc.assert(
      fc.property(header, (chosen) => {
        encodeIpv6Header(octets, 0, chosen);
        const decoded = blankIpv6Header();
        assert.equal(decodeIpv6Header(octets, 0, decoded), 'ok');
        assert.deepEqual(decoded, chosen);
      }),
      SEED,
    );
  });

  it('has its fields where RFC 8200 puts them', () => {
    const octets = new Uint8Array(IPV6_HEADER_OCTETS);
    const header = {
      ...blankIpv6Header(),
      dscp: 0x2a,
      ecn: 1,
      flowLabel: 0x54321,
      payloadOctets: 0x0102,
      nextHeader: 17,
      source: octetsOf('fd000000000000000000000000000001'),
      destination: octetsOf('fd000000000000000000000000000002'),
    };
    encodeIpv6Header(octets, 0, header);
    assert.deepEqual(
      octets,
      octetsOf(`6a954321 0102 11 40
        fd000000000000000000000000000001 fd000000000000000000000000000002`),
    );
  });

  it('is refused when cut short or of another version', () => {
    const octets = new Uint8Array(IPV6_HEADER_OCTETS);
    assert.equal(decodeIpv6Header(octets, 0, blankIpv6Header()), 'wrong-version');
    assert.equal(decodeIpv6Header(octets, 1, blankIpv6Header()), 'too-short');
  });
});

describe('a UDP header', () => {
  it('is encoded and decoded', () => {
    const header = { sourcePort: 0xc001, destinationPort: 4791, totalOctets: 40, checksum: 0 };
    const octets = new Uint8Array(8);
    assert.equal(encodeUdpHeader(octets, 0, header), 8);
    assert.equal(hexOf(octets), hexOf(CNP_ROCEV2.subarray(UDP_AT, UDP_AT + 8)));
    const decoded = blankUdpHeader();
    assert.equal(decodeUdpHeader(octets, 0, decoded), 'ok');
    assert.deepEqual(decoded, header);
  });

  it('is refused when shorter than itself', () => {
    assert.equal(decodeUdpHeader(new Uint8Array(7), 0, blankUdpHeader()), 'too-short');
    assert.equal(decodeUdpHeader(octetsOf('c00112b700070000'), 0, blankUdpHeader()), 'bad-length');
  });

  it('on IPv6 has a checksum over addresses, ports and data, never zero', () => {
    const ip = { ...blankIpv6Header(), source: ipv6Of('1'), destination: ipv6Of('2') };
    // Pseudo header 3 + 9 + 17, datagram 1 + 2 + 9 + AB00; the odd octet is a high half.
    const datagram = octetsOf('0001 0002 0009 0000 ab');
    fillUdpChecksumIpv6(datagram, 0, datagram.length, ip);
    assert.equal(hexOf(datagram.subarray(6, 8)), hexOf(octetsOf('54d6')));
    const sumsToOnes = octetsOf('0001 ffda 0008 0000');
    fillUdpChecksumIpv6(sumsToOnes, 0, sumsToOnes.length, ip);
    assert.equal(hexOf(sumsToOnes.subarray(6, 8)), 'ff ff');
  });
});
