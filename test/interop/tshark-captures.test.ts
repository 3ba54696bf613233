/** Wireshark's dissectors find nothing wrong with what runs leave for them. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { DISSECTOR_FIELDS, fieldsOf, WITH_DISSECTORS } from '../kit/dissector-fields.js';
import type { Packet } from '../kit/tshark.js';
import { dissect, tsharkMissing, WARNING, worstNote } from '../kit/tshark.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

const PROTOCOLS = [
  ...['cbfc', 'ce', 'ce_tag', 'cet', 'cim', 'cn_tag', 'cnm', 'link_layer', 'llr', 'sfc', 'sfcm'],
];

/** Virtual time after which enough of every kind has been seen. */
const LONG_ENOUGH_PS = 6e8;
const EVERY_PORT = ['observe.captures.ports=["*"]', 'observe.captures.frames=100'];
const FIRST_OF_SWITCH = ['observe.captures.ports=[s1]', 'observe.captures.frames=1000'];

/** Captures that one tshark reads, one behind the other: its start costs more than most of them. */
const AT_ONCE = 10;

type Read = ReturnType<typeof fieldsOf>;

describe('tshark, of what examples leave', { skip: tsharkMissing }, () => {
  /** Protocols of which frames were found. */
  const known = new Set<string>();

  function captureOf(name: string, ...set: string[]): Buffer {
    const fabric = fabricOf(`examples/${name}`, ...set);
    const session = new Session(fabric, { check: false });
    session.runTo(LONG_ENOUGH_PS);
    return captureOctets(fabric, session.captures());
  }

  for (let first = 0; first < examples.length; first += AT_ONCE) {
    describe(`from number ${first}`, () => {
      const names = examples.slice(first, first + AT_ONCE);
      const read: Read[][] = [];
      let shown: Packet[] = [];
      before(() => {
        const captures = names.map((name) => captureOf(name, ...EVERY_PORT));
        for (const octets of captures) {
          read.push(readCapture(octets).packets.map((packet) => fieldsOf(packet.octets)));
        }
        const fields = [
          '_ws.malformed',
          '_ws.expert.severity',
          '_ws.col.Info',
          ...DISSECTOR_FIELDS,
        ];
        shown = dissect(Buffer.concat(captures), fields, ...WITH_DISSECTORS);
      });

      it('shows each packet', () => {
        assert.equal(shown.length, read.flat().length);
      });

      names.forEach((name, place) => {
        it(`finds nothing malformed, and the fields that the codecs read: ${name}`, () => {
          const behind = read.slice(0, place).flat().length;
          const own = read[place]!;
          assert.ok(own.length > 100);
          assertAlike(shown.slice(behind, behind + own.length), own);
          for (const { fields } of own) {
            for (const field of Object.keys(fields)) known.add(field.slice(0, field.indexOf('.')));
          }
        });
      });
    });
  }

  it('has found frames of every protocol in the examples', () => {
    assert.deepEqual([...known].sort(), PROTOCOLS);
  });

  it('shows which packets came out of order', () => {
    const octets = captureOf('permutation-sprayed.yaml', 'observe.captures.ports=["h1:p1"]');
    const names = ['selective_ack.base', 'selective_ack.bitmap', 'infiniband.bth.psn'];
    const fields = ['_ws.malformed', '_ws.col.Info', ...names];
    const packets = dissect(
      octets,
      fields,
      ...WITH_DISSECTORS,
      '-Y',
      'infiniband.bth.opcode == 209',
    );
    assert.ok(packets.length > 50);
    for (const packet of packets) {
      const [base, bitmap, missing] = names.map((name) => Number(packet[name]));
      assert.equal(packet['_ws.malformed'], '');
      assert.match(packet['_ws.col.Info']!, /^SACK from \d+/);
      // Blocks of 32 are counted from behind the packet that is missing.
      assert.equal((base! - missing! - 1) % 32, 0);
      assert.ok(bitmap! > 0 && bitmap! < 2 ** 32);
    }
  });

  it('shows ordered sets on an interface of their own, beside that of frames', () => {
    const octets = captureOf('link-retry.yaml', 'observe.captures.ports=["spine1:p1"]');
    const fields = ['frame.interface_name', 'frame.len', 'frame.protocols', 'llr.type'];
    const packets = dissect(octets, fields, ...WITH_DISSECTORS);
    const sets = packets.filter((packet) => packet['frame.len'] === '8');
    assert.ok(sets.length > 0 && sets.length < packets.length);
    for (const packet of packets) {
      const isSet = packet['frame.len'] === '8';
      assert.equal(packet['frame.interface_name'], isSet ? 'spine1:p1 ordered sets' : 'spine1:p1');
      assert.match(packet['frame.protocols']!, isSet ? /ordered_set/ : /^eth:/);
      assert.equal(packet['llr.type'] !== '', isSet);
    }
  });

  it('shows how long a frame was that was cut, and all of its headers', () => {
    const octets = captureOf('incast-pfc.yaml', ...EVERY_PORT, 'observe.captures.snap=64B');
    const fields = ['frame.len', 'frame.cap_len', 'ip.len', 'infiniband.bth.psn'];
    const packet = dissect(octets, fields, '-Y', 'infiniband.bth.opcode == 1')[5]!;
    const [length, kept, ip, sequence] = fields.map((field) => Number(packet[field]));
    assert.equal(kept, 64);
    assert.equal(length, ip! + 14);
    assert.ok(sequence! > 0);
  });

  it('knows the port, the direction, the picosecond, marks and drops', () => {
    const marks = captureOf('incast-dcqcn.yaml', ...FIRST_OF_SWITCH);
    const fields = ['frame.interface_name', 'frame.packet_flags_direction', 'frame.comment'];
    const shown = (octets: Uint8Array, filter: string): string[] =>
      dissect(octets, fields, '-Y', filter).map((packet) =>
        fields.map((field) => packet[field]).join('\t'),
      );
    const marked = shown(marks, 'ip.dsfield.ecn == 3 && ip.src == 10.0.0.3');
    const sent = marked.find((line) => line.includes('\t0x00000002\t'))!;
    assert.match(sent, /^s1:p1\t.*\t\d+ ps; flow 1 burst\/h3->h1; marked here/);
    const drops = captureOf('incast-lossy.yaml', ...FIRST_OF_SWITCH);
    const [dropped] = shown(drops, 'frame.comment contains "dropped"');
    assert.match(dropped!, /^s1:p\d\t0x00000001\t\d+ ps; flow \d burst.*; dropped here: egress-/);
  });
});

/** The dissectors show what the codecs read, and complain where a receiver discards the frame. */
function assertAlike(shown: readonly Packet[], read: readonly Read[]): void {
  const differs = (packet: Packet, i: number): boolean =>
    !isDeepStrictEqual(dissectorFields(packet), read[i]!.fields);
  const first = shown.findIndex(differs);
  if (first >= 0) assert.deepEqual(dissectorFields(shown[first]!), read[first]!.fields);
  const wrong = shown.filter((packet, i) => {
    const isMalformed = packet['_ws.malformed'] !== '';
    if (isMalformed || /malformed/i.test(packet['_ws.col.Info']!)) return true;
    return worstNote(packet) >= WARNING !== (read[i]!.outcome !== 'ok');
  });
  assert.deepEqual(wrong, []);
}

/** Those that a packet has. */
function dissectorFields(packet: Packet): Record<string, string> {
  const own = DISSECTOR_FIELDS.map((field) => [field, packet[field]!] as const);
  return Object.fromEntries(own.filter(([, value]) => value !== ''));
}
