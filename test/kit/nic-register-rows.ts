/**
 * A row for each field of each register of an 82599 that a scenario may write: a value that changes
 * what the part does, or that is refused.
 */

import { REGISTER_NAMES, registerKind } from '../../services/engine/nic-82599/register-map.js';

export interface Row {
  /** Index of the register that is written; absent: it has none. */
  readonly index?: number;
  readonly value: number;
  /** Keys of the NIC beside, as the field needs them to mean anything. */
  readonly nic?: string;
  /** Instead of the usual load. */
  readonly load?: string;
  /** It is refused, with these words. */
  readonly refused?: RegExp;
}

export const USUAL_LOAD = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 3, frame: 700 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 0, vm: 1 }
  - { name: c, stream: { from: h1, to: h2 }, priority: 0 }
  - { name: d, stream: { from: h1, to: h2 }, priority: 5, frame: 1000 }
  - { name: e, stream: { from: h2, to: h1 }, rate: 20%, priority: 5 }
`;
/** Classes 0 and 3 share a group, and 3 has nothing to send. */
const IDLE_CLASS = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 0 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 5 }
`;
/** A queue that is left alone, and has something to catch up with then. */
const PAUSING = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 3, end: 50us }
  - { name: b, stream: { from: h1, to: h2 }, priority: 3, start: 150us }
`;
const TAGGED = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 0, vlan: 7 }
`;
const DOUBLE = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 0, vlan: { inner: 7, outer: 5 } }
`;
const SPOOFING = `
  - { name: a, stream: { from: h1, to: h2 }, priority: 0, vlan: 7, rate: 10% }
  - { name: b, stream: { from: h1, to: h2 }, spoof: h2, priority: 0, rate: 10% }
`;

/** Between virtual machines of one host. */
const LOCAL = `
  - { name: a, stream: { from: h1, to: h1 }, vm: 0, toVm: 1, priority: 0, rate: 10% }
