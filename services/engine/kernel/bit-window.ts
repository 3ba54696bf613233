/**
 * A window over packet numbers, a bit each, in a ring of words: packet p has bit p modulo the size,
 * and a number that leaves the window leaves a zero for the one that enters it. Nothing is
 * allocated, and words of ones are passed over whole.
 */

const WORD_BITS = 32;
const WORD_SHIFT = 5;

export function has(words: Int32Array, first: number, bits: number, packet: number): boolean {
  const at = packet % bits;
  return ((words[first + (at >> WORD_SHIFT)] >>> (at & (WORD_BITS - 1))) & 1) !== 0;
}

export function set(words: Int32Array, first: number, bits: number, packet: number): void {
  const at = packet % bits;
  words[first + (at >> WORD_SHIFT)] |= 1 << (at & (WORD_BITS - 1));
}

/** Clears the bits of packets `from` up to and without `to`, of one window. */
export function clear(
  words: Int32Array,
  first: number,
  bits: number,
  from: number,
  to: number,
): void {
  for (let packet = from; packet < to;) {
    const at = packet % bits;
    const shift = at & (WORD_BITS - 1);
    const count = Math.min(WORD_BITS - shift, to - packet);
    const ones = count === WORD_BITS ? -1 : ((1 << count) - 1) << shift;
    words[first + (at >> WORD_SHIFT)] &= ~ones;
    packet += count;
  }
}

/** The first packet of `from` up to and without `to` whose bit is 0; `to` if there is none. */
export function firstMissing(
  words: Int32Array,
  first: number,
  bits: number,
  from: number,
  to: number,
): number {
  for (let packet = from; packet < to;) {
    const at = packet % bits;
    const shift = at & (WORD_BITS - 1);
    const missing = ~words[first + (at >> WORD_SHIFT)] >>> shift;
    if (missing !== 0) return Math.min(to, packet + lowestBit(missing));
    packet += WORD_BITS - shift;
  }
  return to;
}

/** The first packet of `from` up to and without `to` whose bit is 1; `to` if there is none. */
export function firstPresent(
  words: Int32Array,
  first: number,
  bits: number,
  from: number,
  to: number,
): number {
  for (let packet = from; packet < to;) {
    const at = packet % bits;
    const shift = at & (WORD_BITS - 1);
    const present = words[first + (at >> WORD_SHIFT)] >>> shift;
    if (present !== 0) return Math.min(to, packet + lowestBit(present));
    packet += WORD_BITS - shift;
  }
  return to;
}

/** The bits of `packet` and those behind it, as a word; of packets from `to` on they are 0. */
export function wordFrom(
  words: Int32Array,
  first: number,
  bits: number,
  packet: number,
  to: number,
): number {
  const at = packet % bits;
  const shift = at & (WORD_BITS - 1);
  const low = words[first + (at >> WORD_SHIFT)] >>> shift;
  const next = (at - shift + WORD_BITS) % bits;
  const high = shift === 0 ? 0 : words[first + (next >> WORD_SHIFT)] << (WORD_BITS - shift);
  const count = to - packet;
  return count >= WORD_BITS ? low | high : (low | high) & ((1 << count) - 1);
}

/** How many bits of packets `from` up to and without `to` are 1; for checks. */
export function countFrom(
  words: Int32Array,
  first: number,
  bits: number,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let packet = from; packet < to; packet++) if (has(words, first, bits, packet)) count++;
  return count;
}

function lowestBit(word: number): number {
  return WORD_BITS - 1 - Math.clz32(word & -word);
}
