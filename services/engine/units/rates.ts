/** The rates of Ethernet. At each of them an octet takes a whole number of picoseconds. */

import { QUANTUM_OCTETS } from './ethernet.js';

interface EthernetRate {
  readonly name: string;
  readonly bps: number;
  readonly psPerOctet: number;
  /** 512 bit times (802.3 31B.2). */
  readonly pauseQuantumPs: number;
  /** Latest start of a new frame after a PAUSE frame was received (802.3 31B.3.7). */
  readonly pauseResponseLimitPs: number;
}

/** Bits of an octet by picoseconds of a second: divided by bit/s, the time of an octet in ps. */
export const OCTET_BITS_PS = 8e12;

function rate(name: string, bps: number, pauseResponseQuanta: number): EthernetRate {
  const psPerOctet = OCTET_BITS_PS / bps;
  const pauseQuantumPs = QUANTUM_OCTETS * psPerOctet;
  const pauseResponseLimitPs = pauseResponseQuanta * pauseQuantumPs;
  return { name, bps, psPerOctet, pauseQuantumPs, pauseResponseLimitPs };
}

/**
 * Telemetry numbers them by their place: rates that came later are at the end. 802.3 31B.3.7 gives
 * the response limits up to 400G; 147 quanta at 50G are those that scripts of switches have from
 * there. For rates of later amendments the limit is a time: at 2.5G and 5G that of 1G, and at 800G,
 * 1T and 1.6T that of 400G.
 */
export const ETHERNET_RATES: readonly EthernetRate[] = [
  rate('10M', 10e6, 1),
  rate('100M', 100e6, 1),
  rate('1G', 1e9, 2),
  rate('10G', 10e9, 60),
  rate('25G', 25e9, 80),
  rate('40G', 40e9, 118),
  rate('50G', 50e9, 147),
  rate('100G', 100e9, 394),
  rate('200G', 200e9, 453),
  rate('400G', 400e9, 905),
  rate('800G', 800e9, 1810),
  rate('1.6T', 1.6e12, 3620),
  rate('2.5G', 2.5e9, 5),
  rate('5G', 5e9, 10),
  rate('1T', 1e12, 2262),
];

export function rateOfBps(bps: number): EthernetRate | undefined {
  return ETHERNET_RATES.find((rate) => rate.bps === bps);
}
