/** Identifiers and the basic optional TLVs (802.1AB 8.5). */

import { readU16, readU32, writeU16, writeU32, writeU48 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import { encodeTlvHeader, TLV_CAPABILITIES, TLV_MANAGEMENT_ADDRESS } from './tlv.js';

export const CHASSIS_MAC = 4;
export const PORT_MAC = 3;
export const PORT_INTERFACE_NAME = 5;

export const CAN_BRIDGE = 1 << 2;
export const STATION_ONLY = 1 << 7;

const TEXT_MOST = 255;

export interface Capabilities {
  supported: number;
  enabled: number;
}

export interface ManagementAddress {
  /** Address family of IANA: 1 IPv4, 2 IPv6, 6 MAC. */
  family: number;
  address: Uint8Array;
  interfaceNumbering: number;
  interfaceNumber: number;
}

/** The value of a chassis ID (or port ID) TLV that is a MAC address. */
export function macIdentifier(subtype: number, mac: number): Uint8Array {
  const value = new Uint8Array(7);
  value[0] = subtype;
  writeU48(value, 1, mac);
  return value;
}

/** The value of an identifier TLV that is text, truncated to the longest allowed. */
export function textIdentifier(subtype: number, text: string): Uint8Array {
  return Uint8Array.of(subtype, ...textOctets(text));
}

/** Text as octets; a letter beyond Latin-1 becomes a question mark. */
export function textOctets(text: string): Uint8Array {
  return Uint8Array.from(text.slice(0, TEXT_MOST), (letter) => {
    const code = letter.codePointAt(0)!;
    return code > 0xff ? 0x3f : code;
  });
}

export function textOf(octets: Uint8Array): string {
  return Array.from(octets, (octet) => String.fromCharCode(octet)).join('');
}

/**
 * An identifier in its usual notation: a MAC address with colons, text as it is, other octets hex.
 */
export function showIdentifier(value: Uint8Array, macSubtype: number): string {
  const octets = value.subarray(1);
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, '0'));
  if (value[0] === macSubtype && octets.length === 6) return hex.join(':');
  const isText = octets.every((octet) => octet >= 0x20 && octet < 0x7f);
  return isText ? textOf(octets) : hex.join('');
}

export function blankCapabilities(): Capabilities {
  return { supported: 0, enabled: 0 };
}

export function encodeCapabilities(
  octets: Uint8Array,
  at: number,
  { supported, enabled }: Readonly<Capabilities>,
): number {
  const value = encodeTlvHeader(octets, at, TLV_CAPABILITIES, 4);
  writeU16(octets, value, supported);
  writeU16(octets, value + 2, enabled);
  return value + 4;
}

export function decodeCapabilities(value: Uint8Array, into: Capabilities): Decoded {
  if (value.length !== 4) return 'bad-length';
  into.supported = readU16(value, 0);
  into.enabled = readU16(value, 2);
  return 'ok';
}

export function blankManagementAddress(): ManagementAddress {
  return { family: 1, address: new Uint8Array(4), interfaceNumbering: 2, interfaceNumber: 0 };
}

/** Without an object identifier. */
export function encodeManagementAddress(
  octets: Uint8Array,
  at: number,
  managed: Readonly<ManagementAddress>,
): number {
  const { address } = managed;
  const value = encodeTlvHeader(octets, at, TLV_MANAGEMENT_ADDRESS, address.length + 8);
  octets[value] = address.length + 1;
  octets[value + 1] = managed.family;
  octets.set(address, value + 2);
  const numbering = value + 2 + address.length;
  octets[numbering] = managed.interfaceNumbering;
  writeU32(octets, numbering + 1, managed.interfaceNumber);
  octets[numbering + 5] = 0;
  return numbering + 6;
}

export function decodeManagementAddress(value: Uint8Array, into: ManagementAddress): Decoded {
  if (value.length < 9) return 'too-short';
  const [length] = value;
  if (length < 2 || length > 32 || value.length < 1 + length + 6) return 'bad-length';
  const oid = value[1 + length + 5];
  if (oid > 128 || value.length !== 1 + length + 6 + oid) return 'bad-length';
  into.family = value[1];
  into.address = value.slice(2, 1 + length);
  into.interfaceNumbering = value[1 + length];
  into.interfaceNumber = readU32(value, 2 + length);
  return 'ok';
}
