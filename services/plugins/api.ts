/**
 * The public API of plugins, `selvage/plugin`: what the default export of a file is that a scenario
 * names under `plugins`. docs/extending.md builds one. Times are picoseconds, rates bit/s, sizes
 * bytes; a plugin imports nothing but these types.
 */

/** Version of this API; a plugin states the one that it is written for. */
export const PLUGIN_API = 1;

/** How a setting is written: `20us`, `40G`, `64KB`, `30%`, `0.5`, `7`. */
export type Unit = 'time' | 'rate' | 'size' | 'share' | 'number' | 'integer';

/** A key of the plugin's section in the scenario. */
export interface Setting {
  /** What may be written, and the base unit that it arrives in: ps, bit/s, bytes, or a number. */
  readonly unit: Unit;
  /** As a scenario would write it. */
  readonly default: string | number;
  /** Least value that is allowed, as a scenario would write it. */
  readonly min?: string | number;
  /** Largest value that is allowed. */
  readonly max?: string | number;
  /** One sentence for `selvage explain` and editors. */
  readonly help: string;
}

/** Settings of a plugin by key, as declared. */
export type Settings<Key extends string = string> = Readonly<Record<Key, Setting>>;

/** Values of settings or state by name. */
export type Numbers<Name extends string = string> = Readonly<Record<Name, number>>;

/** What every plugin has. */
export interface PluginHeader<Key extends string = string> {
  /** Version of the API: 1. */
  readonly api: typeof PLUGIN_API;
  /** Its name in scenarios: lower-case letters, digits and -. */
  readonly name: string;
  /** One or two sentences for `selvage explain`. */
  readonly help: string;
  /** Keys of its section; none if left out. */
  readonly settings?: Settings<Key>;
}

/** A sending connection, as its congestion control sees it. Valid only during the call. */
export interface Connection<Key extends string = string, Field extends string = string> {
  /** Virtual time. */
  readonly now: number;
  /** The plugin's section of the scenario, in base units. */
  readonly settings: Numbers<Key>;
  /** The declared fields of this connection: all that it remembers, saved in checkpoints. */
  readonly state: Record<Field, number>;
  /** Rate of the sender's link. */
  readonly lineBps: number;
  /** A full packet on the wire, preamble and gap included. */
  readonly packetBytes: number;
  /** Switches on the path. */
  readonly hops: number;
  /** What it may send, of wire bytes: 1000 to `lineBps`; more is set to `lineBps`. */
  rateBps: number;
  /** Packets that may be unacknowledged, from 1. A fraction is kept; whole packets are sent. */
  windowPackets: number;
  /** A number in [0, 1) of the connection's own random stream, the same in every run. */
  random(): number;
  /** Has `timer` called at this time, unless a call is due earlier or all is delivered by then. */
  wakeAt(timePs: number): void;
}

/** A packet that was acknowledged. */
export interface Acknowledgement {
  /** From its transmission to its acknowledgement. */
  readonly roundTripPs: number;
  /** What of that it spent in the receiving host. */
  readonly hostPs: number;
  /** Packets acknowledged since the one that was timed before. */
  readonly packets: number;
}

/**
 * An acknowledgement, of packets that were all marked by switches or all were not; where one before
 * it was lost, it is of the packets of both, and says what the last ones were.
 */
export interface Answer {
  /** Acknowledged by it, and by none before. */
  readonly packets: number;
  /** Switches had marked them. */
  readonly marked: boolean;
  /**
   * From the last transmission of the newest of them to its acknowledgement; null where that packet
   * was sent twice, or more than 128 were sent since.
   */
  readonly roundTripPs: number | null;
}

/** A congestion control: decides how fast each connection of its loads may send. */
export interface CongestionControl<
  Key extends string = string,
  Field extends string = string,
> extends PluginHeader<Key> {
  readonly kind: 'congestion-control';
  /**
   * What it reacts to: acknowledgements (its loads need reliable transport); echoes, which are
   * acknowledgements with the marks of their packets (and their priorities need `ecn`); or marks
   * (their priorities need `ecn`; receivers answer marked packets with CNPs).
   */
  readonly feedback: 'acknowledgements' | 'echoes' | 'marks';
  /** Fields of each connection and what they begin with. */
  readonly state: Numbers<Field>;
  /** The connection is set up, before the run begins. */
  readonly start?: (connection: Connection<Key, Field>) => void;
  /** A frame of so many bytes joins the NIC. */
  readonly sent?: (connection: Connection<Key, Field>, bytes: number) => void;
  /** A packet was acknowledged; one is timed at a time (reliable transport). */
  readonly acknowledged?: (
    connection: Connection<Key, Field>,
    acknowledgement: Acknowledgement,
  ) => void;
  /** Each acknowledgement of packets that none had acknowledged before (reliable transport). */
  readonly answered?: (connection: Connection<Key, Field>, answer: Answer) => void;
  /** Packets are retransmitted, after a NAK or a timeout (reliable transport). */
  readonly lost?: (connection: Connection<Key, Field>, timedOut: boolean) => void;
  /** A CNP arrived. */
  readonly marked?: (connection: Connection<Key, Field>) => void;
  /** The time given to `wakeAt` has come. */
  readonly timer?: (connection: Connection<Key, Field>) => void;
}

/** A host that takes part in a load. */
export interface LoadHost {
  readonly name: string;
  /** Rate of its link. */
  readonly lineBps: number;
}

/** What a load is made from. */
export interface LoadRequest<Key extends string = string> {
  /** The load's section of the scenario, in base units. */
  readonly settings: Numbers<Key>;
  /** The hosts that its key `hosts` selects, in the order of the fabric. */
  readonly hosts: readonly LoadHost[];
  /** The scenario's duration; null: the run ends when all is delivered. */
  readonly durationPs: number | null;
  /** A number in [0, 1) of the load's own random stream, the same in every run. */
  readonly random: () => number;
}

