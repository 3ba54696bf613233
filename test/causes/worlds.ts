/**
 * Worlds whose cause of congestion is known: a fabric in which nothing is contended, a mechanism,
 * and one cause that is put into it. The same world without it is the yardstick of who suffers.
 */

import type { RandomStream } from '../../services/engine/kernel/random.js';

/** A mechanism, as these worlds have it. */
export interface Method {
  /** Sections of the scenario. */
  readonly sections: string;
  /** What loads say of their transport. */
  readonly transport: readonly string[];
  /** Of the links of hosts, in Gb/s; it scales all times, too. Absent: 100. */
  readonly rateG?: number;
  /** Of the link between the switches, in multiples of that; absent: 4. */
  readonly trunk?: number;
  /** Its part of the link that a sender fills, in per cent; absent: all. */
  readonly share?: number;
  /** What makes the receiver read slowly, in place of a fault. */
  readonly slowReceiver?: string;
  /** Causes that it cannot have, and why. */
  readonly not: Readonly<Partial<Record<CauseName, string>>>;
}

const PFC = 'priorities: { 3: { flowControl: pfc, xoff: 60KB, xonGap: 6KB } }';
const ECN = `priorities:
  3: { flowControl: pfc, xoff: 300KB, ecn: { min: 50KB, max: 200KB, probability: 20% } }`;
const RELIABLE = ['transport: reliable'];

const NO_STORM = { storm: 'it has no message that pauses a link partner' };
export const METHODS: Readonly<Record<string, Method>> = {
  pfc: { sections: PFC, transport: RELIABLE, not: {} },
  pause: { sections: 'pause: { xoff: 60KB, xonGap: 6KB }', transport: RELIABLE, not: {} },
  credit: { sections: 'priorities: { 3: credit }', transport: RELIABLE, not: NO_STORM },
  cbfc: { sections: 'priorities: { 3: cbfc }', transport: RELIABLE, not: NO_STORM },
  sfc: {
    sections: `priorities: { 3: { flowControl: pfc, xoff: 150KB, sfc: true } }
sfc: { detect: 40KB, target: 20KB, minInterval: 5us }`,
    transport: RELIABLE,
    not: {},
  },
  llr: { sections: `${PFC}\nllr: { enabled: true }`, transport: RELIABLE, not: {} },
  ci: {
    sections: `priorities:
  2: { flowControl: pfc, xoff: 60KB }
  3: { flowControl: pfc, xoff: 250KB, ci: true }
ci: { priority: 2, detect: 40KB, low: 10KB }`,
    transport: RELIABLE,
    not: {},
  },
  qcn: {
    sections: `${PFC.replace('60KB', '150KB')}
qcn: { priorities: [3], setPoint: 26KB, sampleBase: 30KB, byteReset: 30KB, timeReset: 300us }`,
    transport: ['congestion: qcn'],
    not: {},
  },
  dcqcn: { sections: ECN, transport: [...RELIABLE, 'congestion: dcqcn'], not: {} },
  hpcc: {
    sections: `${PFC}\nhpcc: { roundTrip: 5us }`,
    transport: [...RELIABLE, 'congestion: hpcc'],
    not: {},
  },
  swift: {
    sections: PFC,
    transport: [...RELIABLE, 'congestion: swift'],
    not: { 'higher-class': 'its sources keep the queue shorter than what counts as congestion' },
  },
  timely: {
    sections: `${PFC}\ntimely: { low: 20us, high: 100us, roundTrip: 20us, step: 500M }`,
    transport: [...RELIABLE, 'congestion: timely'],
    not: {},
  },
  mvtx2802: {
    sections: 'devices: { s1: { model: mvtx2802 }, s2: { model: mvtx2802 } }',
    transport: [],
    rateG: 1,
    trunk: 1,
    share: 70,
    not: { 'higher-class': 'frames from ports with flow control share one queue' },
  },
  'nic-82599': {
    sections: `priorities: { 3: { flowControl: pfc, xoff: 60KB, xonGap: 6KB } }
hosts: { nic: { model: 82599 } }`,
    transport: [],
    rateG: 10,
    slowReceiver: 'devices: { h4: { nic: { pcie: { rate: 2G } } } }',
    not: { 'slower-wire': 'PFC needs 10 Gb/s, and it has no faster link' },
  },
  lossy: {
    sections: '',
    transport: RELIABLE,
    not: { ...NO_STORM, 'slow-receiver': 'what its host does not read is dropped' },
  },
  irn: {
    sections: '',
    transport: ['transport: selective'],
    not: { ...NO_STORM, 'slow-receiver': 'what its host does not read is dropped' },
  },
};

