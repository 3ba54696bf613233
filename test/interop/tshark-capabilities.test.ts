/** tshark shows what ports advertise of credit exchange and source flow control, field by field. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLldpFrame, encodeLldp } from '../../services/engine/wire/lldp/lldpdu.js';
import { TLV_ORGANIZATIONAL } from '../../services/engine/wire/lldp/tlv.js';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import { DISSECTOR_FIELDS, fieldsOf, WITH_DISSECTORS } from '../kit/dissector-fields.js';
import { fabricOf } from '../kit/emulate.js';
import type { Packet } from '../kit/tshark.js';
import { captureOfPort, dissect, ERROR, tsharkMissing, worstNote } from '../kit/tshark.js';

const NOTES = ['_ws.malformed', '_ws.expert.severity', 'cet.bad', 'sfc.bad'];

function shown(frames: readonly Uint8Array[], ...words: readonly string[]): Packet[] {
  const packets = frames.map((octets, i) => {
    const originalOctets = octets.length;
    return { interfaceIndex: 0, timeNs: i, octets, originalOctets, comment: '' };
  });
  const fields = [...NOTES, ...DISSECTOR_FIELDS];
  return dissect(captureOfPort('h1:p1', packets), fields, ...WITH_DISSECTORS, ...words);
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

const CET = [0x02, 0xce, 0x70, 1] as const;
const SFC = [0x02, 0xce, 0x70, 2] as const;

describe('capability TLVs', { skip: tsharkMissing }, () => {
  const fabrics = {
    'CET of the second version':
      'priorities: { 3: credit }\ncredit: { unit: 128B, grant: demand, age: 3us, channels: [ { channel: 0 }, ' +
      '{ channel: 1, vlans: [ 5 ] } ] }',
    'CET of the third version': 'priorities: { 1: credit, 3: credit }\ncredit: { codec: both }',
    'SFC over IP': 'priorities: { 3: { flowControl: pfc, sfc: true } }',
    'SFC of layer 2':
      'priorities: { 3: { flowControl: pfc, sfc: true } }\nsfc: { encapsulation: ethernet }',
  };
  for (const [what, text] of Object.entries(fabrics)) {
    it(`are shown as the codecs read them: ${what}`, () => {
      const frames = advertised(`
fabric: { generator: star, hosts: 2 }
discovery: true
${text}
`);
      const packets = shown(frames);
      assert.equal(packets.length, 4);
      packets.forEach((packet, i) => {
        const { fields, outcome } = fieldsOf(frames[i]!);
        assert.equal(outcome, 'ok');
        assert.ok(fields[`${what.slice(0, 3).toLowerCase()}.version`] !== undefined);
        const own = DISSECTOR_FIELDS.map((field) => [field, packet[field]!] as const);
        assert.deepEqual(Object.fromEntries(own.filter(([, value]) => value !== '')), fields);
        assert.equal(packet['_ws.malformed'], '');
        assert.ok(worstNote(packet) < ERROR);
      });
    });
  }

  it('that a receiver ignores have an expert note, and break nothing', () => {
    const none = (octets: number): number[] => new Array<number>(octets).fill(0);
    const bad = [
      CET,
      [...CET, 1, 0xfe, ...none(16)],
      [...CET, 2, 0x40, ...none(61)],
      [...CET, 2, 0x40, ...none(63)],
      [...CET, 3, 0x40, ...none(62)],
      [...CET, 2, 0x40, 0, 64, 9, 0xf4, 0, 0, 8, 24, ...none(54)],
      [...CET, 2, 0x40, 0, 64, 9, 0xf4, 0, 4, 8, 8, ...none(54)],
      [...CET, 3, 0x40, 0, 64, 9, 0xf4, 0, 0, 8, 8, ...none(54), 24],
      SFC,
      [...SFC, 0, ...none(12)],
      [...SFC, 1, ...none(11)],
      [...SFC, 1, ...none(13)],
      [...SFC, 1, ...none(11), 1, 10, 0, 0],
      [...SFC, 1, ...none(11), 3],
    ].map((value) => withTlv(...value));
    for (const octets of bad) assert.notEqual(fieldsOf(octets).outcome, 'ok');
    const packets = shown(bad);
    const noted = packets.map((packet) => packet['cet.bad'] !== '' || packet['sfc.bad'] !== '');
    assert.deepEqual(
      noted,
      bad.map(() => true),
    );
  });

  it('are known by the identifier of the preferences', () => {
    const own = [0x0a, 0x12, 0x34] as const;
    const frames = [
      withTlv(...own, 2, 1, ...new Array<number>(12).fill(0)),
      withTlv(...own, 3, 1, 2),
    ];
    const named = shown(frames, '-o', 'selvage_capability.identifier:0A-12-34');
    assert.deepEqual([named[0]!['sfc.version'], named[1]!['link_layer.cbfc']], ['1', '1']);
    for (const packet of shown(frames)) {
      assert.deepEqual([packet['sfc.version'], packet['link_layer.subtype']], ['', '']);
    }
  });

  it('of another subtype are left to Wireshark', () => {
    const [packet] = shown([withTlv(0x02, 0xce, 0x70, 9, 1)]);
    assert.equal(packet!['cet.version'], '');
    assert.ok(worstNote(packet) < ERROR);
  });
});
