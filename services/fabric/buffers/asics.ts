/**
 * How families of switch chips account for their packet memory: the one place with such numbers.
 * Laws were fitted to thresholds that were measured on hardware (`docs/against-hardware.md` has the
 * rows); a family that is not here is described in the scenario (`buffer.asic`).
 */

import type { WatchdogChip } from '../../engine/contract/spec.js';
import type { HeadroomChip } from './headroom-script.js';

/** Accounting of a chip's packet memory. */
export interface Asic {
  readonly cellBytes: number;
  /** Stored with each frame, before it is rounded up to whole cells. */
  readonly frameBytes: number;
  /** Parts of the memory, of which a port sees one: each has its share of every pool. */
  readonly slices: number;
  /**
   * `net`: the size of an ingress pool is what may be shared. `gross`: it includes the reserves of
   * groups, those of ports, and headroom: the shared pool of it, or where there is none, each
   * group's.
   */
  readonly poolSize: 'net' | 'gross';
  /** What a gross pool reserves for each port that has a link, for its queues. */
  readonly portReserveCells: number;
  /** Sizes of profiles that are no whole number of cells. */
  readonly rounding: 'down' | 'up';
  /** With a shared headroom pool a group may take so many times its headroom. */
  readonly headroomTimes: number;
  /** Without one: cells of each group's headroom that frames cannot use, from this rate on. */
  readonly headroomLost: readonly { readonly fromBps: number; readonly cells: number }[];
  /**
   * The threshold that XON offsets count from. `present`: as it is now. `steady`: that at which the
   * group would come to rest; frames of its own that leave do not raise it.
   */
  readonly xonFrom: 'present' | 'steady';
  /** Of the packet memory; null: not known. */
  readonly memoryCells: number | null;
}

interface KnownAsic extends Asic {
  readonly called: string;
  /** What `dynamic_th` 7 stands for. */
  readonly alphaOfSeven: number;
  /** What the watchdogs of its switches take for a storm. */
  readonly watchdog: WatchdogChip;
  readonly source: string;
  /** 1: written in the source. 2: fitted, and exact on all rows. 3: inferred. */
  readonly confidence: 1 | 2 | 3;
}

const NOTHING_LOST = [{ fromBps: 0, cells: 0 }];

/** Broadcom's switches: what they have in common. */
const XGS = {
  frameBytes: 0,
  rounding: 'down',
  headroomTimes: 1,
  headroomLost: NOTHING_LOST,
  xonFrom: 'steady',
  alphaOfSeven: 128,
  memoryCells: null,
  watchdog: 'broadcom',
  source: 'fitted to sonic-mgmt tests/qos/files/qos_params.*.yaml at b4ba9de3',
  confidence: 2,
} as const;

/** NVIDIA's Spectrum: the same. */
const SPECTRUM = {
  frameBytes: 0,
  slices: 1,
  poolSize: 'net',
  portReserveCells: 0,
  rounding: 'up',
  headroomTimes: 2,
  xonFrom: 'present',
  alphaOfSeven: 64,
  memoryCells: null,
  watchdog: 'mellanox',
  source: 'sonic-mgmt tests/qos/files/mellanox/qos_param_generator.py at b4ba9de3',
  confidence: 1,
} as const;

const lost = (cells: number): Asic['headroomLost'] => [{ fromBps: 0, cells }];

