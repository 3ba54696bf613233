/**
 * The two ends of an ordered stream over a broker that delivers at most once: sent messages are
 * numbered and stored until acknowledged; received messages are processed in order, once.
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

  /** Releases everything up to a number. Numbers that were never sent are invalid and ignored. */
  acknowledge(upTo: number): void {
    if (upTo > this.sequence) return;
    let done = 0;
    while (done < this.kept.length && this.kept[done]!.sequence <= upTo) {
      this.keptSize -= this.kept[done]!.octets.length;
      done++;
    }
    if (done > 0) this.kept = this.kept.slice(done);
  }

  /** Sends again what the other end may lack. */
  resend(send: (octets: Uint8Array) => void): void {
    for (const { octets } of this.kept) send(octets);
    this.resent += this.kept.length;
  }
}

type Verdict = 'next' | 'again' | 'gap';

/** Received so far. */
export class ReceivingEnd {
  /** All messages up to this number were received. */
  sequence = 0;
  /** The last number acknowledged to the other end. */
  acknowledged = 0;
  /** The last message without content. */
  private bare = 0;

  take(sequence: number): Verdict {
    if (sequence <= this.sequence) return 'again';
    if (sequence > this.sequence + 1) return 'gap';
    this.sequence = sequence;
    return 'next';
  }
  /** False: a message without content that was received before, or was overtaken by a later one. */
  takeBare(bare: number): boolean {
    if (bare <= this.bare) return false;
    this.bare = bare;
    return true;
  }
}
