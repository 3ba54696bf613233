import type { MessagePort } from 'node:worker_threads';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import type { ServicePlan } from '../../fabric/placement/service-plan.js';
import { makeBarrierMemory } from './barrier.js';
import type { MailboxMemory } from './mailbox.js';
import { makeMailboxMemory } from './mailbox.js';
import type { ServiceMemory, ThreadTask } from './messages.js';
import { PROMISES, STEP_NUMBERS } from './messages.js';

/** Virtual time of a window of a thread without links to others. */
export const LONE_WINDOW_PS = 1e6;
/** A step of a service is at most so many lookaheads long: there is room for what it sends. */
export const LONGEST_STEP = 4;

/** Mailboxes between threads, by thread, then window parity and channel. */
interface Mailboxes {
  readonly outgoing: ThreadTask['outgoing'];
  readonly incoming: ThreadTask['incoming'];
}

/** The least lookahead of links between these partitions. */
export function lookaheadAmong(plans: readonly PartitionPlan[]): number {
  const lookaheads = plans.flatMap(({ channels }) =>
    channels.flatMap(({ inside, lookaheadOutPs }) => (inside ? lookaheadOutPs : [])),
  );
  return Math.min(...lookaheads, LONE_WINDOW_PS);
}

/** Mailboxes for all that partitions send each other in a window. */
export function mailboxesAmong(plans: readonly PartitionPlan[], windowPs: number): Mailboxes[] {
  const threadOf = new Map(plans.map(({ service }, thread) => [service, thread]));
  const boxes = (plan: PartitionPlan): (MailboxMemory | null)[] =>
    plan.channels.map(({ inside }, channel) =>
      inside ? makeMailboxMemory(plan, channel, windowPs) : null,
    );
  const outgoing = plans.map((plan) => [boxes(plan), boxes(plan)]);
  return plans.map((plan, thread) => ({
    outgoing: outgoing[thread]!,
    incoming: [0, 1].map((parity) =>
      plan.channels.map(({ peer, inside }) => {
        if (!inside) return null;
        const other = threadOf.get(peer)!;
        const back = plans[other]!.channels.findIndex(
          (channel) => channel.inside && channel.peer === plan.service,
        );
        return outgoing[other]![parity]![back]!;
      }),
    ),
  }));
}

/** By thread: what it shares with the main thread of its service. */
export function serviceMemory({ parts }: ServicePlan, stepPs: number): ServiceMemory[] {
  const step = new SharedArrayBuffer(8 * STEP_NUMBERS);
  return parts.map((plan) => {
    const boxes = (windowPs: number): (MailboxMemory | null)[] =>
      plan.channels.map(({ inside }, channel) =>
        inside ? null : makeMailboxMemory(plan, channel, windowPs),
      );
    return {
      step,
      report: new SharedArrayBuffer(8 * (PROMISES + plan.channels.length)),
      outgoing: boxes(stepPs),
      incoming: boxes(2 * stepPs),
    };
  });
}

interface SharedByThreads {
  readonly memories: readonly ServiceMemory[];
  readonly signals: SharedArrayBuffer;
  readonly commands: readonly MessagePort[];
  readonly processors: number;
}

/** The input of the threads of a service. */
export function threadTasks(
  { parts }: ServicePlan,
  { memories, signals, commands, processors }: SharedByThreads,
): ThreadTask[] {
  const lookaheadPs = lookaheadAmong(parts);
  const mailboxes = mailboxesAmong(parts, lookaheadPs);
  const barrier = makeBarrierMemory(parts.length);
  const shared = { threads: parts.length, processors, barrier, lookaheadPs, signals };
  return parts.map((plan, thread) => ({
    ...shared,
    ...{ plan, thread, ...mailboxes[thread]!, commands: commands[thread]! },
    ...{ run: null, service: memories[thread]! },
  }));
}
