import { GRANT_STEPS } from '../../engine/contract/probe.js';
import type { RecordedEvent } from '../mechanism-slice.js';

type Step = (typeof GRANT_STEPS)[number];

/** A step of the exchange; its units are a total in messages, and those of a frame in others. */
interface ExchangeStep {
  readonly timePs: number;
  readonly step: Step;
  readonly units: number;
}

/** Credit exchange of one account in one direction of a link, by the six steps of the proposal. */
export interface Exchange {
  /** Ports, and their devices: frames go from the first to the second, and credit comes back. */
  readonly sender: string;
  readonly receiver: string;
  readonly sendingDevice: string;
  readonly receivingDevice: string;
  readonly priority: number;
  readonly channel: number;
  /** In the order of time. */
  readonly steps: readonly ExchangeStep[];
}

/** Steps of the end that has the buffer. */
const OF_RECEIVER: ReadonlySet<string> = new Set(['granted', 'received', 'accounted', 'recovered']);

/** They answer nothing. */
const MOMENTS: ReadonlySet<string> = new Set(['agreed', 'revoked', 'recovered']);

/** Of all links, from events, in the order of their senders, priorities and channels. */
export function exchangesOf(events: readonly RecordedEvent[]): Exchange[] {
  const all = new Map<string, Exchange & { readonly steps: ExchangeStep[] }>();
  for (const { event, port, partner, priority, detail, units, timePs } of events) {
    const step = GRANT_STEPS.find((one) => one === event);
    if (step === undefined || port === null || partner === null || units === null) continue;
    const [sender, receiver] = OF_RECEIVER.has(step) ? [partner, port] : [port, partner];
    const key = [sender, priority, detail].join(' ');
    let exchange = all.get(key);
    if (exchange === undefined) {
      const devices = { sendingDevice: deviceOf(sender), receivingDevice: deviceOf(receiver) };
      const account = { priority: priority ?? 0, channel: detail ?? 0 };
      exchange = { sender, receiver, ...devices, ...account, steps: [] };
      all.set(key, exchange);
    }
    exchange.steps.push({ timePs, step, units });
  }
  return [...all.values()].sort(
    (a, b) =>
      a.sender.localeCompare(b.sender, 'en', { numeric: true }) ||
      a.priority - b.priority ||
      a.channel - b.channel,
  );
}

function deviceOf(port: string): string {
  return port.slice(0, port.lastIndexOf(':'));
}

/** How often a step was taken. */
export function countOf({ steps }: Exchange, step: Step): number {
  return steps.filter((one) => one.step === step).length;
}

/** Units of the frames of a step. */
export function unitsOf({ steps }: Exchange, step: Step): number {
  return steps.reduce((sum, one) => sum + (one.step === step ? one.units : 0), 0);
}

/** An interval from a step to the one that answers it; null while none does. */
interface StepSpan {
  readonly step: Step;
  readonly fromPs: number;
  readonly untilPs: number | null;
  readonly units: number;
}

/**
 * From a request to the grant that follows it at the receiver, from a grant to the first frame that
 * starts after it, from credit that aged until the receiver has it back, and of each frame from
 * start to receipt and from receipt to free buffer. Frames are matched by their order, so those of
 * an exchange that lost or reordered any are left out.
 */
export function stepSpans({ steps }: Exchange): StepSpan[] {
  const followed = (from: Step, to: Step): StepSpan[] =>
    steps.flatMap(({ step, timePs, units }, i) => {
      if (step !== from) return [];
      const next = steps.slice(i + 1).find((one) => one.step === to);
      return [{ step: from, fromPs: timePs, untilPs: next?.timePs ?? null, units }];
    });
  const moments = steps
    .filter(({ step }) => MOMENTS.has(step))
    .map(({ step, timePs, units }) => ({ step, fromPs: timePs, untilPs: timePs, units }));
  return [
    ...moments,
    ...followed('aged', 'recovered'),
    ...followed('requested', 'granted'),
    ...followed('granted', 'transmitted'),
    ...inOrder(steps, 'transmitted', 'received'),
    ...inOrder(steps, 'received', 'accounted'),
  ].sort((a, b) => a.fromPs - b.fromPs);
}

function inOrder(steps: readonly ExchangeStep[], from: Step, to: Step): StepSpan[] {
  const begins = steps.filter(({ step }) => step === from);
  const ends = steps.filter(({ step }) => step === to);
  const isInOrder = ends.every(
    (end, i) => begins[i]?.units === end.units && begins[i].timePs <= end.timePs,
  );
  if (!isInOrder) return [];
  return begins.map(({ timePs, units }, i) => ({
    step: from,
    fromPs: timePs,
    untilPs: ends[i]?.timePs ?? null,
    units,
  }));
}
