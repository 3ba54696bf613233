import type { z } from 'zod';
import type { AdvertisedTlvs } from '../engine/contract/discovery.js';
import type { MechanismKind, MechanismTools, SliceMechanism } from '../engine/contract/slice.js';
import type { Engine } from '../engine/device/engine.js';
import type { Path } from '../settings/source-tree.js';
import type {
  DeviceContext,
  FabricContext,
  Fallback,
  FlowTagging,
  MechanismPlan,
  PausingSettings,
} from './fabric-context.js';
import type { DeviceView, ManagedObjects } from './managed-objects.js';
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
}

type SwitchSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<Plan['ofSwitch']>>;
type HostSpecOf<Plan extends MechanismPlan> = NonNullable<ReturnType<NonNullable<Plan['ofHost']>>>;

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
  /** It marks frames of congested queues. */
  readonly marking?: Marking<Of['key']>;
  /** It is a flow control that priorities choose by its name. */
  readonly flowControl?: SliceFlowControl<Of['settings']>;
  /** It pauses link partners for a time. */
  readonly pausing?: SlicePausing;
  /** Throws where its section contradicts what the scenario says of priorities. */
  checkPriorities?(section: Of['settings'], priorities: PrioritiesView): void;
  /** Priorities, one bit each, that must stay in their traffic class, as the mechanism uses it. */
  fixedClasses?(section: Of['settings'], watched: number, isHost: boolean): number;
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
  /** What a device advertises by discovery. */
  advertise?(device: number, context: FabricContext<Of['settings']>): Partial<AdvertisedTlvs>;
  readonly results: SliceResults<Of>;
}

export interface SliceSection {
  /** Declared once. */
  readonly keys: Shape;
  /** Help of the section, and of the overrides in `devices`. */
  readonly help: string;
  readonly helpOfChanges: string;
  /** Throws where keys contradict each other; `section` has the file's values at `path`. */
  check?(section: object, path: Path, places: Places): void;
}

export interface Toggle<Settings> {
  readonly key: string;
  isOn(section: Settings): boolean;
}

export interface SliceFlowControl<Settings> {
  /** What rules a priority on a link where only one end has it. */
  fallback(section: Settings): Fallback;
}

/** A mechanism that pauses link partners, priority by priority or all together. */
export interface SlicePausing extends PausingFrames {
  /** Throws where its settings do not fit the links. */
  check(settings: PausingSettings, view: LinksView): void;
}

/** Its control frames. */
export interface PausingFrames {
  /** The frame with which a station pauses these priorities, one bit each. */
  compose(source: number, priorities: number, quanta: number): Uint8Array;
  /** Quanta for each priority that a frame names; none where it is of another kind. */
  read(octets: Uint8Array, load: (priority: number, quanta: number) => void): void;
}

/** Links as the scenario has them, before any topology is built. */
export interface LinksView extends Places {
  /** Of the settings. */
  readonly path: Path;
  readonly links: readonly RatedLink[];
  readonly longestFrameOctets: number;
}

export interface RatedLink {
  readonly name: string;
  readonly rateBps: number;
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
  /** Paragraphs of the summary. */
  summary?(results: Of['results'], tools: SummaryTools): readonly string[];
  /** Tables of the run directory; those without rows are not written. */
  readonly tables?: readonly ResultTable<Of['results']>[];
  /** Keys of `results` as `summary.json` has them. */
  readonly published: Readonly<Record<keyof Of['results'], z.ZodType>>;
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

/** Formatting of numbers in summaries. */
export interface SummaryTools {
  readonly strong: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
  /** Rows of a table that are shown. */
  readonly rowsShown: number;
  /** How many rows are not shown; empty if all are. */
  readonly more: (rows: number) => string;
  readonly count: (value: number) => string;
  readonly time: (ps: number | null) => string;
  readonly octets: (octets: number) => string;
}

export interface SliceMetric<Results extends object> {
  readonly unit: 'count' | 'time' | 'share';
  readonly meaning: string;
  /** `at` selects devices; null: there is nothing to measure. */
  measure(results: Results, at: (device: string) => boolean): number | null;
}

/** Priorities that the mechanism watches. */
export function watchedOf({ priorities }: DeviceContext): readonly number[] {
  return priorities.filter(({ isOn }) => isOn).map(({ priority }) => priority);
}

export function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}
