import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { FramePool } from '../../engine/frame/frame-pool.js';
import type { LinkPlace, ServicePlan } from '../../fabric/placement/service-plan.js';
import type { Breach } from '../checks/breach.js';
import type { FaultChange } from '../live-faults.js';
import { programFile } from '../package-files.js';
import type {
  ActorChannel,
  ActorCounts,
  Actors,
  PartitionEgressPath,
} from '../partition/actors.js';
import type { PartitionState } from '../partition/partition.js';
import { joinedColumns } from '../port-columns.js';
import type { PortColumns } from '../port-sample.js';
import type { PartitionHost } from '../service/partition-host.js';
import { SPINS } from './barrier.js';
import { Mailbox } from './mailbox.js';
import type { Answers, Command, FailureReply, Reply, ServiceMemory } from './messages.js';
import {
  BORDERS,
  BREACHED,
  COMMANDS,
  ENDED,
  EVENTS,
  FAILED,
  IS_STEP,
  LATEST_PS,
  NEXT_PS,
  PROMISES,
  SIGNAL_WORDS,
  STEP_BASE,
  STEP_LIMIT,
} from './messages.js';
import { LONGEST_STEP, serviceMemory, threadTasks } from './thread-memory.js';

interface ThreadsOfService {
  /** That the threads may use. */
  readonly processors: number;
  /** How long a thread may take for one command. */
  readonly patienceMs: number;
}

/**
 * The partitions of a service, each in a thread. The main thread has the protocol: it hands frames
 * of other services to the threads, has all of them execute a step, and takes out what they send,
 * over memory that they share. While threads execute a command, it waits.
 */
export class ThreadedPartitions implements PartitionHost, Actors {
  readonly channels: readonly ActorChannel[];
  readonly longestStepPs: number;
  private readonly signals = new Int32Array(new SharedArrayBuffer(4 * SIGNAL_WORDS));
  private readonly step: Float64Array;
  /** By thread. */
  private readonly reports: readonly Float64Array[];
  private readonly outgoing: readonly (readonly (Mailbox | null)[])[];
  private readonly incoming: readonly (readonly (Mailbox | null)[])[];
  /** By thread and its channel: where its links are among those of the service. */
  private readonly egress: readonly (readonly (EgressLinks | null)[])[];
  private readonly commands: MessageChannel[];
  private readonly workers: Worker[];
  private readonly threads: number;
  private readonly spins: number;
  /** Frames on their way between a message and a mailbox. */
  private readonly pool = new FramePool(1);
  private isUnderWay = false;
  /** Executed since the last call of `runTo`. */
  private events = 0;
  /** The earliest of what the threads have not taken in. */
  private arrivalPs = Infinity;
  private boundPs = 0;

  constructor(
    private readonly plan: ServicePlan,
    private readonly options: ThreadsOfService,
    fail: (error: Error) => void,
  ) {
    const { parts, channels } = plan;
    this.threads = parts.length;
    this.spins = this.threads < options.processors ? SPINS : 0;
    this.channels = channels.map(({ peer, lookaheadOutPs, lookaheadInPs, links }) => {
      return { peer, lookaheadOutPs, lookaheadInPs, links: links.length };
    });
    this.longestStepPs =
      LONGEST_STEP * Math.min(...channels.map(({ lookaheadOutPs }) => lookaheadOutPs));
    this.egress = egressOf(plan);
    const memories = serviceMemory(plan, this.longestStepPs);
    this.step = new Float64Array(memories[0]!.step);
    this.reports = memories.map(({ report }) => new Float64Array(report));
    this.outgoing = memories.map(({ outgoing }) => boxesOf(outgoing));
    this.incoming = memories.map(({ incoming }) => boxesOf(incoming));
    this.commands = parts.map(() => new MessageChannel());
    const ports = this.commands.map(({ port2 }) => port2);
    const tasks = threadTasks(plan, {
      ...{ memories, signals: this.signals.buffer, commands: ports },
      processors: options.processors,
    });
    const program = programFile('thread-worker');
    this.workers = tasks.map((workerData) => {
      const worker = new Worker(program, { workerData, transferList: [workerData.commands] });
      return worker.once('error', fail);
    });
  }

