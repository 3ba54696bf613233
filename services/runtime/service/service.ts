/**
 * A service between the broker, the coordinator and its partitions: wiring, timers and liveness. It
 * relies on the coordinator for epochs and horizons, and on the protocol for which messages count.
 * Wall-clock time may decide when a probe, a report of liveness or a retry is sent, and never what
 * is executed: results would depend on the speed of the machine.
 */

import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import type { NatsConnection } from '@nats-io/transport-node';
import type { selvage } from '#contracts';
import type { ServicePlan } from '../../fabric/placement/service-plan.js';
import type { CheckpointStore } from '../checkpoints/store.js';
import {
  decodeSnapshot,
  encodeSnapshot,
  packStates,
  sameOctets,
  sha256,
  unpackPlan,
} from '../checkpoints/snapshots.js';
import { DamagedCheckpoint } from '../checkpoints/store-error.js';
import { prepareService } from '../engine-flags.js';
import { unpackChange } from '../live-faults.js';
import type { Log } from '../log.js';
import { SyncProtocol } from '../partition/sync-protocol.js';
import { PROTOCOL } from '../partition/messages.js';
import { spokenColumns } from '../port-columns.js';
import type { Actors } from '../partition/actors.js';
import type { PartitionState } from '../partition/partition.js';
import { ThreadedPartitions } from '../threads/threaded-partitions.js';
import { watchBroker } from './broker-watch.js';
import type { CoordinatorLink } from './coordinator-link.js';
import type { PartitionHost } from './partition-host.js';
import { OnePartition } from './partition-host.js';
import type { RunIdentity } from './settings.js';

/** How long a protocol waits without messages before it probes for lost ones. */
const TICK_MS = 100;
/** Ticks between two liveness reports. */
const ALIVE_TICKS = 10;
const MOST_KEPT_OCTETS = 64 << 20;
/** Results are sent in pieces of this size. */
const PIECE_OCTETS = 1 << 20;

/** What a service tells the coordinator of itself. */
interface ServiceSeat {
  readonly service: number;
  readonly version: string;
  /** It may have so many; 0: as many as the run gives it. */
  readonly threads: number;
}

/** What a service communicates by, and how it ends. */
interface ServiceTools {
  readonly broker: NatsConnection;
  readonly store: CheckpointStore;
  readonly link: CoordinatorLink;
  readonly log: Log;
  readonly fail: (error: Error) => void;
  readonly leave: () => void;
}

/** An error that ends this service, and with it the run. */
class ServiceError extends Error {}

/**
 * One service: its partitions, its channels over the broker, and the stream to the coordinator.
 * Results depend on `PartitionHost` and `SyncProtocol` only; this is wiring and waiting.
 */
