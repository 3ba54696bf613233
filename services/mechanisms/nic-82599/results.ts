import { USED, USED_PEAK } from '../../engine/buffer/shared-buffer.js';
import type { HostSpec, PortSpec } from '../../engine/contract/spec.js';
import type { Device } from '../../engine/device/device.js';
import type { Engine } from '../../engine/device/engine.js';
import type { WspArbiter } from '../../engine/arbiter/wsp-arbiter.js';
import { KB } from '../../engine/arbiter/credits.js';
import { PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { Latencies } from '../../engine/nic-82599/latencies.js';
import { ledControl } from '../../engine/nic-82599/leds.js';
import type { Nic82599 } from '../../engine/nic-82599/nic.js';
import { RATE_FACTOR_ONE } from '../../engine/nic-82599/rate-scheduler.js';
import { classOfRegister } from '../../engine/nic-82599/refill-rule.js';
import type { TagStatus } from '../../engine/nic-82599/received-tags.js';
import {
  POOLS,
  QUEUES,
  REGISTER_NAMES,
  registerKind,
} from '../../engine/nic-82599/register-map.js';
import { identifierOf, isDropEligible, priorityOf } from '../../engine/nic-82599/vlan.js';
import { QUEUE_OCTETS, QUEUE_PEAK } from '../../engine/port/queues.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import type { Chosen, SliceMetric } from '../mechanism-slice.js';
import type { NicResult } from '../nic-context.js';

/** An 82599 at a moment; credits count 64 octets, tables have the names of the data sheet. */
export interface Nic82599Result extends NicResult {
  readonly port: string;
  readonly timePs: number;
  /** The host with the first port of its part; null: this is it. */
  readonly secondPortOf: string | null;
  /** Virtual machines, or pools; only those with a queue in use. */
  readonly T1: readonly VmRow[];
  /** Traffic classes, as the descriptor plane and the packet plane have them. */
  readonly T2: { readonly descriptor: readonly ClassRow[]; readonly packet: readonly ClassRow[] };
  /** Receive buffers. */
  readonly T4: readonly ClassRow[];
  readonly rates: readonly RateRow[];
  readonly buffers: readonly BufferRow[];
  /** Receive queues whose descriptors were used; empty where they are not counted. */
  readonly rings: readonly RingRow[];
  readonly latencies: readonly LatencyRow[];
  /** Posted writes to the host by their hint; empty where DCA is off. */
  readonly hints: readonly { readonly tag: number; writes: number; octets: number }[];
  readonly leds: readonly LedRow[];
  /** Bits of receive descriptors, by the tags of frames. */
  readonly tags: readonly TagStatus[];
  /** Virtual machines with settings of their own; without any there is none. */
  readonly pools: readonly PoolRow[];
  /** Frames between virtual machines, by class; empty without the switch. */
  readonly switched: readonly SwitchedRow[];
  /** All that are not 0. */
  readonly registers: Readonly<Record<string, number>>;
}

interface VmRow {
  readonly queue: number;
  readonly vm: number;
  readonly tc: number;
  readonly refill: number;
  readonly most: number;
  readonly credit: number;
  readonly lowest: number;
}

export interface ClassRow {
  readonly tc: number;
  readonly group: number;
  readonly refill: number;
  readonly most: number;
  readonly strict: 'no' | 'group' | 'link';
  readonly credit: number;
  readonly lowest: number;
  readonly groupCredit: number;
}

export interface RateRow {
  readonly queue: number;
  readonly vm: number;
  readonly tc: number;
  readonly enabled: boolean;
  readonly rateFactor: number;
  readonly rateBps: number;
  /** In octet times of the link. */
  readonly stamp: number;
  readonly on: boolean;
}

interface RingRow {
  readonly queue: number;
  readonly vm: number;
  readonly tc: number;
  readonly descriptors: number;
  readonly free: number;
  /** The fewest that were free. */
  readonly fewest: number;
  readonly droppedFrames: number;
}

interface PoolRow {
  readonly pool: number;
  /** VLANs that it takes; empty: all. */
  readonly vlans: readonly number[];
  /** Anti-spoofing by address, and by VLAN. */
  readonly macCheck: boolean;
  readonly vlanCheck: boolean;
  /** The tag that is inserted; null: none. */
  readonly insert: {
    readonly vlan: number;
    readonly priority: number;
    readonly dei: boolean;
  } | null;
}

interface SwitchedRow {
  readonly tc: number;
  readonly frames: number;
  readonly octets: number;
  /** Frames that wait for their receive buffer. */
  readonly waiting: number;
}

interface BufferRow {
  readonly direction: 'transmit' | 'receive';
  readonly tc: number;
  readonly sizeOctets: number;
  readonly octets: number;
  readonly peakOctets: number;
  /** Received frames that it discarded, and that found no descriptor (RXMPC, RNBC). */
  readonly missedFrames: number;
  readonly noDescriptorFrames: number;
}

interface LedRow {
  readonly led: number;
  /** Its source, by the name of the data sheet. */
  readonly source: string;
  readonly inverted: boolean;
  readonly blinks: boolean;
  readonly lit: boolean;
  /** Number of changes, and time of the last one. */
  readonly changes: number;
  readonly sincePs: number;
}

/** As 7.7.1 defines them: tail update to the wire; wire to the descriptor. Of raw frames. */
export interface LatencyRow {
  readonly direction: 'transmit' | 'receive';
  readonly tc: number;
  readonly frames: number;
  readonly leastPs: number;
  readonly meanPs: number;
  readonly mostPs: number;
}

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];

