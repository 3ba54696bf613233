import type { z } from 'zod';
import type { AdvertisedTlvs, ChannelTerms } from '../engine/contract/discovery.js';
import type { Conformance } from '../engine/contract/conformance.js';
import type { GrantNegotiation } from '../engine/contract/grant-negotiation.js';
import type { GrantsSpec } from '../engine/contract/grants-spec.js';
import type { MechanismKind, MechanismTools, SliceMechanism } from '../engine/contract/slice.js';
import type { PortSpec } from '../engine/contract/spec.js';
import type { Engine } from '../engine/device/engine.js';
import type { Application } from '../engine/wire/lldp/dcbx-ieee.js';
import type { Path } from '../settings/source-tree.js';
import type {
  DeviceContext,
  FabricContext,
  Fallback,
  FlowTagging,
  MechanismPlan,
  PausingSettings,
} from './fabric-context.js';
import { EXCHANGE } from './fabric-context.js';
import type { MessageTemplate } from './message-template.js';
import type { DeviceView, ManagedObjects, PublishedObjects } from './managed-objects.js';
import type { Places } from './rate-control-slice.js';
import type { ResultTable } from './result-table.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Types that the parts of a slice share. */
export interface SliceTypes {
  /** Its section of the scenario. */
  readonly settings: unknown;
  /** The value of its key of a priority. */
  readonly key?: unknown;
  readonly plan: MechanismPlan;
  readonly results: object;
  /** Names of its measures for `expect`. */
  readonly metric?: string;
}

type MetricOf<Of extends SliceTypes> = Of extends { readonly metric: infer M extends string }
  ? M
  : never;

type SwitchSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<Plan['ofSwitch']>>;
type HostSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<NonNullable<Plan['ofHost']>>>;

/** A port waits for grants of its link partner. */
export const NO_GRANT = `no-${EXCHANGE}` as const;
/** How it is called that a mechanism blocks the frames of a flow. */
export type BlockCause = 'paused' | typeof NO_GRANT;

