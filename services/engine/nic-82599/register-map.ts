/** The registers that the emulation implements, under the names of the data sheet. */

import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { C_TAG } from './vlan.js';

export interface RegisterField {
  readonly low: number;
  readonly bits: number;
  /** Range of values. */
  readonly least: number;
  readonly most: number;
  /** The limit in the words of the data sheet; empty where the width implies it. */
  readonly limit: string;
}

export interface RegisterKind {
  /** Number of instances; 1 for a register without an index. */
  readonly count: number;
  /** Computed when it is read. */
  readonly status: boolean;
  /** May be written while frames are in flight. */
  readonly live: boolean;
  readonly fields: Readonly<Record<string, RegisterField>>;
}

export const QUEUES = 128;
export const POOLS = 64;
const LEDS = [0, 1, 2, 3];

function field(low: number, bits: number): RegisterField {
  return { low, bits, least: 0, most: 2 ** bits - 1, limit: '' };
}

function limited(low: number, bits: number, least: number, most: number, limit: string) {
  return { low, bits, least, most, limit };
}

function live(fields: RegisterKind['fields'], count = 1): RegisterKind {
  return { count, status: false, live: true, fields };
}

/** Fixed once the part runs: frames in the buffers depend on it. */
function fixed(fields: RegisterKind['fields'], count = 1): RegisterKind {
  return { ...live(fields, count), live: false };
}

function status(count: number): RegisterKind {
  return { ...live({ CCC: field(0, 32) }, count), status: true };
}

function counter(count: number): RegisterKind {
  return { ...live({ COUNT: field(0, 32) }, count), status: true };
}

/** A row of table T2 or T4. */
const CLASS_CONTROL = live(
  {
    CRQ: limited(0, 9, 0, 511, '1 to 511: 64 bytes to 32 KB (Table 7-52); 0 for a strict class'),
    BWG: limited(9, 3, 0, 7, '0 to 7: there are eight bandwidth groups (Table 7-53)'),
    MCL: limited(12, 12, 1, 4095, '1 to 4095: 64 octets to 256 KB (Table 7-52)'),
    GSP: field(30, 1),
    LSP: field(31, 1),
  },
  TRAFFIC_CLASSES,
);

const DCA_TRANSMIT = { DESC_DCA_EN: field(5, 1), CPUID: field(24, 8) };

const UP_FIELDS = Object.fromEntries(
  Array.from({ length: 8 }, (_, up) => [`UP${up}MAP`, field(3 * up, 3)]),
);

const LED_FIELDS = Object.fromEntries(
  LEDS.flatMap((led) => [
    [`LED${led}_MODE`, field(8 * led, 4)],
    [`LED${led}_IVRT`, field(8 * led + 6, 1)],
    [`LED${led}_BLINK`, field(8 * led + 7, 1)],
  ]),
);

export const REGISTERS = {
  CTRL_EXT: fixed({ EXTENDED_VLAN: field(26, 1) }),
  LEDCTL: live(LED_FIELDS),
  RXDCTL: live({ VME: field(30, 1) }, QUEUES),
  RDLEN: fixed(
    { LEN: limited(7, 13, 1, 8191, '1 to 8191: units of 8 descriptors (7.1.9)') },
    QUEUES,
  ),
  SRRCTL: live({ DESCTYPE: field(25, 3), DROP_EN: field(28, 1) }, QUEUES),
  QPRDC: counter(QUEUES),
  RNBC: counter(TRAFFIC_CLASSES),
  RXMPC: counter(TRAFFIC_CLASSES),
  RTRPCS: live({ RRM: field(1, 1), RAC: field(2, 1) }),
  RTRUP2TC: fixed(UP_FIELDS),
  RTRPT4C: CLASS_CONTROL,
  RTRPT4S: status(TRAFFIC_CLASSES),
  RXPBSIZE: fixed(
    { SIZE: limited(10, 10, 0, 512, '0 to 512 KB in steps of 1 KB') },
    TRAFFIC_CLASSES,
  ),
  RTTDCS: live({
    TDPAC: field(0, 1),
    VMPAC: field(1, 1),
    TDRM: field(4, 1),
    BPBFSM: field(23, 1),
  }),
  RTTDT1C: live(
    {
      CRQ: limited(
        0,
        15,
        24,
        16384,
        '24 to 16384: 1.5 KB to 1,024 KB (7.7.2.3.1), and at least the largest frame',
      ),
    },
    QUEUES,
  ),
  RTTDT1S: status(QUEUES),
  RTTDT2C: CLASS_CONTROL,
  RTTDT2S: status(TRAFFIC_CLASSES),
  RTTBCNRC: live(
    {
      RF_DEC: field(0, 14),
      RF_INT: limited(14, 10, 1, 1000, '1 to 1000: 10 Gb/s over the target rate (7.7.2.1.1)'),
      RS_ENA: field(31, 1),
    },
    QUEUES,
  ),
  RTTBCNRM: live(
    { MMW_SIZE: limited(0, 11, 0, 2047, '0 to 2047 KB (7.7.2.1.1)') },
    TRAFFIC_CLASSES,
  ),
  RTTBCNRD: live({
    CLEAR_ALL: field(1, 1),
    DRIFT_FAC: field(2, 14),
    DRIFT_INT: field(16, 15),
    DRIFT_ENA: field(31, 1),
  }),
  DMATXCTL: fixed({
    TE: limited(0, 1, 1, 1, '1: without it nothing is transmitted'),
    GDV: field(3, 1),
    VT: limited(16, 16, C_TAG, C_TAG, '0x8100: the EtherType of inner tags on the wire'),
  }),
  EXVET: fixed({ VET_EXT: field(16, 16) }),
  VLNCTRL: fixed({ VET: field(0, 16) }),
  PFVMVIR: fixed(
    {
      TCI: field(0, 16),
      VLANA: limited(30, 2, 0, 1, '0: the tag of the descriptor; 1: this one, always'),
    },
    POOLS,
  ),
  PFDTXGSWC: fixed({ VT_LBEN: field(0, 1) }),
  PFVFSPOOF: live({ MACAS: field(0, 8), VLANAS: field(8, 8) }, POOLS / 8),
  DCA_CTRL: live({ DCA_DIS: field(0, 1), DCA_MODE: field(1, 4) }),
  DCA_RXCTRL: live({ ...DCA_TRANSMIT, HEAD_DCA_EN: field(6, 1), DATA_DCA_EN: field(7, 1) }, QUEUES),
  DCA_TXCTRL: live(DCA_TRANSMIT, QUEUES),
  RTTPCS: live({ TPPAC: field(5, 1), TPRM: field(8, 1) }),
  RTTUP2TC: fixed(UP_FIELDS),
  TXPBSIZE: fixed(
    { SIZE: limited(10, 10, 0, 160, '0 to 160 KB in steps of 1 KB') },
    TRAFFIC_CLASSES,
  ),
  RTTPT2C: CLASS_CONTROL,
  RTTPT2S: status(TRAFFIC_CLASSES),
} as const satisfies Readonly<Record<string, RegisterKind>>;

export type RegisterName = keyof typeof REGISTERS;

export const REGISTER_NAMES = Object.keys(REGISTERS) as readonly RegisterName[];

export function registerKind(name: RegisterName): RegisterKind {
  return REGISTERS[name];
}