/** Every 82599 of an engine. */
export function nicResults(engine: Engine, nowPs: number): Nic82599Result[] {
  return engine.devices.flatMap((device) => {
    if (device.spec.kind !== 'host') return [];
    const { nic } = engine.hosting.parts(device.place);
    return nic === null ? [] : [nicResult(engine, device, device.spec, nic, nowPs)];
  });
}

function nicResult(
  engine: Engine,
  device: Device,
  spec: HostSpec,
  nic: Nic82599,
  nowPs: number,
): Nic82599Result {
  nic.rates.drift(nowPs);
  const [port] = spec.ports as readonly [PortSpec];
  const queues = queuesInUse(nic, spec, (priority) =>
    engine.shared.ports.classOf(device.firstPort, priority),
  );
  return {
    device: spec.name,
    port: port.name,
    timePs: nowPs,
    secondPortOf: nic.spec.secondPortOf,
    T1: queues.map((queue) => vmRow(nic, queue)),
    T2: {
      descriptor: classRows(nic, nic.descriptorPlane, 'RTTDT2C'),
      packet: classRows(nic, nic.packetPlane.classes, 'RTTPT2C'),
    },
    T4: classRows(nic, nic.receivePlane, 'RTRPT4C'),
    rates: queues.map((queue) => rateRow(nic, queue, port, nowPs)),
    buffers: bufferRows(engine, device, nic),
    rings: ringRows(engine, device, nic),
    latencies: [
      ...latencyRows('transmit', nic.transmitLatency),
      ...latencyRows('receive', nic.receiveLatency),
    ],
    hints: hintRows(nic),
    leds: ledRows(nic, nowPs),
    tags: nic.tags.rows(nic.vlanModes),
    pools: poolRows(nic),
    switched: switchedRows(engine, device, nic),
    spoofedFrames: nic.spoofed,
    registers: registersOf(nic, nowPs),
  };
}

function queuesInUse(
  nic: Nic82599,
  { sends, receives }: HostSpec,
  classOfPriority: (priority: number) => number,
): number[] {
  const classOf = (frameClass: number): number => classOfPriority(frameClass & PRIORITY_MASK);
  const used = new Set(
    sends.map(({ vm, frameClass, hash }) => nic.transmitQueueOf(vm, classOf(frameClass), hash)),
  );
  for (const { vm, ackClass, transport, hash } of receives) {
    if (transport !== null) used.add(nic.transmitQueueOf(vm, classOf(ackClass), hash));
  }
  for (let queue = 0; queue < QUEUES; queue++) {
    if (nic.registers.field('RTTBCNRC', 'RS_ENA', queue) === 1) used.add(queue);
  }
  return [...used].sort((a, b) => a - b);
}