/** A mechanism: from its keys in the scenario to its part of the report. */
export interface MechanismSlice<Of extends SliceTypes = SliceTypes> extends MechanismKind {
  /** Creates what devices run by the plan. */
  create(tools: MechanismTools): SliceMechanism<SwitchSpecOf<Of['plan']>, HostSpecOf<Of['plan']>>;
  /** Its section, under its name; absent: it has that of the rate control of its name, or none. */
  readonly section?: SliceSection;
  /** `selvage duel` turns it on and off as a whole: the flag of its section that says so. */
  readonly toggle?: Toggle<Of['settings']>;
  /** Its key in `priorities`, under its name. */
  readonly priority?: PriorityKey<Of['key']>;
  /** What else `selvage explain` finds it by, in lower case and with blanks for hyphens. */
  readonly alsoCalled?: readonly string[];
  /** Text of `selvage explain`. */
  readonly topic?: string;
  /** Contents of its table that the fault `full-table` can fill, if it has one. */
  readonly table?: string;
  /** Its messages that cross the fabric, as a fault forges them. */
  readonly template?: MessageTemplate;
  /** Ports that wait for its messages block flows; absent: it holds frames for no link partner. */
  readonly blocks?: BlockCause;
  /** What ports wait for that it holds; absent: it holds none. */
  readonly waits?: SliceWaits<Of['plan']>;
  /** Why frames of a flow must keep to one path; absent: they need not. */
  readonly onePath?: string;
  /** It marks frames of congested queues. */
  readonly marking?: Marking<Of['key']>;
  /** Whether switches forward the headers of frames that they drop of a priority with this key. */
  cuts?(key: Of['key']): boolean;
  /** It is a flow control that priorities choose by its name. */
  readonly flowControl?: SliceFlowControl<Of['settings']>;
  /** It pauses link partners for a time. */
  readonly pausing?: SlicePausing;
  /** Frames of its priorities start with grants that link partners negotiate and exchange. */
  readonly granting?: SliceGranting<Of['results']>;
  /** Throws where its section contradicts what the scenario says of priorities. */
  checkPriorities?(section: Of['settings'], priorities: PrioritiesView): void;
  /** Priorities, one bit each, that must stay in their traffic class, as the mechanism uses it. */
  fixedClasses?(section: Of['settings'], watched: number, isHost: boolean): number;
  /**
   * Of a device's settings: pauses that it requests are at least so long, whatever its queues do;
   * Infinity where their time is configured.
   */
  leastPausePs?(section: Of['settings']): number;
  /** Priority of the messages that hosts are sent about their frames. */
  messagePriority?(section: Of['settings']): number;
  /** Priorities that must have the flow control of those that it watches. */
  companions?(section: Of['settings']): readonly number[];
  /** Which flows of the rate control of its name have a tag. */
  tagging?(context: FabricContext<Of['settings']>): FlowTagging;
  plan(context: FabricContext<Of['settings'], Of['key']>): Of['plan'];
  /** The buffer that it needs in a device, by its plan. */
  sizes?(plan: Of['plan'], device: number): readonly MemorySize[];
  /** Managed objects of a device, of the YANG module of its name. */
  managed?(view: DeviceView): ManagedObjects | null;
  /** What of them a standard has published a module of; null where the device has none. */
  published?(view: DeviceView): PublishedObjects | null;
  /** What a port advertises by discovery. */
  advertise?(
    at: AdvertisingPort,
    context: FabricContext<Of['settings']>,
    plan: Of['plan'],
  ): Advertisement;
  /** What frames of a port need of virtual channels, as its link partner advertises it. */
  channelTerms?(
    at: Pick<AdvertisingPort, 'device' | 'port'>,
    plan: Of['plan'],
  ): ChannelTerms | null;
  /** What it claims of standards: its page of the book of conformance. */
  readonly conformance?: Conformance;
  readonly checks?: SliceChecks;
  readonly results: SliceResults<Of>;
  /** What the summary and the page show of them. */
  cards?(results: Of['results'], format: CardFormat): readonly Card[];
}

/** What ports that a mechanism holds wait for, as `why` tells it. */
export interface SliceWaits<Plan> {
  /**
   * An ingress buffer of the link partner that has paused it; what the link partner grants of such
   * a buffer; a queue, near or far, that has sent a message; the link layer of the link partner,
   * which acknowledges frames; or earlier frames of its flow in another queue.
   */
  readonly on: 'buffer' | 'grants' | 'queue' | 'retry' | 'order';
  /** Why a sender may lack grants of a port while the port stores little. */
  shortage?(plan: Plan, device: number, port: number, wanted: WantedGrants): Shortage;
}

interface WantedGrants {
  readonly spec: PortSpec;
  readonly priority: number;
  readonly channel: number;
}

/** Why less is granted than a link can use. */
export interface Shortage {
  /**
   * The buffer is less than one loop of the link takes; a shaper spreads grants; grants are answers
   * to requests; the buffer is lent to other channels; or none of it: grants are on their way.
   */
  readonly kind: 'below-loop' | 'shaped' | 'on-request' | 'lent' | 'under-way';
  readonly hasOctets: number;
  readonly needsOctets: number;
}

interface SliceSection {
  /** Declared once. */
  readonly keys: Shape;
  /** Help of the section, and of the overrides in `devices`. */
  readonly help: string;
  readonly helpOfChanges: string;
  /** Keys that devices may override; absent: all. */
  readonly keysOfDevices?: Shape;
  /** Throws where keys contradict each other; `section` has the file's values at `path`. */
  check?(section: object, path: Path, places: Places): void;
}

interface Toggle<Settings> {
  readonly key: string;
  isOn(section: Settings): boolean;
}

