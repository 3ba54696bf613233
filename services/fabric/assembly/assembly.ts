/** Input and result of assembly: devices to run, and what reports use. */

import type { HeadroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import type { HostAddress } from '../address.js';
import type { Flow } from '../load/flow.js';
import type { Job, JobPlace } from '../load/job.js';
import type { LivePlan } from '../live/live-section.js';
import type { Routes } from '../routing/routes.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail, Path } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { Cluster } from './clusters.js';
import type { Ideal } from './ideal.js';
import type { LinkEnd } from './link-ends.js';
import type { LinkFrames } from './link-frames.js';
import type { Methods } from './link-methods.js';
import type { SlotMargin } from '../../mechanisms/slotted-context.js';
import type { PortSettings } from './port-settings.js';
import type { Settings } from './settings.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { PlacedSize } from '../sizing/placed-size.js';
import type { Warn } from './device-warnings.js';
import type { PlanBuffer } from './set-buffers.js';
import type { Spread } from './spread.js';

export interface AssemblyInput {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly routes: Routes;
  readonly flows: readonly Flow[];
  readonly jobs: readonly Job[];
  /** By host. */
  readonly addresses: readonly HostAddress[];
  readonly fail: Fail;
  /** Whether the file has a value at a path. */
  readonly has: (path: Path) => boolean;
  readonly warn: Warn;
}

/** The same, with what all plans for its devices start from. */
export interface ResolvedInput extends AssemblyInput {
  readonly settings: readonly Settings[];
  /** By device, then port. */
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly ports: readonly (readonly PortSettings[])[];
  /** By device, port and priority: the flow control that both ends of the link come to. */
  readonly methods: readonly (readonly Methods[])[];
  /** By device and port: frames on the link. */
  readonly linkFrames: readonly (readonly LinkFrames[])[];
  /** By priority: the longest frame on any link, tags included. */
  readonly longestFrameOctets: readonly number[];
}

export interface Assembly {
  /** In topology order. */
  readonly specs: readonly DeviceSpec[];
  /** Least virtual time between an event of a device and its earliest effect on a link partner. */
  readonly lookaheadPs: number;
  /** Its devices, by how far they may be executed together. */
  readonly cluster: Cluster;
  /** By device, then port. */
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  /** By device, then port: what it is configured for, and by priority what its link comes to. */
  readonly ports: readonly (readonly PortSettings[])[];
  readonly methods: readonly (readonly Methods[])[];
  /** By device and port: frames on the link. */
  readonly linkFrames: readonly (readonly LinkFrames[])[];
  /** Of every port and lossless group of switches. */
  readonly margins: readonly Margin[];
  /** Reservations of the plans, and their terms. */
  readonly sizes: () => readonly PlacedSize[];
  readonly mechanisms: readonly PlannedMechanism[];
  /** Pools of a switch that is configured anew. */
  readonly planBuffer: PlanBuffer;
  /** Of every flow-controlled port of switches with slots. */
  readonly slotMargins: readonly SlotMargin[];
  /** By priority: the longest frame on any link, tags included. */
  readonly longestFrameOctets: readonly number[];
  /** By flow. */
  readonly flowEnds: readonly FlowEnds[];
  /** Null: every host is emulated. */
  readonly live: LivePlan | null;
  /** Jobs, and where their operations are. */
  readonly jobs: readonly JobPlace[];
}

/** The reservation of an account, and the need by the delay model. */
export interface Margin {
  readonly device: number;
  readonly port: number;
  readonly group: number;
  readonly priorities: readonly number[];
  readonly terms: HeadroomTerms;
  readonly headroomOctets: number;
  readonly reservedOctets: number;
  /** XOFF threshold while the pool is idle; a dynamic one falls as the pool fills. */
  readonly xoffOctets: number;
  readonly xonGapOctets: number;
}

/** A connection, by its device and its number among the device's sends or receives. */
export interface FlowEnd {
  readonly device: number;
  readonly connection: number;
}

export interface FlowEnds extends Ideal {
  readonly send: FlowEnd;
  /** One, or those of all members of the group. */
  readonly receives: readonly FlowEnd[];
  /** Null: its frames keep to one path. */
  readonly spread: Spread | null;
}