  begin(states: readonly PartitionState[] | null, check: boolean): this {
    this.settle();
    for (const box of [...this.outgoing, ...this.incoming].flat()) box?.clear();
    this.arrivalPs = Infinity;
    this.boundPs = 0;
    this.events = 0;
    this.command({ kind: 'begin', states, check });
    this.runTo(0);
    return this;
  }

  get latestPs(): number {
    return this.reports.reduce((latest, report) => Math.max(latest, report[LATEST_PS]!), 0);
  }

  nextTime(): number {
    this.settle();
    return this.reports.reduce(
      (least, report) => Math.min(least, report[NEXT_PS]!),
      this.arrivalPs,
    );
  }

  runTo(bound: number): number {
    if (!this.isUnderWay) this.start(bound);
    this.settle();
    const { events } = this;
    this.events = 0;
    return events;
  }

  /** The rest of the last window is executed by the threads until `runTo`. */
  runBorderTo(bound: number): number {
    this.start(bound);
    this.await(BORDERS);
    return 0;
  }

  take(egressPath: PartitionEgressPath): void {
    this.egressPath = egressPath;
    this.outgoing.forEach((boxes, part) => {
      boxes.forEach((box, channel) => {
        this.taken = this.egress[part]![channel]!;
        box?.empty(this.sink, channel);
      });
    });
  }

  promisePs(channel: number): number {
    let least = Infinity;
    this.egress.forEach((ends, part) => {
      ends.forEach((end, own) => {
        if (end?.channel !== channel) return;
        least = Math.min(least, this.reports[part]![PROMISES + own]!);
      });
    });
    return least;
  }

  putFrame(channel: number, link: number, records: Int32Array, offset: number): void {
    const { pool } = this;
    const to = this.plan.channels[channel]!.links[link]!;
    const frame = pool.write(records, offset);
    this.boxWithRoom(to, 0).addFrame(to.link, pool, frame);
    this.noteArrival(pool.arrival(frame));
    pool.release(frame);
  }

  putControl(channel: number, link: number, atPs: number, octets: Uint8Array): void {
    const to = this.plan.channels[channel]!.links[link]!;
    this.boxWithRoom(to, octets.length).addControl(to.link, atPs, octets);
    this.noteArrival(atPs);
  }

  count(): ActorCounts {
    const counts = this.command({ kind: 'count' });
    const sum = (of: keyof ActorCounts): number => counts.reduce((all, one) => all + one[of], 0);
    return {
      framesStarted: sum('framesStarted'),
      framesStored: sum('framesStored'),
      planned: sum('planned'),
      packetsLeft: sum('packetsLeft'),
      packetsTotal: sum('packetsTotal'),
    };
  }

  change(change: FaultChange): void {
    this.command({ kind: 'change', changes: [change] });
    // It may cause an event before the next that was known.
    this.runTo(this.boundPs);
  }

  portColumns(timePs: number): PortColumns {
    const columns = this.command({ kind: 'sample', timePs });
    const lengths = this.plan.parts.map(({ specs }) =>
      specs.reduce((sum, { ports }) => sum + ports.length, 0),
    );
    const ports = lengths.map((length, part) => {
      const first = lengths.slice(0, part).reduce((a, b) => a + b, 0);
      return Array.from({ length }, (_, port) => first + port);
    });
    return joinedColumns(columns, ports);
  }

  save(): Uint8Array[] {
    return this.command({ kind: 'pack', isGlimpse: false });
  }

  glimpse(): Uint8Array[] {
    return this.command({ kind: 'pack', isGlimpse: true });
  }

  breach(): Breach | null {
    if (this.reports.every((report) => report[BREACHED] === 0)) return null;
    const breaches = this.command({ kind: 'breach' }).flatMap((breach) => breach ?? []);
    return breaches.sort((a, b) => a.timePs - b.timePs)[0] ?? null;
  }

  close(): void {
    for (const worker of this.workers) void worker.terminate();
    for (const { port1 } of this.commands) port1.close();
  }

