import type { MessagePort } from 'node:worker_threads';
import type { Partition } from '../partition/partition.js';
import type { MailboxMemory } from './mailbox.js';
import { Mailbox } from './mailbox.js';
import type { FailureReply, Reply, ServiceMemory, ThreadTask } from './messages.js';
import {
  BORDERS,
  BREACHED,
  ENDED,
  EVENTS,
  FAILED,
  LATEST_PS,
  NEXT_PS,
  PROMISES,
  STEP_BASE,
  STEP_LIMIT,
} from './messages.js';

/** A thread's end of what it shares with the main thread of its service. */
export class ServiceEnd {
  private readonly step: Float64Array;
  private readonly numbers: Float64Array;
  private readonly signals: Int32Array;
  private readonly out: readonly (Mailbox | null)[];
  private readonly in: readonly (Mailbox | null)[];
  private readonly commands: MessagePort;
  private readonly threads: number;

  constructor(
    memory: ServiceMemory,
    { signals, commands, threads }: Pick<ThreadTask, 'signals' | 'commands' | 'threads'>,
  ) {
    const boxes = (memories: readonly (MailboxMemory | null)[]): (Mailbox | null)[] =>
      memories.map((box) => box && new Mailbox(box));
    this.step = new Float64Array(memory.step);
    this.numbers = new Float64Array(memory.report);
    this.signals = new Int32Array(signals);
    this.out = boxes(memory.outgoing);
    this.in = boxes(memory.incoming);
    this.commands = commands;
    this.threads = threads;
  }

  get basePs(): number {
    return this.step[STEP_BASE]!;
  }

  get limitPs(): number {
    return this.step[STEP_LIMIT]!;
  }

  outgoing(channel: number): Mailbox {
    return this.out[channel]!;
  }

  /** Puts in what came from other services. */
  takeIn(part: Partition): void {
    this.in.forEach((box, channel) => box?.empty(part, channel));
  }

  /** What other services wait for is executed, and handed over. */
  endBorder(part: Partition): void {
    this.out.forEach((box, channel) => {
      if (box === null) return;
      this.numbers[PROMISES + channel] = part.promisePs(channel, this.limitPs);
    });
    this.arrive(BORDERS);
  }

  report(part: Partition, events: number, isBreached: boolean): void {
    const { numbers } = this;
    numbers[NEXT_PS] = part.nextTime();
    numbers[LATEST_PS] = part.latestPs;
    numbers[EVENTS] = events;
    numbers[BREACHED] = isBreached ? 1 : 0;
  }

  post(reply: Reply | FailureReply): void {
    this.commands.postMessage(reply);
  }

  /** Carries out a command, whose end the main thread waits for. */
  carryOut(command: () => void): void {
    try {
      command();
    } catch (error) {
      this.post({ failure: (error as Error).message });
      Atomics.store(this.signals, FAILED, 1);
      this.wake(BORDERS);
    }
    this.arrive(ENDED);
  }

  private arrive(word: number): void {
    const isLast = Atomics.add(this.signals, word, 1) === this.threads - 1;
    if (isLast || Atomics.load(this.signals, FAILED) === 1) Atomics.notify(this.signals, word);
  }

  private wake(word: number): void {
    Atomics.add(this.signals, word, this.threads);
    Atomics.notify(this.signals, word);
  }
}