function vmRow(nic: Nic82599, queue: number): VmRow {
  const tc = nic.classOfQueue(queue);
  const vm = nic.vmOfQueue(queue);
  const { credit, refill, lowest } = nic.vms[tc];
  return {
    queue,
    vm,
    tc,
    refill: refill[vm],
    most: 2 * refill[vm],
    credit: credit[vm],
    lowest: lowest[vm],
  };
}

function classRows(
  nic: Nic82599,
  arbiter: WspArbiter,
  table: 'RTTDT2C' | 'RTTPT2C' | 'RTRPT4C',
): ClassRow[] {
  return CLASSES.slice(0, nic.spec.classes).map((tc) => {
    const row = classOfRegister(nic.registers.get(table, tc));
    return {
      tc,
      group: row.group,
      refill: row.refill,
      most: row.most,
      strict: row.linkStrict ? 'link' : row.groupStrict ? 'group' : 'no',
      credit: arbiter.credit[tc],
      lowest: arbiter.lowest[tc],
      groupCredit: arbiter.groupCredit[row.group],
    };
  });
}

function rateRow(nic: Nic82599, queue: number, { octetPs }: PortSpec, nowPs: number): RateRow {
  const { rates } = nic;
  const enabled = rates.isControlled(queue);
  const linkBps = OCTET_BITS_PS / octetPs;
  return {
    queue,
    vm: nic.vmOfQueue(queue),
    tc: nic.classOfQueue(queue),
    enabled,
    rateFactor: rates.factor(queue) / RATE_FACTOR_ONE,
    rateBps: enabled ? (linkBps * RATE_FACTOR_ONE) / rates.factor(queue) : linkBps,
    stamp: rates.stamp[queue],
    on: rates.onFromPs(queue) <= nowPs,
  };
}

function bufferRows({ shared }: Engine, { firstPort }: Device, nic: Nic82599): BufferRow[] {
  const { queues, buffer } = shared;
  const { registers } = nic;
  const transmit = CLASSES.map((tc): BufferRow => {
    const sizeOctets = nic.transmitOctets[tc];
    const [octets, peakOctets] = [QUEUE_OCTETS, QUEUE_PEAK].map((w) =>
      queues.get(firstPort, tc, w),
    );
    return {
      ...{ direction: 'transmit', tc, sizeOctets, octets: octets, peakOctets: peakOctets },
      ...{ missedFrames: 0, noDescriptorFrames: 0 },
    };
  });
  const receive = CLASSES.map((tc): BufferRow => {
    const sizeOctets = registers.field('RXPBSIZE', 'SIZE', tc) * KB;
    const [octets, peakOctets] = [USED, USED_PEAK].map((word) => buffer.get(firstPort, tc, word));
    return {
      ...{ direction: 'receive', tc, sizeOctets, octets: octets, peakOctets: peakOctets },
      ...{ missedFrames: nic.missed[tc], noDescriptorFrames: nic.noDescriptor[tc] },
    };
  });
  return [...transmit, ...receive].filter((row) => row.sizeOctets > 0);
}

function ringRows({ hosting }: Engine, { place }: Device, nic: Nic82599): RingRow[] {
  if (!nic.hasRings) return [];
  return Array.from({ length: QUEUES }, (_, queue) => ({
    queue,
    vm: nic.vmOfQueue(queue),
    tc: nic.classOfQueue(queue),
    descriptors: nic.ringSize(queue),
    ...hosting.ring(place, queue),
    droppedFrames: nic.droppedBy[queue],
  })).filter(({ descriptors, fewest }) => fewest < descriptors);
}