/** Where the cause is, by construction. */
export interface Known {
  readonly port: string;
  readonly reasons: readonly string[];
  /** The name of the fault; null: none is injected. */
  readonly fault: string | null;
  /** Flows that fill the queue at this port. */
  readonly culprits: readonly string[];
  /** Flows that wait whoever else does; absent: none is known. */
  readonly victims?: readonly string[];
  /** Other flows pass the port, too. */
  readonly isOnTrunk: boolean;
}

/** What is put into a world. */
interface Cause {
  readonly faults: string;
  readonly senders: readonly string[];
  /** Rate of the link to the receiver, as a part of that of the others. */
  readonly edge: number;
  /** A further load. */
  readonly more: string;
  readonly known: Known;
}

export interface World {
  readonly method: string;
  readonly cause: CauseName;
  readonly text: string;
  /** The same without its cause. */
  readonly calm: string;
  readonly known: Known;
}

const INJECTED = 'broken';
const NOTHING = { faults: '', senders: ['h1'], edge: 1, more: '' };

/** Times of causes are those of links of 100 Gb/s. */
interface Draw {
  readonly random: RandomStream;
  readonly rateG: number;
  readonly trunk: number;
  readonly slowReceiver: string | undefined;
  /** `15us`, or as much longer as links are slower. */
  us(time: number): string;
}

function fault(words: string, port: string, draw: Draw, isOnTrunk = false): Cause {
  const faults = `faults: [{ name: ${INJECTED}, at: ${draw.us(15)}, ${words} }]`;
  const known = { port, reasons: ['fault'], fault: INJECTED, culprits: [OWN], isOnTrunk };
  return { ...NOTHING, faults, known };
}

const OWN = 'own/h1->h4';
export const BESIDE = 'beside/h3->h6';
const AT_RECEIVER = { port: 's2:p1', fault: null, isOnTrunk: false };

/** One cause each; without it nothing in this fabric is contended. */
const CAUSES = {
  incast: ({ random, trunk }: Draw): Cause => {
    const other = random.below(2) === 0 || trunk < 2 ? 'h5' : 'h2';
    const culprits = [OWN, `own/${other}->h4`];
    // Of a wide trunk both come by one link, which is faster than that of the receiver.
    const reasons = other === 'h5' ? ['contended'] : ['contended', 'slower-wire'];
    return { ...NOTHING, senders: ['h1', other], known: { ...AT_RECEIVER, reasons, culprits } };
  },
  'slower-wire': ({ random, rateG }: Draw): Cause => {
    const known = { ...AT_RECEIVER, reasons: ['slower-wire'], culprits: [OWN] };
    const edge = rateG < 10 ? 0.1 : [0.1, 0.25][random.below(2)]!;
    return { ...NOTHING, edge, known };
  },
  'higher-class': ({ random, rateG }: Draw): Cause => {
    const rate = (rateG * (60 + random.below(30))) / 100;
    const known = {
      ...{ ...AT_RECEIVER, reasons: ['other-classes'], culprits: ['urgent/h5->h4'] },
      victims: [OWN],
    };
    const more = `
  - { name: urgent, stream: { from: h5, to: h4 }, rate: ${rate}G, frame: 1518, priority: 5 }`;
    return { ...NOTHING, more, known };
  },
  'slow-trunk': (draw: Draw): Cause => {
    const rate = draw.rateG / [4, 10][draw.random.below(2)]!;
    return fault(`kind: slow-link, where: { link: s1 s2 }, rate: ${rate}G`, 's1:p4', draw, true);
  },
  'slow-edge': (draw: Draw): Cause =>
    fault(`kind: slow-link, where: { link: s2 h4 }, rate: ${draw.rateG / 10}G`, 's2:p1', draw),
  freeze: (draw: Draw): Cause =>
    fault(
      `kind: freeze, where: { port: "s2:p1" }, for: ${draw.us(30 + draw.random.below(60))}`,
      's2:p1',
      draw,
    ),
  'link-down': (draw: Draw): Cause =>
    fault(
      `kind: link-down, where: { link: s1 s2 }, for: ${draw.us(30 + draw.random.below(60))}`,
      's1:p4',
      draw,
      true,
    ),
  flap: (draw: Draw): Cause => {
    const down = draw.us(5 + draw.random.below(10));
    const words = `kind: link-down, where: { link: s1 s2 }, for: ${down}, every: ${draw.us(40)}`;
    return fault(`${words}, times: 4`, 's1:p4', draw, true);
  },
  'slow-receiver': (draw: Draw): Cause => {
    if (draw.slowReceiver !== undefined) {
      const known = { ...AT_RECEIVER, port: 'h4:p1', reasons: ['slow-receiver'], culprits: [OWN] };
      return { ...NOTHING, faults: draw.slowReceiver, known };
    }
    const rate = (draw.rateG * (5 + draw.random.below(20))) / 100;
    const words = `kind: slow-receiver, where: { device: h4 }, rate: ${rate}G`;
    return fault(words, 'h4:p1', draw);
  },
  storm: (draw: Draw): Cause => {
    const length = draw.us(40 + draw.random.below(60));
    const words = `kind: storm, where: { device: h4 }, priority: 3, for: ${length}`;
    return fault(words, 's2:p1', draw);
  },
} as const;

