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
  /** Of a full packet, and of the last one of a message. */
  readonly packetPayload: number;
  readonly lastPayload: number;
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
  /** Switches forward the headers of its packets that they drop. */
  readonly isCut: boolean;
}

/** Settings by which a duel names a transport. */
interface TransportVariant {
  readonly keys: object;
  /** It reacts to marks of switches. */
  readonly needsMarks?: boolean;
}

/** What a frame has of a packet or an acknowledgement. */
interface CarriedFields {
  readonly sequence: number;
  /** At the station that it goes to, and at that which sends it. */
  readonly connection: number;
  readonly remote: number;
  /** An acknowledgement is requested at once; of one: its packet was marked. */
  readonly isFlagged: boolean;
}

interface PacketFields extends CarriedFields {
  /** What else a packet says, 16 bits. */
  readonly wanted: number;
}

interface AnswerFields extends CarriedFields {
  readonly said: number;
  readonly counts: number;
}

/** Headers behind that of UDP. */
export interface TransportWire {
  readonly udpPort: number;
  readonly packetOctets: number;
  readonly answerOctets: number;
  /** They return the offset behind the headers. */
  encodePacket(octets: Uint8Array, at: number, packet: PacketFields): number;
  encodeAnswer(octets: Uint8Array, at: number, answer: AnswerFields): number;
  /** Of an answer that refuses a packet. */
  readonly refusalOctets: number;
  encodeRefusal(octets: Uint8Array, at: number, answer: AnswerFields): number;
}

interface FlowProblem {
  /** Behind the name of the transport. */
  readonly key: Path;
  readonly message: string;
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
  readonly variants?: Readonly<Record<string, TransportVariant>>;
  /** Octets of a packet that are not payload, without tags; absent: those of RoCEv2. */
  overheadBytes?(settings: Settings): number;
  /** The same of an acknowledgement. */
  readonly ackOctets?: number;
  /** Octets of an acknowledgement beyond those, at most. */
  readonly furtherAckOctets?: number;
  /** It limits what is in flight: no rate control runs beside it. */
  readonly hasOwnControl?: boolean;
  /** Its packets say what a switch with slots has no room for. */
  needsSharedBuffers?(settings: Settings): boolean;
  /** Packets of one connection take several of the equal-cost paths, whatever switches do. */
  spreads?(settings: Settings): boolean;
  /** Its packets as octets; absent: those of RoCEv2. */
  wire?(settings: Settings): TransportWire;
  /** Throws where keys that are each allowed contradict each other; they are at `path`. */
  check?(settings: Settings, path: Path, places: Places): void;
  /** What settings that are each allowed cannot mean on the path of a flow; null: they can. */
  problemOf?(settings: Settings, flow: CarriedFlow): FlowProblem | null;
  /** Packets that a connection may have unacknowledged where its load says `auto`. */
  autoWindow(settings: Settings, flow: CarriedFlow): number;
  /**
   * Packets that may come before one that is missing until the sender takes that one for lost;
   * absent: none.
   */
  accepts?(spec: TransportSpec, windowPackets: number): number;
  /** Parameters of one connection, which may have so many packets unacknowledged. */
  plan(settings: Settings, flow: CarriedFlow, windowPackets: number): TransportSpec;
}
