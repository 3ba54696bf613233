import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CapturedPacket,
  interfaceBlockOctets,
  packetBlockOctets,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../services/engine/wire/pcapng/writer.js';

/** Why tests with tshark are skipped; false: they are not. */
export const tsharkMissing =
  spawnSync('tshark', ['--version']).error === undefined ? false : 'tshark is not installed';

/** Severities of expert notes; our own comments are notes of the least one. */
export const COMMENT = 0x100000;
export const WARNING = 0x600000;
export const ERROR = 0x800000;

/** The worst severity of a packet's expert notes. */
export function worstNote(packet: Packet | undefined): number {
  return Math.max(0, ...(packet?.['_ws.expert.severity'] ?? '').split(',').map(Number));
}

/** By field, as text; empty where a packet does not have it. */
export type Packet = Readonly<Record<string, string>>;

const CHECKS = ['udp.check_checksum:TRUE', 'ip.check_checksum:TRUE'].flatMap((o) => ['-o', o]);

/** A file with packets of one port. */
export function captureOfPort(name: string, packets: readonly CapturedPacket[]): Uint8Array {
  const port = { name, snapOctets: 0 };
  const start = SECTION_BLOCK_OCTETS + interfaceBlockOctets(port);
  const octets = new Uint8Array(packets.reduce((sum, p) => sum + packetBlockOctets(p), start));
  let at = writeInterfaceBlock(octets, writeSectionBlock(octets, 0), port);
  for (const packet of packets) at = writePacketBlock(octets, at, packet);
  return octets;
}

/** Per packet of a capture, the fields asked for. */
export function dissect(
  octets: Uint8Array,
  fields: readonly string[],
  ...words: readonly string[]
): Packet[] {
  const columns = fields.flatMap((field) => ['-e', field]);
  const lines = tshark(octets, [...words, '-T', 'fields', ...columns]);
  return lines
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const values = line.split('\t');
      return Object.fromEntries(fields.map((field, i) => [field, values[i] ?? '']));
    });
}

function tshark(octets: Uint8Array, words: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-tshark-'));
  try {
    const path = join(folder, 'capture.pcapng');
    writeFileSync(path, octets);
    return execFileSync('tshark', ['-r', path, ...CHECKS, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
