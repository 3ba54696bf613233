import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { CAPTURE_TYPES } from '../../engine/analysis/capture/capture-filter.js';
import type { Sampler } from './sampler.js';
import type { Samples } from './schema-values.js';

/** Names in a fabric that has been sampled, and its typical times. */
export interface Place {
  readonly hosts: readonly string[];
  readonly switches: readonly string[];
  readonly tiers: readonly string[];
  /** Such as `s1:p2`. */
  readonly ports: readonly string[];
  /** What each link joins: two devices. */
  readonly links: readonly (readonly [string, string])[];
  /** About the duration of a load. */
  readonly spanPs: number;
  /** Priorities that loads use. */
  readonly priorities: readonly number[];
  readonly vlans: readonly number[];
}

const USUAL_SPAN_PS = 20e6;
const MOMENTS = 4;
/** Bits that a link of a small world carries in a span, about. */
const USUAL_BITS = 700_000;
const ZEROS = '00'.repeat(44);

/** Octets of spoofed messages: PFC, PAUSE, credit, CF_Update, LLR_ACK, LLR_INIT, an LLDPDU. */
const FORGED = [
  `0180c2000001020000000001880801010008${'ffff'.repeat(8)}${'00'.repeat(26)}`,
  `0180c20000010200000000018808000101ff${ZEROS.slice(0, 84)}`,
  `0180c2000001020000000001880802020010${ZEROS.slice(0, 84)}`,
  '4b10007b06000120',
  '4b01000026000000',
  '4b03fffff6341200',
  `0180c200000e02000000000188cc0207040200000000010403020131060200780000${'00'.repeat(26)}`,
];

/**
 * Values of the keys whose range in the schema is too large for a small world: times of its own
 * length, sizes of a few frames, and names that exist in it. All other keys get values by their
 * shape.
 */