export type CauseName = keyof typeof CAUSES;
export const CAUSE_NAMES = Object.keys(CAUSES) as readonly CauseName[];

/** Times are so much longer than at 100 Gb/s. */
export function scaleOf(method: string): number {
  return 100 / (METHODS[method]!.rateG ?? 100);
}

/** A random world of a mechanism with a cause. */
export function worldOf(method: string, cause: CauseName, random: RandomStream): World {
  const own = METHODS[method]!;
  const { rateG = 100, trunk = 4, slowReceiver } = own;
  const us = (time: number): string => `${time * scaleOf(method)}us`;
  const made = CAUSES[cause]({ random, rateG, trunk, slowReceiver, us });
  const settings = `
switches: { pipeline: ${100 + random.below(400)}ns, buffer: { size: 8MB } }
seed: ${random.below(1e6)}`;
  const lengths = { host: 5 + random.below(30), trunk: 20 + random.below(200) };
  const size = { megabytes: 1 + random.below(3), frame: 600 + random.below(800) };
  const draw = { ...{ own, rateG, us, lengths, size }, settings };
  return {
    ...{ method, cause, known: made.known },
    text: textOf(made, draw),
    calm: textOf({ ...NOTHING, known: made.known }, draw),
  };
}

interface Drawn {
  readonly own: Method;
  readonly rateG: number;
  readonly us: Draw['us'];
  readonly lengths: { readonly host: number; readonly trunk: number };
  readonly size: { readonly megabytes: number; readonly frame: number };
  readonly settings: string;
}

/** h1..h3 at s1, h4..h6 at s2; the trunk carries all that cross it at once. */
function textOf(cause: Cause, { own, rateG, us, lengths, size, settings }: Drawn): string {
  const { trunk = 4, share = 100 } = own;
  const links = [1, 2, 3, 4, 5, 6].map((host) => {
    const place = host < 4 ? `s1:p${host}` : `s2:p${host - 3}`;
    const rate = host === 4 ? rateG * cause.edge : rateG;
    const text = rate < 1 ? `${rate * 1000}M` : `${rate}G`;
    return `    - { between: [h${host}, "${place}"], rate: ${text}, length: ${lengths.host}m }`;
  });
  const hosts = [1, 2, 3, 4, 5, 6].map((host) => `{ name: h${host}, kind: host }`);
  const isWhole = own.transport.some((words) => words.startsWith('transport'));
  const from = cause.senders.join(', ');
  const load = isWhole
    ? [`incast: { from: [${from}], to: h4 }`, `bytes: ${size.megabytes}MB`]
    : [`stream: { from: [${from}], to: h4 }`, `rate: ${(rateG * share) / 100}G`, 'frame: 1518'];
  return `
name: injected
duration: ${us(250)}
fabric:
  devices: [${hosts.join(', ')}, { name: s1, kind: switch }, { name: s2, kind: switch }]
  links:
${links.join('\n')}
    - { between: ["s1:p4", "s2:p4"], rate: ${rateG * trunk}G, length: ${lengths.trunk}m }
${settings}
${own.sections}
${cause.faults}
load:
  - name: own
    ${[...load, 'priority: 3', ...own.transport].join('\n    ')}
  - name: beside
    stream: { from: h3, to: h6 }
    rate: ${rateG / 5}G
    frame: ${size.frame}
    priority: 3${cause.more}
`;
}
