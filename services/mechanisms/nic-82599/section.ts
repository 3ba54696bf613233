/**
 * An 82599 as the scenario describes it; settings that need links and load are resolved in
 * assembly.
 */

import type { RegisterName } from '../../engine/nic-82599/register-map.js';
import type { Path } from '../../settings/source-tree.js';
import type { NicSection } from '../nic-context.js';

export interface Nic82599Section extends NicSection {
  readonly classes: 4 | 8;
  readonly pcie: {
    /** Null: that of the part. */
    readonly latencyPs: number | null;
    /** Null, here and below: from the rate of the link. */
    readonly rateBps: number | null;
    readonly reads: number | null;
  };
  /** The host with the first port of the part; null: this is its only or its first port. */
  readonly secondPortOf: string | null;
  /** Null: the longest frame of the load. */
  readonly largestFrameBytes: number | null;
  readonly bandwidth: BandwidthSection | null;
  /** By virtual machine; those beyond the list have 1. */
  readonly vmWeights: readonly number[];
  readonly rates: readonly { readonly vm: number; readonly tc: number; readonly bps: number }[];
  readonly memoryWindowKb: number;
  readonly drift: { readonly everyUs: number; readonly share: number } | null;
  /** By class, in KB. */
  readonly receiveKb: readonly number[];
  /** Null: software reads everything at once. */
  readonly receiveRings: RingSection | null;
  /** By class; null: by `watermarkRule`. */
  readonly watermarks: readonly (WatermarkSection | null)[];
  /** Of the drivers, for 100 m at 10 Gb/s; or from the link. */
  readonly watermarkRule: 'driver' | 'auto';
  readonly vlan: {
    readonly double: boolean;
    readonly outerType: number;
    readonly innerType: number;
    readonly insertedType: number;
    readonly untagged: 'carried' | 'table' | 'seven';
  };
  /** Frames between virtual machines stay in the part. */
  readonly vmSwitch: boolean;
  readonly pools: readonly PoolSection[];
  /** Of a driver's trace: registers and bits that change nothing here. */
  readonly ignoredWrites: readonly string[];
  readonly registers: readonly FieldValue[];
  readonly writes: readonly { readonly atPs: number; readonly values: readonly FieldValue[] }[];
}

export interface BandwidthSection {
  /** Whole percent of the link, by bandwidth group. */
  readonly groups: readonly number[];
  /** By class. */
  readonly classes: readonly {
    readonly group: number;
    /** Whole percent of its group. */
    readonly percent: number;
    readonly strict: 'no' | 'group' | 'link';
  }[];
}

export interface WatermarkSection {
  readonly highKb: number;
  readonly lowKb: number;
}

export interface RingSection {
  readonly descriptors: number;
  readonly softwarePs: number;
  readonly drop: boolean;
  readonly headerSplit: boolean;
}

export interface PoolSection {
  readonly pool: number;
  /** Null, here and below: as `receiveRings`. */
  readonly softwarePs: number | null;
  readonly drop: boolean | null;
  /** Empty: all. */
  readonly vlans: readonly number[];
  readonly antiSpoof: boolean;
  readonly strip: boolean;
  /** Control information of the tag that the part inserts into frames of the pool. */
  readonly insert: number | null;
}

/** A value for a register, or for one field of it. */
export interface FieldValue {
  readonly path: Path;
  readonly register: RegisterName;
  readonly index: number;
  /** Null: all of it. */
  readonly field: string | null;
  readonly value: number;
}