export interface SliceFlowControl<Settings> {
  /** What rules a priority on a link where only one end has it. */
  fallback(section: Settings): Fallback;
  /** A link whose ends both have it comes to another, or to none, by their settings. */
  readonly codec?: FlowControlCodec<Settings>;
}

/** The messages by which a flow control runs on a link, chosen by a key of both of its ends. */
interface FlowControlCodec<Settings> {
  readonly key: string;
  /** Of ends without a common one. */
  readonly remedy: string;
  /** The flow control of the link; null: the ends have no messages in common. */
  between(here: Settings, there: Settings): string | null;
}

/** A flow control whose frames start with grants, as its ports have it. */
export interface SliceGranting<Results> {
  readonly negotiation: GrantNegotiation;
  /** Units that its link partner may have outstanding; null where the priority has no grants. */
  limitOf(port: PortSpec, priority: number): number | null;
  /** Messages say amounts: what is lost of them stays lost. */
  loses(port: PortSpec): boolean;
  /** Rate to which the receiver of a port is shaped; Infinity where it is not. */
  shaperBps(port: PortSpec): number;
  /** How long the shaper of a receiver may grant nothing to an account while it serves others. */
  shaperGapPs(port: PortSpec): number;
  /** How long a grant may be unknown to the sender. */
  unknownPs(port: PortSpec): number;
  /** Within so long an account recovers, where so many keep-alives in a row may be lost. */
  recoveryPs(port: PortSpec, keepAlives: number): number;
  /** Grants that neither end of a link has any more. */
  lost(results: Results): readonly LostGrants[];
  /** Channels that had more than they used while others lacked it. */
  reclaims(results: Results): readonly Reclaim[];
}

/** Of a sender's account. */
interface LostGrants {
  readonly units: number;
  /** A frame waits for a grant since then, although nothing is in flight or stored. */
  readonly blockedSincePs: number | null;
}

/** A channel kept others from their share of a buffer, with grants that it did not use. */
export interface Reclaim {
  readonly port: string;
  readonly priority: number;
  readonly channel: number;
  readonly times: number;
}

/** A port as it is configured at a time of the run. */
export interface AdvertisingPort {
  readonly device: number;
  readonly port: number;
  /** As `PortSpec.grants`. */
  readonly grants: GrantsSpec | null;
  /** Priorities, one bit each, for which it can exchange grants, and for which it is to. */
  readonly capable: number;
  readonly enabled: number;
  /** It adopts what its link partner has of these. */
  readonly willing: boolean;
  readonly sendsDcbx: boolean;
  /** Where the scenario changes these priorities during the run; null: nowhere. */
  readonly changedAt: Path | null;
}

export interface Advertisement extends Partial<AdvertisedTlvs> {
  readonly applications?: readonly Application[];
}

/** Checks that need both ends of links, when every actor has executed the same time. */
interface SliceChecks {
  /** The first port, numbered through the service, where `what` does not hold; -1: it holds. */
  readonly books: { readonly what: string; wrongPort(engine: Engine, nowPs: number): number };
  /** What has not recovered in one direction of a link; `port` is the sender's. */
  ailmentOf(engine: Engine, port: number): string | null;
}

/** A mechanism that pauses link partners, priority by priority or all together. */
export interface SlicePausing extends PausingFrames {
  /** Throws where its settings do not fit a port. */
  check(settings: PausingSettings, view: RatedPort): void;
}

/** Its control frames. */
export interface PausingFrames {
  /** The frame with which a station pauses these priorities, one bit each. */
  compose(source: number, priorities: number, quanta: number): Uint8Array;
  /** Quanta for each priority that a frame names; none where it is of another kind. */
  read(octets: Uint8Array, load: (priority: number, quanta: number) => void): void;
}

/** A port with settings of the scenario. */
export interface RatedPort extends Places {
  /** Of the settings. */
  readonly path: Path;
  readonly link: RatedLink;
  readonly longestFrameOctets: number;
}

export interface RatedLink {
  readonly name: string;
  readonly rateBps: number;
}

