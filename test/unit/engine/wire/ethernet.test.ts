import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
  encodeEthernetHeader,
  ETHERTYPE_C_TAG,
  ETHERTYPE_IPV4,
  ETHERTYPE_S_TAG,
  ethernetHeaderOctets,
  type EthernetHeader,
  formatMac,
  isGroupMac,
  NO_TAG,
  tagControl,
  tagPriority,
  tagVlan,
} from '../../../../services/engine/wire/ethernet.js';
import { hexOf, octetsOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 3 };
const PLAIN = { noNullPrototype: true };
const untagged: EthernetHeader = {
  destination: 0x02000000000b,
  source: 0x02000000000a,
  sTag: NO_TAG,
  cTag: NO_TAG,
  etherType: ETHERTYPE_IPV4,
};
const inner = tagControl({ priority: 6, dropEligible: false, vlan: 100 });
const outer = tagControl({ priority: 3, dropEligible: true, vlan: 4094 });
const ADDRESSES = '02 00 00 00 00 0b 02 00 00 00 00 0a';

function encoded(header: EthernetHeader): Uint8Array {
  const octets = new Uint8Array(ethernetHeaderOctets(header));
  assert.equal(encodeEthernetHeader(octets, 0, header), octets.length);
  return octets;
}

describe('an Ethernet header', () => {
  it('has no tag, one of either kind, or an S-TAG before a C-TAG', () => {
    assert.equal(hexOf(encoded(untagged)), `${ADDRESSES} 08 00`);
    assert.equal(hexOf(encoded({ ...untagged, cTag: inner })), `${ADDRESSES} 81 00 c0 64 08 00`);
    assert.equal(hexOf(encoded({ ...untagged, sTag: outer })), `${ADDRESSES} 88 a8 7f fe 08 00`);
    assert.equal(
      hexOf(encoded({ ...untagged, sTag: outer, cTag: inner })),
      `${ADDRESSES} 88 a8 7f fe 81 00 c0 64 08 00`,
    );
  });

  it('comes back as it was, with any tags', () => {
    const tag = fc.oneof(fc.constant(NO_TAG), fc.nat(0xffff));
    const header = fc.record(
      {
        destination: fc.nat(2 ** 48 - 1),
        source: fc.nat(2 ** 48 - 1),
        sTag: tag,
        cTag: tag,
        etherType: fc.nat(0xffff).filter((t) => t !== ETHERTYPE_C_TAG && t !== ETHERTYPE_S_TAG),
      },
      PLAIN,
    );
    fc.assert(
      fc.property(header, (chosen) => {
        const decoded = blankEthernetHeader();
        assert.equal(decodeEthernetHeader(encoded(chosen), 0, decoded), 'ok');
        assert.deepEqual(decoded, chosen);
      }),
      SEED,
    );
  });

  it('is refused wherever it is cut short', () => {
    const octets = encoded({ ...untagged, sTag: outer, cTag: inner });
    for (let length = 0; length < octets.length; length++) {
      const cut = octets.subarray(0, length);
      assert.equal(decodeEthernetHeader(cut, 0, blankEthernetHeader()), 'too-short');
    }
  });

  it('leaves a second C-TAG as the EtherType', () => {
    const decoded = blankEthernetHeader();
    const octets = octetsOf(`${ADDRESSES} 8100 c064 8100 0001 0800`);
    assert.equal(decodeEthernetHeader(octets, 0, decoded), 'ok');
    assert.deepEqual([decoded.cTag, decoded.etherType], [inner, ETHERTYPE_C_TAG]);
  });
});

describe('tag control information', () => {
  it('holds priority and VLAN', () => {
    assert.deepEqual([tagPriority(outer), tagVlan(outer)], [3, 4094]);
    assert.deepEqual([tagPriority(inner), tagVlan(inner)], [6, 100]);
  });
});

describe('a MAC address', () => {
  it('is written with colons', () => {
    assert.equal(formatMac(0x0a), '00:00:00:00:00:0a');
    assert.equal(formatMac(0x0180c2000001), '01:80:c2:00:00:01');
  });

  it('is a group address when the first octet is odd', () => {
    assert.equal(isGroupMac(0x0180c2000001), true);
    assert.equal(isGroupMac(0xffffffffffff), true);
    assert.equal(isGroupMac(0xfe0000000001), false);
  });
});