  /** Of the thread and channel whose mailbox is emptied. */
  private taken: EgressLinks | null = null;
  private egressPath: PartitionEgressPath | null = null;
  private readonly sink = {
    putFrame: (_: number, link: number, records: Int32Array, at: number): void => {
      const { pool } = this;
      const { channel, links } = this.taken!;
      const frame = pool.write(records, at);
      this.egressPath!.frame(channel, links[link]!, pool, frame);
      pool.release(frame);
    },
    putControl: (_: number, link: number, atPs: number, octets: Uint8Array): void => {
      const { channel, links } = this.taken!;
      this.egressPath!.control(channel, links[link]!, atPs, octets);
    },
  };

  /** All threads execute everything before a bound, from the earliest event on. */
  private start(bound: number): void {
    const basePs = this.nextTime();
    this.step[STEP_BASE] = basePs;
    this.step[STEP_LIMIT] = bound;
    this.boundPs = bound;
    this.arrivalPs = Infinity;
    this.isUnderWay = true;
    this.send(1);
  }

  /** Waits for the end of the step that is under way. */
  private settle(): void {
    if (!this.isUnderWay) return;
    this.await(ENDED);
    this.isUnderWay = false;
    for (const report of this.reports) this.events += report[EVENTS]!;
  }

  /** All threads carry out a command; their answers, in the order of partitions. */
  private command<Kind extends Command['kind']>(
    command: Command & { readonly kind: Kind },
  ): Answers[Kind][] {
    this.settle();
    for (const { port1 } of this.commands) port1.postMessage(command);
    this.send(0);
    this.await(ENDED);
    return this.commands.map(({ port1 }) => {
      const { answer } = receiveMessageOnPort(port1)!.message as Reply;
      return answer as Answers[Kind];
    });
  }

  private send(isStep: number): void {
    const { signals } = this;
    Atomics.store(signals, IS_STEP, isStep);
    Atomics.store(signals, BORDERS, 0);
    Atomics.store(signals, ENDED, 0);
    Atomics.add(signals, COMMANDS, 1);
    Atomics.notify(signals, COMMANDS);
  }

  /** Waits until all threads have come to a point of the command. */
  private await(word: number): void {
    const { signals, threads } = this;
    for (let spin = 0; spin < this.spins; spin++) {
      if (Atomics.load(signals, word) >= threads) break;
    }
    for (;;) {
      const arrived = Atomics.load(signals, word);
      if (Atomics.load(signals, FAILED) === 1) throw this.failure();
      if (arrived >= threads) return;
      if (Atomics.wait(signals, word, arrived, this.options.patienceMs) !== 'timed-out') continue;
      throw new Error(`a thread has not answered for ${this.options.patienceMs / 1000} s`);
    }
  }

  private failure(): Error {
    for (const { port1 } of this.commands) {
      for (;;) {
        const received = receiveMessageOnPort(port1);
        if (received === undefined) break;
        const { failure } = received.message as Partial<FailureReply>;
        if (failure !== undefined) return new Error(failure);
      }
    }
    return new Error('a thread has failed');
  }

  /** What comes before the threads take the next step, and is more than usual, is taken in now. */
  private boxWithRoom({ part, channel }: LinkPlace, octets: number): Mailbox {
    const box = this.incoming[part]![channel]!;
    if (box.hasRoom(octets)) return box;
    this.settle();
    this.start(this.boundPs);
    this.settle();
    return box;
  }

  private noteArrival(atPs: number): void {
    if (atPs < this.arrivalPs) this.arrivalPs = atPs;
  }
}

function boxesOf(memories: ServiceMemory['outgoing']): (Mailbox | null)[] {
  return memories.map((memory) => memory && new Mailbox(memory));
}

/** The links of a thread's channel: a channel of the service, and their places in it. */
interface EgressLinks {
  readonly channel: number;
  readonly links: readonly number[];
}

/** By thread, then channel; null for channels inside. */
function egressOf({ parts, channels }: ServicePlan): (EgressLinks | null)[][] {
  return parts.map((plan, part) =>
    plan.channels.map(({ inside, peer }, own) => {
      if (inside) return null;
      const channel = channels.findIndex((joined) => joined.peer === peer);
      const links: number[] = [];
      channels[channel]!.links.forEach((place, link) => {
        if (place.part === part && place.channel === own) links[place.link] = link;
      });
      return { channel, links };
    }),
  );
}
