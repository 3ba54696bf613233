import { assert } from '../kernel/assert.js';
/** Octets of a control frame, or beside a frame, nearly always. */
const SLOT_OCTETS = 128;

const HASH_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Powers of the prime: the effect of so many zeros on a hash. */
const ZEROS = powers(SLOT_OCTETS);

/**
 * Octets of control frames in flight, and of those beside frames. They are few and short, and the
 * slot released last is used next, so that they stay in the nearest cache. A slot grows to the
 * longest contents that it had.
 */
export class OctetStore {
  /** By slot. */
  private readonly slots: Uint8Array[] = [];
  private readonly lengths: number[] = [];
  private readonly hashes: number[] = [];
  private readonly idle: number[] = [];

  put(octets: Uint8Array, length: number): number {
    const slot = this.idle.pop() ?? this.slots.push(new Uint8Array(SLOT_OCTETS)) - 1;
    if (this.slots[slot].length < length) this.slots[slot] = new Uint8Array(length);
    const own = this.slots[slot];
    assert(length <= octets.length && own.length >= length, 'octets.length');
    const end = endOf(octets, length);
    let hash = HASH_BASIS;
    for (let i = 0; i < end; i++) {
      own[i] = octets[i];
      hash = Math.imul(hash ^ octets[i], FNV_PRIME);
    }
    for (let i = end; i < length; i++) own[i] = 0;
    this.lengths[slot] = length;
    this.hashes[slot] = Math.imul(hash, ZEROS[length - end]);
    return slot;
  }

  /** The octets of a slot, and perhaps more behind them; valid until they are released. */
  get(slot: number): Uint8Array {
    return this.slots[slot];
  }

  length(slot: number): number {
    return this.lengths[slot];
  }

  hash(slot: number): number {
    return this.hashes[slot];
  }

  /** Below 0 if what lies in one slot comes before what lies in another, octet by octet. */
  compare(a: number, b: number): number {
    const lengths = this.lengths[a] - this.lengths[b];
    if (lengths !== 0) return lengths;
    const [first, second] = [this.slots[a], this.slots[b]];
    for (let i = 0; i < this.lengths[a]; i++) {
      if (first[i] !== second[i]) return first[i] - second[i];
    }
    return 0;
  }

  /** The octets of a slot have been changed in place. */
  changed(slot: number): void {
    assert(this.lengths[slot] <= this.slots[slot].length, 'octets.changed-length');
    this.hashes[slot] = hashOctets(this.slots[slot], this.lengths[slot]);
  }

  giveBack(slot: number): void {
    assert(slot >= 0 && slot < this.slots.length, 'octets.slot');
    assert(this.idle.length < this.slots.length, 'octets.given-back-twice');
    this.idle.push(slot);
  }

  inUse(): number {
    return this.slots.length - this.idle.length;
  }
}

/** FNV-1a over octets; the zeros that pad a control frame are hashed at once. */
export function hashOctets(octets: Uint8Array, length: number): number {
  const end = endOf(octets, length);
  let hash = HASH_BASIS;
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ octets[i], FNV_PRIME);
  return Math.imul(hash, ZEROS[length - end]);
}

/** Where the trailing zeros begin, or as many of them as `ZEROS` has powers for. */
function endOf(octets: Uint8Array, length: number): number {
  let end = length;
  while (end > 0 && length - end < SLOT_OCTETS && octets[end - 1] === 0) end--;
  return end;
}

function powers(most: number): Int32Array {
  const all = new Int32Array(most + 1).fill(1);
  for (let n = 1; n <= most; n++) all[n] = Math.imul(all[n - 1], FNV_PRIME);
  return all;
}
