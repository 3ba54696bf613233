import type { Advance, Bound, StallCounts } from '../controller/partition-set.js';
import type { RoundReport } from '../part/member.js';

/** Grant for all services to execute events before a bound. */
export interface Round {
  /** There is no event before this time. */
  readonly basePs: number;
  readonly endPs: number;
  /** Frames are counted at its end. */
  readonly countFrames: boolean;
}

export interface RoundsInput {
  /** By service: the peers of its channels, in their order. */
  readonly peers: readonly (readonly number[])[];
  /** The least over all channels. */
  readonly lookaheadPs: number;
  /** Lookaheads of every round; null to adapt them. */
  readonly fixedLength: number | null;
}

/** A round is at most so many lookaheads long: long enough that its start and end cost little. */
const LONGEST = 256;
/** Above this share of steps with something to do, rounds get longer; below the other, shorter. */
const BUSY_SHARE = 0.5;
const IDLE_SHARE = 0.25;

/**
 * The coordinator's half of the sync protocol: divides an advance into rounds, gathers their
 * reports, and skips idle time. Inside a long round services advance by each other's bounds, which
 * is cheapest while there are many events; a round of one lookahead is a plain barrier, which is
 * cheapest when there are few. The length adapts, and falls faster than it rises.
 */
export class Rounds {
  private reports: (RoundReport | null)[];
  private lookaheads = 1;
  private at: Bound = { boundPs: 0, nextPs: 0 };
  /** Every service's last report of this epoch; null before its first. */
  last: (RoundReport | null)[];
  private endPs = 0;

  constructor(private readonly input: RoundsInput) {
    this.reports = input.peers.map(() => null);
    this.last = input.peers.map(() => null);
  }

  /** All services start at a bound, with these next events. */
  begin(boundPs: number, nexts: readonly number[]): void {
    this.at = { boundPs, nextPs: Math.min(...nexts) };
    this.reports = this.input.peers.map(() => null);
    this.last = this.input.peers.map(() => null);
    this.lookaheads = this.input.fixedLength ?? 1;
    this.endPs = boundPs;
  }

  get bound(): Bound {
    return this.at;
  }

  /** The next round of an advance; `count`: frames are to be counted wherever it ends. */
  open(basePs: number, { limitPs, countAtPs }: Advance, count: boolean): Round {
    const longest = basePs + this.lookaheads * this.input.lookaheadPs;
    this.endPs = Math.min(longest, limitPs);
    return { basePs, endPs: this.endPs, countFrames: count || this.endPs === countAtPs };
  }

  /** A round of no length: services report their state, and execute nothing. */
  openEmpty(): Round {
    const { boundPs } = this.at;
    this.endPs = boundPs;
    return { basePs: boundPs, endPs: boundPs, countFrames: true };
  }

  /** True when the last report of the round is there. */
  report(service: number, report: RoundReport): boolean {
    this.reports[service] = report;
    if (this.reports.includes(null)) return false;
    const reports = this.reports as RoundReport[];
    const nextPs = reports.reduce(
      (least, report) => Math.min(least, report.nextPs, report.handedOverPs),
      Infinity,
    );
    this.at = { boundPs: this.endPs, nextPs };
    this.adapt(reports);
    this.last = reports;
    this.reports = this.input.peers.map(() => null);
    return true;
  }

  /** By channel of a service: number of messages its peers have sent it. */
  expectedBy(service: number): number[] {
    const { peers } = this.input;
    return peers[service]!.map((peer) => {
      const back = peers[peer]!.indexOf(service);
      return this.last[peer]?.sent[back] ?? 0;
    });
  }

  /** When the latest event so far was executed. */
  get latestPs(): number {
    return this.last.reduce((latest, report) => Math.max(latest, report?.latestPs ?? 0), 0);
  }

  /** Sums over all services at the end of the last round; null if it did not count frames. */
  counts(): StallCounts | null {
    const reports = this.last.flatMap((report) => report ?? []);
    const isCounted = reports.length === this.last.length;
    if (!isCounted || reports.some(({ framesStarted }) => framesStarted < 0)) return null;
    const sum = (value: (report: RoundReport) => number): number =>
      reports.reduce((total, report) => total + value(report), 0);
    return {
      started: sum((report) => report.framesStarted),
      underway: sum((report) => report.framesHeld + report.handedOver - report.takenOver),
      planned: sum((report) => report.planned),
    };
  }

  private adapt(reports: readonly RoundReport[]): void {
    if (this.input.fixedLength !== null) return;
    const steps = reports.reduce((sum, report) => sum + report.steps, 0);
    const active = reports.reduce((sum, report) => sum + report.activeSteps, 0);
    if (active > BUSY_SHARE * steps) this.lookaheads = Math.min(LONGEST, this.lookaheads * 2);
    else if (active < IDLE_SHARE * steps) {
      this.lookaheads = Math.max(1, Math.floor(this.lookaheads / 4));
    }
  }
}
