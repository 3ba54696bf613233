import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Octets of a MAC: HMAC-SHA256 (RFC 2104), truncated. */
export const MAC_OCTETS = 16;

const BLOCK_OCTETS = 64;
const DIGEST_OCTETS = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** Octets of a MAC of what is kept: HMAC-SHA256, whole. */
export const LONG_MAC_OCTETS = DIGEST_OCTETS;

/** Of what is kept: some megabytes, so that an `Hmac` object costs nothing beside hashing them. */
export function longMac(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Takes as long for a wrong MAC as for the right one. */
export function isLongMac(mac: Uint8Array, right: Buffer): boolean {
  return mac.length === LONG_MAC_OCTETS && timingSafeEqual(mac, right);
}

/** Room for a message at first; it grows to the longest. */
const FIRST_OCTETS = 2048;

/**
 * Authenticates messages under one key. Two one-shot hashes, because an `Hmac` object costs more
 * than hashing a message of some hundred octets. What is hashed must be contiguous: the padded
 * key, and behind it the message, or the hash of that.
 */
export class MacKey {
  private inner = Buffer.alloc(BLOCK_OCTETS + FIRST_OCTETS, INNER_PAD);
  private readonly outer = Buffer.alloc(BLOCK_OCTETS + DIGEST_OCTETS, OUTER_PAD);

  /** `key`: at most 64 octets. */
  constructor(key: Uint8Array) {
    key.forEach((octet, i) => {
      this.inner[i] = INNER_PAD ^ octet;
      this.outer[i] = OUTER_PAD ^ octet;
    });
  }

  /** Writes the MAC of the octets before `end` at `at`. */
  sign(octets: Buffer, end: number, at: number): void {
    octets.write(this.digest(octets, end), at, MAC_OCTETS, 'latin1');
  }

  /** Whether the MAC at `at` is that of the octets before `end`; takes as long if it is not. */
  verify(octets: Uint8Array, end: number, at: number): boolean {
    const digest = this.digest(octets, end);
    let difference = octets.length - at < MAC_OCTETS ? 1 : 0;
    for (let i = 0; i < MAC_OCTETS; i++) difference |= digest.charCodeAt(i) ^ octets[at + i]!;
    return difference === 0;
  }

  /** A character an octet: strings are cheaper than buffers here. */
  private digest(octets: Uint8Array, end: number): string {
    const length = BLOCK_OCTETS + end;
    if (this.inner.length < length) {
      const larger = Buffer.alloc(2 * length);
      larger.set(this.inner.subarray(0, BLOCK_OCTETS));
      this.inner = larger;
    }
    const { inner, outer } = this;
    inner.set(end === octets.length ? octets : octets.subarray(0, end), BLOCK_OCTETS);
    outer.write(hash('sha256', inner.subarray(0, length), 'binary'), BLOCK_OCTETS, 'latin1');
    return hash('sha256', outer, 'binary');
  }
}
