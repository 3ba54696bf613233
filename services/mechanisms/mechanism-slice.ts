import type { z } from 'zod';
import type { AdvertisedTlvs } from '../engine/contract/discovery.js';
import type { MechanismKind, MechanismTools, SliceMechanism } from '../engine/contract/slice.js';
import type { Engine } from '../engine/device/engine.js';
import type { Path } from '../settings/source-tree.js';
import type { DeviceContext, FabricContext, FlowTagging, MechanismPlan } from './fabric-context.js';
import type { DeviceView, ManagedObjects } from './managed-objects.js';
import type { Places } from './rate-control-slice.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Types that the parts of a slice share. */
export interface SliceTypes {
  /** What its section of the scenario says. */
  readonly settings: unknown;
  /** What its key of a priority says. */
  readonly key?: unknown;
  readonly plan: MechanismPlan;
  readonly results: object;
}

type SwitchSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<Plan['ofSwitch']>>;
type HostSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<NonNullable<Plan['ofHost']>>>;

/** A mechanism: from its keys in the scenario to what the report says of it. */
export interface MechanismSlice<Of extends SliceTypes = SliceTypes> extends MechanismKind {
  /** Takes in devices what `plan` makes for them. */
  create(tools: MechanismTools): SliceMechanism<SwitchSpecOf<Of['plan']>, HostSpecOf<Of['plan']>>;
  /** Its section, under its name; absent: it has that of the rate control of its name, or none. */
  readonly section?: SliceSection;
  /** Its key in `priorities`, under its name. */
  readonly priority?: PriorityKey<Of['key']>;
  /** What `selvage explain` says of it. */
  readonly topic?: string;
  /** It has a table that the fault `full-table` can fill: what is in it. */
  readonly table?: string;
  /** It marks frames of congested queues. */
  readonly marking?: Marking<Of['key']>;
  /** Throws where its section contradicts what the scenario says of priorities. */
  checkPriorities?(section: Of['settings'], priorities: PrioritiesView): void;
  /** Priorities, one bit each, that must stay in their traffic class, as the mechanism uses it. */
  fixedClasses?(section: Of['settings'], watched: number, isHost: boolean): number;
  /** Priority of the messages that hosts are sent about their frames. */
  messagePriority?(section: Of['settings']): number;
  /** Priorities that must have the flow control of those that it watches. */
  companions?(section: Of['settings']): readonly number[];
  /** Which flows of the rate control of its name bear a tag. */
  tagging?(context: FabricContext<Of['settings']>): FlowTagging;
  plan(context: FabricContext<Of['settings'], Of['key']>): Of['plan'];
  /** What it asks of the memory of a device, by its plan. */
  sizes?(plan: Of['plan'], device: number): readonly MemorySize[];
  /** Managed objects of a device, of the YANG module of its name. */
  managed?(view: DeviceView): ManagedObjects | null;
  /** What a device advertises by discovery. */
  advertise?(device: number, context: FabricContext<Of['settings']>): Partial<AdvertisedTlvs>;
  readonly results: SliceResults<Of>;
}

export interface SliceSection {
  /** Declared once. */
  readonly keys: Shape;
  /** Help of the section, and of what `devices` may change of it. */
  readonly help: string;
  readonly helpOfChanges: string;
  /** Throws where keys contradict each other; `section` has what is written at `path`. */
  check?(section: object, path: Path, places: Places): void;
}

/** A key of a priority: a flag, or what its value says. */
export interface PriorityKey<Key> {
  readonly schema: z.ZodPrefault;
  /** It is a flag, which `selvage duel` sets where a variant is named with it, as in `+sfc`. */
  readonly isFlag: boolean;
  /** Throws where it contradicts itself; it is written at `path`. */
  check?(key: Key, path: Path, places: Places): void;
}

/** Marking of frames by the length of their queue, as rate controls that react to marks need it. */
export interface Marking<Key> {
  /** Whether a priority with this key is marked. */
  isOn(key: Key): boolean;
  /** Queue length from which it is marked; null: it is not. */
  from(key: Key): number | null;
  /** The key for a priority whose slowest link has this rate. */
  suggested(rateBps: number): object;
  /** What to write for a priority without marking. */
  remedy(priority: number): string;
}

/** Priorities as the scenario has them, before any topology is built. */
export interface PrioritiesView extends Places {
  /** By priority. */
  readonly flowControl: readonly string[];
  /** Traffic class of each. */
  readonly transmit: readonly number[];
  /** 802.3x PAUSE runs at all ports. */
  readonly pauses: boolean;
  /** Whether the file says, of a priority, what its flow control is. */
  readonly isFlowControlWritten: (priority: number) => boolean;
}

/** Memory that a mechanism needs at a port for a priority, and of what it is the sum. */
export interface MemorySize {
  readonly title: string;
  readonly port: number;
  readonly priority: number;
  readonly terms: readonly SizeTerm[];
  readonly neededOctets: number;
  /** Null where nothing is set apart for it. */
  readonly givenOctets: number | null;
  /** By name: octets at which it acts. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface SizeTerm {
  readonly term: string;
  readonly meaning: string;
  /** How long it lasts; null where it is an amount. */
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

/** What a mechanism has to say of a run. */
export interface SliceResults<Of extends SliceTypes> {
  collect(run: RunView<Of>): Of['results'];
  /** Paragraphs of the summary. */
  summary?(results: Of['results'], tools: SummaryTools): readonly string[];
  /** Tables of the run directory; those without rows are not written. */
  tables?(results: Of['results']): readonly ResultTable[];
  /** Of those, the tables in which flows stand by their names. */
  readonly tablesByFlowName?: readonly string[];
  /** Measures for `expect`, by name. */
  readonly metrics?: Readonly<Record<string, SliceMetric<Of['results']>>>;
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

/** How figures are written for people. */
export interface SummaryTools {
  readonly strong: (text: string) => string;
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
  /** Rows of a table that are shown. */
  readonly rowsShown: number;
  /** Says how many rows are not shown; empty if all are. */
  readonly more: (rows: number) => string;
  readonly count: (value: number) => string;
  readonly time: (ps: number | null) => string;
}

export interface ResultTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface SliceMetric<Results extends object> {
  readonly unit: 'count' | 'time' | 'share';
  readonly meaning: string;
  /** `at` says of a device whether it is asked about; null: there is nothing to measure. */
  measure(results: Results, at: (device: string) => boolean): number | null;
}

/** Priorities that the mechanism watches. */
export function watchedOf({ priorities }: DeviceContext): readonly number[] {
  return priorities.filter(({ isOn }) => isOn).map(({ priority }) => priority);
}

export function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}