function poolRows({ registers, spec }: Nic82599): PoolRow[] {
  return Array.from({ length: POOLS }, (_, pool): PoolRow => {
    const vlans = spec.poolVlans[pool] ?? [];
    const checks = (field: string): boolean =>
      ((registers.field('PFVFSPOOF', field, pool >> 3) >> (pool & 7)) & 1) === 1;
    const isInserted = registers.field('PFVMVIR', 'VLANA', pool) === 1;
    const tci = registers.field('PFVMVIR', 'TCI', pool);
    const insert = {
      vlan: identifierOf(tci),
      priority: priorityOf(tci),
      dei: isDropEligible(tci),
    };
    return {
      ...{ pool, vlans, macCheck: checks('MACAS'), vlanCheck: checks('VLANAS') },
      insert: isInserted ? insert : null,
    };
  }).filter(
    ({ vlans, macCheck, vlanCheck, insert }) =>
      vlans.length > 0 || macCheck || vlanCheck || insert !== null,
  );
}

function switchedRows({ shared }: Engine, { rows }: Device, nic: Nic82599): SwitchedRow[] {
  if (!nic.switches) return [];
  const { nicFrames } = shared;
  return CLASSES.slice(0, nic.spec.dcb ? nic.spec.classes : 1).map((tc) => {
    let waiting = 0;
    nicFrames.lists.forEach(nicFrames.looping(rows.nic.first, tc), () => waiting++);
    return { tc, frames: nic.loopedFrames[tc], octets: nic.loopedOctets[tc], waiting };
  });
}

function latencyRows(direction: LatencyRow['direction'], latencies: Latencies): LatencyRow[] {
  return CLASSES.filter((tc) => latencies.frames[tc] > 0).map((tc) => ({
    direction,
    tc,
    frames: latencies.frames[tc],
    leastPs: latencies.leastPs[tc],
    meanPs: latencies.sumPs[tc] / latencies.frames[tc],
    mostPs: latencies.mostPs[tc],
  }));
}

function ledRows(nic: Nic82599, nowPs: number): LedRow[] {
  const leds = nic.leds.at(nowPs);
  return Array.from(leds.lit, (lit, led) => ({
    led,
    ...ledControl(nic.registers.get('LEDCTL'), led),
    lit: lit !== 0,
    changes: leds.changes[led],
    sincePs: leds.changedPs[led],
  }));
}

function hintRows({ hints }: Nic82599): { tag: number; writes: number; octets: number }[] {
  return [...hints.writes].flatMap((writes, tag) =>
    writes === 0 ? [] : [{ tag, writes, octets: hints.octets[tag] }],
  );
}

function registersOf(nic: Nic82599, nowPs: number): Record<string, number> {
  const entries = REGISTER_NAMES.flatMap((name) => {
    const { count } = registerKind(name);
    return Array.from({ length: count }, (_, index): [string, number] => [
      count === 1 ? name : `${name}[${index}]`,
      nic.read(name, index, nowPs),
    ]).filter(([, value]) => value !== 0);
  });
  return Object.fromEntries(entries);
}

/** Measures for `expect`. */
export const METRICS = {
  'nic.tail-to-wire': {
    unit: 'time',
    meaning: 'longest time of a raw frame in an 82599; priority: its traffic class',
    measure: (results, at) => longest(results, 'transmit', at),
  },
  'nic.wire-to-descriptor': {
    unit: 'time',
    meaning: 'longest time from an 82599 receiving a frame to its descriptor in host memory',
    measure: (results, at) => longest(results, 'receive', at),
  },
} as const satisfies Readonly<Record<string, SliceMetric<NicResults>>>;

interface NicResults {
  readonly nics: readonly Nic82599Result[];
}

/** Null: no NIC that is chosen carried a frame of that way and class. */
function longest(
  { nics }: NicResults,
  direction: LatencyRow['direction'],
  at: Chosen,
): number | null {
  const rows = nics
    .filter(({ device }) => at.device(device))
    .flatMap(({ latencies }) => latencies)
    .filter((row) => row.direction === direction && at.priority(row.tc));
  return rows.length === 0 ? null : Math.max(...rows.map(({ mostPs }) => mostPs));
}
