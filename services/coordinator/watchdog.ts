import type { Vital } from './vitals.js';

/** A round is called late when nothing has come of it for this share of the limit. */
const LATE_SHARE = 0.25;
/** A run in which so many services in a row are replaced without any progress has no end. */
const MOST_STRIKES = 3;

type WatchdogVerdict =
  | { readonly kind: 'well' }
  /** Once for each wait. */
  | { readonly kind: 'late'; readonly services: readonly number[] }
  /** These services have to be replaced. */
  | { readonly kind: 'silent'; readonly services: readonly number[] }
  /** They have been replaced, without effect. */
  | { readonly kind: 'hopeless'; readonly services: readonly number[] };

/**
 * Finds services that are connected and owe an answer without which the run cannot continue: a
 * process that hangs, or one whose half of the protocol is stuck. Without a clock: times of the
 * wall clock come from the caller.
 */
export class Watchdog {
  private progressMs: number;
  private strikes = 0;
  private isLate = false;

  constructor(
    private readonly limitMs: number,
    nowMs: number,
  ) {
    this.progressMs = nowMs;
  }

  /** An answer came, or a service has executed something. */
  progress(nowMs: number): void {
    this.progressMs = nowMs;
    this.isLate = false;
  }

  /** All services have reached a later bound than before. */
  advanced(): void {
    this.strikes = 0;
  }

  /** `owing`: services that have not answered the latest request. */
  check(
    owing: readonly number[],
    vitalOf: (service: number) => Vital,
    nowMs: number,
  ): WatchdogVerdict {
    if (owing.length === 0) this.progress(nowMs);
    const waitedMs = nowMs - this.progressMs;
    if (waitedMs > this.limitMs) {
      this.progress(nowMs);
      const services = this.suspects(owing, vitalOf, nowMs);
      this.strikes++;
      return { kind: this.strikes > MOST_STRIKES ? 'hopeless' : 'silent', services };
    }
    if (this.isLate || waitedMs <= LATE_SHARE * this.limitMs) return { kind: 'well' };
    this.isLate = true;
    return { kind: 'late', services: owing };
  }

  /** Those that do not report; else those that wait for no other; else all that owe an answer. */
  private suspects(
    owing: readonly number[],
    vitalOf: (service: number) => Vital,
    nowMs: number,
  ): readonly number[] {
    const silent = owing.filter((service) => nowMs - vitalOf(service).atMs > this.limitMs / 2);
    if (silent.length > 0) return silent;
    const stuck = owing.filter((service) => vitalOf(service).waitsFor.length === 0);
    return stuck.length > 0 ? stuck : owing;
  }
}
