import type { RandomStream } from '../../engine/kernel/random.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Placement } from '../../fabric/placement/placement.js';
import type { ServicePlan } from '../../fabric/placement/service-plan.js';
import { planServices } from '../../fabric/placement/service-plan.js';
import { unpackState } from '../../runtime/checkpoints/snapshots.js';
import { RunKeys } from '../../runtime/keys/run-keys.js';
import type { Actors } from '../../runtime/partition/actors.js';
import { SyncProtocol } from '../../runtime/partition/sync-protocol.js';
import type { PartitionState } from '../../runtime/partition/partition.js';
import type { PartitionHost } from '../../runtime/service/partition-host.js';
import { OnePartition } from '../../runtime/service/partition-host.js';
import { ThreadedPartitions } from '../../runtime/threads/threaded-partitions.js';
import type { MergedRun } from '../../runtime/merge.js';
import { mergePartitions } from '../../runtime/merge.js';
import type { Failure, RunResults } from '../../runtime/results/results.js';
import { watchIntervals } from '../../runtime/checks/stall.js';
import type { Advance, PartitionSet } from '../../runtime/controller/partition-set.js';
import { RunController } from '../../runtime/controller/run-controller.js';
import { Rounds } from '../../runtime/rounds/rounds.js';

/** Impairments of messages by a broker, each with this probability. */
interface Unkindness {
  readonly lose: number;
  readonly repeat: number;
  /** Messages of different senders are always reordered; of one sender with this probability. */
  readonly reorder: number;
}

export const KIND: Unkindness = { lose: 0, repeat: 0, reorder: 0 };

/** Of every cluster: messages over this broker are not visible to any other process. */
export const CLUSTER_KEYS = new RunKeys('cluster', '01020304');
const NO_SALT = new Uint8Array(0);

interface Mail {
  readonly from: number;
  readonly to: number;
  readonly octets: Uint8Array;
}

/** Without checks while the run is under way. */
const NO_CHECKS = { dueAt: Infinity, isDue: () => false, begin: () => undefined };
/** Requests that are not made of a run in memory. */
const refuse = (): never => {
  throw new Error('a run in memory only advances');
};
const UNUSED = { check: refuse, change: refuse, save: refuse, snapshot: refuse, sample: refuse };
const IDLE: Advance = { basePs: 0, limitPs: 0, countAtPs: 0, isSingle: false };

/** Threads take turns with the processors of other tests: none of them spins. */
const THREADS = { processors: 1, patienceMs: 60_000 };

interface ClusterOptions {
  readonly unkindness?: Unkindness;
  readonly maxPayload?: number;
  /** Of each service. With more than one, `close` ends them. */
  readonly threads?: number;
}

/**
 * A whole distributed run in one process, without sockets: controller, protocols and rounds as they
 * are, and a broker that is a list from which messages are taken at random.
 */
export class Cluster {
  readonly protocols: SyncProtocol[];
  readonly controller: RunController<never>;
  private readonly plans: ServicePlan[];
  private readonly hosts: PartitionHost[];
  private readonly unkindness: Unkindness;
  private readonly maxPayload: number;
  private actors: Actors[];
  readonly rounds: Rounds;
  /** Delivered messages so far. */
  delivered = 0;
  roundsRun = 0;
  /** Services that took part in rounds, by round. */
  grants = 0;
  private mail: Mail[] = [];
  private gathered = 0;
  private epoch = 0;
  private advancing = IDLE;
  private allReported = false;
  private failure: Failure | null = null;

  constructor(
    private readonly fabric: Fabric,
    placement: Placement,
    private readonly random: RandomStream,
    { unkindness = KIND, maxPayload = 1 << 20, threads = 1 }: ClusterOptions = {},
  ) {
    this.unkindness = unkindness;
    this.maxPayload = maxPayload;
    this.plans = planServices(fabric, { placement, threads, jams: false });
    this.hosts = this.plans.map((plan) => this.hostOf(plan));
    this.actors = this.hosts.map((host) => host.begin(null, false));
    this.protocols = this.plans.map((_, service) => this.hire(service));
    this.rounds = new Rounds({
      peers: this.plans.map(({ channels }) => channels.map(({ peer }) => peer)),
      lookaheadPs: fabric.lookaheadPs,
      fixedLength: null,
    });
    const { durationPs } = fabric.scenario;
    const watch = watchIntervals(fabric.specs, durationPs);
    this.controller = new RunController(this.partitions, NO_CHECKS, { durationPs, watch });
    this.controller.pause();
    this.begin(0, -1);
  }