export function samplesOf(place: Place): Samples {
  const { hosts, switches, ports, links, tiers, priorities, vlans, spanPs } = place;
  const devices = [...hosts, ...switches];
  const scale = spanPs / USUAL_SPAN_PS;
  /** Microseconds in a fabric of the usual speed, and proportionally longer in others. */
  const times = (...us: number[]): string[] =>
    us.map((one) => `${Math.round(one * scale * 1e3)}ns`);
  const within = (least: number, most: number) => (sampler: Sampler) =>
    `${Math.round(spanPs * (least + (most - least) * sampler.stream.uniform()))}ps`;
  /** Often one of few moments, so that events coincide. */
  const moment = (sampler: Sampler): string =>
    sampler.chance(0.5)
      ? `${Math.round((spanPs * sampler.below(MOMENTS)) / MOMENTS)}ps`
      : within(0, 1)(sampler);
  const lasts = (sampler: Sampler): string => `${sampler.spread(200e3, spanPs / 2)}ps`;
  const selection = (sampler: Sampler): unknown =>
    sampler.pick<unknown>(['all', sampler.some(hosts, 2, 4), 'h*']);
  const anyPriority = (sampler: Sampler): number =>
    sampler.chance(0.8) ? sampler.pick(priorities) : sampler.below(8);
  const ofPriorities = (sampler: Sampler): number[] => sampler.some(priorities, 0, 3);
  const frames = (least: number, most: number) => (sampler: Sampler) =>
    sampler.between(least, most) * sampler.pick([100, 1000, 1500]);
  const vlan = (sampler: Sampler): number => sampler.pick(vlans);
  const pattern = (sampler: Sampler): string => sampler.pick([...devices, 'h*', '*']);
  const minutes = times(5, 20, 60);
  const shares = ['1%', '5%', '20%', '50%', '100%'];
  return {
    // Faults and the names in them.
    'where.port': ports,
    'where.link': links.map(([a, b]) => `${a} ${b}`),
    'where.device': pattern,
    'where.peer': pattern,
    'where.tier': tiers,
    'faults.[].where.probability': ['50%', '100%'],
    'faults.[].at': moment,
    'faults.[].for': lasts,
    'faults.[].every': within(0.6, 1),
    'faults.[].until': within(1, 2),
    'faults.[].times': [1, 2, 3],
    'faults.[].recover': (): string => `${Math.round(RECOVERY_SPANS * spanPs)}ps`,
    'faults.[].stream': ['common', 'other'],
    'faults.[].name': (sampler) => `fault${sampler.below(1000)}`,
    'faults.[].priority': (sampler) =>
      sampler.chance(0.5) ? anyPriority(sampler) : sampler.some(priorities, 1, 2),
    'faults.[].errorRate': [1e-7, 1e-6, 1e-5],
    'faults.[].delay': times(0.5, 2),
    'faults.[].jitter': times(0, 0.3),
    // Slower, and one frame would take longer than the world.
    'faults.[].rate': [`${Math.round(USUAL_BITS / (2 * spanPs * 1e-12))}b/s`, '10G'],
    'faults.[].interval': times(1, 5),
    'faults.[].quanta': [50, 500, 3000],
    'faults.[].octets': FORGED,
    'faults.[].to': hosts,
    'faults.[].source': hosts,
    'faults.[].pause': times(1, 5),
    'faults.[].entries': [1, 2, 4],
    'faults.[].ppm': [-500_000, -20_000, 300, 100_000, 500_000],
    'faults.[].swap': (sampler) => sampler.some(ports, 2, 2),
    'faults.[].classes': (sampler) => sampler.some(PRIORITY_NUMBERS, 8, 8),
    'faults.[].size': ['2KB', '20KB', '1MB'],
    // Loads.
    'load.[].name': (sampler) => `load${sampler.below(1000)}`,
    'load.[].priority': anyPriority,
    'load.[].bytes': frames(1, 40),
    'load.[].frame': [64, 65, 200, 1000, 1518, 1518, 4000, 9216],
    'load.[].dscp': [0, 24, 46, 63],
    // Some begin when faults and changes are over.
    'load.[].start': (sampler) => within(0, sampler.chance(0.3) ? 5 : 0.3)(sampler),
    'load.[].end': within(0.4, 1),
    'load.[].rate': ['line', 'line', '5%', '30%', '90%', '1G'],
    'load.[].on': times(1, 4),
    'load.[].off': times(0.5, 3),
    'load.[].vlan': (sampler) =>
      sampler.pick<unknown>([
        sampler.chance(0.3) ? 0 : vlan(sampler),
        { inner: vlan(sampler), outer: vlan(sampler), dei: sampler.chance(0.5) },
      ]),
    'load.[].vm': [0, 0, 1, 5],
    'load.[].toVm': [0, 1, 2, 5],
    'load.[].spoof': hosts,
    'load.[].stream': (sampler) => streamEnds(sampler, hosts),
    'load.[].incast': (sampler) => incastEnds(sampler, hosts),
    'load.[].permutation.shift': [1, 2],
    'load.[].all-reduce.chunks': [1, 2, 3],
    'load.[].random.sizes': (sampler) =>
      sampler.chance(0.8)
        ? { fixed: 1000 * sampler.between(1, 30) }
        : sampler.pick(['web-search', 'hadoop', 'storage', 'data-mining']),
    'load.[].random.load': ['2%', '10%', '40%'],
    'load.[].transport.reliable.mtu': [256, 1024, 4096],
    'load.[].transport.reliable.window': ['auto', 1, 4, 64],
    'load.[].transport.reliable.rate': ['1G', '5G', '20G'],
    'load.[].transport.reliable.ackEvery': [1, 2, 8],
    'load.[].transport.reliable.timeout': times(20, 40),
    'load.[].transport.selective.mtu': [256, 1024, 4096],
    'load.[].transport.selective.window': ['auto', 'auto', 1, 4, 64, 1000],
    'load.[].transport.selective.rate': ['1G', '5G', '20G'],
    'load.[].transport.selective.ackEvery': [1, 2, 8],
    'load.[].transport.selective.timeout': times(20, 40),
    'load.[].transport.selective.lowTimeout': times(5, 20),
    'load.[].transport.selective.fewPackets': [1, 3, 20],
    'load.[].transport.selective.reorder': ['auto', 0, 1, 8, 100],
    'load.[].transport.uet.mtu': [256, 1024, 4096],
    'load.[].transport.uet.window': ['auto', 'auto', 1, 4, 64, 1000],
    'load.[].transport.uet.rate': ['1G', '5G', '20G'],
    'load.[].transport.uet.ackEvery': [1, 2, 8],
    'load.[].transport.uet.timeout': times(20, 40),
    'load.[].transport.uet.nscc.maxWindow': [0.1, 0.5, 1.5, 4],
    'load.[].transport.uet.rccc.maxCredit': [0.1, 1.5, 4],
    'load.[].transport.uet.rccc.grant': ['256B', '3KB', '16KB'],
    'load.[].transport.uet.rccc.share': ['50%', '99%'],
    'load.[].transport.uet.nscc.target': times(1, 10),
    hosts: selection,
    'groups.KEYS': ['group'],
    'groups.*': (sampler) => sampler.some(hosts, 2, 4),
    'placement.KEYS': ['together', 'others'],
    'placement.*': (sampler) => sampler.some(devices, 1, 2),
    // Flow control and marking.
    'priorities.KEYS': priorities.map(String),
    xoff: ['dynamic', 'dynamic', '10KB', '40KB', '200KB'],
    xonGap: ['0B', '3KB', '9KB'],
    headroom: ['auto', 'auto', 'auto', '3MB'],
    quanta: [65535, 8000, 1000],
    responseDelay: ['0ns', '200ns', '600ns'],
    reserved: ['0B', '2KB', '10KB'],
    'cbfc.reserved': ['auto', '0B', '10KB'],
    alpha: [0.05, 0.5, 1, 8],
    detection: times(3, 10),
    // Lists that grew are as long as to leave most worlds as they were.
    restoration: [...times(3, 10, 3, 10, 3, 10, 3), 'never'],
    'watchdog.action': ['drop', 'forward', 'drop', 'forward', 'drop', 'alert'],
    'watchdog.poll': ['none', ...times(1, 3)],
    'watchdog.bigRedSwitch': [false, false, false, true],
    'load.[].arrivals': [
      ...['constant', 'poisson', 'on-off', 'constant', 'poisson', 'on-off'],
      ...['constant', 'poisson', 'on-off', 'constant', 'poisson', 'paced'],
    ],
    'devices.[].interfaces': nothing,
    'ecn.min': ['0B', '5KB', '20KB'],
    'ecn.max': ['20KB', '60KB'],
    'trim.size': ['88B', '100B', '200B'],
    'trim.queue': ['5KB', '20KB'],
    'trim.limit': ['500B', '4KB'],
    'ecn.step': ['3KB', '30KB'],
    'ecn.probability': ['1%', '20%', '100%'],
    'classes.transmit': mapOfClasses,
    'classes.receive': mapOfClasses,
    'discovery.classes': (sampler) => (sampler.chance(0.5) ? 'common' : mapOfClasses(sampler)),
    'dwrr.KEYS': PRIORITY_NUMBERS.map(String),
    'dwrr.*': [1, 2, 7],
    ets: sharesOfClasses,
    // Devices.
    'buffer.size': ['auto', '2MB', '8MB', '32MB', '64MB'],
    'buffer.cell': [1, 80, 208, 256],
    'buffer.egressReserved': ['0B', '1500B'],
    'buffer.egressAlpha': [0.1, 1, 8],
    // They name each other: see `addPools`.
    'buffer.asic': nothing,
    'buffer.pools': nothing,
    'buffer.profiles': nothing,
    'buffer.wred': nothing,
    'buffer.assign': nothing,
    'buffer.portLimits': nothing,
    pipeline: ['0ns', '100ns', '500ns', '1300ns'],
    ageing: times(10, 1000),
    'devices.KEYS': [...devices, 'h*'],
    'devices.*.mac': ['02:00:00:00:77:01', '06-00-00-00-00-09'],
    'devices.*.ipv4': ['10.9.0.3'],
    'devices.*.ipv6': ['2001:db8::9'],
    'devices.*.ports.KEYS': ['1', '2', '3'],
    native: vlan,
    tagged: (sampler) => sampler.some(vlans, 0, 3),
    'mvtx2802.classes.KEYS': ['2', '5', '7'],
    'mvtx2802.classes.*': [0, 8, 20],
    temporary: [5, 16],
    'mvtx2802.weights': weightsOfClasses,
    'shaper.peak': [64, 40, 20],
    'shaper.average': [20, 7],
    'shaper.burst': ['0B', '2KB', '16KB'],
    'vlanCongestion.KEYS': vlans.map(String),
    'vlanCongestion.*': [1, 4, 12],
    cpuPort: ['none', 2, 3],
    'mvtx2802.source': [60, 70, 120],
    'mvtx2802.xoff': ['auto', 'auto', 20],
    mcc: [1, 3, 9, 40],
    'mvtx2802.congestion': [1, 4, 12],
    'wred.levels': (sampler) =>
      sampler.pick([
        ['4KB', '8KB', '16KB'],
        ['16KB', '24KB', '32KB'],
      ]),
    'wred.thresholds.KEYS': ['2', '4', '7'],
    // Credit.
    'credit.unit': ['64B', '64B', '65B', '128B', '256B', '1500B', '2548B', 'mtu'],
    'credit.maxUnit': ['auto', 'mtu', '2548B', '9216B', '65535B'],
    'credit.buffer': ['auto', 'auto', 'auto', '20KB', '100KB'],
    'credit.step': ['auto', '64B', '2KB', '16KB'],
    'credit.keep': ['auto', '64B', '2KB', '10KB'],
    'credit.shaper': ['off', 'off', '1G', '20G'],
    'credit.grantFactor': ['100%', '70%', '30%'],
    'credit.prediction': [0.5, 1, 3],
    'credit.maxChannels': ['all', 'all', 1, 2],
    'credit.codec': ['ce', 'ce', 'both', 'cbfc'],
    'credit.cet': ['tlv', 'tlv', 'both', 'application'],
    'credit.age': ['off', ...times(5, 30)],
    'credit.channels': (sampler) => channels(sampler, vlans),
    'credit.tagWait': ['auto', '50ns', '400ns'],
    'credit.refresh': times(1, 10, 20),
    'credit.report': times(1, 10, 20),
    'credit.poll': ['auto', ...times(2, 10)],
    'credit.sync': ['auto', ...times(4, 10)],
    'credit.syncTries': [1, 2, 4],
    'credit.keepAlive': times(8, 15, 30),
    // Discovery: seconds of a microsecond.
    second: times(1, 4, 20),
    interval: [1, 2, 5],
    hold: [1, 2, 4],
    fastInterval: [1, 2],
    fastInit: [1, 4, 8],
    creditMax: [1, 5],
    reinitDelay: [1, 2],
    neighbors: [1, 2, 8],
    identifier: ['02-CE-70', '02-CE-70', '02-CE-70', '0A-12-34'],
    'discovery.drift': [-100_000, -500, 0, 1000, 200_000],
    'changes.[].drift': [-100_000, -500, 0, 1000, 200_000],
    creditCapable: ofPriorities,
    pfcCapability: [0, 1, 2, 4, 8],
    ethertype: [0, 0x8906, 0x8915],
    tcp: [80, 3260],
    udp: [4791, 53],
    port: [4791],
    'changes.[].devices': pattern,
    'changes.[].at': moment,
    'changes.[].pfc': ofPriorities,
    'changes.[].credit': ofPriorities,
    // Notices and rate controls.
    quote: (sampler) => sampler.between(24, 64),
    flowLife: minutes,
    idle: minutes,
    'ci.detect': ['auto', '5KB', '30KB'],
    'ci.low': ['auto', '1KB', '5KB'],
    'ci.streams': [1, 2, 64],
    'llr.priorities': (sampler) => sampler.pick(['all', sampler.some(priorities, 1, 3)]),
    'llr.frames': ['auto', 1, 8, 1000],
    'llr.bytes': ['auto', '2KB', '50KB'],
    'llr.replayTimer': ['auto', ...times(0.2, 3)],
    'llr.replays': ['auto', 1, 5],
    'llr.pcsLostTimeout': ['auto', ...times(2, 20)],
    'llr.dataAgeTimeout': ['auto', ...times(2, 20)],
    'llr.spacing': ['auto', 400, 16_384],
    'sfc.detect': (sampler) => detectors(sampler, times),
    'sfc.target': ['auto', '0B', '10KB'],
    'sfc.minInterval': times(1, 5),
    'sfc.queueInterval': times(0, 1, 4),
    'sfc.pause': ['auto', 'auto', ...times(1, 5)],
    pauseMin: times(0.2, 1),
    pauseMax: times(3, 10),
    'sfc.sources': [1, 2, 64],
    sourceLife: minutes,
    processing: ['0ns', '300ns', '900ns'],
    gain: ['1%', '10%'],
    alphaPeriod: times(5),
    cutPeriod: times(1),
    raisePeriod: times(2, 5),
    raiseBytes: ['10KB', '100KB'],
    'qcn.activeRate': ['auto', '1G'],
    'qcn.hyperRate': ['auto', '5G'],
    'qcn.minRate': ['auto', '1G'],
    activeRate: ['100M', '1G'],
    hyperRate: ['1G', '5G'],
    minRate: ['1G', '2G'],
    cnpInterval: times(1, 5),
    low: times(2, 5),
    'watermarks.*.low': [10, 20],
    'watermarks.*.high': [25, 30],
    high: times(10, 40),
    roundTrip: times(1, 3),
    'timely.step': ['100M', '1G'],
    smoothing: ['20%', '80%'],
    decrease: ['20%', '80%'],
    utilisation: ['70%', '95%'],
    'hpcc.increase': ['80B', '1KB'],
    target: times(2, 6),
    hop: times(0, 0.5),
    flowRange: times(0, 10),
    endpointTarget: times(2, 20),
    flowLeast: [0.1, 0.5],
    flowMost: [5, 100],
    'swift.increase': [0.5, 1, 4],
    maxDecrease: ['30%', '50%'],
    initial: [1, 16],
    least: [0.1, 1],
    most: [32, 256],
    'qcn.priorities': (sampler) => sampler.some(priorities, 0, 2),
    'qcn.ports.KEYS': [
      ...ports.filter((port) => !hosts.some((host) => port.startsWith(`${host}:`))).slice(0, 3),
      's*:p1',
    ],
    'qcn.outside': (sampler) => [sampler.pick(hosts)],
    setPoint: ['auto', '3KB', '20KB'],
    sampleBase: ['auto', '3KB', '15KB'],
    byteReset: ['auto', '10KB'],
    timeReset: times(2, 10),
    minDecrease: ['20%', '50%'],
    // The 82599.
    'nic.model': [Number(NIC_MODEL), NIC_MODEL, NIC_MODEL, 'plain'],
    'pcie.rate': ['16G', '32G', '200G'],
    'pcie.latency': ['100ns', '500ns'],
    'pcie.reads': [2, 16],
    largestFrame: ['9218B', '9700B'],
    bandwidth: (sampler) => bandwidthOf(sampler),
    // It names a file; what that has, writes can say.
    'nic.secondPortOf': (sampler) => sampler.pick(hosts),
    'nic.trace': () => undefined,
    vms: (sampler) => sampler.some([1, 2, 5, 3], 1, 4),
    'nic.rates': (sampler) => [
      { vm: sampler.below(2), tc: sampler.pick(priorities), rate: sampler.pick(['1G', '3G']) },
    ],
    memoryWindow: [0, 4, 100],
    'drift.every': (sampler) => `${sampler.between(2, 20)}us`,
    'drift.by': ['3%', '30%'],
    'nic.receive': (sampler) =>
      sampler.pick<unknown>([
        '8x64',
        '4x128',
        '4x80+4x48',
        '1x512',
        [64, 64, 64, 64, 64, 64, 64, 64],
      ]),
    'receiveRings.descriptors': [8, 64, 512],
    software: ['0ns', '50ns'],
    'watermarks.KEYS': priorities.map(String),
    outerType: [0x88a8, 0x9100],
    innerType: [0x8100],
    insertedType: [0x8100, 0x8100],
    'pools.KEYS': ['0', '1', '5'],
    'pools.*.vlans': (sampler) => sampler.some(vlans, 0, 3),
    insert: (sampler) =>
      sampler.pick<unknown>([
        vlan(sampler),
        { vlan: vlan(sampler), priority: anyPriority(sampler), dei: sampler.chance(0.5) },
      ]),
    regs: registers,
    'writes.[].at': within(0, 1),
    'writes.[].regs': (sampler) =>
      sampler.pick([{ 'LEDCTL.LED0_MODE': sampler.below(15) }, { LEDCTL: { LED1_MODE: 14 } }]),
    // What is recorded.
    series: [...times(3, 7), 'auto'],
    'observe.queue': ports,
    'observe.ports': (sampler) => sampler.some([...ports, '*'], 0, 2),
    storm: times(2, 20),
    'traces.share': shares,
    'traces.flows': [[]],
    'traces.priorities': ofPriorities,
    slowest: [0, 2],
    'captures.ports': (sampler) => sampler.some([...ports, ...devices], 1, 2),
    'captures.filters': (sampler) => captureFilters(sampler),
    'captures.frames': [1, 100],
    snap: ['64B', '200B'],
    'expect.[].load': (): undefined => undefined,
    'expect.[].flow': (): undefined => undefined,
    'expect.[].device': devices,
    'expect.[].port': ports,
    'expect.[].min': [0],
    'expect.[].max': (): undefined => undefined,
    'expect.[].equals': (): undefined => undefined,
    'infrastructure.[]': (sampler) => infrastructureFault(sampler, devices),
  };
}

