/** Octets of a control frame, or beside a frame, nearly always. */
const SLOT_OCTETS = 128;
const FIRST_SLOTS = 4;

/**
 * Octets of control frames that are on their way into an actor. They are few and short, so they lie
 * side by side; the rare long one has a place of its own.
 */
export class OctetStore {
  private octets = new Uint8Array(FIRST_SLOTS * SLOT_OCTETS);
  private lengths = new Int32Array(FIRST_SLOTS);
  private idle = new Int32Array(FIRST_SLOTS);
  private idleCount = 0;
  private used = 0;
  /** By slot. */
  private readonly long: (Uint8Array | null)[] = [];
  private read = new Uint8Array(SLOT_OCTETS);

  put(octets: Uint8Array, length: number): number {
    const slot = this.idleCount > 0 ? this.idle[--this.idleCount] : this.freshSlot();
    this.lengths[slot] = length;
    if (length > SLOT_OCTETS) this.long[slot] = octets.slice(0, length);
    else {
      const at = slot * SLOT_OCTETS;
      for (let i = 0; i < length; i++) this.octets[at + i] = octets[i];
    }
    return slot;
  }

  /** The octets of a slot, and perhaps more behind them; valid until something else is asked. */
  get(slot: number): Uint8Array {
    const length = this.lengths[slot];
    if (length > SLOT_OCTETS) return this.long[slot]!;
    const at = slot * SLOT_OCTETS;
    for (let i = 0; i < length; i++) this.read[i] = this.octets[at + i];
    return this.read;
  }

  length(slot: number): number {
    return this.lengths[slot];
  }

  giveBack(slot: number): void {
    if (this.lengths[slot] > SLOT_OCTETS) this.long[slot] = null;
    this.idle[this.idleCount++] = slot;
  }

  inUse(): number {
    return this.used - this.idleCount;
  }

  private freshSlot(): number {
    if (this.used === this.lengths.length) this.grow();
    this.long.push(null);
    return this.used++;
  }

  private grow(): void {
    const slots = 2 * this.lengths.length;
    const octets = new Uint8Array(slots * SLOT_OCTETS);
    octets.set(this.octets);
    const lengths = new Int32Array(slots);
    lengths.set(this.lengths);
    const idle = new Int32Array(slots);
    idle.set(this.idle);
    [this.octets, this.lengths, this.idle] = [octets, lengths, idle];
  }
}
