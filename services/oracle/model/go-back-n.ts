import type { Configuration } from '../configuration.js';

export type Send = Extract<
  Configuration['fabric']['specs'][number],
  { kind: 'host' }
>['sends'][number];

/**
 * A sender that goes back to the oldest packet that is not acknowledged, after a NAK for it or when
 * nothing was acknowledged for a time; that time doubles, up to a bound, until something is.
 */
export class GoBackN {
  next = 0;
  unacked = 0;
  private deadlinePs = Infinity;
  private stalledAt = -1;
  private backedOffPs = 0;

  constructor(private readonly send: Send) {}

  /** A packet is made. */
  made(sequence: number, atPs: number): void {
    if (this.unacked >= this.next) this.deadlinePs = atPs + this.timeoutPs;
    this.next = sequence + 1;
  }

  acknowledged(expected: number, isNak: boolean, atPs: number): void {
    const isProgress = expected > this.unacked;
    if (isProgress) {
      this.unacked = expected;
      this.deadlinePs = atPs + this.send.timeoutPs;
    }
    const isBehind = this.next < expected;
    if (isBehind || (isNak && expected === this.unacked)) this.next = expected;
  }

  /** When its timer expired before a time (or at it, where that is wanted); null: it did not. */
  timeout(atPs: number, isAt: boolean): number | null {
    const { deadlinePs } = this;
    if (!this.send.reliable || this.unacked >= this.next) return null;
    if (deadlinePs > atPs || (deadlinePs === atPs && !isAt)) return null;
    this.next = this.unacked;
    this.backedOffPs = Math.min(2 * this.timeoutPs, this.send.maxTimeoutPs);
    this.stalledAt = this.unacked;
    return deadlinePs;
  }

  private get timeoutPs(): number {
    return this.stalledAt === this.unacked ? this.backedOffPs : this.send.timeoutPs;
  }
}
