/**
 * What came in during a run, as pcapng: an interface for each live port, named by its host, and
 * packets with the virtual picosecond at which they entered.
 */

import { MAC_CONTROL_OCTETS } from '../../engine/wire/mac-control/mac-control-header.js';
import { readCapture } from '../../engine/wire/pcapng/reader.js';
import {
  type CaptureInterface,
  interfaceBlockOctets,
  packetBlockOctets,
  PACKET_INBOUND,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../engine/wire/pcapng/writer.js';

/** Times count ten to the power of minus twelve of a second. */
const PICOSECONDS = 12;
const PS_PER_NS = 1000;

export interface RecordedInput {
  readonly position: number;
  readonly atPs: number;
  readonly octets: Uint8Array;
}

/** The beginning of a recording. */
export function recordingHeader(hosts: readonly string[]): Uint8Array {
  const interfaces = hosts.map((name): CaptureInterface => ({
    name,
    snapOctets: 0,
    resolution: PICOSECONDS,
  }));
  const length = interfaces.reduce(
    (sum, own) => sum + interfaceBlockOctets(own),
    SECTION_BLOCK_OCTETS,
  );
  const octets = new Uint8Array(length);
  interfaces.reduce(
    (at, own) => writeInterfaceBlock(octets, at, own),
    writeSectionBlock(octets, 0),
  );
  return octets;
}

/** What the host with an index among those of the header has sent. */
export function recordedInput(index: number, atPs: number, frame: Uint8Array): Uint8Array {
  const packet = {
    ...{ interfaceIndex: index, timeNs: atPs, octets: frame, originalOctets: frame.length },
    ...{ comment: '', direction: PACKET_INBOUND },
  };
  const octets = new Uint8Array(packetBlockOctets(packet));
  writePacketBlock(octets, 0, packet);
  return octets;
}

/** Positions of hosts by name; throws the reason why the file is no recording of this fabric. */
export function readInputs(
  file: Uint8Array,
  hosts: ReadonlyMap<string, number>,
): readonly RecordedInput[] {
  const { outcome, interfaces, packets } = readCapture(file);
  if (outcome !== 'ok') throw new Error(`no pcapng file, or a damaged one (${outcome})`);
  const positions = interfaces.map(({ name, nsPerTick }) => {
    const position = hosts.get(name);
    if (position === undefined) throw new Error(`its interface ${name} is no live host here`);
    if (nsPerTick * PS_PER_NS !== 1) throw new Error(`times of ${name} are not in picoseconds`);
    return position;
  });
  const last = new Map<number, number>();
  return packets.map(({ interfaceIndex, ticks: atPs, octets }, index) => {
    const position = positions[interfaceIndex]!;
    const number = `packet ${index + 1}`;
    if (octets.length < MAC_CONTROL_OCTETS) throw new Error(`${number} is shorter than a frame`);
    if (atPs < (last.get(position) ?? 0)) throw new Error(`${number} is before an earlier one`);
    last.set(position, atPs);
    return { position, atPs, octets };
  });
}