  /** Runs until a bound at least as late as `untilPs`, or to the end. */
  run(untilPs = Infinity): void {
    const { controller, rounds } = this;
    controller.resume();
    while (controller.state === 'advancing') {
      this.openRound();
      this.settle(() => this.allReported);
      if (rounds.bound.boundPs >= untilPs) controller.pause();
      const { limitPs, isSingle } = this.advancing;
      const { nextPs: basePs } = rounds.bound;
      if (isSingle || basePs >= limitPs) controller.advanced(rounds.bound);
      else this.advancing = { ...this.advancing, basePs };
    }
  }

  private readonly partitions: PartitionSet = {
    ...UNUSED,
    paused: () => undefined,
    advance: (advance) => {
      this.advancing = advance;
    },
    interrupt: () => {
      this.advancing = { ...this.advancing, isSingle: true };
    },
    counts: () => this.rounds.counts(),
    collect: (_, failure) => {
      this.failure = failure;
    },
  };

  private openRound(): void {
    const { basePs, endPs, countFrames, services } = this.rounds.open(
      this.advancing.basePs,
      this.advancing,
      false,
    );
    this.roundsRun++;
    if (endPs <= this.rounds.bound.boundPs) throw new Error('a round does not advance');
    this.allReported = false;
    for (const service of services) {
      const { epoch, roundsRun: round } = this;
      const expected = this.rounds.expectedBy(service);
      this.grants++;
      this.protocols[service]!.allow({ epoch, round, basePs, endPs, expected, countFrames });
    }
  }

  /** All services save, with no messages in flight. */
  save(): { states: PartitionState[]; boundPs: number; framesSeen: number } {
    this.gathered = 0;
    this.protocols.forEach((protocol, service) => {
      protocol.await(this.rounds.expectedBy(service), this.rounds.bound.boundPs);
    });
    this.settle(() => this.gathered === this.protocols.length);
    const { boundPs, framesSeen } = this.controller;
    const states = this.hosts.flatMap((host) => host.save().map(unpackState));
    return { states, boundPs, framesSeen };
  }

  /** A service is lost, and all return to what was saved (or to the beginning). */
  recover(saved: { states: PartitionState[]; boundPs: number; framesSeen: number } | null): void {
    const lost = this.random.below(this.protocols.length);
    this.protocols[lost] = this.hire(lost);
    let first = 0;
    this.actors = this.hosts.map((host, service) => {
      const { length } = this.plans[service]!.parts;
      const states = saved?.states.slice(first, first + length) ?? null;
      first += length;
      return host.begin(states, false);
    });
    this.failure = null;
    this.controller.lose();
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
    const parts = this.plans.flatMap((plan) => plan.parts);
    return mergePartitions(this.fabric, parts, states, { ...ended, check, checkedPs: 0 });
  }

  /** Ends the threads of its services. */
  close(): void {
    for (const host of this.hosts) host.close();
  }

  private hostOf(plan: ServicePlan): PartitionHost {
    if (plan.parts.length === 1) return new OnePartition(plan);
    return new ThreadedPartitions(plan, THREADS, (error) => {
      throw error;
    });
  }

  private hire(service: number): SyncProtocol {
    const { maxPayload } = this;
    return new SyncProtocol(
      this.actors[service]!,
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
    this.protocols.forEach((protocol, service) => {
      protocol.begin({ number: this.epoch, keys }, this.actors[service]!);
    });
    const nexts = this.actors.map((actors) => actors.nextTime());
    this.rounds.begin(boundPs, nexts);
    this.controller.begin(this.rounds.bound, framesSeen);
  }

  private post(mail: Mail): void {
    const { lose, repeat } = this.unkindness;
    if (this.random.uniform() < lose) return;
    this.mail.push(mail);
    if (this.random.uniform() < repeat) this.mail.push(mail);
  }

  /** Delivers messages, and advances protocols, in random order, until it is `done`. */
  private settle(done: () => boolean): void {
    for (let idle = 0, left = 100_000; !done(); left--) {
      if (left === 0) throw new Error('a round does not end');
      let moved = this.deliverOne();
      for (const protocol of this.protocols) moved = protocol.advance() || moved;
      idle = moved ? 0 : idle + 1;
      if (moved) continue;
      if (idle > 1000) throw new Error('the protocols wait for each other');
      for (const protocol of this.protocols) protocol.tick();
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
    this.protocols[mail!.to]!.receive(mail!.octets);
    return true;
  }
}
