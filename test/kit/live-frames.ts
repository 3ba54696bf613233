/** Frames as real hosts send them, for live ports. */

import { checksumOf, sumOver } from '../../services/engine/wire/checksum.js';

const UDP = 17;

/** Addresses of real hosts are not those of the emulated hosts whose places they take. */
export function macOf(host: number): string {
  return `06000000000${host}`;
}

export const BROADCAST = 'ffffffffffff';

export function octetsOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}

interface UdpOptions {
  /** DSCP and ECN. */
  readonly traffic?: number;
  readonly payload?: number;
  /** As between namespaces of one kernel: the sum of the pseudo-header alone. */
  readonly isUnfinished?: boolean;
  /** C-TAG, in hexadecimal. */
  readonly tag?: string;
}

/** A UDP packet between two hosts, in an Ethernet frame without FCS. */
export function udpFrame(
  to: number,
  from: number,
  { traffic = 0, payload = 40, isUnfinished = false, tag = '' }: UdpOptions = {},
): Uint8Array {
  const ethernet = octetsOf(`${macOf(to)}${macOf(from)}${tag === '' ? '' : `8100${tag}`}0800`);
  const length = 28 + payload;
  const octets = new Uint8Array(ethernet.length + length);
  octets.set(ethernet);
  const ip = octets.subarray(ethernet.length);
  const view = new DataView(ip.buffer, ip.byteOffset);
  ip.set([0x45, traffic]);
  view.setUint16(2, length);
  ip.set([64, UDP], 8);
  ip.set([10, 0, 0, from, 10, 0, 0, to], 12);
  view.setUint16(10, checksumOf(sumOver(0, ip, 0, 20)));
  view.setUint16(20, 4000);
  view.setUint16(22, 4001);
  view.setUint16(24, 8 + payload);
  for (let i = 28; i < length; i++) ip[i] = i;
  const pseudo = sumOver(UDP + 8 + payload, ip, 12, 20);
  const checksum = isUnfinished
    ? ~checksumOf(pseudo) & 0xffff
    : checksumOf(sumOver(pseudo, ip, 20, length));
  view.setUint16(26, checksum);
  return octets;
}

/** Pauses priorities, one bit each, for so many quanta (802.1Q 36.1.3). */
export function pfcFrame(priorities: number, quanta: number): Uint8Array {
  const octets = new Uint8Array(60);
  octets.set(octetsOf(`0180c2000001${macOf(9)}88080101`));
  const view = new DataView(octets.buffer);
  view.setUint16(16, priorities);
  for (let priority = 0; priority < 8; priority++) view.setUint16(18 + 2 * priority, quanta);
  return octets;
}