/** The NIC with a model of its own. */
export const NIC_MODEL = '82599';

/** One to one, several to one or as many, or to a group. */
function streamEnds(sampler: Sampler, hosts: readonly string[]): unknown {
  const shuffled = sampler.some(hosts, hosts.length, hosts.length);
  const [to, ...others] = shuffled as [string, ...string[]];
  const half = Math.floor(shuffled.length / 2);
  switch (sampler.below(7)) {
    case 0:
      return { from: sampler.some(others, 1, 4), to };
    case 1:
      return { from: shuffled.slice(0, half), to: shuffled.slice(half, 2 * half) };
    case 2:
      return { from: others[0], to: 'group' };
    default:
      return { from: others[0], to };
  }
}

function incastEnds(sampler: Sampler, hosts: readonly string[]): unknown {
  const [to, ...others] = sampler.some(hosts, hosts.length, hosts.length);
  return { from: others, to };
}

function captureFilters(sampler: Sampler): unknown[] {
  return sampler.some([...CAPTURE_TYPES], 1, 5).map((type) => ({
    ...(sampler.chance(0.9) && { type }),
    ...(sampler.chance(0.3) && { priority: sampler.below(8) }),
    ...(sampler.chance(0.2) && { flow: 0 }),
  }));
}

/** Infrastructure faults, which have no effect here: they are parsed and checked. */
function infrastructureFault(sampler: Sampler, devices: readonly string[]): unknown {
  const of = sampler.pick(['service', 'broker', 'coordinator']);
  const kind = sampler.pick(['kill', 'pause']);
  return {
    kind,
    of,
    ...(of === 'service' && { device: sampler.pick(devices) }),
    ...(sampler.chance(0.5) ? { at: '1us' } : { after: '1ms' }),
    ...(kind === 'pause' && { for: '5ms' }),
  };
}

