/** Octets of a control frame, or beside a frame, nearly always. */
const SLOT_OCTETS = 128;

const FNV_PRIME = 0x01000193;
/** Powers of the prime: what so many zeros make of a hash. */
const ZEROS = powers(SLOT_OCTETS);

/**
 * Octets of control frames that are on their way into an actor. They are few and short; a slot
 * grows with the longest that it had.
 */
export class OctetStore {
  /** By slot. */
  private readonly slots: Uint8Array[] = [];
  private readonly lengths: number[] = [];
  private readonly hashes: number[] = [];
  private readonly idle: number[] = [];

  /** `hash`: of the octets, where it is known. */
  put(octets: Uint8Array, length: number, hash = hashOctets(octets, length)): number {
    const slot = this.idle.pop() ?? this.slots.push(new Uint8Array(SLOT_OCTETS)) - 1;
    if (this.slots[slot].length < length) this.slots[slot] = new Uint8Array(length);
    const own = this.slots[slot];
    for (let i = 0; i < length; i++) own[i] = octets[i];
    this.lengths[slot] = length;
    this.hashes[slot] = hash;
    return slot;
  }

  /** The octets of a slot, and perhaps more behind them; valid until they are given back. */
  get(slot: number): Uint8Array {
    return this.slots[slot];
  }

  length(slot: number): number {
    return this.lengths[slot];
  }

  hash(slot: number): number {
    return this.hashes[slot];
  }

  /** The octets of a slot have been changed in their place. */
  changed(slot: number): void {
    this.hashes[slot] = hashOctets(this.slots[slot], this.lengths[slot]);
  }

  giveBack(slot: number): void {
    this.idle.push(slot);
  }

  inUse(): number {
    return this.slots.length - this.idle.length;
  }
}

/** FNV-1a over octets; the zeros that pad a control frame are taken in at once. */
export function hashOctets(octets: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  let end = length;
  while (end > 0 && length - end < SLOT_OCTETS && octets[end - 1] === 0) end--;
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ octets[i], FNV_PRIME);
  return Math.imul(hash, ZEROS[length - end]);
}

function powers(most: number): Int32Array {
  const all = new Int32Array(most + 1).fill(1);
  for (let n = 1; n <= most; n++) all[n] = Math.imul(all[n - 1], FNV_PRIME);
  return all;
}
