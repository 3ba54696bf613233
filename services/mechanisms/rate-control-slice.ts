import type { z } from 'zod';
import type { RateControlKind, RateSpec } from '../engine/contract/rate-control.js';
import type { Path } from '../settings/source-tree.js';

/** Where a value stands in the scenario, and the error that points there. */
export interface Places {
  errorAt(path: Path, message: string): Error;
  /** Whether the file says anything at this path. */
  has(path: Path): boolean;
}

/** What a rate control may know of the flow that it limits. */
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
  readonly priority: number;
}

/** Messages of congested queues to the sources of frames. */
export interface QueueMessages {
  readonly priority: number;
  /** Of the longest, with FCS and its tag, but no VLAN tags. */
  readonly frameOctets: number;
}

/**
 * What a rate control reacts to, and so what its load must have: acknowledgements (reliable
 * transport), telemetry that switches write into packets, marks, or messages from congested
 * queues.
 */
export type Feedback = 'acknowledgements' | 'telemetry' | 'marks' | 'queues';

/** A rate control: from its keys in the scenario to what limits a connection. */
export interface RateControlSlice<Settings = unknown> extends RateControlKind {
  /** As people write it in prose: `TIMELY`. */
  readonly title: string;
  /** Its section of the scenario, under the name `kind`: keys, ranges, defaults and their help. */
  readonly settings: z.ZodType<Settings>;
  /** Help of the section as a whole. */
  readonly help: string;
  readonly feedback: Feedback;
  /** What `selvage explain` says of it. */
  readonly topic: string;
  /** Throws where keys that are each allowed contradict each other. */
  check?(settings: Settings, places: Places): void;
  /** Parameters of the rate control of one connection. */
  plan(settings: Settings, flow: LimitedFlow): RateSpec;
  /** Octets of the tag by which messages of queues name a flow; absent: it has none. */
  readonly flowTagOctets?: number;
  /** What queues send to sources, of a rate control that reacts to their messages. */
  messages?(settings: Settings): QueueMessages;
  /** Why a load of this priority would never be limited; null if it may be. */
  unwatched?(settings: Settings, priority: number): string | null;
  /** Keys of its section, as the file has them, with which it runs on these priorities. */
  onPriorities?(section: object, priorities: readonly number[]): object;
  /** What receivers send, of a rate control that reacts to marks. */
  notifications?(settings: Settings): NotificationSettings;
}

/** Below this rate one packet would occupy a connection for longer than times can be counted. */
const RATE_MIN_BPS = 1000;

export function checkMinRate(kind: string, minRate: number, places: Places): void {
  if (minRate >= RATE_MIN_BPS) return;
  const message = `minRate of ${minRate} bit/s; at least 1k, or one packet takes hours`;
  throw places.errorAt([kind, 'minRate'], message);
}