/** A key of a priority: a flag, or what its value says. */
interface PriorityKey<Key> {
  readonly schema: z.ZodPrefault;
  /** It is a flag, which `selvage duel` sets where a variant is named with it, as in `+sfc`. */
  readonly isFlag: boolean;
  /** Throws where it contradicts itself; it is written at `path`. */
  check?(key: Key, path: Path, places: Places): void;
}

/** Marking of frames by the length of their queue, as rate controls that react to marks need it. */
interface Marking<Key> {
  /** What does not hold of a frame that was marked, by its class; null if all does. */
  brokenOf(frameClass: number): string | null;
  /** Whether a priority with this key is marked. */
  isOn(key: Key): boolean;
  /** The marking from outside that a key names; null: it names none. */
  outside(key: Key): string | null;
  /** Queue length from which it is marked; null: it is not. */
  from(key: Key): number | null;
  /** Queue lengths at which marking changes, in octets. */
  levels(key: Key): readonly { readonly label: string; readonly octets: number }[];
  /** The key for a priority whose slowest link has this rate. */
  suggested(rateBps: number): object;
  /** The remedy for a priority without marking. */
  remedy(priority: number): string;
}

/** Priorities as the scenario has them, before any topology is built. */
export interface PrioritiesView extends Places {
  /** By priority. */
  readonly flowControl: readonly string[];
  /** Flow controls that count frames of a priority on their links, at any device. */
  readonly countingOf: (priority: number) => readonly string[];
  /** Traffic class of each. */
  readonly transmit: readonly number[];
  /** 802.3x PAUSE runs at all ports. */
  readonly pauses: boolean;
  /** Whether the file sets the flow control of a priority. */
  readonly isFlowControlWritten: (priority: number) => boolean;
}

/** Buffer that a mechanism needs at a port for a priority, and its terms. */
export interface MemorySize {
  readonly title: string;
  readonly port: number;
  readonly priority: number;
  readonly terms: readonly SizeTerm[];
  readonly neededOctets: number;
  /** Null where nothing is reserved for it. */
  readonly givenOctets: number | null;
  /** By name: octets at which it acts. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface SizeTerm {
  readonly term: string;
  readonly meaning: string;
  /** Its duration; null where it is an amount. */
  readonly ps: number | null;
  readonly octets: number;
}

/** A mechanism, and the fabric as it sees it. */
export interface FabricOfMechanism {
  readonly slice: MechanismSlice;
  readonly context: FabricContext;
}

export interface PlannedMechanism extends FabricOfMechanism {
  readonly plan: MechanismPlan;
}

/** A mechanism's part of results. */
export interface SliceResults<Of extends SliceTypes> {
  collect(run: RunView<Of>): Of['results'];
  /** Tables of the run directory; those without rows are not written. */
  readonly tables?: readonly ResultTable<Of['results']>[];
  /** The same, from the events of a run that records them. */
  readonly eventTables?: readonly ResultTable<readonly RecordedEvent[]>[];
  /** Traces for OpenTelemetry, from these events. */
  traces?(events: readonly RecordedEvent[]): readonly EventTrace[];
  /** What monitoring systems read, also while a run goes on. */
  readonly instruments?: SliceInstruments<Of>;
  /** Keys of `results` as `summary.json` has them. */
  readonly published: Readonly<Record<keyof Of['results'], z.ZodType>>;
  /** Measures for `expect`, by name. */
  readonly metrics?: Readonly<Record<MetricOf<Of>, SliceMetric<Of['results']>>>;
  /** Octets that link partners may have in flight, of each that limits them; absent: none. */
  windowOctets?(results: Of['results']): readonly number[];
  /** Counters of messages, which `--check=deep` counts on the wires. */
  messageCounts?(results: Of['results']): readonly MessageCount[];
}