export const ASICS = {
  td2: {
    ...XGS,
    called: 'Trident 2',
    cellBytes: 208,
    slices: 1,
    poolSize: 'gross',
    portReserveCells: 0,
  },
  td3: {
    ...XGS,
    called: 'Trident 3',
    cellBytes: 256,
    slices: 1,
    poolSize: 'gross',
    portReserveCells: 35,
  },
  th: {
    ...XGS,
    called: 'Tomahawk',
    cellBytes: 208,
    slices: 4,
    poolSize: 'net',
    portReserveCells: 0,
  },
  th2: {
    ...XGS,
    called: 'Tomahawk 2',
    cellBytes: 208,
    slices: 4,
    poolSize: 'net',
    portReserveCells: 0,
  },
  th3: {
    ...XGS,
    called: 'Tomahawk 3',
    cellBytes: 254,
    slices: 2,
    poolSize: 'gross',
    portReserveCells: 70,
  },
  th5: {
    ...XGS,
    called: 'Tomahawk 5',
    cellBytes: 254,
    slices: 2,
    poolSize: 'gross',
    portReserveCells: 70,
  },
  th6: {
    ...XGS,
    called: 'Tomahawk 6',
    cellBytes: 254,
    slices: 2,
    poolSize: 'gross',
    portReserveCells: 70,
    memoryCells: 636_183,
    source: 'memory: SONiC issue 28657; accounting: inferred from Tomahawk 5',
    confidence: 3,
  },
  q3d: {
    ...XGS,
    called: 'Jericho (VOQ)',
    cellBytes: 1,
    frameBytes: 48,
    slices: 1,
    poolSize: 'net',
    portReserveCells: 0,
    source: 'inferred from frames of 64 bytes in sonic-mgmt qos_params at b4ba9de3',
    confidence: 3,
  },
  spc1: { ...SPECTRUM, called: 'Spectrum', cellBytes: 96, headroomLost: lost(95) },
  spc2: { ...SPECTRUM, called: 'Spectrum-2', cellBytes: 144, headroomLost: lost(64) },
  spc3: {
    ...SPECTRUM,
    called: 'Spectrum-3',
    cellBytes: 144,
    headroomLost: [...lost(64), { fromBps: 400e9, cells: 123 }],
  },
  spc4: { ...SPECTRUM, called: 'Spectrum-4', cellBytes: 192, headroomLost: lost(47) },
  spc5: { ...SPECTRUM, called: 'Spectrum-5', cellBytes: 192, headroomLost: lost(47) },
  spc6: {
    ...SPECTRUM,
    called: 'Spectrum-6',
    cellBytes: 256,
    frameBytes: 32,
    headroomLost: lost(47),
  },
} as const satisfies Readonly<Record<string, KnownAsic>>;

type AsicName = keyof typeof ASICS;

export const ASIC_NAMES = Object.keys(ASICS) as readonly AsicName[];

/** Chips of switches by how their `hwsku` begins (sonic-buildimage device/ at 086b03bd). */
const SKUS: readonly (readonly [RegExp, AsicName])[] = [
  [/^(?:Force10-S6000|Arista-7050-QX|Arista-7050QX)/, 'td2'],
  [/^(?:Arista-7050CX3|DellEMC-S52)/, 'td3'],
  [/^(?:Force10-Z9100|Force10-S6100|Arista-7060CX-|Celestica-DX010|Seastone-DX010)/, 'th'],
  [/^(?:Arista-7260CX3|DellEMC-Z9264f)/, 'th2'],
  [/^(?:DellEMC-Z9332f|Arista-7060[DP]X4)/, 'th3'],
  [/^Arista-7060X6/, 'th5'],
  [/^(?:ACS-MSN2|Mellanox-SN2)/, 'spc1'],
  [/^(?:ACS-MSN3|Mellanox-SN3)/, 'spc2'],
  [/^(?:ACS-MSN4|Mellanox-SN4)/, 'spc3'],
  [/^(?:ACS-SN5[46]00|Mellanox-SN5600)/, 'spc4'],
  [/^(?:ACS-SN5640|Mellanox-SN5640)/, 'spc5'],
];

/** Null: the name says nothing. */
export function asicOfSku(hwsku: string): AsicName | null {
  return SKUS.find(([pattern]) => pattern.test(hwsku))?.[1] ?? null;
}

const OF_SPECTRUM = {
  vendor: 'nvidia',
  pipelineKib: 19,
  macPhyKib: 0.8,
  peerResponseKib: 3.8,
  tileBytesPerGbps: 0,
  moreKib: 0,
} as const;

const OF_TOFINO = {
  ...OF_SPECTRUM,
  vendor: 'barefoot',
  pipelineKib: 68,
  peerResponseKib: 9,
} as const;

/** What scripts of vendors read of a chip (ASIC_TABLE of SONiC; sonic-swss at e6b0c5b5). */
export const HEADROOM_CHIPS = {
  spc1: { ...OF_SPECTRUM, cellBytes: ASICS.spc1.cellBytes },
  spc2: { ...OF_SPECTRUM, cellBytes: ASICS.spc2.cellBytes },
  spc3: { ...OF_SPECTRUM, cellBytes: ASICS.spc3.cellBytes },
  spc4: { ...OF_SPECTRUM, cellBytes: ASICS.spc4.cellBytes, tileBytesPerGbps: 15 },
  spc5: { ...OF_SPECTRUM, cellBytes: ASICS.spc5.cellBytes, tileBytesPerGbps: 15 },
  spc6: { ...OF_SPECTRUM, cellBytes: ASICS.spc6.cellBytes, pipelineKib: 42, moreKib: 18 },
  tofino: { ...OF_TOFINO, cellBytes: 80 },
  tofino2: { ...OF_TOFINO, cellBytes: 176 },
} as const satisfies Readonly<Record<string, HeadroomChip>>;

type HeadroomChipName = keyof typeof HEADROOM_CHIPS;

export const HEADROOM_CHIP_NAMES = Object.keys(HEADROOM_CHIPS) as readonly HeadroomChipName[];