/** For one of the two schedulers with weights, in 64ths. */
function weightsOfClasses(sampler: Sampler): Record<string, number> {
  const weights = sampler.chance(0.5) ? [2, 2, 4, 8, 8, 8, 16, 16] : [4, 4, 8, 8, 16, 24];
  return Object.fromEntries(weights.map((weight, tc) => [String(tc), weight]));
}

/** Mostly as they are; sometimes several priorities share a class. */
function mapOfClasses(sampler: Sampler): number[] {
  const swapped = [...PRIORITY_NUMBERS];
  if (sampler.chance(0.5)) sampler.stream.shuffle(swapped);
  return sampler.chance(0.7) ? swapped : swapped.map((tc) => tc % 4);
}

function sharesOfClasses(sampler: Sampler): Record<string, string> {
  const [strict, ...others] = sampler.some(PRIORITY_NUMBERS, 3, 5) as [number, ...number[]];
  const share = Math.floor(100 / others.length);
  const rest = 100 - share * others.length;
  const entries = others.map((tc, i) => [tc, `${share + (i === 0 ? rest : 0)}%`]);
  return Object.fromEntries([...entries, [strict, 'strict']]) as Record<string, string>;
}

function channels(sampler: Sampler, vlans: readonly number[]): unknown[] {
  return Array.from({ length: sampler.between(1, 3) }, (_, i) => ({
    channel: sampler.pick([0, 10, 100]) + i,
    ...(sampler.chance(0.7) && { vlans: vlans.filter((_one, v) => v % 3 === i) }),
    ...(sampler.chance(0.4) && { share: sampler.pick([1, 2, 0.5]) }),
  }));
}

