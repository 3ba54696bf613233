import { blankEnvelope, decodeEnvelope } from '../../engine/wire/congestion-message.js';
import { blankSfcm, decodeSfcm, SFCM_PAUSE, SFCM_RESUME } from '../../engine/wire/sfcm.js';
import type { SfcTimers } from './carrier.js';
import { PROCESS_TIMER } from './carrier.js';
import type { SfcCounters } from './managed.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** A message that was parsed, and takes effect when it has been processed. */
export interface Verdict {
  readonly atPs: number;
  /** As the device counts it. */
  readonly port: PortRow;
  readonly priority: Priority;
  /** Zero: resume. */
  readonly pauseNs: number;
  /** MAC of the congesting flow's destination. */
  readonly destination: number;
  /** MAC of the port that has the congested queue. */
  readonly queueMac: number;
  readonly bornPs: number;
}

/** The present message; one is parsed at a time. */
export const decoded = blankSfcm();
export const decodedIn = blankEnvelope();

/** The receiver side that stations and bridges have in common (P802.1Qdw 52.4.3, 52.5.2). */
export abstract class SfcReceiver {
  readonly #firstPort: number;
  readonly #processingPs: number;
  readonly #timers: SfcTimers;
  readonly #counters: SfcCounters;
  private waiting: Verdict[] = [];

  constructor(firstPort: number, processingPs: number, timers: SfcTimers, counters: SfcCounters) {
    this.#firstPort = firstPort;
    this.#processingPs = processingPs;
    this.#timers = timers;
    this.#counters = counters;
  }

  /** Executes a message; its source station is at the port. */
  protected abstract execute(verdict: Verdict): void;

  get unprocessed(): number {
    return this.waiting.length;
  }

  onTimer(): void {
    const { now } = this.#timers.clock;
    while (this.waiting.length > 0 && this.waiting[0].atPs <= now) {
      this.carryOut(this.waiting.shift()!);
    }
  }

  /** SFCM demultiplexer: false if there is nothing to execute, which is counted. */
  protected demultiplex(octets: Uint8Array): boolean {
    const { counters } = this;
    counters.sfcSfcmsReceived++;
    const outer = decodeEnvelope(octets, 0, decodedIn);
    const outcome =
      outer === 'ok' ? decodeSfcm(octets, decodedIn.pduAt, decodedIn.pduEnd, decoded) : outer;
    if (outcome !== 'ok') {
      counters.sfcSfcmsMalformed++;
      return false;
    }
    if (decoded.type === SFCM_PAUSE || decoded.type === SFCM_RESUME) return true;
    counters.sfcSfcmsIgnored++;
    return false;
  }

  /** Whether the message is for the station it was sent to; one for another is discarded. */
  protected isFor(station: number): boolean {
    if (decoded.source === station && decodedIn.ethernet.destination === station) return true;
    this.#counters.sfcSfcmsForged++;
    return false;
  }

  /** The present message takes effect at a port, at once or after the processing time. */
  protected accept(port: PortRow, bornPs: number): void {
    const verdict = {
      atPs: this.#timers.clock.now + this.#processingPs,
      port: port - this.#firstPort,
      priority: decoded.priority,
      pauseNs: decoded.type === SFCM_RESUME ? 0 : decoded.pauseNs,
      destination: decoded.destination,
      queueMac: decoded.queueMac,
      bornPs,
    };
    if (this.#processingPs === 0) {
      this.carryOut(verdict);
      return;
    }
    const last = this.waiting.at(-1);
    assert(last === undefined || last.atPs <= verdict.atPs, 'sfc.processed-in-order');
    this.waiting.push(verdict);
    this.#timers.arm(port, PROCESS_TIMER, verdict.atPs);
  }

  private carryOut(verdict: Verdict): void {
    assert(this.#timers.clock.now >= verdict.bornPs, 'sfc.reaction-takes-time');
    const { port, priority, pauseNs, queueMac } = verdict;
    if (pauseNs > 0) this.#timers.announce(this.#firstPort + port, priority, queueMac);
    this.execute(verdict);
    if (pauseNs > 0) this.#counters.reacted(this.#timers.clock.now - verdict.bornPs);
  }

  protected get firstPort(): number {
    return this.#firstPort;
  }

  protected get timers(): SfcTimers {
    return this.#timers;
  }

  protected get counters(): SfcCounters {
    return this.#counters;
  }
}
