import type { z } from 'zod';
import type { RateControlKind, RateSpec } from '../engine/contract/rate-control.js';
import type { MessageTemplate } from './message-template.js';
import type { Path } from '../settings/source-tree.js';
import type { Priority } from '../engine/units/indices.js';

/** Locations of values in the scenario, and errors that point there. */
export interface Places {
  errorAt(path: Path, message: string): Error;
  /** Whether the file has a value at this path. */
  has(path: Path): boolean;
}

/** The flow as its rate control sees it. */
export interface LimitedFlow {
  /** Rate of the link at the flow's source. */
  readonly lineBps: number;
  /** A full packet on the wire, preamble and gap included. */
  readonly packetOctets: number;
  /** Switches on the flow's path. */
  readonly hops: number;
}

/** Notification packets (CNP) that a receiver sends about marked packets. */
export interface NotificationSettings {
  readonly intervalPs: number;
  readonly priority: Priority;
}

/** Messages of congested queues to the sources of frames. */
interface QueueMessages {
  readonly priority: Priority;
  /** Of the longest, with FCS and its tag, but no VLAN tags. */
  readonly frameOctets: number;
}

/**
 * The signal of a rate control, which its load must have: acknowledgements (reliable transport),
 * those with the marks of their packets, telemetry that switches write into packets, marks that
 * receivers answer, or messages from congested queues.
 */
type Feedback = 'acknowledgements' | 'echoes' | 'telemetry' | 'marks' | 'queues';

/** A rate control: from its keys in the scenario to what limits a connection. */
export interface RateControlSlice<Settings = unknown> extends RateControlKind {
  /** Name in prose: `TIMELY`. */
  readonly title: string;
  /** Its section of the scenario, under the name `kind`: keys, ranges, defaults and their help. */
  readonly settings: z.ZodType<Settings>;
  /** Help of the section as a whole. */
  readonly help: string;
  readonly feedback: Feedback;
  /** It is told of every acknowledgement, with the marks of its packets. */
  readonly seesAnswers?: boolean;
  /** What else `selvage explain` finds it by, in lower case and with blanks for hyphens. */
  readonly alsoCalled?: readonly string[];
  /** Text of `selvage explain`. */
  readonly topic: string;
  /** Throws where keys that are each allowed contradict each other. */
  check?(settings: Settings, places: Places): void;
  /** Parameters of the rate control of one connection. */
  plan(settings: Settings, flow: LimitedFlow): RateSpec;
  /** Octets of the tag by which messages of queues name a flow; absent: it has none. */
  readonly flowTagOctets?: number;
  /** Messages of queues to sources, for a rate control that reacts to them. */
  messages?(settings: Settings): QueueMessages;
  /** Why a load of this priority would never be limited; null if it may be. */
  unwatched?(settings: Settings, priority: Priority): string | null;
  /** Keys of its section, as the file has them, with which it runs on these priorities. */
  onPriorities?(section: object, priorities: readonly number[]): object;
  /** Notifications of receivers, for a rate control that reacts to marks. */
  notifications?(settings: Settings): NotificationSettings;
  /** Its messages, as a fault forges them. */
  readonly template?: MessageTemplate;
}

/** Below this rate one packet would occupy a connection for longer than times can be counted. */
export const RATE_MIN_BPS = 1000;

export function checkMinRate(kind: string, minRate: number, places: Places): void {
  if (minRate >= RATE_MIN_BPS) return;
  const message = `minRate of ${minRate} bit/s; at least 1k, or one packet takes hours`;
  throw places.errorAt([kind, 'minRate'], message);
}
