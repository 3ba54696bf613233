/** tshark shows what ports advertise about the link layer over LLDP, field by field. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeU16 } from '../../services/engine/wire/big-endian.js';
import { blankLldpFrame, encodeLldp } from '../../services/engine/wire/lldp/lldpdu.js';
import { TLV_ORGANIZATIONAL } from '../../services/engine/wire/lldp/tlv.js';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import { DISSECTOR_FIELDS, fieldsOf, WITH_DISSECTORS } from '../kit/dissector-fields.js';
import { fabricOf } from '../kit/emulate.js';
import type { Packet } from '../kit/tshark.js';
import { captureOfPort, dissect, ERROR, tsharkMissing, worstNote } from '../kit/tshark.js';

const FIELDS = [
  '_ws.malformed',
  '_ws.expert.severity',
  '_ws.col.Protocol',
  '_ws.col.Info',
  'link_layer.bad',
  ...DISSECTOR_FIELDS,
];

function shown(frames: readonly Uint8Array[]): Packet[] {
  const packets = frames.map((octets, i) => {
    const originalOctets = octets.length;
    return { interfaceIndex: 0, timeNs: i, octets, originalOctets, comment: '' };
  });
  return dissect(captureOfPort('h1:p1', packets), FIELDS, ...WITH_DISSECTORS);
}

function dissectorFields(packet: Packet): Record<string, string> {
  const own = DISSECTOR_FIELDS.map((field) => [field, packet[field]!] as const);
  return Object.fromEntries(own.filter(([, value]) => value !== ''));
}

/** What ports advertise before a run. */
function advertised(text: string): Uint8Array[] {
  const fabric = fabricOf(text);
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle();
  return exchange.mechanism.ports.flatMap((port) =>
    (port?.agents ?? []).flatMap(({ rx }) => rx.neighbors.map(({ octets }) => octets)),
  );
}

/** An LLDPDU with one organizational TLV. */
function withTlv(...value: readonly number[]): Uint8Array {
  const octets = new Uint8Array(200);
  const id = Uint8Array.of(7, 0x61);
  const own = { type: TLV_ORGANIZATIONAL, value: Uint8Array.from(value) };
  const frame = { ...blankLldpFrame(), chassisId: id, portId: id, ttlSeconds: 120, tlvs: [own] };
  return octets.slice(0, encodeLldp(octets, 0, frame));
}

const PROTOCOLS = [0x02, 0xce, 0x70, 3] as const;
const CREDITS = [0x02, 0xce, 0x70, 4] as const;

describe('TLVs of the link layer', { skip: tsharkMissing }, () => {
  const fabric = (cbfc: string): string => `
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: 5m } }
priorities: { 1: cbfc, 3: cbfc }
llr: { enabled: true }
cbfc: { ${cbfc} }
discovery: true
`;
  for (const [what, cbfc] of [
    ['each channel', 'channels: [0, 4, 2, 31, 1, 5, 6, 7], creditSize: 64, overhead: -4'],
    ['the port', 'limit: port, buffer: 1MB'],
  ] as const) {
    it(`are shown as the codecs read them: credits of ${what}`, () => {
      const frames = advertised(fabric(cbfc));
      const packets = shown(frames);
      assert.equal(packets.length, 4);
      packets.forEach((packet, i) => {
        const { fields, outcome } = fieldsOf(frames[i]!);
        assert.equal(outcome, 'ok');
        assert.deepEqual(dissectorFields(packet), fields);
        assert.equal(packet['link_layer.subtype'], '3,4');
        assert.deepEqual([packet['link_layer.llr'], packet['link_layer.cbfc']], ['1', '1']);
        assert.equal(packet['_ws.col.Protocol'], 'LLDP');
        assert.equal(packet['_ws.malformed'], '');
        assert.ok(worstNote(packet) < ERROR);
      });
    });
  }

  it('have every field at its place', () => {
    const map = [0x80, 0, 0, 0x08];
    const credits = [...CREDITS, 0x20, 0x0b, 0xf0, 0, 0, 9, ...map, 0, 0x7f, 0xff, 0, 0, 5];
    const read = shown([withTlv(...PROTOCOLS, 1, 2), withTlv(...credits)]).map(dissectorFields);
    assert.deepEqual(read, [
      {
        ...{ 'link_layer.subtype': '3', 'link_layer.version': '1' },
        ...{ 'link_layer.llr': '0', 'link_layer.cbfc': '1' },
      },
      {
        ...{ 'link_layer.subtype': '4', 'link_layer.channels': '32' },
        ...{ 'link_layer.credit_size': '2048', 'link_layer.overhead': '-16' },
        ...{ 'link_layer.port_credits': '9', 'link_layer.lossless': '0x80000008' },
        ...{ 'link_layer.credits.vc3': '32767', 'link_layer.credits.vc31': '5' },
      },
    ]);
  });

  it('that a receiver ignores have an expert note, and break nothing', () => {
    const none = [0, 0, 0, 0];
    const bad = [
      PROTOCOLS,
      [...PROTOCOLS, 1],
      [...PROTOCOLS, 1, 2, 0],
      [...PROTOCOLS, 2, 2],
      CREDITS,
      [...CREDITS, 8, 7, 0, 0, 0, 0, 0, 0, 0],
      [...CREDITS, 8, 7, 0, 0, 0, 0, ...none, 0],
      [...CREDITS, 8, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
      [...CREDITS, 0, 7, 0, 0, 0, 0, ...none],
      [...CREDITS, 33, 7, 0, 0, 0, 0, ...none],
      [...CREDITS, 3, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1],
      [...CREDITS, 8, 4, 0, 0, 0, 0, ...none],
      [...CREDITS, 8, 12, 0, 0, 0, 0, ...none],
      [...CREDITS, 8, 255, 0, 0, 0, 0, ...none],
      [...CREDITS, 8, 7, 0xef, 0, 0, 0, ...none],
      [...CREDITS, 8, 7, 0, 0x10, 0, 0, ...none],
      [...CREDITS, 8, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0, 0],
    ].map((value) => withTlv(...value));
    for (const octets of bad) assert.notEqual(fieldsOf(octets).outcome, 'ok');
    // A TLV that is longer than its frame.
    const cut = withTlv(...PROTOCOLS, 1, 2);
    writeU16(cut, cut.indexOf(TLV_ORGANIZATIONAL << 1), 0xfeff);
    const packets = shown([...bad, cut]);
    const found = packets.map((packet) => packet['link_layer.bad'] !== '');
    assert.deepEqual(
      found,
      packets.map(() => true),
    );
    assert.equal(packets.length, bad.length + 1);
    assert.ok(packets.every((packet) => packet['_ws.col.Info']!.startsWith('LA/a')));
  });

  it('of another subtype are left to Wireshark', () => {
    const [packet] = shown([withTlv(0x02, 0xce, 0x70, 9, 1)]);
    assert.equal(packet!['link_layer.subtype'], '');
    assert.ok(worstNote(packet) < ERROR);
  });
});
