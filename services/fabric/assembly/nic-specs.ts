import { PS_PER_NS, PS_PER_S } from '../../engine/units/time.js';
import type { AccountSpec, BufferSpec } from '../../engine/contract/memory.js';
import type { NicSpec, RegisterWrite } from '../../engine/contract/spec.js';
import { watermarks } from '../../engine/nic-82599/packet-buffers.js';
import { RegisterFile } from '../../engine/nic-82599/register-file.js';
import { POOLS, REGISTER_NAMES, registerKind } from '../../engine/nic-82599/register-map.js';
import type { Nic82599Section, WatermarkSection } from '../scenario/nic-section.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Warn } from './device-warnings.js';
import type { LinkEnd } from './link-ends.js';
import { hasCredit, hasPfc, type Methods } from './link-methods.js';
import type { NicTraffic } from './nic-arrivals.js';
import { strayArrival } from './nic-arrivals.js';
import type { NicPart } from './nic-ports.js';
import { checkSwitch, NicCheck } from './nic-check.js';
import { octetsAfterXoff, overGranted, warnOfHeadroom, watermarksOfLink } from './nic-headroom.js';
import { warnOfBentShares, warnOfIdleShares } from './nic-shares.js';
import type { NicSurroundings } from './nic-registers.js';
import { assign, octetsOfKb, registersOf, surroundingsOf } from './nic-registers.js';
import type { Settings } from './settings.js';

const PART_BPS = 10e9;
/** PCIe 2.0 with eight lanes, for a port of 10 Gb/s; in proportion beyond. */
const PCIE_BPS = 32e9;
const PCIE_LATENCY_PS = 500 * PS_PER_NS;
const READS = 16;
/** Ethernet header, FCS: what a frame has beyond the MTU. */
const FRAMING_OCTETS = 18;

/** An 82599 for the port of a host. */
export function nicSpec(
  name: string,
  section: Nic82599Section,
  { scenario, settings }: { readonly scenario: Scenario; readonly settings: Settings },
  end: LinkEnd,
  part: NicPart,
  traffic: NicTraffic,
  fail: Fail,
  warn: Warn,
): NicSpec {
  const { methods } = traffic;
  const longestFrameOctets = Math.max(...traffic.longestFrameOctets);
  const { dcb, classes, vlan } = section;
  const { rateBps } = end.link;
  const around = surroundingsOf(section, { scenario, settings }, { rateBps, longestFrameOctets });
  if (around.largestFrameOctets < longestFrameOctets) {
    const message = `frames of ${longestFrameOctets} octets are sent; a largest one has`;
    throw fail([...section.path, 'largestFrame'], `${message} ${around.largestFrameOctets}`);
  }
  const check = new NicCheck(name, section, around, methods, fail);
  const file = registersOf(section, around);
  check.all(file);
  const stray = strayArrival(section, file, scenario, traffic);
  if (stray !== null) throw fail([...section.path, ...stray.keys], `${name}: ${stray.message}`);
  const marksOf = (tc: number, sizeKb: number): WatermarkSection => {
    const own = section.watermarks[tc] ?? null;
    if (own !== null) return own;
    if (section.watermarkRule === 'driver') {
      return watermarks(sizeKb, around.largestFrameOctets - FRAMING_OCTETS);
    }
    const after = octetsAfterXoff(tc, scenario, end, traffic);
    const marks = watermarksOfLink(sizeKb, after, around.largestFrameOctets);
    if (marks !== null) return marks;
    const message =
      `receive buffer ${tc} has ${sizeKb} KB, and ${after} octets may arrive after it has paused ` +
      'its link partner; give it more (receive), or shorten the link';
    throw fail([...section.path, 'watermarks'], `${name}: ${message}`);
  };
  const receiveBuffer = receiveBufferOf({ section, file, around, methods, scenario, marksOf });
  const sent = traffic.ends.sends.map(({ flow }) => traffic.flows[flow]!);
  const reservedOctets = receiveBuffer.accounts[0]!.map((account) => account.reservedOctets);
  checkSwitch(section, sent, { file, around, methods, reservedOctets }, fail);
  const granted = overGranted(scenario, receiveBuffer, traffic, section.dcb);
  if (granted !== null) throw fail(section.path, `${name}: ${granted}`);
  warnOfHeadroom(name, section, scenario, receiveBuffer, end, traffic, warn);
  warnOfBentShares(name, section, around, warn);
  warnOfIdleShares(name, section, around, sent, warn);
  if (section.ignoredWrites.length > 0) {
    const ignored = section.ignoredWrites.join(', ');
    warn([...section.path, 'trace'], name, `writes without effect in the emulation: ${ignored}`);
  }
  return {
    registers: valuesOf(file),
    writes: writesOf(section, file, check),
    secondPortOf: section.secondPortOf,
    pcie: pcieOf(part.section, part.linkBps),
    dcb,
    classes,
    longestFrameOctets: around.largestFrameOctets,
    receiveBuffer,
    untagged: vlan.untagged,
    softwarePs: softwareOf(section),
    poolVlans: Array.from(
      { length: POOLS },
      (_, pool) => section.pools.find((own) => own.pool === pool)?.vlans ?? [],
    ),
  };
}

