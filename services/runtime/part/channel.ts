/**
 * The two ends of an ordered stream over a broker that delivers at most once: what is sent is
 * numbered and kept until acknowledged; what comes is taken in order, once.
 */

/** Sent and not yet acknowledged. */
export class SendingEnd {
  /** Number of the last message. */
  sequence = 0;
  /** Number of the last message without content. */
  bare = 0;
  resent = 0;
  private kept: { readonly sequence: number; readonly octets: Uint8Array }[] = [];
  private keptSize = 0;

  keep(octets: Uint8Array): void {
    this.kept.push({ sequence: this.sequence, octets });
    this.keptSize += octets.length;
  }

  get keptOctets(): number {
    return this.keptSize;
  }

  /** Forgets everything up to a number. Numbers that were never sent are nonsense and ignored. */
  acknowledge(upTo: number): void {
    if (upTo > this.sequence) return;
    let done = 0;
    while (done < this.kept.length && this.kept[done]!.sequence <= upTo) {
      this.keptSize -= this.kept[done]!.octets.length;
      done++;
    }
    if (done > 0) this.kept = this.kept.slice(done);
  }

  /** What the other end may lack. */
  resend(send: (octets: Uint8Array) => void): void {
    for (const { octets } of this.kept) send(octets);
    this.resent += this.kept.length;
  }
}

export type Verdict = 'next' | 'again' | 'gap';

/** Received so far. */
export class ReceivingEnd {
  /** All up to this number have come. */
  sequence = 0;
  /** What the other end has been told. */
  acknowledged = 0;
  /** The last message without content. */
  private bare = 0;

  take(sequence: number): Verdict {
    if (sequence <= this.sequence) return 'again';
    if (sequence > this.sequence + 1) return 'gap';
    this.sequence = sequence;
    return 'next';
  }
  /** False: a message without content that has come before, or was overtaken by a later one. */
  takeBare(bare: number): boolean {
    if (bare <= this.bare) return false;
    this.bare = bare;
    return true;
  }
}
