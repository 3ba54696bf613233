import type { z } from 'zod';
import type { TransportSpec } from '../engine/contract/spec.js';
import type { TransportKind } from '../engine/contract/transport.js';
import type { Path } from '../settings/source-tree.js';
import type { Places } from './rate-control-slice.js';
import type { ConnectionSettings } from './transport-settings.js';

/**
 * Which order of packets a transport needs: each behind the one before, or it retransmits; or any
 * within a window.
 */
type Order = 'ordered' | 'window';

/** The connection as its transport sees it. */
export interface CarriedFlow {
  readonly packetsPerMessage: number;
  readonly messages: number;
  /** Its messages are released one by one. */
  readonly releasesMessages: boolean;
  /** Rate of the link at its source. */
  readonly lineBps: number;
  /** A full packet on the wire, preamble and gap included. */
  readonly packetOctets: number;
  /** A full packet there and its acknowledgement back, on an idle fabric. */
  readonly roundTripPs: number;
  /** A flow control rules its priority. */
  readonly isLossless: boolean;
}

/** A transport: from its keys in the scenario to what the ends of a connection execute. */
export interface TransportSlice<
  Written = object,
  Settings extends ConnectionSettings = ConnectionSettings,
> extends TransportKind {
  /** How a load names it. */
  readonly name: string;
  /** Name in prose: `go-back-N`. */
  readonly title: string;
  /** Loads have it that name none. */
  readonly isUsual?: boolean;
  readonly order: Order;
  /** Its keys, under its name in `transport`: ranges, defaults and their help. */
  readonly settings: z.ZodType<Written>;
  readonly help: string;
  /** What else `selvage explain` finds it by, in lower case and with blanks for hyphens. */
  readonly alsoCalled?: readonly string[];
  /** Text of `selvage explain`. */
  readonly topic: string;
  /** With all that the scenario leaves open. */
  complete(written: Written): Settings;
  /** `selvage duel` runs a load with these keys where a variant has such a name. */
  readonly variants?: Readonly<Record<string, object>>;
  /** Octets of an acknowledgement beyond those of RoCEv2, at most. */
  readonly furtherAckOctets?: number;
  /** Throws where keys that are each allowed contradict each other; they are at `path`. */
  check?(settings: Settings, path: Path, places: Places): void;
  /** Packets that a connection may have unacknowledged where its load says `auto`. */
  autoWindow(settings: Settings, flow: CarriedFlow): number;
  /** Parameters of one connection, which may have so many packets unacknowledged. */
  plan(settings: Settings, flow: CarriedFlow, windowPackets: number): TransportSpec;
}
