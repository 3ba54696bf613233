import type { Verdict, WatchIntervals } from '../checks/stall.js';
import { STALLED, StallWatch } from '../checks/stall.js';
import type { RoundReport } from '../part/member.js';

/** What the coordinator does when every service has reported. */
export type Decision =
  | {
      readonly kind: 'round';
      readonly basePs: number;
      readonly endPs: number;
      readonly count: boolean;
    }
  | { readonly kind: 'finish' }
  | { readonly kind: 'stalled'; readonly reason: string; readonly atPs: number };

export interface RoundsInput {
  /** By service: the peers of its channels, in their order. */
  readonly peers: readonly (readonly number[])[];
  /** The least over all channels. */
  readonly lookaheadPs: number;
  readonly durationPs: number | null;
  readonly watch: WatchIntervals;
  /** Lookaheads of every round; null to adapt them. */
  readonly fixedLength: number | null;
}

/** A round is at most so many lookaheads long: long enough that its start and end cost little. */
const LONGEST = 256;
/** Above this share of steps with something to do, rounds get longer; below the other, shorter. */
const BUSY_SHARE = 0.5;
const IDLE_SHARE = 0.25;

/**
 * The coordinator's half of virtual time: grants horizons, gathers reports, and jumps over idle
 * time. Inside a long round neighbours run on promises, which is cheapest while there is much to
 * do; a round of one lookahead is a plain barrier, which is cheapest when there is little. The
 * length adapts, and falls faster than it rises.
 */
export class Rounds {
  private readonly stall: StallWatch;
  private reports: (RoundReport | null)[];
  private lookaheads = 1;
  /** Everything before this time has been executed everywhere. */
  boundPs = 0;
  /** The earliest event anywhere. */
  nextPs = 0;
  /** Every service's last report of this epoch; null before its first. */
  last: (RoundReport | null)[];
  private endPs = 0;

  constructor(private readonly input: RoundsInput) {
    this.stall = new StallWatch(input.watch);
    this.reports = input.peers.map(() => null);
    this.last = input.peers.map(() => null);
  }

  /** Everybody starts at a bound, with these next events. */
  begin(boundPs: number, nexts: readonly number[], framesSeen: number): void {
    this.boundPs = boundPs;
    this.nextPs = nexts.reduce((least, next) => Math.min(least, next), Infinity);
    this.reports = this.input.peers.map(() => null);
    this.last = this.input.peers.map(() => null);
    this.lookaheads = this.input.fixedLength ?? 1;
    this.endPs = boundPs;
    this.stall.restore(boundPs, framesSeen);
  }

  /** Something is due at a time from which on nothing has been executed. */
  wake(atPs: number, watch: WatchIntervals): void {
    this.nextPs = Math.min(this.nextPs, atPs);
    this.stall.adopt(watch, this.boundPs);
  }

  /** True when the last report of the round has come; then `decide`. */
  report(service: number, report: RoundReport): boolean {
    this.reports[service] = report;
    if (this.reports.includes(null)) return false;
    const reports = this.reports as RoundReport[];
    this.boundPs = this.endPs;
    this.nextPs = reports.reduce(
      (least, { nextPs, handedOverPs }) => Math.min(least, nextPs, handedOverPs),
      Infinity,
    );
    this.adapt(reports);
    this.last = reports;
    this.reports = this.input.peers.map(() => null);
    return true;
  }

  /** By channel of a service: how many messages its peers have sent it. */
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

  /** What the stall watch has to remember in a checkpoint. */
  get framesSeen(): number {
    return this.stall.framesSeen;
  }

  /** `count`: somebody wants to know how many frames there are; no round goes beyond `limitPs`. */
  decide(count: boolean, limitPs = Infinity): Decision {
    const { durationPs, lookaheadPs } = this.input;
    const { nextPs, stall } = this;
    if (nextPs === Infinity || nextPs >= (durationPs ?? Infinity)) {
      return this.isAtEnd() ? { kind: 'finish' } : this.round(durationPs!, durationPs!, true);
    }
    while (nextPs >= stall.dueAt) {
      const atPs = stall.dueAt;
      if (!this.isCounted()) return this.round(atPs, atPs, true);
      const verdict = this.look();
      if (verdict === 'stalled') return { kind: 'stalled', reason: STALLED, atPs };
      if (verdict === 'quiet' && durationPs === null) return { kind: 'finish' };
    }
    const longest = nextPs + this.lookaheads * lookaheadPs;
    const horizon = limitPs > nextPs ? Math.min(longest, limitPs) : longest;
    return this.round(nextPs, Math.min(horizon, durationPs ?? Infinity, stall.dueAt), count);
  }

  private round(basePs: number, endPs: number, count: boolean): Decision {
    this.endPs = endPs;
    return { kind: 'round', basePs, endPs, count: count || endPs === this.stall.dueAt };
  }

  private isCounted(): boolean {
    return this.last.every((report) => report !== null && report.framesStarted >= 0);
  }

  /** With a duration everybody goes to its end, since samples may be due there. */
  private isAtEnd(): boolean {
    const { durationPs } = this.input;
    return durationPs === null || this.boundPs >= durationPs;
  }

  private look(): Verdict {
    const reports = this.last.flatMap((report) => report ?? []);
    const sum = (value: (report: RoundReport) => number): number =>
      reports.reduce((total, report) => total + value(report), 0);
    const started = sum((report) => report.framesStarted);
    const underway = sum((report) => report.framesHeld + report.handedOver - report.takenOver);
    return this.stall.look(
      started,
      underway,
      sum((report) => report.planned),
      this.nextPs,
    );
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