`;

/** Slow towards host memory, so that the receive arbiter has to choose. */
export const SLOW = 'pcie: { rate: 6G }';
export const GROUPS =
  'bandwidth: { groups: { 0: 70%, 1: 30% }, classes: { 0: { group: 0, share: 60% }, ' +
  '3: { group: 0, share: 40% }, 5: { group: 1, share: 100% } } }';
const RINGS = 'receiveRings: { descriptors: 16, software: 3us }';
const HINTS = 'regs: { DCA_CTRL.DCA_DIS: 0 }';
const RATES = 'rates: [{ vm: 0, tc: 3, rate: 1G }]';
const DRIFT = `${RATES}, drift: { every: 20us, by: 3% }`;
const OTHER_POOL = 'pools: { 0: { vlans: [9] } }';
const MAP_REFUSED = /7\.7\.2\.2/;
const INSERTING = 'pools: { 0: { insert: 7 } }';

const maps = (register: string): Record<string, Row> =>
  Object.fromEntries(
    Array.from({ length: 8 }, (_, up) => [
      `${register}.UP${up}MAP`,
      { value: (up + 1) & 7, refused: MAP_REFUSED },
    ]),
  );

const classRows = (register: string, nic: string): Record<string, Row> => ({
  [`${register}.CRQ`]: { index: 0, value: 400, nic },
  [`${register}.BWG`]: { index: 0, value: 1, nic },
  [`${register}.MCL`]: { index: 0, value: 40, nic },
  [`${register}.GSP`]: { index: 3, value: 1, nic },
  [`${register}.LSP`]: { index: 3, value: 1, nic, refused: /LSP with a refill/ },
});

const leds = (): Record<string, Row> =>
  Object.fromEntries(
    [0, 1, 2, 3].flatMap((led): [string, Row][] => [
      [`LEDCTL.LED${led}_MODE`, { value: 14 }],
      [`LEDCTL.LED${led}_IVRT`, { value: 1 }],
      [`LEDCTL.LED${led}_BLINK`, { value: 1, nic: `regs: { LEDCTL.LED${led}_MODE: 14 }` }],
    ]),
  );

/** By register and field. */
export const ROWS: Readonly<Record<string, Row>> = {
  'CTRL_EXT.EXTENDED_VLAN': {
    value: 0,
    nic: `vlan: { double: true }, ${OTHER_POOL}`,
    load: TAGGED,
  },
  ...leds(),
  'RXDCTL.VME': { index: 0, value: 1, load: TAGGED },
  'RDLEN.LEN': { index: 3, value: 1, nic: 'receiveRings: { descriptors: 64, software: 3us }' },
  'SRRCTL.DESCTYPE': { index: 3, value: 2, nic: HINTS },
  'SRRCTL.DROP_EN': { index: 3, value: 1, nic: RINGS },
  'RTRPCS.RRM': { value: 0, nic: `${SLOW}, ${GROUPS}`, load: IDLE_CLASS },
  'RTRPCS.RAC': { value: 0, nic: `${SLOW}, ${GROUPS}` },
  ...maps('RTRUP2TC'),
  ...classRows('RTRPT4C', `${SLOW}, ${GROUPS}`),
  'RXPBSIZE.SIZE': { index: 0, value: 40, refused: /the receive buffers have/ },
  'RTTDCS.TDPAC': { value: 0, nic: GROUPS },
  'RTTDCS.VMPAC': { value: 0, nic: 'vms: [4, 1]' },
  'RTTDCS.TDRM': { value: 0, nic: `${SLOW}, ${GROUPS}`, load: IDLE_CLASS },
  'RTTDCS.BPBFSM': { value: 1, nic: 'pcie: { rate: 40G }' },
  'RTTDT1C.CRQ': { index: 0, value: 400 },
  ...classRows('RTTDT2C', `${SLOW}, ${GROUPS}`),
  'RTTBCNRC.RF_DEC': { index: 3, value: 8000, nic: RATES },
  'RTTBCNRC.RF_INT': { index: 3, value: 5, nic: RATES },
  'RTTBCNRC.RS_ENA': { index: 3, value: 0, nic: RATES },
  'RTTBCNRM.MMW_SIZE': { index: 3, value: 0, nic: `${RATES}, memoryWindow: 64`, load: PAUSING },
  'RTTBCNRD.CLEAR_ALL': { value: 1, nic: RATES },
  'RTTBCNRD.DRIFT_FAC': { value: 12_000, nic: DRIFT },
  'RTTBCNRD.DRIFT_INT': { value: 40, nic: DRIFT },
  'RTTBCNRD.DRIFT_ENA': { value: 0, nic: DRIFT },
  'DMATXCTL.TE': { value: 0, refused: /without it nothing is transmitted/ },
  'DMATXCTL.GDV': { value: 0, nic: `vlan: { double: true }, ${OTHER_POOL}`, load: TAGGED },
  'DMATXCTL.VT': { value: 0x88a8, refused: /0x8100/ },
  'EXVET.VET_EXT': { value: 0x9100, nic: `vlan: { double: true }, ${OTHER_POOL}`, load: DOUBLE },
  'VLNCTRL.VET': { value: 0x9100, nic: OTHER_POOL, load: TAGGED },
  'PFVMVIR.TCI': { index: 0, value: 0xb007, nic: INSERTING },
  'PFVMVIR.VLANA': { index: 0, value: 0, nic: INSERTING },
  'PFDTXGSWC.VT_LBEN': {
    value: 0,
    nic: 'vmSwitch: true',
    load: LOCAL,
    refused: /its NIC needs vmSwitch: true/,
  },
  'PFVFSPOOF.MACAS': { index: 0, value: 1, load: SPOOFING },
  'PFVFSPOOF.VLANAS': { index: 0, value: 1, nic: 'pools: { 0: { vlans: [9] } }', load: SPOOFING },
  'DCA_CTRL.DCA_DIS': { value: 0 },
  'DCA_CTRL.DCA_MODE': {
    value: 2,
    nic: `regs: { DCA_CTRL.DCA_DIS: 0, "DCA_RXCTRL[3].DATA_DCA_EN": 1, "DCA_RXCTRL[3].CPUID": 40 }`,
  },
  'DCA_RXCTRL.DESC_DCA_EN': { index: 3, value: 1, nic: HINTS },
  'DCA_RXCTRL.CPUID': {
    index: 3,
    value: 9,
    nic: `regs: { DCA_CTRL.DCA_DIS: 0, "DCA_RXCTRL[3].DATA_DCA_EN": 1 }`,
  },
  'DCA_RXCTRL.HEAD_DCA_EN': {
    index: 3,
    value: 1,
    nic: `receiveRings: { descriptors: 512, headerSplit: true }, ${HINTS}`,
  },
  'DCA_RXCTRL.DATA_DCA_EN': { index: 3, value: 1, nic: HINTS },
  'DCA_TXCTRL.DESC_DCA_EN': { index: 3, value: 1, nic: HINTS },
  'DCA_TXCTRL.CPUID': {
    index: 3,
    value: 9,
    nic: `regs: { DCA_CTRL.DCA_DIS: 0, "DCA_TXCTRL[3].DESC_DCA_EN": 1 }`,
  },
  'RTTPCS.TPPAC': { value: 0, nic: GROUPS },
  'RTTPCS.TPRM': { value: 0, nic: GROUPS, load: IDLE_CLASS },
  ...maps('RTTUP2TC'),
  'TXPBSIZE.SIZE': { index: 3, value: 4, nic: 'pcie: { rate: 40G }' },
  ...classRows('RTTPT2C', GROUPS),
};

export const WRITABLE = REGISTER_NAMES.filter((register) => !registerKind(register).status);

/** The place of a row: `RTTPT2C[3].CRQ`. */
export function placeOf(name: string, { index }: Row): string {
  const [register, field] = name.split('.');
  return index === undefined ? name : `${register!}[${index}].${field!}`;
}

/** What a row shows, as its test is called. */
export function titleOf(name: string, row: Row): string {
  const what = row.refused === undefined ? 'acts' : 'is refused';
  return `${what}: ${placeOf(name, row)} = ${row.value}`;
}

const SOURCE = '`services/engine/nic-82599/register-map.ts`';
const TEST = '`test/scenario/nic-registers.test.ts`';

/** Rows of docs/seeds/82599-registers.md. */
export function registerTable(): string[] {
  return Object.entries(ROWS).map(([name, row]) => {
    const beside = row.nic === undefined ? '' : ` beside \`${row.nic}\``;
    return `| \`${name}\` ${titleOf(name, row)}${beside} | ${SOURCE} | ${TEST} |`;
  });
}