/** PCIe of a part whose first port has a link of this rate. */
function pcieOf({ pcie }: Nic82599Section, linkBps: number): NicSpec['pcie'] {
  const scale = Math.max(1, linkBps / PART_BPS);
  return {
    octetPs: (8 * PS_PER_S) / (pcie.rateBps ?? PCIE_BPS * scale),
    latencyPs: pcie.latencyPs ?? PCIE_LATENCY_PS,
    reads: pcie.reads ?? Math.ceil(READS * scale),
  };
}

function softwareOf({ receiveRings, pools }: Nic82599Section): readonly number[] | null {
  if (receiveRings === null) return null;
  return Array.from(
    { length: POOLS },
    (_, pool) => pools.find((own) => own.pool === pool)?.softwarePs ?? receiveRings.softwarePs,
  );
}

function valuesOf(file: RegisterFile): NicSpec['registers'] {
  return REGISTER_NAMES.flatMap((register) =>
    Array.from({ length: registerKind(register).count }, (_, index) => ({
      register,
      index,
      value: file.get(register, index),
    })).filter(({ value }) => value !== 0),
  );
}

/** Every state that the registers will be in is checked. Fields of a register are one write. */
function writesOf(section: Nic82599Section, file: RegisterFile, check: NicCheck): RegisterWrite[] {
  return section.writes.flatMap(({ atPs, values }) => {
    const writes: RegisterWrite[] = [];
    for (const value of values) {
      const { register, index, field } = value;
      const mask = new RegisterFile();
      const all = field === null ? 0xffffffff : 2 ** registerKind(register).fields[field]!.bits - 1;
      assign(mask, { ...value, value: all });
      assign(file, value);
      const last = writes.at(-1);
      const isSame = field !== null && last?.register === register && last.index === index;
      if (isSame) writes.pop();
      writes.push({
        atPs,
        register,
        index,
        mask: (mask.get(register, index) | (isSame ? last.mask : 0)) >>> 0,
        value: file.get(register, index),
      });
    }
    check.live(file);
    return writes;
  });
}

/** Divides the receive memory. */
interface ReceiveMemory {
  readonly section: Nic82599Section;
  readonly file: RegisterFile;
  readonly around: NicSurroundings;
  readonly methods: Methods;
  readonly scenario: Scenario;
  readonly marksOf: (tc: number, sizeKb: number) => WatermarkSection;
}

/** The receive memory: an account for each buffer, pausing its senders at the high mark. */
function receiveBufferOf(memory: ReceiveMemory): BufferSpec {
  const { section, file, around, methods, scenario, marksOf } = memory;
  const pause = scenario.pause.enabled;
  const receive = section.dcb && !pause ? around.receive : [0, 0, 0, 0, 0, 0, 0, 0];
  const accounts = Array.from({ length: 8 }, (_, tc): AccountSpec => {
    const sizeKb = file.field('RXPBSIZE', 'SIZE', tc);
    const priorities = [0, 1, 2, 3, 4, 5, 6, 7].filter((up) => receive[up] === tc);
    const stops = pause || priorities.some((up) => hasPfc(methods[up]));
    const backed = priorities.some((up) => hasCredit(methods[up]));
    if (!stops) return account(backed, octetsOfKb(sizeKb), octetsOfKb(sizeKb), 0);
    const { highKb, lowKb } = marksOf(tc, sizeKb);
    const high = Math.min(highKb, sizeKb);
    return account(true, octetsOfKb(sizeKb), octetsOfKb(high), octetsOfKb(high - lowKb));
  });
  const sizeOctets = accounts.reduce(
    (sum, own) => sum + own.reservedOctets + own.headroomOctets,
    0,
  );
  return {
    sizeOctets,
    cellOctets: 1,
    egressReservedOctets: 0,
    egressAlpha: 0,
    accounts: [accounts],
  };
}

/** A buffer fills to its high mark, and after that what still arrives fills the rest. */
function account(
  lossless: boolean,
  sizeOctets: number,
  highOctets: number,
  xonGapOctets: number,
): AccountSpec {
  return {
    lossless,
    reservedOctets: highOctets,
    alpha: 0,
    xoffOctets: highOctets,
    xonGapOctets,
    headroomOctets: sizeOctets - highOctets,
  };
}
