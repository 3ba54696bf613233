/** What a live port changes in the octets of a frame: the mark of congestion, and checksums. */

import { readU16, writeU16 } from '../../engine/wire/big-endian.js';
import { checksumOf, sumOver } from '../../engine/wire/checksum.js';
import { ETHERTYPE_IPV4 } from '../../engine/wire/ethernet.js';
import { type Layers, layersOf, trafficClass } from './frame-facts.js';

const CE = 3;
const TCP = 6;

/** A switch has marked the frame (RFC 3168 5): CE, and the checksum of an IPv4 header. */
export function markCongestion(octets: Uint8Array): void {
  const layers = layersOf(octets);
  const { ipAt, etherType } = layers;
  const mark = trafficClass(octets, layers) & CE;
  if (ipAt < 0 || mark === 0 || mark === CE) return;
  if (etherType !== ETHERTYPE_IPV4) {
    octets[ipAt + 1]! |= CE << 4;
    return;
  }
  const before = readU16(octets, ipAt);
  octets[ipAt + 1]! |= CE;
  // RFC 1624: HC' = ~(~HC + ~m + m').
  const kept = ~readU16(octets, ipAt + 10) & 0xffff;
  writeU16(octets, ipAt + 10, checksumOf(kept + (~before & 0xffff) + readU16(octets, ipAt)));
}

/**
 * Whether a TCP or UDP checksum is unfinished: between namespaces of one kernel it is the sum of
 * the pseudo-header alone, which a NIC would have completed.
 */
export function isUnfinished(octets: Uint8Array): boolean {
  const layers = layersOf(octets);
  const at = checksumAt(layers);
  if (at < 0) return false;
  const pseudo = pseudoSum(octets, layers);
  if (readU16(octets, at) !== (~checksumOf(pseudo) & 0xffff)) return false;
  return checksumOf(sumOver(pseudo, octets, layers.transportAt, layers.endAt)) !== 0;
}

/** The pseudo-header is in the sum already. */
export function complete(octets: Uint8Array): void {
  const layers = layersOf(octets);
  const checksum = checksumOf(sumOver(0, octets, layers.transportAt, layers.endAt));
  // UDP: zero would say that there is none (RFC 768).
  const isZero = checksum === 0 && layers.protocol !== TCP;
  writeU16(octets, checksumAt(layers), isZero ? 0xffff : checksum);
}

function checksumAt({ transportAt, protocol }: Layers): number {
  if (transportAt < 0) return -1;
  return transportAt + (protocol === TCP ? 16 : 6);
}

/** Addresses, protocol and length (RFC 768, RFC 9293 3.1, RFC 8200 8.1). */
function pseudoSum(octets: Uint8Array, layers: Layers): number {
  const { ipAt, transportAt, endAt, protocol, etherType } = layers;
  const [from, length] = etherType === ETHERTYPE_IPV4 ? [ipAt + 12, 8] : [ipAt + 8, 32];
  return sumOver(protocol + (endAt - transportAt), octets, from, from + length);
}
