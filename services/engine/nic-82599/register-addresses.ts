/**
 * Where registers are in the address space of the part, as the data sheet and ixgbe_type.h of the
 * Linux driver have them.
 */

import type { RegisterName } from './register-map.js';
import { QUEUES, registerKind } from './register-map.js';

/** Registers `first` to `last`, each `stride` octets behind the one before. */
interface AddressRange {
  readonly register: RegisterName;
  readonly base: number;
  readonly stride: number;
  readonly first: number;
  readonly last: number;
}

/** Selects the transmit queue whose registers are at the addresses of `SELECTED`. */
export const RTTDQSEL_ADDRESS = 0x04904;

/** One address for all queues: RTTDQSEL says which is meant. */
const SELECTED: readonly (readonly [RegisterName, number])[] = [
  ['RTTDT1C', 0x04908],
  ['RTTDT1S', 0x0490c],
  ['RTTBCNRC', 0x04984],
];

/** One address for the memory windows of all classes. */
const RTTBCNRM_ADDRESS = 0x04980;
const QUEUE_STRIDE = 0x40;
/** Receive queues from this one on are in a second block. */
const SECOND_BLOCK = 64;
/** The first receive queues have a register at an older address, too. */
const OLD_BLOCK_LAST = 15;

function one(register: RegisterName, base: number): AddressRange {
  return { register, base, stride: 4, first: 0, last: registerKind(register).count - 1 };
}

function receiveQueues(register: RegisterName, base: number, second: number): AddressRange[] {
  const last = SECOND_BLOCK - 1;
  return [
    { register, base, stride: QUEUE_STRIDE, first: 0, last },
    { register, base: second, stride: QUEUE_STRIDE, first: SECOND_BLOCK, last: QUEUES - 1 },
  ];
}

function oldBlock(register: RegisterName, base: number): AddressRange {
  return { register, base, stride: 4, first: 0, last: OLD_BLOCK_LAST };
}

/** Of two addresses of a register the one that a dump shows comes first. */
const RANGES: readonly AddressRange[] = [
  one('CTRL_EXT', 0x00018),
  one('LEDCTL', 0x00200),
  oldBlock('SRRCTL', 0x02100),
  oldBlock('DCA_RXCTRL', 0x02200),
  ...receiveQueues('RDLEN', 0x01008, 0x0d008),
  ...receiveQueues('DCA_RXCTRL', 0x0100c, 0x0d00c),
  ...receiveQueues('SRRCTL', 0x01014, 0x0d014),
  ...receiveQueues('RXDCTL', 0x01028, 0x0d028),
  { register: 'QPRDC', base: 0x01430, stride: QUEUE_STRIDE, first: 0, last: 15 },
  one('RTRPT4C', 0x02140),
  one('RTRPT4S', 0x02160),
  one('RTRPCS', 0x02430),
  one('RTRUP2TC', 0x03020),
  one('RXPBSIZE', 0x03c00),
  one('RXMPC', 0x03fa0),
  one('RNBC', 0x03fc0),
  one('RTTDCS', 0x04900),
  one('RTTDT2C', 0x04910),
  one('RTTDT2S', 0x04930),
  one('RTTBCNRD', 0x0498c),
  one('DMATXCTL', 0x04a80),
  one('EXVET', 0x05078),
  one('VLNCTRL', 0x05088),
  { register: 'DCA_TXCTRL', base: 0x0600c, stride: QUEUE_STRIDE, first: 0, last: QUEUES - 1 },
  one('PFVMVIR', 0x08000),
  one('PFVFSPOOF', 0x08200),
  one('PFDTXGSWC', 0x08220),
  one('RTTUP2TC', 0x0c800),
  one('TXPBSIZE', 0x0cc00),
  one('RTTPCS', 0x0cd00),
  one('RTTPT2C', 0x0cd20),
  one('RTTPT2S', 0x0cd40),
  one('DCA_CTRL', 0x11074),
];

export interface RegisterPlace {
  readonly register: RegisterName;
  readonly index: number;
}

/** Registers at an address, while RTTDQSEL selects a queue; empty: none that is emulated. */
export function registersAt(address: number, selected: number): readonly RegisterPlace[] {
  if (address === RTTBCNRM_ADDRESS) return everyIndexOf('RTTBCNRM');
  const indirect = SELECTED.find(([, own]) => own === address);
  if (indirect !== undefined) return [{ register: indirect[0], index: selected }];
  for (const { register, base, stride, first, last } of RANGES) {
    const index = first + (address - base) / stride;
    if (Number.isInteger(index) && index >= first && index <= last) return [{ register, index }];
  }
  return [];
}

function everyIndexOf(register: RegisterName): readonly RegisterPlace[] {
  return Array.from({ length: registerKind(register).count }, (_, index) => ({ register, index }));
}

/** Null: it has none of its own, or its queue has to be selected first. */
export function addressOf({ register, index }: RegisterPlace): number | null {
  if (register === 'RTTBCNRM') return RTTBCNRM_ADDRESS;
  const range = RANGES.find((own) => {
    return own.register === register && index >= own.first && index <= own.last;
  });
  return range === undefined ? null : range.base + (index - range.first) * range.stride;
}

/** Address that all queues share, and RTTDQSEL picks the one that is meant; else null. */
export function sharedAddressOf(register: RegisterName): number | null {
  return SELECTED.find(([name]) => name === register)?.[1] ?? null;
}

/** As data sheets write an address, and the 32 bits of a register. */
export function addressText(address: number): string {
  return hex(address, 5);
}

export function wordText(word: number): string {
  return hex(word >>> 0, 8);
}

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`;
}