export class Service {
  readonly incarnation = randomUUID();
  private readonly service: number;
  private plan: ServicePlan | null = null;
  private planHash: Uint8Array = new Uint8Array(0);
  private host: PartitionHost | null = null;
  private protocol: SyncProtocol | null = null;
  private epoch = 0;
  private awaiting: (() => void) | null = null;
  /** The horizon at which counters of ports are sent; null: not requested. */
  private portsAtPs: number | null = null;
  private scheduled = false;
  private ticks = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly identity: RunIdentity,
    private readonly seat: ServiceSeat,
    private readonly tools: ServiceTools,
  ) {
    const { service } = seat;
    const { broker, link, fail, log } = tools;
    this.service = service;
    broker.subscribe(this.subjectOf(service), {
      callback: (error, message) => {
        if (error !== null) return;
        this.protocol?.receive(message.data);
        this.wake();
      },
    });
    watchBroker(broker, identity.patienceMs, fail, {
      lost: () => {
        log.warn('the broker is away');
      },
      back: () => {
        log.warn('the broker is back');
        this.protocol?.reconnected();
      },
    });
    this.timer = setInterval(() => {
      this.tick();
    }, TICK_MS);
    link.open(
      () => this.registration(),
      (message) => {
        this.execute(message).catch(fail);
      },
    );
  }

  close(): void {
    clearInterval(this.timer);
    this.tools.link.close();
    this.host?.close();
  }

  private tick(): void {
    this.protocol?.tick();
    if (++this.ticks % ALIVE_TICKS === 0) this.tools.link.send({ alive: this.alive() });
    this.wake();
  }

  private alive(): selvage.v1.Alive.$Properties {
    const { protocol, epoch } = this;
    const { user, system } = process.cpuUsage();
    return {
      epoch,
      executedPs: protocol?.executedBeforePs ?? 0,
      waitsFor: protocol?.waitsForServices ?? [],
      cpuMs: (user + system) / 1000,
      messages: protocol?.messagesSent ?? 0,
      elapsedMs: performance.now(),
    };
  }

  private registration(): selvage.v1.FromService.$Properties {
    const { seat, incarnation } = this;
    const { run } = this.identity;
    const host = hostname();
    this.tools.log.debug('registers with the coordinator', { host });
    return { register: { protocol: PROTOCOL, run, ...seat, incarnation, host } };
  }

  private async execute(message: selvage.v1.ToService): Promise<void> {
    const { assignment, round, save, show, finish, refusal, leave, change } = message;
    if (leave) {
      this.tools.log.info('the run is over');
      this.tools.leave();
      return;
    }
    if (refusal?.surplus === true) {
      process.stderr.write(`service ${this.service}: ${refusal.reason}: not needed\n`);
      this.tools.leave();
      return;
    }
    if (refusal) throw new ServiceError(refusal.reason ?? 'refused by the coordinator');
    if (assignment) await this.begin(assignment);
    else if (change?.epoch === this.epoch) this.host!.change(unpackChange(change.change!));
    else if (round?.epoch === this.epoch) this.run(round);
    else if (save?.epoch === this.epoch) this.save(save);
    else if (show?.epoch === this.epoch) this.show(show);
    else if (finish?.epoch === this.epoch) this.finish(finish);
  }

  /** Builds the partitions as they were at a checkpoint, or at the beginning. */
  private async begin(assignment: selvage.v1.Assignment.$Properties): Promise<void> {
    const epoch = assignment.epoch ?? 0;
    this.epoch = epoch;
    const checkpoint = assignment.from?.checkpoint ?? 'none';
    this.tools.log.info('epoch begins', { epoch, checkpoint });
    this.protocol?.end(epoch);
    this.awaiting = null;
    if (assignment.plan && assignment.plan.length > 0) {
      this.planHash = sha256(assignment.plan);
      if (!sameOctets(this.planHash, assignment.planHash ?? new Uint8Array(0))) {
        throw new ServiceError('the plan from the coordinator is damaged');
      }
      this.plan = unpackPlan(assignment.plan);
      this.host?.close();
      this.host = this.hostOf(this.plan, assignment.neighbors ?? 1);
    }
    const { host } = this;
    if (host === null) throw new ServiceError('the coordinator sent no plan');
    const states = assignment.from ? await this.keptStates(epoch, assignment.from) : null;
    if (this.epoch !== epoch || (assignment.from && states === null)) return;
    const actors = host.begin(states, assignment.check === true);
    for (const change of assignment.changes ?? []) host.change(unpackChange(change));
    this.adopt(actors, assignment);
    this.tools.link.send({ ready: { epoch, nextPs: actors.nextTime() } });
  }

  /** `neighbors`: services of the run on this machine, itself among them. */
  private hostOf(plan: ServicePlan, neighbors: number): PartitionHost {
    const portsOf = ({ specs }: ServicePlan['parts'][number]): number =>
      specs.reduce((sum, { ports }) => sum + ports.length, 0);
    prepareService(Math.max(...plan.parts.map(portsOf)));
    if (plan.parts.length === 1) return new OnePartition(plan);
    const processors = Math.floor(availableParallelism() / Math.max(1, neighbors));
    const { patienceMs } = this.identity;
    return new ThreadedPartitions(plan, { processors, patienceMs }, this.tools.fail);
  }

  /** The states in a checkpoint; null, and the coordinator is notified, if it is damaged. */
  private async keptStates(
    epoch: number,
    kept: selvage.v1.KeptState.$Properties,
  ): Promise<PartitionState[] | null> {
    const { service, planHash } = this;
    const checkpoint = kept.checkpoint ?? '';
    const wanted = {
      ...{ run: this.identity.run, service, planHash, epoch: kept.epoch ?? 0 },
      ...{ boundPs: kept.boundPs ?? 0, stateHash: kept.stateHash ?? new Uint8Array(0) },
    };
    try {
      return decodeSnapshot(await this.tools.store.getSnapshot(checkpoint, service), wanted);
    } catch (error) {
      if (!(error instanceof DamagedCheckpoint)) throw error;
      this.tools.link.send({ unusable: { epoch, checkpoint, reason: error.message } });
      return null;
    }
  }

  private adopt(actors: Actors, assignment: selvage.v1.Assignment.$Properties): void {
    this.protocol ??= this.makeProtocol(actors);
    const { epoch } = this;
    const keys = this.identity.keys.channels(epoch, assignment.salt ?? new Uint8Array(0));
    this.protocol.begin({ number: epoch, keys }, actors);
  }

  private makeProtocol(actors: Actors): SyncProtocol {
    const maxPayload = this.tools.broker.info?.max_payload ?? 1 << 20;
    return new SyncProtocol(
      actors,
      this.service,
      {
        send: (peer, octets) => {
          if (!this.tools.broker.isClosed())
            this.tools.broker.publish(this.subjectOf(peer), octets);
        },
        report: (report) => {
          this.tools.link.send({
            report: { ...report, breach: this.breach(), ports: this.ports() },
          });
        },
        gathered: () => {
          this.awaiting?.();
        },
      },
      { maxPayload, maxKept: MOST_KEPT_OCTETS },
    );
  }

  private run(round: selvage.v1.Round.$Properties): void {
    this.portsAtPs = round.countPorts === true ? (round.endPs ?? 0) : null;
    this.protocol!.allow({
      epoch: this.epoch,
      round: round.round ?? 0,
      basePs: round.basePs ?? 0,
      endPs: round.endPs ?? 0,
      expected: round.expected ?? [],
      countFrames: round.countFrames ?? false,
    });
    this.wake();
  }

  private save(save: selvage.v1.Save.$Properties): void {
    const { epoch } = this;
    const checkpoint = save.checkpoint ?? '';
    this.awaiting = () => {
      const { run } = this.identity;
      const { service, planHash } = this;
      const origin = { run, epoch, service, planHash, boundPs: save.boundPs ?? 0 };
      const { octets, hash } = encodeSnapshot(origin, packStates(this.host!.save()));
      this.tools.store.putSnapshot(checkpoint, this.service, octets).then(
        () => {
          this.tools.log.debug('snapshot is written', { epoch, checkpoint, bytes: octets.length });
          this.tools.link.send({ saved: { epoch, checkpoint, hash } });
        },
        (error: unknown) => {
          const failure = (error as Error).message;
          this.tools.log.warn('snapshot is not written', { epoch, checkpoint, reason: failure });
          this.tools.link.send({ saved: { epoch, checkpoint, failure } });
        },
      );
    };
    this.protocol!.await(save.expected ?? [], save.boundPs ?? 0);
  }

  private show(show: selvage.v1.Show.$Properties): void {
    this.awaiting = () => {
      const octets = packStates(this.host!.glimpse());
      for (const shown of this.piecesOf(octets)) this.tools.link.send({ shown });
    };
    this.protocol!.await(show.expected ?? [], show.boundPs ?? 0);
  }

  private finish(finish: selvage.v1.Finish.$Properties): void {
    this.awaiting = () => {
      const octets = packStates(this.host!.save());
      for (const final of this.piecesOf(octets)) this.tools.link.send({ final });
    };
    this.protocol!.await(finish.expected ?? [], finish.boundPs ?? 0);
  }

  private *piecesOf(octets: Uint8Array): Generator<selvage.v1.StatePart.$Properties> {
    const { epoch } = this;
    for (let from = 0; from < octets.length; from += PIECE_OCTETS) {
      const to = Math.min(from + PIECE_OCTETS, octets.length);
      const last = to === octets.length;
      const hash = last ? sha256(octets) : new Uint8Array(0);
      yield { epoch, octets: octets.subarray(from, to), last, hash };
    }
  }

  /** Continues after all received messages have been processed. */
  private wake(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      try {
        if (this.protocol?.advance() === true) this.wake();
      } catch (error) {
        this.tools.fail(error as Error);
      }
    });
  }

  /** The counters of its ports, if they are requested. */
  private ports(): selvage.v1.PortColumns.$Properties | null {
    if (this.portsAtPs === null) return null;
    return spokenColumns(this.host!.portColumns(this.portsAtPs));
  }

  private breach(): string {
    const breach = this.host!.breach();
    return breach === null ? '' : JSON.stringify(breach);
  }

  private subjectOf(service: number): string {
    return `selvage.${this.identity.run}.${service}`;
  }
}
