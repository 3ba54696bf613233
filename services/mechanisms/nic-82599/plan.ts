import type { AccountSpec, BufferSpec } from '../../engine/contract/memory.js';
import type { NicSpec, RegisterWrite } from '../../engine/contract/spec.js';
import { watermarks } from '../../engine/nic-82599/packet-buffers.js';
import { RegisterFile } from '../../engine/nic-82599/register-file.js';
import { POOLS, REGISTER_NAMES, registerKind } from '../../engine/nic-82599/register-map.js';
import type { Nic82599Section, WatermarkSection } from './section.js';
import type { Fail, NicPort, Warn } from '../nic-context.js';
import { needsGrants, isPausable } from '../fabric-context.js';
import { strayArrival } from './arrivals.js';
import { rate, time } from '../../settings/quantities.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { PCIE_DEFAULTS } from './pcie-defaults.js';
import { checkSwitch, NicCheck } from './check.js';
import { octetsAfterXoff, overGranted, warnOfHeadroom, watermarksOfLink } from './headroom.js';
import { warnOfBentShares, warnOfIdleShares } from './shares.js';
import type { NicSurroundings } from './registers.js';
import { assign, octetsOfKb, registersOf, surroundingsOf } from './registers.js';

/** Link that the defaults of PCIe are for. */
const PART_BPS = rate.parse(PCIE_DEFAULTS.link);
const PCIE_BPS = rate.parse(PCIE_DEFAULTS.rate);
const PCIE_LATENCY_PS = time.parse(PCIE_DEFAULTS.latency);
/** Ethernet header, FCS: what a frame has beyond the MTU. */
const FRAMING_OCTETS = 18;

export function nicSpec(port: NicPort<Nic82599Section>, fail: Fail, warn: Warn): NicSpec {
  const { host, section, link, part, traffic } = port;
  const { methods, sent } = traffic;
  const { name, longestFrameOctets } = host;
  const { dcb, classes, vlan } = section;
  const around = surroundingsOf(section, host);
  if (around.largestFrameOctets < longestFrameOctets) {
    const message = `frames of ${longestFrameOctets} bytes are sent; a largest one has`;
    throw fail([...section.path, 'largestFrame'], `${message} ${around.largestFrameOctets}`);
  }
  const check = new NicCheck(section, around, methods, fail);
  const file = registersOf(section, around);
  check.all(file);
  const stray = strayArrival(section, file, host, traffic);
  if (stray !== null) throw fail([...section.path, ...stray.keys], `${name}: ${stray.message}`);
  const marksOf = (tc: number, sizeKb: number): WatermarkSection => {
    const own = section.watermarks[tc] ?? null;
    if (own !== null) return own;
    if (section.watermarkRule === 'driver') {
      return watermarks(sizeKb, around.largestFrameOctets - FRAMING_OCTETS);
    }
    const after = octetsAfterXoff(tc, host, link, traffic);
    const marks = watermarksOfLink(sizeKb, after, around.largestFrameOctets);
    if (marks !== null) return marks;
    const message =
      `receive buffer ${tc} has ${sizeKb} KB, and ${after} bytes may arrive after it has paused ` +
      'its link partner; give it more (receive), or shorten the link';
    throw fail([...section.path, 'watermarks'], `${name}: ${message}`);
  };
  const receiveBuffer = receiveBufferOf({ section, file, around, methods, marksOf });
  const reservedOctets = receiveBuffer.accounts[0].map((account) => account.reservedOctets);
  checkSwitch(section, sent, { file, around, methods, reservedOctets }, fail);
  const granted = overGranted(host, receiveBuffer, traffic, section.dcb);
  if (granted !== null) throw fail(section.path, `${name}: ${granted}`);
  warnOfHeadroom({ section, host, link, traffic }, receiveBuffer, warn);
  warnOfBentShares(section, around, warn);
  warnOfIdleShares(section, around, sent, warn);
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
    octetPs: OCTET_BITS_PS / (pcie.rateBps ?? PCIE_BPS * scale),
    latencyPs: pcie.latencyPs ?? PCIE_LATENCY_PS,
    reads: pcie.reads ?? Math.ceil(PCIE_DEFAULTS.reads * scale),
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
      const all = field === null ? 0xffffffff : 2 ** registerKind(register).fields[field].bits - 1;
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
  readonly methods: readonly string[];
  readonly marksOf: (tc: number, sizeKb: number) => WatermarkSection;
}

/** The receive memory: an account for each buffer, pausing its senders at the high mark. */
function receiveBufferOf(memory: ReceiveMemory): BufferSpec {
  const { section, file, around, methods, marksOf } = memory;
  const { hasPause } = around;
  const receive = section.dcb && !hasPause ? around.receive : [0, 0, 0, 0, 0, 0, 0, 0];
  const accounts = Array.from({ length: 8 }, (_, tc): AccountSpec => {
    const sizeKb = file.field('RXPBSIZE', 'SIZE', tc);
    const priorities = [0, 1, 2, 3, 4, 5, 6, 7].filter((up) => receive[up] === tc);
    const stops = hasPause || priorities.some((up) => isPausable(methods[up]));
    const backed = priorities.some((up) => needsGrants(methods[up]));
    if (!stops) return account(backed, octetsOfKb(sizeKb), octetsOfKb(sizeKb), 0);
    const { highKb, lowKb } = marksOf(tc, sizeKb);
    const high = Math.min(highKb, sizeKb);
    // A buffer that does not exist, as those of classes without DCB, has no marks.
    const low = Math.min(lowKb, high);
    return account(true, octetsOfKb(sizeKb), octetsOfKb(high), octetsOfKb(high - low));
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
    pools: null,
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
