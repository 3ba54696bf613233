import type { EngineKinds } from '../engine/device/engine.js';
import { adaptive } from './adaptive/slice.js';
import type { BalancingSlice } from './balancing-slice.js';
import { cbfc } from './cbfc/slice.js';
import { ci } from './ci/slice.js';
import { credit } from './credit/slice.js';
import { dcqcn } from './dcqcn/slice.js';
import { ecn } from './ecn/slice.js';
import { goBackN } from './go-back-n/slice.js';
import { hpcc } from './hpcc/slice.js';
import { flowlet } from './flowlet/slice.js';
import { EXCHANGE, type Fallback } from './fabric-context.js';
import type { MessageTemplate } from './message-template.js';
import { pause, pfc } from './pfc/slice.js';
import { qcn, qcnDomain } from './qcn/slice.js';
import { llr } from './llr/slice.js';
import {
  type MechanismSlice,
  NO_GRANT,
  type SliceFlowControl,
  type SliceGranting,
  type SliceMetric,
  type SlicePausing,
  type SliceTypes,
} from './mechanism-slice.js';
import { mvtx2802 } from './mvtx2802/slice.js';
import { nic82599 } from './nic-82599/slice.js';
import type { NicSlice } from './nic-slice.js';
import type { RateControlSlice } from './rate-control-slice.js';
import type { TransportSlice } from './transport-slice.js';
import { selective } from './selective/slice.js';
import { sfc } from './sfc/slice.js';
import { spraying } from './spraying/slice.js';
import type { SlottedSlice } from './slotted-slice.js';
import { swift } from './swift/slice.js';
import { timely } from './timely/slice.js';
import { trim } from './trim/slice.js';
import { uet } from './uet/slice.js';

/** The rate controls that a load may name in `congestion`; each has a section of the same name. */
export const RATE_CONTROLS: readonly RateControlSlice[] = [dcqcn, qcn, timely, hpcc, swift];

/** Transports of loads, each under its name in `transport`. */
export const TRANSPORTS: readonly TransportSlice[] = [goBackN, selective, uet];

/** How switches may choose among equal routes, each under its name in `ecmp`. */
export const BALANCINGS: readonly BalancingSlice[] = [spraying, adaptive, flowlet];

/** Mechanisms of switches and hosts, in the order in which they process a frame. */
const REGISTERED = [pause, pfc, credit, ecn, qcnDomain, ci, sfc, cbfc, llr, trim] as const;
export const MECHANISMS: readonly MechanismSlice[] = REGISTERED;

/** Messages of theirs that cross the fabric, and that a fault may forge by their name. */
export const MESSAGE_TEMPLATES: readonly MessageTemplate[] = [
  ...RATE_CONTROLS,
  ...MECHANISMS,
].flatMap(({ template }) => template ?? []);

/** Those that mark frames. */
export const MARKINGS: readonly Required<Pick<MechanismSlice, 'name' | 'marking'>>[] =
  MECHANISMS.flatMap(({ name, marking }) => (marking === undefined ? [] : [{ name, marking }]));

/** Flow controls of priorities: those that pause link partners, and those that grant. */
const CONTROLS = MECHANISMS.filter(({ flowControl }) => flowControl !== undefined);
export const FLOW_CONTROLS: readonly string[] = CONTROLS.map(({ name }) => name);
export const PAUSING_CONTROLS: readonly string[] = CONTROLS.flatMap(({ name, pausing }) =>
  pausing === undefined ? [] : [name],
);
/** Each has an agreement of its own, if link partners negotiate at all. */
export const GRANTING_CONTROLS: readonly string[] = CONTROLS.flatMap(({ name, blocks, granting }) =>
  blocks === NO_GRANT && granting === undefined ? [name] : [],
);
/** The one that DCBX switches on at both ends (802.1Q 38.4.2). */
export const NEGOTIATED_CONTROL = PAUSING_CONTROLS[0] ?? 'none';

/** A flow control that priorities choose by this name; null if there is none. */
export function flowControlOf(name: string): SliceFlowControl<unknown> | null {
  return MECHANISMS.find((own) => own.name === name)?.flowControl ?? null;
}

/** What rules a priority on a link where only one end has this flow control. */
export function fallbackOf(name: string, sections: Readonly<Record<string, object>>): Fallback {
  return flowControlOf(name)?.fallback(sections[name]) ?? 'refuse';
}

/** The mechanism that `pause` turns on at every port. */
export const WHOLE_PORT = 'pause';

/** The part of a mechanism that pauses link partners; null if it does not. */
export function pausingOf(name: string): SlicePausing | null {
  return MECHANISMS.find((own) => own.name === name)?.pausing ?? null;
}

/** NICs of hosts that have no plain one; one at most. */
const NICS = [nic82599] as const;
const NIC_SLICES: readonly NicSlice[] = NICS;
export const NIC: NicSlice | null = NIC_SLICES[0] ?? null;

/** Switches that have slots in place of a shared buffer; one at most. */
const SLOTTED_SWITCHES: readonly SlottedSlice[] = [mvtx2802];
export const SLOTTED: SlottedSlice | null = SLOTTED_SWITCHES[0] ?? null;

type Registered = (typeof REGISTERED)[number];

/** Their parts of results, side by side; none without a mechanism. */
export type MechanismResults = AllOf<
  SliceTypes['results'] | ReturnType<Registered['results']['collect']>
>;
/** All members of a union at once. */
type AllOf<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Names of their measures. */
type MechanismMetric = KeyOf<Registered['results']['metrics'] | (typeof NICS)[number]['metrics']>;
type KeyOf<U> = U extends object ? keyof U : never;

/** Their measures for `expect`. */
export const MECHANISM_METRICS = Object.assign(
  {},
  ...MECHANISMS.map(({ results }) => results.metrics),
  NIC?.metrics,
) as Readonly<Record<MechanismMetric, SliceMetric<object>>>;

/** The flow control whose frames start with grants that link partners negotiate and exchange. */
export { EXCHANGE };
export const GRANTING: SliceGranting<MechanismResults> | null =
  MECHANISMS.find(({ granting }) => granting !== undefined)?.granting ?? null;

/** Keys of mechanisms in results that say bytes, and do so in the sources, too. */
export const MECHANISM_BYTES: ReadonlySet<string> = new Set(['creditBytes']);

/** All kinds that engines are given. */
export const ENGINE_KINDS: EngineKinds = {
  rateControls: RATE_CONTROLS,
  transports: TRANSPORTS,
  mechanisms: MECHANISMS,
  markings: [],
  balancings: BALANCINGS,
  arbiters: [],
};

/** Whether switches write telemetry into the packets of a load with this rate control. */
export function hasTelemetry(congestion: string): boolean {
  const slice = RATE_CONTROLS.find(({ kind }) => kind === congestion);
  return slice?.feedback === 'telemetry';
}
