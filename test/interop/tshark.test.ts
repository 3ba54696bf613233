/** Wireshark's dissectors read our captures and find in them what we wrote. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  type CapturedPacket,
  interfaceBlockOctets,
  packetBlockOctets,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../services/engine/wire/pcapng/writer.js';
import { knownFrames } from './frames.js';

const PORT = { name: 'leaf3:p5', snapOctets: 0 };
/** Severities of expert notes; our own comments are notes of the least one. */
const COMMENT = 0x100000;
const ERROR = 0x800000;

const missing =
  spawnSync('tshark', ['--version']).error === undefined ? false : 'tshark is not installed';

const folder = mkdtempSync(join(tmpdir(), 'selvage-tshark-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function captureFile(packets: readonly CapturedPacket[]): string {
  const length = packets.reduce(
    (sum, packet) => sum + packetBlockOctets(packet),
    SECTION_BLOCK_OCTETS + interfaceBlockOctets(PORT),
  );
  const octets = new Uint8Array(length);
  let at = writeInterfaceBlock(octets, writeSectionBlock(octets, 0), PORT);
  for (const packet of packets) at = writePacketBlock(octets, at, packet);
  const path = join(folder, 'capture.pcapng');
  writeFileSync(path, octets);
  return path;
}

/** Per packet, the fields asked for; a field that a packet does not have is empty. */
function dissect(path: string, fields: readonly string[]): Record<string, string>[] {
  const preferences = ['udp.check_checksum', 'ip.check_checksum'].flatMap((name) => [
    '-o',
    `${name}:TRUE`,
  ]);
  const columns = fields.flatMap((field) => ['-e', field]);
  const output = execFileSync('tshark', ['-r', path, ...preferences, '-T', 'fields', ...columns], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const values = line.split('\t');
      return Object.fromEntries(fields.map((field, index) => [field, values[index] ?? '']));
    });
}

function worstNote(packet: Record<string, string> | undefined): number {
  return Math.max(...(packet?.['_ws.expert.severity'] ?? '').split(',').map(Number));
}

describe('tshark', { skip: missing }, () => {
  const frames = knownFrames();
  const packets = frames.map(({ name, octets }, index) => ({
    interfaceIndex: 0,
    timeNs: 1_000_000_000 * index + 123_456_789,
    octets,
    originalOctets: octets.length,
    comment: name,
  }));
  const everyField = [...new Set(frames.flatMap(({ fields }) => Object.keys(fields)))];
  const general = ['frame.time_epoch', 'frame.comment', 'frame.len', 'frame.interface_name'];
  const complaints = ['_ws.malformed', '_ws.expert.severity', '_ws.expert.message'];
  const dissected = missing
    ? []
    : dissect(captureFile(packets), [...everyField, ...general, ...complaints]);

  it('reads every packet, with its time, comment, length and port', () => {
    assert.deepEqual(
      dissected.map((packet) => general.map((field) => packet[field])),
      packets.map(({ comment, originalOctets }, index) => [
        `${index}.123456789`,
        comment,
        String(originalOctets),
        PORT.name,
      ]),
    );
  });

  frames.forEach(({ name, fields }, index) => {
    it(`reads the fields of ${name}`, () => {
      const packet = dissected[index] ?? {};
      const read = Object.fromEntries(Object.keys(fields).map((field) => [field, packet[field]]));
      assert.deepEqual(read, fields);
    });

    it(`finds nothing wrong with ${name}`, () => {
      const packet = dissected[index] ?? {};
      assert.equal(packet['_ws.malformed'], '');
      assert.equal(worstNote(packet), COMMENT, packet['_ws.expert.message']);
    });
  });

  it('finds a wrong octet: an IPv4 checksum that does not fit', () => {
    const broken = packets[2]!.octets.slice();
    broken[24]! ^= 1;
    const [packet] = dissect(captureFile([{ ...packets[2]!, octets: broken }]), complaints);
    assert.equal(worstNote(packet), ERROR);
  });

  it('takes a frame that was cut short for one, not for a malformed frame', () => {
    const cut = { ...packets[2]!, octets: packets[2]!.octets.slice(0, 58) };
    const [packet] = dissect(captureFile([cut]), ['frame.len', 'frame.cap_len', ...complaints]);
    assert.equal(packet?.['frame.len'], String(cut.originalOctets));
    assert.equal(packet['frame.cap_len'], '58');
    assert.equal(packet['_ws.malformed'], '');
    assert.equal(worstNote(packet), COMMENT, packet['_ws.expert.message']);
  });
});