/** How often something was sent or received, as results say. */
export interface MessageCount {
  /** Name of a port; of messages that are frames and cross the fabric, of a device. */
  readonly at: string;
  readonly way: 'sent' | 'received';
  /** An ordered set by D1 (`set 1`), a MAC control frame by opcode; others by their names. */
  readonly message: string;
  readonly count: number;
}

/** A run that is over, or a moment of it, with the whole fabric in one engine. */
export interface RunView<Of extends SliceTypes = SliceTypes> {
  readonly engine: Engine;
  readonly nowPs: number;
  readonly context: FabricContext<Of['settings']>;
  /** What `plan` returned. */
  readonly plan: Of['plan'];
  /** By device. */
  readonly names: readonly string[];
}

/** A table, sentences, or both, of a mechanism: a paragraph of the summary, a card of the page. */
export interface Card {
  readonly title: string;
  /** Something went wrong: it is at the end of the summary, and of the page's cards. */
  readonly isProblem?: boolean;
  readonly head?: readonly string[];
  /** By their weight: where there are many, the first are shown. */
  readonly rows?: readonly (readonly string[])[];
  /** Rows that the summary shows; absent: a few. */
  readonly most?: number;
  readonly lines?: readonly string[];
}

/** Numbers as readers have them. */
export interface CardFormat {
  readonly count: (value: number) => string;
  readonly time: (ps: number | null) => string;
  readonly octets: (octets: number) => string;
  readonly rate: (bps: number) => string;
}

/** What the page shows of one device: its lamps, and a table. */
export interface Panel extends Required<Omit<Card, 'isProblem' | 'most'>> {
  readonly note: string;
  readonly lamps: readonly { readonly name: string; readonly lit: boolean; readonly tip: string }[];
}

export interface SliceMetric<Results extends object> {
  readonly unit: 'count' | 'time' | 'share';
  readonly meaning: string;
  /** Its column in the file of a sweep, and what it is called there; absent: it has none. */
  readonly inSweeps?: { readonly column: string; readonly label: string };
  /** Null: there is nothing to measure. */
  measure(results: Results, at: Chosen): number | null;
}

/** Where a metric is measured, as far as its rows tell: by name of a device or a port. */
export interface Chosen {
  device(name: string): boolean;
  port(name: string): boolean;
  priority(priority: number): boolean;
}

/** At all devices and ports, of all priorities. */
export const EVERYWHERE: Chosen = {
  device: () => true,
  port: () => true,
  priority: () => true,
};

/** An event of a run, as its table has it. */
export interface RecordedEvent {
  readonly timePs: number;
  readonly event: string;
  readonly port: string | null;
  /** The port at the other end of the link. */
  readonly partner: string | null;
  readonly priority: number | null;
  /** By event; of a grant its channel. */
  readonly detail: number | null;
  readonly units: number | null;
}

/** What events show of one thing, as a span and its steps. */
export interface EventTrace extends EventSpan {
  /** Unique among the traces of a run. */
  readonly key: string;
  readonly steps: readonly EventSpan[];
}

export interface EventSpan {
  readonly name: string;
  readonly device: string;
  readonly fromPs: number;
  /** Null: it was not over at the end of the run. */
  readonly untilPs: number | null;
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface SliceInstruments<Of extends SliceTypes> {
  /** The part of results that they read. */
  sample(run: RunView<Of>): Partial<Of['results']>;
  /** Labels of every row. */
  readonly labels: readonly string[];
  /** What only rises, and what does not. */
  readonly counters: readonly Instrument[];
  readonly levels: readonly Instrument[];
  rows(results: Partial<Of['results']>): readonly InstrumentRow[];
}

export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly meaning: string;
}

interface InstrumentRow {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of all counters, and then of all levels. */
  readonly values: readonly number[];
}

/** Priorities that the mechanism watches. */
export function watchedOf({ priorities }: DeviceContext): readonly number[] {
  return priorities.filter(({ isOn }) => isOn).map(({ priority }) => priority);
}

export function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}
