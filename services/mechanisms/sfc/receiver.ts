import { blankEnvelope, decodeEnvelope } from '../../engine/wire/congestion-message.js';
import { blankSfcm, decodeSfcm, SFCM_PAUSE, SFCM_RESUME } from '../../engine/wire/sfcm.js';
import type { SfcTimers } from './carrier.js';
import { PROCESS_TIMER } from './carrier.js';
import type { SfcCounters } from './managed.js';

/** A message that was understood, and takes effect when it has been processed. */
export interface Verdict {
  readonly atPs: number;
  /** As the device counts it. */
  readonly port: number;
  readonly priority: number;
  /** Zero: go on. */
  readonly pauseNs: number;
  /** MAC of the congesting flow's destination. */
  readonly destination: number;
  readonly bornPs: number;
}

/** The message in hand; one is looked at at a time. */
export const heard = blankSfcm();
export const heardIn = blankEnvelope();

/** The receiver side that stations and bridges have in common (P802.1Qdw 52.4.3, 52.5.2). */
export abstract class SfcReceiver {
  private waiting: Verdict[] = [];

  static readonly wiring: readonly string[] = [
    'firstPort',
    'processingPs',
    'timers',
    'counters',
    'spec',
    'carrier',
    'pfc',
  ];

  constructor(
    protected readonly firstPort: number,
    private readonly processingPs: number,
    protected readonly timers: SfcTimers,
    protected readonly counters: SfcCounters,
  ) {}

  /** Does what a message says; the source of the messages is at the port. */
  protected abstract execute(verdict: Verdict): void;

  get unprocessed(): number {
    return this.waiting.length;
  }

  onTimer(): void {
    const { now } = this.timers.clock;
    while (this.waiting.length > 0 && this.waiting[0].atPs <= now) {
      this.carryOut(this.waiting.shift()!);
    }
  }

  /** SFCM demultiplexer: false if there is nothing to act upon, which is counted. */
  protected demultiplex(octets: Uint8Array): boolean {
    const { counters } = this;
    counters.sfcSfcmsReceived++;
    const outer = decodeEnvelope(octets, 0, heardIn);
    const outcome =
      outer === 'ok' ? decodeSfcm(octets, heardIn.pduAt, heardIn.pduEnd, heard) : outer;
    if (outcome !== 'ok') {
      counters.sfcSfcmsMalformed++;
      return false;
    }
    if (heard.type === SFCM_PAUSE || heard.type === SFCM_RESUME) return true;
    counters.sfcSfcmsIgnored++;
    return false;
  }

  /** Whether the message is for the station it was sent to; one for another is not believed. */
  protected isFor(station: number): boolean {
    if (heard.source === station && heardIn.ethernet.destination === station) return true;
    this.counters.sfcSfcmsForged++;
    return false;
  }

  /** The message in hand takes effect at a port, at once or after the processing time. */
  protected accept(port: number, bornPs: number): void {
    const verdict = {
      atPs: this.timers.clock.now + this.processingPs,
      port: port - this.firstPort,
      priority: heard.priority,
      pauseNs: heard.type === SFCM_RESUME ? 0 : heard.pauseNs,
      destination: heard.destination,
      bornPs,
    };
    if (this.processingPs === 0) {
      this.carryOut(verdict);
      return;
    }
    this.waiting.push(verdict);
    this.timers.arm(port, PROCESS_TIMER, verdict.atPs);
  }

  private carryOut(verdict: Verdict): void {
    this.execute(verdict);
    if (verdict.pauseNs > 0) this.counters.reacted(this.timers.clock.now - verdict.bornPs);
  }
}
