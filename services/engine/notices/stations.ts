import { readU32, readU48 } from '../wire/big-endian.js';
import { assert } from '../kernel/assert.js';

const IPV4_AT = 6;
const IPV6_AT = 10;
/** MAC, IPv4 and IPv6 address of a station. */
export const STATION_OCTETS = 26;

/** Addresses of stations by position, as bridges learn them; frames name positions only. */
export class Stations {
  constructor(private readonly octets: Uint8Array) {}

  mac(position: number): number {
    this.assertStation(position);
    return readU48(this.octets, position * STATION_OCTETS);
  }

  ipv4(position: number): number {
    this.assertStation(position);
    return readU32(this.octets, position * STATION_OCTETS + IPV4_AT);
  }

  /** A view, not a copy. */
  ipv6(position: number): Uint8Array {
    const at = position * STATION_OCTETS;
    return this.octets.subarray(at + IPV6_AT, at + STATION_OCTETS);
  }

  private assertStation(position: number): void {
    assert(position >= 0, 'stations.position');
    assert((position + 1) * STATION_OCTETS <= this.octets.length, 'stations.known');
  }
}

/** Group addresses of a multicast group: administratively scoped IPv4 (RFC 2365), mapped to MAC. */
export function groupIpv4(group: number): number {
  return 0xef00_0001 + group;
}

export function groupMac(group: number): number {
  return 0x0100_5e00_0001 + group;
}
