/** Wireshark's dissectors find nothing wrong with what runs leave for them. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const skip =
  spawnSync('tshark', ['--version']).error === undefined ? false : 'tshark is not installed';
const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

const CHECKS = ['udp.check_checksum:TRUE', 'ip.check_checksum:TRUE'].flatMap((o) => ['-o', o]);
/** Severity of a warning; our own comments are less. */
const WARNING = 0x60_0000;
/** Credit exchange is known to nobody else, nor is the extension of CBFC: unknown opcodes. */
const CREDIT_OPCODES = ['0x0110', '0x0111', '0xfffe'];
/** Virtual time after which enough of every kind has been seen. */
const LONG_ENOUGH_PS = 2e9;
const EVERY_PORT = ['observe.captures.ports=["*"]', 'observe.captures.frames=300'];

describe('tshark, of what examples leave', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-captures-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const tshark = (octets: Uint8Array, ...words: string[]): string => {
    const path = join(folder, 'capture.pcapng');
    writeFileSync(path, octets);
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const maxBuffer = 2 ** 28;
    return execFileSync('tshark', ['-r', path, ...CHECKS, ...words], {
      ...{ encoding: 'utf8', stdio: [...stdio], maxBuffer },
    });
  };

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
      const lines = tshark(octets, '-T', 'fields', ...fields.flatMap((field) => ['-e', field]));
      const packets = lines.trimEnd().split('\n');
      assert.ok(packets.length > 100);
      const wrong = packets.filter((line) => {
        const [opcode = '', malformed, severities = '', info = ''] = line.split('\t');
        if (malformed !== '' || /malformed/i.test(info)) return true;
        const isKnown = !CREDIT_OPCODES.includes(opcode);
        return isKnown && severities.split(',').some((severity) => Number(severity) >= WARNING);
      });
      assert.deepEqual(wrong, []);
    });
  }

  it('shows how long a frame was that was cut, and all of its headers', () => {
    const octets = captureOf('incast-pfc.yaml', ...EVERY_PORT, 'observe.captures.snap=64B');
    const fields = ['frame.len', 'frame.cap_len', 'ip.len', 'infiniband.bth.psn'];
    const lines = tshark(
      octets,
      ...['-Y', 'infiniband.bth.opcode == 1', '-T', 'fields'],
      ...fields.flatMap((field) => ['-e', field]),
    );
    const [length, kept, ip, sequence] = lines.split('\n')[5]!.split('\t').map(Number);
    assert.equal(kept, 64);
    assert.equal(length, ip! + 14);
    assert.ok(sequence! > 0);
  });

  it('knows the port, the direction, the picosecond, marks and drops', () => {
    const marks = captureOf('incast-dcqcn.yaml', 'observe.captures.ports=[s1]');
    const fields = ['frame.interface_name', 'frame.packet_flags_direction', 'frame.comment'];
    const asked = [...['-T', 'fields'], ...fields.flatMap((field) => ['-e', field])];
    const marked = tshark(marks, '-Y', 'ip.dsfield.ecn == 3 && ip.src == 10.0.0.3', ...asked);
    const sent = marked.split('\n').find((line) => line.includes('\t0x00000002\t'))!;
    assert.match(sent, /^s1:p1\t.*\t\d+ ps; flow 1 burst\/h3->h1; marked here/);
    const drops = captureOf('incast-lossy.yaml', 'observe.captures.ports=[s1]');
    const dropped = tshark(drops, '-Y', 'frame.comment contains "dropped"', ...asked);
    assert.match(dropped, /^s1:p\d\t0x00000001\t\d+ ps; flow \d burst.*; dropped here: egress-/);
  });
});
