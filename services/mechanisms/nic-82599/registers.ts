import { TAGGED_FRAME_OCTETS_MAX } from '../../engine/units/ethernet.js';
import { creditsOf, KB } from '../../engine/arbiter/credits.js';
import type { WspClass } from '../../engine/arbiter/wsp-arbiter.js';
import { transmitSplit } from '../../engine/nic-82599/packet-buffers.js';
import { RATE_FACTOR_ONE, rateFactorOf } from '../../engine/nic-82599/rate-scheduler.js';
import {
  classRegister,
  CREDIT_LIMIT_MOST,
  NO_CLASS,
  REFILL_MOST,
  refillsOfGroups,
} from '../../engine/nic-82599/refill-rule.js';
import { etsOfRegisters, rowsOfEts } from '../../engine/nic-82599/ets-registers.js';
import { type EtsTable, TSA_ETS, TSA_STRICT } from '../../engine/wire/lldp/dcbx-ieee.js';
import { LEDCTL_DEFAULT } from '../../engine/nic-82599/leds.js';
import { RegisterFile } from '../../engine/nic-82599/register-file.js';
import { packClasses } from '../../engine/nic-82599/up-to-tc.js';
import { QUEUES } from '../../engine/nic-82599/register-map.js';
import type { FieldValue, Nic82599Section } from './section.js';
import type { NicHost } from '../nic-context.js';

/** Settings of a NIC by the rest of the scenario. */
export interface NicSurroundings extends NicHost {
  /** Buffers have room for it. */
  readonly largestFrameOctets: number;
}

export function surroundingsOf(section: Nic82599Section, host: NicHost): NicSurroundings {
  const usual = Math.max(host.longestFrameOctets, TAGGED_FRAME_OCTETS_MAX);
  return { ...host, largestFrameOctets: section.largestFrameBytes ?? usual };
}

/** Shares and classes as the registers have them when the run begins. */
export function tableOfRegisters(section: Nic82599Section, host: NicHost): EtsTable {
  const around = surroundingsOf(section, host);
  return etsOfRegisters(registersOf(section, around), around.largestFrameOctets);
}

export const CLASS_TABLES = ['RTTDT2C', 'RTTPT2C', 'RTRPT4C'] as const;
/** 1.5 KB (7.7.2.3.1). */
const LEAST_VM_REFILL = 24;
/** Receive descriptors per queue, as drivers configure them. */
const USUAL_RING = 512;
/** PFVMVIR.VLANA: always insert the VLAN of the register. */
const ALWAYS_INSERT = 1;

/** The registers as a driver would write them: from the scenario's own keys first. */
export function registersOf(section: Nic82599Section, around: NicSurroundings): RegisterFile {
  const file = new RegisterFile();
  modes(file, section, around.arbiter);
  file.set('RTTUP2TC', 0, packClasses(section.dcb ? around.transmit : ALL_IN_ONE));
  file.set('RTRUP2TC', 0, packClasses(section.dcb ? around.receive : ALL_IN_ONE));
  buffers(file, section);
  classRows(section, around).forEach((row, tc) => {
    for (const table of CLASS_TABLES) file.set(table, tc, classRegister(row));
  });
  virtualMachines(file, section, around);
  rates(file, section, around);
  vlans(file, section);
  receiveQueues(file, section);
  file.set('LEDCTL', 0, LEDCTL_DEFAULT);
  file.setField('DCA_CTRL', 'DCA_DIS', 0, 1);
  for (const value of section.registers) assign(file, value);
  return file;
}

export function assign(file: RegisterFile, { register, index, field, value }: FieldValue): void {
  if (field === null) file.set(register, index, value);
  else file.setField(register, field, index, value);
}

/** The VM that a queue belongs to: pool without DCB. */
export function vmOfQueue(section: Nic82599Section, queue: number): number {
  return Math.floor(queue / (section.dcb ? section.classes : 2));
}

export function vmCount({ dcb, classes }: Nic82599Section): number {
  return QUEUES / (dcb ? classes : 2);
}

const ALL_IN_ONE = [0, 0, 0, 0, 0, 0, 0, 0];

/** Weighted everywhere, with recycling, as drivers configure; round robin on request. */
function modes(
  file: RegisterFile,
  { dcb }: Nic82599Section,
  arbiter: NicSurroundings['arbiter'],
): void {
  const inTurn = arbiter?.kind === 'round-robin';
  const weighted = dcb && !inTurn ? 1 : 0;
  for (const field of ['VMPAC', 'TDRM']) file.setField('RTTDCS', field, 0, 1);
  file.setField('RTTDCS', 'TDPAC', 0, inTurn ? 0 : 1);
  file.setField('RTTPCS', 'TPPAC', 0, weighted);
  file.setField('RTTPCS', 'TPRM', 0, dcb ? 1 : 0);
  file.setField('RTRPCS', 'RRM', 0, dcb ? 1 : 0);
  file.setField('RTRPCS', 'RAC', 0, weighted);
  file.setField('DMATXCTL', 'TE', 0, 1);
}

function buffers(file: RegisterFile, { dcb, classes, receiveKb }: Nic82599Section): void {
  const transmit = transmitSplit(dcb ? classes : 1);
  for (let tc = 0; tc < 8; tc++) {
    file.setField('TXPBSIZE', 'SIZE', tc, transmit[tc]);
    file.setField('RXPBSIZE', 'SIZE', tc, receiveKb[tc]);
  }
}

/**
 * By class: percentages by the rule of the drivers, or equal refills of a largest frame. Classes
 * that the part does not have are left without refill and limit.
 */
export function classRows(section: Nic82599Section, around: NicSurroundings): WspClass[] {
  const rows = configuredRows(section, around);
  return rows.map((row, tc) => (section.dcb && tc >= section.classes ? NO_CLASS : row));
}

