import { STATION_OCTETS } from '../../engine/notices/stations.js';
import type { HostAddress } from '../address.js';

/** Addresses one behind the other, as devices of the engine have them. */
export function stationsOf(addresses: readonly HostAddress[]): Uint8Array {
  const octets = new Uint8Array(addresses.length * STATION_OCTETS);
  addresses.forEach(({ mac, ipv4, ipv6 }, i) => {
    octets.set([...mac, ...ipv4, ...ipv6], i * STATION_OCTETS);
  });
  return octets;
}