/** One message of a load from a host to another. */
export interface LoadFlow {
  /** Name of the sending host. */
  readonly from: string;
  /** Name of the receiving host. */
  readonly to: string;
  /** Payload. */
  readonly bytes: number;
  /** When it starts, counted from the load's `start`; 0 if left out. */
  readonly atPs?: number;
  /** It waits for these: positions of earlier flows of the load whose receiver is its sender. */
  readonly after?: readonly number[];
}

/** A load: decides what each host sends, to which host, and when. */
export interface Load<Key extends string = string> extends PluginHeader<Key> {
  readonly kind: 'load';
  /** All flows of a load, in order. */
  readonly flows: (request: LoadRequest<Key>) => Iterable<LoadFlow>;
}

/** An egress queue that a frame joins, or leaves. Valid only during the call. */
export interface Queue<Key extends string = string, Field extends string = string> {
  /** Virtual time. */
  readonly now: number;
  /** The plugin's section of the scenario, in base units. */
  readonly settings: Numbers<Key>;
  /** The declared fields of this queue: all that it remembers, saved in checkpoints. */
  readonly state: Record<Field, number>;
  /** In the queue, the frame included. */
  readonly bytes: number;
  readonly frameBytes: number;
  /** The frame can be marked: it is of a load with `ect`, and not marked yet. */
  readonly capable: boolean;
  /** Rate of the port's link. */
  readonly lineBps: number;
  /** Free in the shared buffer of the switch. */
  readonly freeBytes: number;
  /** A number in [0, 1) of the switch's own random stream, the same in every run. */
  random(): number;
}

/** A marking: decides which frames get ECN's mark at the egress queues of switches. */
export interface Marking<
  Key extends string = string,
  Field extends string = string,
> extends PluginHeader<Key> {
  readonly kind: 'marking';
  /** When it is asked: a frame joins a queue, or leaves it. */
  readonly at: 'enqueue' | 'dequeue';
  /** Fields of each queue and what they begin with. */
  readonly state: Numbers<Field>;
  /** Of every frame of its priorities; true: it is marked, if it is capable. */
  readonly marks: (queue: Queue<Key, Field>) => boolean;
}

/** Ports of a switch that lead to the destination of a frame at equal cost; numbered from 0. */
export interface Choice<
  Key extends string = string,
  Field extends string = string,
  FlowField extends string = string,
> {
  /** Virtual time. */
  readonly now: number;
  /** The plugin's section of the scenario, in base units. */
  readonly settings: Numbers<Key>;
  /** The declared fields of this group of ports, saved in checkpoints. */
  readonly state: Record<Field, number>;
  /** The declared fields of the flow, which it may share with others of the same slot. */
  readonly flow: Record<FlowField, number>;
  /** So many ports, at least two. A group whose number changes, by a failure, begins anew. */
  readonly count: number;
  /** Hash of the frame's flow, 32 bits. */
  readonly hash: number;
  readonly frameBytes: number;
  readonly priority: number;
  /** In the queue that the frame would join at a port. */
  queueBytes(port: number): number;
  /** Rate of a port's link. */
  lineBps(port: number): number;
  /** A number in [0, 1) of the switch's own random stream, the same in every run. */
  random(): number;
}

/** A load balancing: decides which of several equal ports a frame takes. */
export interface Balancing<
  Key extends string = string,
  Field extends string = string,
  FlowField extends string = string,
> extends PluginHeader<Key> {
  readonly kind: 'balancing';
  /** Fields of each group of equal ports at a switch, and what they begin with. */
  readonly state: Numbers<Field>;
  /** Fields that are kept by flow, in a table of so many slots at each switch. */
  readonly flows?: { readonly slots: number; readonly state: Numbers<FlowField> };
  /** The port for a frame: 0 to `count` - 1. */
  readonly chooses: (choice: Choice<Key, Field, FlowField>) => number;
}

/** A port whose link is free, and which has frames that may start. Valid only during the call. */
export interface Turn<
  Key extends string = string,
  Field extends string = string,
  ClassField extends string = string,
> {
  /** Virtual time. */
  readonly now: number;
  /** The plugin's section of the scenario, in base units. */
  readonly settings: Numbers<Key>;
  /** The declared fields of this port, saved in checkpoints. */
  readonly state: Record<Field, number>;
  /** The declared fields of each of its traffic classes, 0 to 7. */
  readonly classes: readonly Record<ClassField, number>[];
  /** Rate of the port's link. */
  readonly lineBps: number;
  /** The first frame of a traffic class may start: it is there, and nothing holds it. */
  isEligible(trafficClass: number): boolean;
  /** Of that frame on the wire, preamble and gap included. */
  headBytes(trafficClass: number): number;
  /** In the queue of a traffic class. */
  queueBytes(trafficClass: number): number;
  /** A number in [0, 1) of the port's own random stream, the same in every run. */
  random(): number;
}

/** An arbiter: decides from which queue of a port the next frame comes. */
export interface Arbiter<
  Key extends string = string,
  Field extends string = string,
  ClassField extends string = string,
> extends PluginHeader<Key> {
  readonly kind: 'arbiter';
  /** Fields of each port and what they begin with. */
  readonly state: Numbers<Field>;
  /** Fields of each traffic class of each port. */
  readonly classes?: Numbers<ClassField>;
  /** The traffic class whose first frame is sent: one that is eligible. */
  readonly serves: (turn: Turn<Key, Field, ClassField>) => number;
}

/** What the default export of a plugin is. */
export type Plugin = CongestionControl | Load | Marking | Balancing | Arbiter;