function detectors(sampler: Sampler, times: (...us: number[]) => string[]): unknown {
  return sampler.pick<unknown>([
    'auto',
    '5KB',
    { dynamic: sampler.pick([0.001, 0.1]) },
    { min: '2KB', max: '20KB', probability: '50%' },
    { predicted: '10KB', horizon: times(2)[0] },
    { predicted: '10KB' },
  ]);
}

function bandwidthOf(sampler: Sampler): unknown {
  const ofGroup1 = ['34%', '33%', '33%'];
  const classes = PRIORITY_NUMBERS.map((tc): [string, unknown] => {
    if (tc === 7 && sampler.chance(0.5)) {
      const strict = sampler.pick(['link', 'group']);
      return [String(tc), { group: 2, strict, share: strict === 'link' ? '0%' : '100%' }];
    }
    const usual = tc % 2 === 0 ? '25%' : ofGroup1[(tc - 1) / 2];
    const [group, share] = tc === 7 ? [2, '100%'] : [tc % 2, usual];
    return [String(tc), { group, share, ...(sampler.chance(0.3) && { strict: 'no' }) }];
  });
  return { groups: { 0: '60%', 1: '30%', 2: '10%' }, classes: Object.fromEntries(classes) };
}

function registers(sampler: Sampler): unknown {
  return sampler.pick<unknown>([
    {},
    { 'LEDCTL.LED0_MODE': 14 },
    { 'RTTPT2C[3].CRQ': 40, LEDCTL: { LED1_MODE: '0xE' } },
  ]);
}

