import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { fabricOf } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const ROUNDS = isLong ? 40 : 2;

/**
 * What a source sends again behind a link that was down may fill a queue of its own, later and for
 * longer than the fault: in so many worlds that is named first.
 */
const AFTERMATH = 0.15;

/** Sections of the scenario, and what the load says of its transport. */
interface Method {
  readonly sections: string;
  readonly transport: string;
  /** Kinds of causes that it cannot have, or that do not show in it. */
  readonly not: readonly string[];
}

const PFC = 'priorities: { 3: { flowControl: pfc, xoff: 60KB, xonGap: 6KB } }';
const ECN =
  'priorities: { 3: { flowControl: pfc, xoff: 300KB, ecn: { min: 50KB, max: 200KB, probability: 20% } } }';
const RELIABLE = 'transport: reliable';

/** Sources have so little in flight that it waits in no queue, nor in a host. */
const SMALL_WINDOW = ['freeze', 'link-down', 'slow-receiver'];

const METHODS: Readonly<Record<string, Method>> = {
  pfc: { sections: PFC, transport: RELIABLE, not: [] },
  pause: { sections: 'pause: { xoff: 60KB, xonGap: 6KB }', transport: RELIABLE, not: [] },
  credit: { sections: 'priorities: { 3: credit }', transport: RELIABLE, not: ['storm'] },
  cbfc: { sections: 'priorities: { 3: cbfc }', transport: RELIABLE, not: ['storm'] },
  // What a host does not read is dropped.
  lossy: { sections: '', transport: RELIABLE, not: ['storm', 'slow-receiver'] },
  sfc: {
    sections: `priorities: { 3: { flowControl: pfc, xoff: 150KB, sfc: true } }
sfc: { detect: 40KB, target: 20KB, minInterval: 5us }`,
    transport: RELIABLE,
    not: [],
  },
  llr: { sections: `${PFC}\nllr: { enabled: true }`, transport: RELIABLE, not: [] },
  dcqcn: { sections: ECN, transport: `${RELIABLE}, congestion: dcqcn`, not: [] },
  hpcc: {
    sections: `${PFC}\nhpcc: { roundTrip: 5us }`,
    transport: `${RELIABLE}, congestion: hpcc`,
    not: SMALL_WINDOW,
  },
  swift: { sections: PFC, transport: `${RELIABLE}, congestion: swift`, not: SMALL_WINDOW },
  timely: {
    sections: `${PFC}\ntimely: { low: 20us, high: 100us, roundTrip: 20us, step: 500M }`,
    transport: `${RELIABLE}, congestion: timely`,
    not: [],
  },
};

/** Where the cause is, by construction. */
interface Known {
  readonly port: string;
  readonly reasons: readonly string[];
  /** The name of the fault; null: none is injected. */
  readonly fault: string | null;
}

interface Cause {
  readonly faults: string;
  readonly senders: string;
  readonly known: Known;
}

const INJECTED = 'broken';

function fault(words: string, port: string): Cause {
  const faults = `faults: [{ name: ${INJECTED}, at: 15us, ${words} }]`;
  return { faults, senders: 'h1', known: { port, reasons: ['fault'], fault: INJECTED } };
}

/** One cause each; without it nothing in this fabric is contended. */
const CAUSES: Readonly<Record<string, (random: RandomStream) => Cause>> = {
  incast: () => ({
    faults: '',
    senders: '[h1, h2]',
    known: { port: 's2:p1', reasons: ['contended', 'slower-wire'], fault: null },
  }),
  'slow-trunk': (random) => {
    const rate = random.below(2) === 0 ? '25G' : '10G';
    return fault(`kind: slow-link, where: { link: s1 s2 }, rate: ${rate}`, 's1:p4');
  },
  'slow-edge': () => fault('kind: slow-link, where: { link: s2 h4 }, rate: 10G', 's2:p1'),
  freeze: (random) =>
    fault(`kind: freeze, where: { port: "s2:p1" }, for: ${30 + random.below(60)}us`, 's2:p1'),
  'link-down': (random) =>
    fault(`kind: link-down, where: { link: s1 s2 }, for: ${30 + random.below(60)}us`, 's1:p4'),
  'slow-receiver': (random) =>
    fault(`kind: slow-receiver, where: { device: h4 }, rate: ${5 + random.below(20)}G`, 'h4:p1'),
  storm: (random) =>
    fault(
      `kind: storm, where: { device: h4 }, priority: 3, for: ${40 + random.below(60)}us`,
      's2:p1',
    ),
};

/** h1..h3 at s1, h4..h6 at s2; the trunk carries all hosts at once. */
function world(method: Method, cause: Cause, random: RandomStream): string {
  return `
name: injected
duration: 250us
fabric:
  generator: dumbbell
  left: 3
  right: 3
  hostLink: { rate: 100G, length: ${5 + random.below(30)}m }
  fabricLink: { rate: 400G, length: ${20 + random.below(200)}m }
switches: { pipeline: ${100 + random.below(400)}ns, buffer: { size: 8MB } }
seed: ${random.below(1e6)}
${method.sections}
${cause.faults}
load:
  - name: own
    incast: { from: ${cause.senders}, to: h4 }
    bytes: ${1 + random.below(3)}MB
    priority: 3
    ${method.transport.replace(', ', '\n    ')}
  - name: beside
    stream: { from: h3, to: h6 }
    rate: 20G
    frame: ${600 + random.below(800)}
    priority: 3
`;
}

function treesOf(text: string): readonly CongestionTree[] {
  const fabric = fabricOf(text);
  const { results, congestion } = repeatRun(fabric, null, null);
  return whyOf(fabric, results, congestion).trees;
}

/** What is wrong with what is named first; null: nothing. */
function wrongIn([worst]: readonly CongestionTree[], known: Known): string | null {
  if (worst === undefined) return 'nothing waits';
  const { port, reason, fault: named } = worst.root;
  const isRight =
    port === known.port && known.reasons.includes(reason ?? '') && named === known.fault;
  return isRight ? null : `${port} ${reason ?? ''} ${named ?? ''}`;
}

describe('a cause that was injected is named first', () => {
  for (const [name, method] of Object.entries(METHODS)) {
    for (const [kind, make] of Object.entries(CAUSES)) {
      if (method.not.includes(kind)) continue;
      it(`${kind} with ${name}`, () => {
        const random = new RandomStream(7, `${name} ${kind}`);
        const wrongs: string[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const cause = make(random);
          const text = world(method, cause, random);
          const wrong = wrongIn(treesOf(text), cause.known);
          if (wrong !== null) wrongs.push(`round ${round}: ${wrong}\n${text}`);
        }
        const allowed = kind === 'link-down' ? ROUNDS * AFTERMATH : 0;
        assert.ok(wrongs.length <= allowed, wrongs.join('\n'));
      });
    }
  }
});