function configuredRows(section: Nic82599Section, around: NicSurroundings): WspClass[] {
  const { bandwidth } = section;
  const { arbiter, largestFrameOctets } = around;
  if (bandwidth === null && (arbiter?.kind === 'ets' || arbiter?.kind === 'strict')) {
    const shares = arbiter.kind === 'ets' ? arbiter.shares : new Array<null>(8).fill(null);
    const table = {
      shares: shares.map((share) => share ?? 0),
      algorithms: shares.map((share) => (share === null ? TSA_STRICT : TSA_ETS)),
    };
    return rowsOfEts(table, section.classes, largestFrameOctets);
  }
  if (bandwidth === null) {
    const refill = Math.min(creditsOf(around.largestFrameOctets), REFILL_MOST);
    const most = Math.min(2 * refill, CREDIT_LIMIT_MOST);
    return Array.from({ length: 8 }, (_, group) => ({
      group,
      refill,
      most,
      linkStrict: false,
      groupStrict: false,
    }));
  }
  const rows = refillsOfGroups(bandwidth.classes, bandwidth.groups, around.largestFrameOctets);
  return bandwidth.classes.map(({ group, strict }, tc): WspClass => {
    const linkStrict = strict === 'link';
    return {
      group,
      // A class without restriction has no refill; the data sheet requires 0 there.
      refill: linkStrict ? 0 : Math.max(rows[tc].refill, strict === 'group' ? 0 : 1),
      most: Math.max(rows[tc].most, creditsOf(around.largestFrameOctets)),
      linkStrict,
      groupStrict: strict === 'group',
    };
  });
}

/** Refills in the ratio of the weights, as low as the largest frame allows. */
function virtualMachines(
  file: RegisterFile,
  section: Nic82599Section,
  around: NicSurroundings,
): void {
  const weights = Array.from({ length: vmCount(section) }, (_, vm) => section.vmWeights[vm] ?? 1);
  const least = Math.max(LEAST_VM_REFILL, creditsOf(around.largestFrameOctets));
  const factor = least / Math.min(...weights);
  for (let queue = 0; queue < QUEUES; queue++) {
    const weight = weights[vmOfQueue(section, queue)];
    file.set('RTTDT1C', queue, Math.ceil(weight * factor));
  }
}

function rates(file: RegisterFile, section: Nic82599Section, around: NicSurroundings): void {
  for (const { vm, tc, bps } of section.rates) {
    // As the driver does, each queue of a pool has the rate of the pool.
    const queues = section.dcb ? [vm * section.classes + tc] : [2 * vm, 2 * vm + 1];
    const factor = rateFactorOf(around.linkBps, bps);
    for (const queue of queues) {
      file.set('RTTBCNRC', queue, factor);
      if (factor > RATE_FACTOR_ONE) file.setField('RTTBCNRC', 'RS_ENA', queue, 1);
    }
  }
  for (let tc = 0; tc < 8; tc++) file.set('RTTBCNRM', tc, section.memoryWindowKb);
  if (section.drift === null) return;
  const { everyUs, share } = section.drift;
  file.setField('RTTBCNRD', 'DRIFT_INT', 0, everyUs);
  file.setField('RTTBCNRD', 'DRIFT_FAC', 0, Math.floor(RATE_FACTOR_ONE / (1 + share)));
  file.setField('RTTBCNRD', 'DRIFT_ENA', 0, 1);
}

function vlans(file: RegisterFile, section: Nic82599Section): void {
  const { vlan, pools, dcb, classes } = section;
  file.setField('PFDTXGSWC', 'VT_LBEN', 0, section.vmSwitch ? 1 : 0);
  file.setField('CTRL_EXT', 'EXTENDED_VLAN', 0, vlan.double ? 1 : 0);
  file.setField('DMATXCTL', 'GDV', 0, vlan.double ? 1 : 0);
  file.setField('DMATXCTL', 'VT', 0, vlan.insertedType);
  file.setField('EXVET', 'VET_EXT', 0, vlan.outerType);
  file.setField('VLNCTRL', 'VET', 0, vlan.innerType);
  const perPool = dcb ? classes : 2;
  for (const { pool, antiSpoof, strip, insert } of pools) {
    for (const field of antiSpoof ? ['MACAS', 'VLANAS'] : []) {
      const others = file.field('PFVFSPOOF', field, pool >> 3);
      file.setField('PFVFSPOOF', field, pool >> 3, others | (1 << (pool & 7)));
    }
    for (let i = 0; strip && i < perPool && pool * perPool + i < QUEUES; i++) {
      file.setField('RXDCTL', 'VME', pool * perPool + i, 1);
    }
    if (insert === null) continue;
    file.setField('PFVMVIR', 'TCI', pool, insert);
    file.setField('PFVMVIR', 'VLANA', pool, ALWAYS_INSERT);
  }
}

/** Descriptors, and the action without one. */
function receiveQueues(file: RegisterFile, section: Nic82599Section): void {
  const { receiveRings, pools } = section;
  for (let queue = 0; queue < QUEUES; queue++) {
    const own = pools.find(({ pool }) => pool === vmOfQueue(section, queue));
    file.setField('RDLEN', 'LEN', queue, (receiveRings?.descriptors ?? USUAL_RING) / 8);
    const drops = own?.drop ?? receiveRings?.drop ?? false;
    file.setField('SRRCTL', 'DROP_EN', queue, drops ? 1 : 0);
    file.setField('SRRCTL', 'DESCTYPE', queue, receiveRings?.headerSplit === true ? 2 : 1);
  }
}

export function octetsOfKb(kb: number): number {
  return kb * KB;
}
