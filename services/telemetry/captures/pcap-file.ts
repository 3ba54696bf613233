/** Captures in the older format, which scripts of testers read: libpcap, with nanoseconds. */

import { LINKTYPE_ETHERNET } from '../../engine/wire/pcapng/blocks.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { EPOCH_S } from '../epoch.js';
import { capturedFrames, type Captures } from './capture-file.js';

const MAGIC = 0xa1b23c4d;
const VERSION = [2, 4] as const;
const SNAP_MOST = 65_535;
const HEAD_OCTETS = 24;
const RECORD_OCTETS = 16;
const NS_PER_S = 1e9;

/** Frames of all captured ports in the order of time. */
export function pcapFile(fabric: Fabric, captures: Captures): Uint8Array {
  const pieces = [headOf(captures.snapOctets ?? SNAP_MOST)];
  for (const { timeNs, octets, originalOctets } of capturedFrames(fabric, captures)) {
    const record = new Uint8Array(RECORD_OCTETS + octets.length);
    const seconds = EPOCH_S + Math.floor(timeNs / NS_PER_S);
    words(record, 0, [seconds, timeNs % NS_PER_S, octets.length, originalOctets]);
    record.set(octets, RECORD_OCTETS);
    pieces.push(record);
  }
  return Buffer.concat(pieces);
}

function headOf(snapOctets: number): Uint8Array {
  const head = new Uint8Array(HEAD_OCTETS);
  const [major, minor] = VERSION;
  words(head, 0, [MAGIC, major | (minor << 16), 0, 0, snapOctets, LINKTYPE_ETHERNET]);
  return head;
}

function words(octets: Uint8Array, at: number, values: readonly number[]): void {
  const view = new DataView(octets.buffer);
  values.forEach((value, i) => {
    view.setUint32(at + 4 * i, value, true);
  });
}
