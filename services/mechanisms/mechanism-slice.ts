import type { z } from 'zod';
import type { MechanismKind } from '../engine/contract/slice.js';
import type { Engine } from '../engine/device/engine.js';
import type { MechanismTlvs } from '../engine/wire/lldp/mechanism-tlvs.js';
import type { Path } from '../settings/source-tree.js';
import type { DeviceContext, FabricContext, MechanismPlan } from './fabric-context.js';
import type { Places } from './rate-control-slice.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** A mechanism: from its keys in the scenario to what the report says of it. */
export interface MechanismSlice<Results extends object = object> extends MechanismKind {
  /** Keys of its section, which stands under its name: declared once. */
  readonly keys: Shape;
  /** Help of the section, and of what `devices` may change of it. */
  readonly help: string;
  readonly helpOfChanges: string;
  /** Its key in `priorities`, under its name too. */
  readonly priority: z.ZodPrefault<z.ZodBoolean>;
  /** What `selvage explain` says of it. */
  readonly topic: string;
  /** It has a table that the fault `full-table` can fill: what is in it. */
  readonly table: string;
  /** Throws where keys contradict each other; `section` has what is written at `path`. */
  check?(section: object, path: Path, places: Places): void;
  /** Priorities, one bit each, that must stay in their traffic class, as the mechanism uses it. */
  fixedClasses(section: unknown, watched: number, isHost: boolean): number;
  /** Priority of the messages that hosts are sent about their frames; null: hosts are sent none. */
  messagePriority(section: unknown): number | null;
  /** Priorities that must have the flow control of those that it watches. */
  companions?(section: unknown): readonly number[];
  plan(context: FabricContext): MechanismPlan;
  /** What a device advertises by discovery. */
  advertise(device: number, context: FabricContext): Partial<MechanismTlvs>;
  readonly results: SliceResults<Results>;
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
export interface SliceResults<Results extends object> {
  collect(run: RunView): Results;
  /** Paragraphs of the summary. */
  summary(results: Results, tools: SummaryTools): readonly string[];
  /** Tables of the run directory; those without rows are not written. */
  tables(results: Results): readonly ResultTable[];
  /** Of those, the tables in which flows stand by their names. */
  readonly tablesByFlowName?: readonly string[];
  /** Measures for `expect`, by name. */
  readonly metrics: Readonly<Record<string, SliceMetric<Results>>>;
}

/** A run that is over, or a moment of it, with the whole fabric in one engine. */
export interface RunView {
  readonly engine: Engine;
  readonly nowPs: number;
  readonly context: FabricContext;
  /** What `plan` returned. */
  readonly plan: MechanismPlan;
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
