import type { Advance, Bound, StallCounts } from '../controller/partition-set.js';
import type { RoundReport } from '../partition/sync-protocol.js';

/** Grant for all services to execute events before a bound. */
export interface Round {
  /** There is no event before this time. */
  readonly basePs: number;
  readonly endPs: number;
  /** Frames are counted at its end. */
  readonly countFrames: boolean;
  /** Those that take part; each of them reports. */
  readonly services: readonly number[];
}

interface RoundsInput {
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
 *
 * In a round of one lookahead nothing arrives that was not under way before it. A service whose
 * next event lies beyond such a round, and to which nothing is under way, takes no part in it.
 */
export class Rounds {
  private readonly all: readonly number[];
  /** Services of this round whose reports are missing. */
  private readonly owing = new Set<number>();
  private lookaheads = 1;
  private at: Bound = { boundPs: 0, nextPs: 0 };
  /** Every service's last report of this epoch; null before its first. */
  last: (RoundReport | null)[];
  /** Of this round. */
  private readonly reported: RoundReport[] = [];
  private endPs = 0;
  /** By service: messages by channel that were under way or there when it last took part. */
  private gathered: (readonly number[])[] = [];
  /** Next events may be earlier than the last reports say. */
  private isDisturbed = true;

  constructor(private readonly input: RoundsInput) {
    this.all = [...input.peers.keys()];
    this.last = input.peers.map(() => null);
  }

  /** All services start at a bound, with these next events. */
  begin(boundPs: number, nexts: readonly number[]): void {
    this.at = { boundPs, nextPs: Math.min(...nexts) };
    this.owing.clear();
    this.reported.length = 0;
    this.last = this.input.peers.map(() => null);
    this.gathered = this.input.peers.map((peers) => peers.map(() => 0));
    this.isDisturbed = true;
    this.lookaheads = this.input.fixedLength ?? 1;
    this.endPs = boundPs;
  }

  get bound(): Bound {
    return this.at;
  }

  /** A fault was injected or ended: all take part in the next round. */
  disturb(): void {
    this.isDisturbed = true;
  }

  /** The next round of an advance; `count`: frames are to be counted wherever it ends. */
  open(basePs: number, { limitPs, countAtPs }: Advance, count: boolean): Round {
    const longest = basePs + this.lookaheads * this.input.lookaheadPs;
    this.endPs = Math.min(longest, limitPs);
    const countFrames = count || this.endPs === countAtPs;
    const services = this.addressed(
      countFrames || this.lookaheads > 1 ? this.all : this.concerned(),
    );
    return { basePs, endPs: this.endPs, countFrames, services };
  }

  /** A round of no length: services report their state, and execute nothing. */
  openEmpty(): Round {
    const { boundPs } = this.at;
    this.endPs = boundPs;
    return {
      basePs: boundPs,
      endPs: boundPs,
      countFrames: true,
      services: this.addressed(this.all),
    };
  }

  private addressed(services: readonly number[]): readonly number[] {
    for (const service of services) {
      this.owing.add(service);
      this.gathered[service] = this.expectedBy(service);
    }
    this.isDisturbed = false;
    return services;
  }

  /** Those with something to do in a round of one lookahead; all if there is none. */
  private concerned(): readonly number[] {
    if (this.isDisturbed) return this.all;
    const some = this.all.filter((service) => {
      const gathered = this.gathered[service]!;
      const isQuiet = this.last[service]!.nextPs >= this.endPs;
      return !isQuiet || this.expectedBy(service).some((count, c) => count !== gathered[c]);
    });
    return some.length === 0 ? this.all : some;
  }

  /** True when the last report of the round is there. */
  report(service: number, report: RoundReport): boolean {
    if (!this.owing.delete(service)) return false;
    this.reported.push(report);
    this.last[service] = report;
    if (this.owing.size > 0) return false;
    const nextPs = this.reported.reduce(
      (least, { handedOverPs }) => Math.min(least, handedOverPs),
      this.last.reduce((least, report) => Math.min(least, report!.nextPs), Infinity),
    );
    this.at = { boundPs: this.endPs, nextPs };
    this.adapt(this.reported.splice(0));
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
      underway: sum((report) => report.framesStored + report.handedOver - report.takenOver),
      planned: sum((report) => report.planned),
    };
  }

  private adapt(reports: readonly RoundReport[]): void {
    if (this.input.fixedLength !== null) return;
    // Those that took no part would have made one step without any event.
    const absent = this.all.length - reports.length;
    const steps = reports.reduce((sum, report) => sum + report.steps, absent);
    const active = reports.reduce((sum, report) => sum + report.activeSteps, 0);
    if (active > BUSY_SHARE * steps) this.lookaheads = Math.min(LONGEST, this.lookaheads * 2);
    else if (active < IDLE_SHARE * steps) {
      this.lookaheads = Math.max(1, Math.floor(this.lookaheads / 4));
    }
  }
}
