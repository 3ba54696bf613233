import type { RandomStream } from '../../engine/kernel/random.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartPlan } from '../../fabric/placement/part-plan.js';
import { planParts } from '../../fabric/placement/part-plan.js';
import type { Placement } from '../../fabric/placement/placement.js';
import { RunKeys } from '../../runtime/keys/run-keys.js';
import { Member } from '../../runtime/part/member.js';
import type { PartState } from '../../runtime/part/part.js';
import { Part } from '../../runtime/part/part.js';
import type { MergedRun } from '../../runtime/merge.js';
import { mergeParts } from '../../runtime/merge.js';
import { placeNames } from '../../runtime/results/outcome.js';
import type { Failure, RunResults } from '../../runtime/results/results.js';
import { watchIntervals } from '../../runtime/checks/stall.js';
import { Rounds } from '../../runtime/rounds/rounds.js';

/** What an unkind broker does to a message, each with this probability. */
export interface Unkindness {
  readonly lose: number;
  readonly repeat: number;
  /** Messages of different senders overtake each other always; of one sender with this chance. */
  readonly reorder: number;
}

export const KIND: Unkindness = { lose: 0, repeat: 0, reorder: 0 };

/** Of every cluster: what is sent over this broker is seen by nobody else. */
export const CLUSTER_KEYS = new RunKeys('cluster', '01020304');
const NO_SALT = new Uint8Array(0);

/** More rounds than any run of a test takes. */
const MANY = 20_000;

interface Mail {
  readonly from: number;
  readonly to: number;
  readonly octets: Uint8Array;
}

/**
 * A whole distributed run in one thread, without sockets: members and rounds as they are, and a
 * broker that is a list from which messages are drawn by lot.
 */
export class Cluster {
  readonly plans: PartPlan[];
  readonly members: Member[];
  parts: Part[];
  readonly rounds: Rounds;
  /** Delivered messages so far. */
  delivered = 0;
  roundsRun = 0;
  private mail: Mail[] = [];
  private gathered = 0;
  private epoch = 0;

  constructor(
    private readonly fabric: Fabric,
    placement: Placement,
    private readonly random: RandomStream,
    private readonly unkindness: Unkindness = KIND,
    private readonly maxPayload = 1 << 20,
  ) {
    this.plans = planParts(fabric, placement);
    this.parts = this.plans.map((plan) => new Part(plan));
    this.members = this.plans.map((_, service) => this.hire(service));
    this.rounds = new Rounds({
      peers: this.plans.map(({ channels }) => channels.map(({ peer }) => peer)),
      lookaheadPs: fabric.lookaheadPs,
      durationPs: fabric.scenario.durationPs,
      watch: watchIntervals(fabric.specs, fabric.scenario.durationPs),
      fixedLength: null,
    });
    this.begin(0, -1);
  }

  private allReported = false;
  private failure: Failure | null = null;

  /** Runs until a bound at least as late as `untilPs`, or to the end. */
  run(untilPs = Infinity): void {
    for (;;) {
      const decision = this.rounds.decide(false);
      if (decision.kind === 'stalled') {
        const { reason, atPs: timePs } = decision;
        this.failure = { reason, timePs, ...placeNames(this.fabric, -1, -1), priority: null };
      }
      if (decision.kind !== 'round') return;
      if (this.rounds.boundPs >= untilPs) return;
      this.roundsRun++;
      if (this.roundsRun > MANY) throw new Error('the run does not end');
      this.allReported = false;
      this.members.forEach((member, service) => {
        member.allow({
          epoch: this.epoch,
          round: this.roundsRun,
          basePs: decision.basePs,
          endPs: decision.endPs,
          expected: this.rounds.expectedBy(service),
          countFrames: decision.count,
        });
      });
      this.settle(() => this.allReported);
    }
  }

  /** Everybody saves, nothing being on its way. */
  save(): { states: PartState[]; boundPs: number; framesSeen: number } {
    this.gathered = 0;
    this.members.forEach((member, service) => {
      member.await(this.rounds.expectedBy(service));
    });
    this.settle(() => this.gathered === this.members.length);
    const { boundPs, framesSeen } = this.rounds;
    return { states: this.parts.map((part) => structuredClone(part.save())), boundPs, framesSeen };
  }

  /** A service is lost, and everybody returns to what was saved (or to the beginning). */
  recover(saved: { states: PartState[]; boundPs: number; framesSeen: number } | null): void {
    const lost = this.random.below(this.members.length);
    this.members[lost] = this.hire(lost);
    this.parts = this.plans.map((plan) => new Part(plan));
    if (saved !== null) {
      this.parts.forEach((part, service) => {
        part.restore(saved.states[service]!);
      });
    }
    this.begin(saved?.boundPs ?? 0, saved?.framesSeen ?? -1);
  }

  results(check = true): RunResults {
    return this.merged(check).results;
  }

  /** The outcome as the coordinator sees it: every actor's state put into one engine. */
  merged(check = true): MergedRun {
    const { states, boundPs, framesSeen } = this.save();
    const moment = { boundPs, framesSeen };
    const { failure } = this;
    const ended = { status: 'complete', failure, moment, steps: [] } as const;
    return mergeParts(this.fabric, this.plans, states, { ...ended, check, lookedPs: 0 });
  }

  private hire(service: number): Member {
    const { maxPayload } = this;
    return new Member(
      this.parts[service]!,
      service,
      {
        send: (to, octets) => {
          if (octets.length > maxPayload) throw new Error('the broker takes no such message');
          this.post({ from: service, to, octets });
        },
        report: (report) => {
          if (!this.rounds.report(service, report)) return;
          this.allReported = true;
        },
        gathered: () => {
          this.gathered++;
        },
      },
      { maxPayload, maxKept: 1 << 24 },
    );
  }

  private begin(boundPs: number, framesSeen: number): void {
    this.epoch++;
    this.roundsRun = 0;
    const keys = CLUSTER_KEYS.channels(this.epoch, NO_SALT);
    this.members.forEach((member, service) => {
      member.begin({ number: this.epoch, keys }, this.parts[service]!);
    });
    const nexts = this.parts.map((part) => part.nextTime());
    this.rounds.begin(boundPs, nexts, framesSeen);
  }

  private post(mail: Mail): void {
    const { lose, repeat } = this.unkindness;
    if (this.random.uniform() < lose) return;
    this.mail.push(mail);
    if (this.random.uniform() < repeat) this.mail.push(mail);
  }

  /** Delivers messages, and lets members go on, in random order, until it is `done`. */
  private settle(done: () => boolean): void {
    for (let idle = 0, left = 100_000; !done(); left--) {
      if (left === 0) throw new Error('a round does not end');
      let moved = this.deliverOne();
      for (const member of this.members) moved = member.advance() || moved;
      idle = moved ? 0 : idle + 1;
      if (moved) continue;
      if (idle > 1000) throw new Error('the members wait for each other');
      for (const member of this.members) member.tick();
    }
  }

  private deliverOne(): boolean {
    if (this.mail.length === 0) return false;
    let index = this.random.below(this.mail.length);
    if (this.random.uniform() >= this.unkindness.reorder) {
      const { from, to } = this.mail[index]!;
      index = this.mail.findIndex((mail) => mail.from === from && mail.to === to);
    }
    const [mail] = this.mail.splice(index, 1);
    this.delivered++;
    this.members[mail!.to]!.receive(mail!.octets);
    return true;
  }
}
