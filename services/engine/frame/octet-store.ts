/**
 * Octets of control frames that are on their way into an actor. They are few and short, so each
 * slot is a buffer of its own that is used again.
 */
export class OctetStore {
  private buffers: Uint8Array[] = [];
  private lengths: number[] = [];
  private idle: number[] = [];

  put(octets: Uint8Array, length: number): number {
    const slot = this.idle.pop() ?? this.buffers.length;
    const buffer = this.buffers[slot];
    if (buffer === undefined || buffer.length < length) {
      this.buffers[slot] = new Uint8Array(Math.max(64, length));
    }
    for (let i = 0; i < length; i++) this.buffers[slot][i] = octets[i];
    this.lengths[slot] = length;
    return slot;
  }

  /** The octets of a slot; they stay valid until the slot is given back. */
  get(slot: number): Uint8Array {
    return this.buffers[slot];
  }

  length(slot: number): number {
    return this.lengths[slot];
  }

  giveBack(slot: number): void {
    this.idle.push(slot);
  }

  inUse(): number {
    return this.buffers.length - this.idle.length;
  }
}
