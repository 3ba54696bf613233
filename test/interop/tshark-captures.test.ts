/** Wireshark's dissectors find nothing wrong with what runs leave for them. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { dissect, tsharkMissing, WARNING, worstNote } from '../kit/tshark.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

/** Credit exchange is known to nobody else, nor is the extension of CBFC: unknown opcodes. */
const CREDIT_OPCODES = ['0x0110', '0x0111', '0xfffe'];
/** Virtual time after which enough of every kind has been seen. */
const LONG_ENOUGH_PS = 2e9;
const EVERY_PORT = ['observe.captures.ports=["*"]', 'observe.captures.frames=300'];

describe('tshark, of what examples leave', { skip: tsharkMissing }, () => {
  function captureOf(name: string, ...set: string[]): Buffer {
    const fabric = fabricOf(`examples/${name}`, ...set);
    const session = new Session(fabric, { check: false });
    session.runTo(LONG_ENOUGH_PS);
    return captureOctets(fabric, session.captures());
  }

  for (const name of examples) {
    it(`finds nothing malformed: ${name}`, () => {
      const octets = captureOf(name, ...EVERY_PORT);
      const fields = ['macc.opcode', '_ws.malformed', '_ws.expert.severity', '_ws.col.Info'];
      const packets = dissect(octets, fields);
      assert.ok(packets.length > 100);
      const wrong = packets.filter((packet) => {
        const isMalformed = packet['_ws.malformed'] !== '';
        if (isMalformed || /malformed/i.test(packet['_ws.col.Info']!)) return true;
        return !CREDIT_OPCODES.includes(packet['macc.opcode']!) && worstNote(packet) >= WARNING;
      });
      assert.deepEqual(wrong, []);
    });
  }

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
    const marks = captureOf('incast-dcqcn.yaml', 'observe.captures.ports=[s1]');
    const fields = ['frame.interface_name', 'frame.packet_flags_direction', 'frame.comment'];
    const shown = (octets: Uint8Array, filter: string): string[] =>
      dissect(octets, fields, '-Y', filter).map((packet) =>
        fields.map((field) => packet[field]).join('\t'),
      );
    const marked = shown(marks, 'ip.dsfield.ecn == 3 && ip.src == 10.0.0.3');
    const sent = marked.find((line) => line.includes('\t0x00000002\t'))!;
    assert.match(sent, /^s1:p1\t.*\t\d+ ps; flow 1 burst\/h3->h1; marked here/);
    const drops = captureOf('incast-lossy.yaml', 'observe.captures.ports=[s1]');
    const [dropped] = shown(drops, 'frame.comment contains "dropped"');
    assert.match(dropped!, /^s1:p\d\t0x00000001\t\d+ ps; flow \d burst.*; dropped here: egress-/);
  });
});