/**
 * Keys that were added later: they have a random stream of their own, so that the rest of a world
 * is unchanged.
 */
export const LATER_KEYS: readonly string[] = [
  'sfc.queueInterval',
  'sfc.whilePaused',
  'nic.trace',
  'nic.vmSwitch',
  'nic.secondPortOf',
  'credit.codec',
  'priorities.*.fallback',
  'load.[].toVm',
  'mvtx2802.scheduler',
  'mvtx2802.weights',
  'mvtx2802.shaper',
  'mvtx2802.vlanCongestion',
  'mvtx2802.cpuPort',
  'buffer.asic',
  'buffer.pools',
  'buffer.profiles',
  'buffer.wred',
  'buffer.assign',
  'buffer.portLimits',
  'watchdog.poll',
  'watchdog.chip',
  'watchdog.bigRedSwitch',
  'ports.[].priorities.*.watchdog',
  'fabric.devices.[].interfaces',
];

/** Such a key is left out. */
const nothing = (): undefined => undefined;

/** Recovery time after the last fault, in spans. */
export const RECOVERY_SPANS = 6;

/** With the next CC_Update CBFC counts what a fault took: in time for the promised recovery. */
export function tellWithin(spanPs: number, draft: Record<string, unknown>, written: string): void {
  if (!/"cbfc"|"codec":"both"/.test(written)) return;
  draft['cbfc'] = { ...(draft['cbfc'] as object), ccInterval: `${Math.round(spanPs)}ps` };
}
