import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EXIT, exitCodeOf } from '../../services/cli/exit.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { summaryText } from '../../services/report/summary-text.js';
import {
  CAUSE_WORDS,
  FLOW_CAUSES,
  type CauseWord,
} from '../../services/runtime/results/flow-cause.js';
import type { RunResults, RunStatus } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { fabricOf, flowOf } from '../kit/emulate.js';

/** One scenario for each word of the list; the flow in question is called `a`. */
interface Case {
  readonly scenario: string;
  readonly at: string | null;
  readonly by: string | null;
  readonly status: RunStatus;
}

const CASES: Readonly<Record<Exclude<CauseWord, 'stalled'>, Case>> = {
  'not-due': {
    scenario: `
duration: 20us
fabric: { generator: pair }
load: [{ name: a, stream: { from: h1, to: h2 }, rate: 1M, arrivals: poisson }]
`,
    ...{ at: null, by: null, status: 'complete' },
  },
  sending: {
    scenario: `
duration: 20us
fabric: { generator: pair }
load: [{ name: a, stream: { from: h1, to: h2 }, bytes: 1MB }]
`,
    ...{ at: null, by: null, status: 'complete' },
  },
  starved: {
    scenario: `
duration: 200us
fabric: { generator: pair }
load:
  - { name: a, stream: { from: h1, to: h2 }, bytes: 8KB, transport: raw }
  - { stream: { from: h1, to: h2 }, priority: 7 }
`,
    ...{ at: 'h1:p1', by: 'priority 7 (class 7)', status: 'starved' },
  },
  paused: {
    scenario: `
duration: 900us
fabric: { generator: star, hosts: 3 }
switches: { buffer: { size: 400KB } }
priorities: { 3: pfc }
load: [{ name: a, stream: { from: h2, to: h1 }, priority: 3 }]
faults: [{ kind: storm, where: { device: h1 }, priority: 3, at: 20us }]
`,
    ...{ at: 's1:p1', by: 'h1:p1', status: 'stalled' },
  },
  'no-credit': {
    scenario: `
duration: 2ms
fabric: { generator: pair }
priorities: { 3: credit }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3 }]
faults: [{ kind: control, where: { port: "h1:p1" }, frames: ce-grant, action: lose, at: 10us }]
`,
    ...{ at: 'h1:p1', by: 'h2:p1', status: 'stalled' },
  },
  'rate-limited': {
    scenario: `
duration: 1950us
fabric: { generator: star, hosts: 3 }
priorities: { 0: { ecn: { step: 100KB } } }
dcqcn: { minRate: 10M, cutPeriod: 4us }
load: [{ name: a, stream: { from: h1, to: h2 }, congestion: dcqcn, ect: true }]
faults: [{ kind: forge, where: { device: h2 }, frames: cnp, to: h1, interval: 5us }]
`,
    ...{ at: null, by: 'dcqcn', status: 'complete' },
  },
  refused: {
    scenario: `
duration: 1ms
fabric: { generator: pair }
priorities: { 3: credit }
discovery: true
devices: { h2: { discovery: { status: disabled } } }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3 }]
`,
    ...{ at: 'h1:p1', by: 'h2:p1', status: 'stalled' },
  },
  retrying: {
    scenario: `
duration: 2ms
fabric: { generator: pair }
load:
  - name: a
    stream: { from: h1, to: h2 }
    bytes: 1MB
    transport: { reliable: { timeout: 20us, maxTimeout: 100us } }
faults: [{ kind: loss, where: { port: "h2:p1" }, probability: 100%, at: 10us }]
`,
    ...{ at: 'h2:p1', by: 'lost-on-link', status: 'stalled' },
  },
  dropped: {
    scenario: `
fabric: { generator: pair }
load: [{ name: a, stream: { from: h1, to: h2 }, bytes: 10KB, transport: raw }]
faults: [{ kind: loss, where: { port: "h2:p1" }, probability: 100%, at: 300ns, for: 100ns }]
`,
    ...{ at: 'h2:p1', by: 'lost-on-link', status: 'complete' },
  },
  unreachable: {
    scenario: `
duration: 2ms
fabric: { generator: star, hosts: 2 }
load: [{ name: a, stream: { from: h1, to: h2 } }]
faults: [{ kind: link-down, where: { port: "s1:p2" }, at: 10us }]
`,
    ...{ at: 's1', by: null, status: 'stalled' },
  },
  deadlocked: {
    scenario: 'examples/ring-deadlock.yaml',
    ...{ at: 's1:p2', by: 's2:p2', status: 'deadlocked' },
  },
};

const CODES: Readonly<Partial<Record<RunStatus, number>>> = {
  complete: EXIT.COMPLETE,
  starved: EXIT.STARVED,
  stalled: EXIT.STALLED,
  deadlocked: EXIT.STALLED,
};

const PLAIN = { good: String, bad: String, strong: String };

function finished(session: Session): RunResults {
  while (session.advance(1000) === 'running');
  return session.results(session.status);
}

function resultsOf(scenario: string, ...set: string[]): RunResults {
  return finished(new Session(fabricOf(scenario, ...set), { check: false }));
}

describe('the cause of a flow that is not finished', () => {
  it('has a scenario for every word, but for what nothing explains', () => {
    assert.deepEqual([...Object.keys(CASES), 'stalled'].sort(), [...CAUSE_WORDS].sort());
  });

  for (const [word, { scenario, at, by, status }] of Object.entries(CASES)) {
    it(`is ${word}`, async () => {
      const fabric = fabricOf(scenario, 'expect=[]');
      const results = finished(new Session(fabric, { check: false }));
      const { cause } = results.flows[0]!;
      assert.equal(cause!.word, word);
      assert.deepEqual([cause!.at, cause!.by, results.status], [at, by, status]);
      assert.equal(exitCodeOf(results, []), CODES[status]);
      const isListed = summaryText(results, [], PLAIN).includes(
        FLOW_CAUSES[word as CauseWord].title,
      );
      assert.equal(isListed, !['not-due', 'sending', 'rate-limited'].includes(word));
      const plans = planPartitions(fabric, placeInServices(fabric, 2));
      const options = { check: false, from: null };
      const threads = await new ThreadsRun(fabric, plans, options).run();
      assert.deepEqual(threads.results.flows, results.flows);
      assert.equal(threads.results.status, status);
    });
  }

  it('is none where it is finished, or was a stream to a time that has passed', () => {
    const { flows, causes } = resultsOf(`
duration: 100us
fabric: { generator: pair }
load:
  - { stream: { from: h1, to: h2 }, bytes: 10KB }
  - { stream: { from: h2, to: h1 }, end: 50us }
`);
    assert.deepEqual(
      flows.map(({ cause }) => cause),
      [null, null],
    );
    assert.deepEqual(causes, []);
  });

  it('is starved where a class has 0 %, and not where it has a share', () => {
    const scenario = (share: string): string => `
duration: 300us
fabric: { generator: star, hosts: 3 }
classes: { arbiter: { ets: { 0: ${share}, 3: ${share === '0%' ? '100%' : '70%'} } } }
load:
  - { name: a, stream: { from: h1, to: h2 }, bytes: 2MB, transport: raw, priority: 0 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 3 }
`;
    const [starved] = resultsOf(scenario('0%')).flows;
    assert.deepEqual(
      [starved!.cause!.word, starved!.cause!.by],
      ['starved', 'priority 3 (class 3)'],
    );
    const { status, flows } = resultsOf(scenario('30%'));
    assert.deepEqual([status, flows[0]!.cause?.word ?? null], ['complete', 'sending']);
  });

  it('is not starved by a class that had the port before, and has no frame there any more', () => {
    // Frames overtake each other, so that what arrives is not what is next for long.
    const { flows } = resultsOf(`
duration: 400us
fabric:
  generator: leaf-spine
  leaves: 3
  spines: 3
  hostsPerLeaf: 4
  hostLink: { rate: 25G, length: 5m }
  fabricLink: { rate: 40G, length: 70m }
switches: { ecmp: packet }
priorities: { 3: pfc }
load:
  - name: a
    incast: { from: h2..h9, to: h1 }
    bytes: 400KB
    priority: 3
    transport: { reliable: { timeout: 200us } }
  - { name: b, stream: { from: h12, to: h1 }, bytes: 600KB, priority: 7, transport: raw }
`);
    const words = new Set(flows.map(({ cause }) => cause?.word ?? null));
    assert.deepEqual(words, new Set(['sending', null]));
  });

  it('is starved at the port where its class waits, not at those that this pauses', () => {
    const { status, flows } = resultsOf(`
duration: 500us
fabric: { generator: star, hosts: 4 }
switches: { buffer: { size: 400KB } }
priorities: { 3: pfc, 7: none }
load:
  - { name: a, stream: { from: h2, to: h1 }, priority: 3 }
  - { name: b, stream: { from: [h3, h4], to: h1 }, priority: 7 }
`);
    assert.equal(status, 'starved');
    assert.deepEqual(flows[0]!.cause, {
      ...{ word: 'starved', standsStill: true, at: 's1:p1', by: 'priority 7 (class 7)' },
    });
  });

  it('is sending where a slowed link takes longer over a frame than its path explains', () => {
    for (const flowControl of ['none', 'pfc', 'credit', 'cbfc']) {
      const session = new Session(
        fabricOf(`
duration: 1ms
fabric: { generator: dumbbell, left: 2, right: 2 }
priorities: { 3: ${flowControl} }
load:
  - { name: a, stream: { from: h1, to: h3 }, bytes: 200KB, priority: 3 }
  - { stream: { from: h2, to: h4 }, rate: 20G, priority: 3 }
faults: [{ kind: slow-link, where: { port: 's1:p3' }, rate: 10M, at: 20us, for: 400us }]
`),
        { check: true },
      );
      while (session.advance(1000) === 'running');
      const { status, causes } = session.results('complete');
      assert.equal(status, 'complete', flowControl);
      assert.ok(causes.every(({ cause }) => cause !== 'stalled'));
    }
  });

  it('lets a scenario expect starved flows, and no dead ones', () => {
    const expect = 'expect=[{ metric: starved-flows, min: 1 }]';
    for (const [word, code] of [
      ['starved', EXIT.COMPLETE],
      ['unreachable', EXIT.STALLED],
    ] as const) {
      const fabric = fabricOf(CASES[word].scenario, expect);
      const results = finished(new Session(fabric, { check: false }));
      const expectations = evaluateExpectations(fabric.scenario.expect, results);
      assert.equal(exitCodeOf(results, expectations), code);
    }
  });

  it('is graver than starvation where another flow stands still', () => {
    const { status, causes } = resultsOf(`
duration: 2ms
fabric: { generator: star, hosts: 3 }
load:
  - { stream: { from: h1, to: h2 }, bytes: 8KB, transport: raw }
  - { stream: { from: h1, to: h2 }, priority: 7 }
  - { stream: { from: h2, to: h3 } }
faults: [{ kind: link-down, where: { port: "h3:p1" }, at: 10us }]
`);
    assert.equal(status, 'stalled');
    assert.deepEqual(causes, [
      { cause: 'sending', flows: 1 },
      { cause: 'starved', flows: 1 },
      { cause: 'unreachable', flows: 1 },
    ]);
  });
});

/** Negative controls: standstills without a reason, planted into a sound fabric. */
describe('a priority that moves nothing', () => {
  const CREDIT = `
duration: 3ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
priorities: { 3: credit }
credit: { fallback: pfc }
devices: { h1: { priorities: { 3: pfc } } }
discovery: { second: 1us }
load: [{ name: a, stream: { from: h1, to: h2 }, rate: line, priority: 3, start: 50us }]
`;

  it('is complete where nothing is planted', () => {
    assert.equal(resultsOf(CREDIT).status, 'complete');
  });

  it('is stalled where a link partner never grants credit, whatever is stored before the port', () => {
    const fabric = fabricOf(CREDIT);
    const session = new Session(fabric, { check: false });
    const credit = mechanismOf(session.engine);
    const h2 = session.engine.devices.find((device) => device.spec.name === 'h2')!;
    const compose = credit.compose.bind(credit);
    credit.compose = (port, txEnd, octets) =>
      port === h2.firstPort ? 0 : compose(port, txEnd, octets);
    const results = finished(session);
    assert.equal(results.status, 'stalled');
    const { cause } = flowOf(results, 'a/h1->h2');
    assert.deepEqual(cause, {
      ...{ word: 'no-credit', standsStill: true, at: 's1:p2', by: 'h2:p1' },
    });
  });

  it('is stalled where an arbiter passes over a class that it should serve', () => {
    const session = new Session(
      fabricOf(`
duration: 500us
fabric: { generator: pair }
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 1, transport: raw }
  - { name: b, stream: { from: h1, to: h2 }, priority: 0, transport: raw }
`),
      { check: false },
    );
    const h1 = session.engine.devices.find((device) => device.spec.name === 'h1')!;
    const [arbiter] = h1.arbiters;
    const pick = arbiter!.pick.bind(arbiter);
    arbiter!.pick = (eligible, heads, port) => pick(eligible & ~2 || eligible, heads, port);
    const results = finished(session);
    assert.equal(results.status, 'stalled');
    assert.deepEqual(flowOf(results, 'a/h1->h2').cause, {
      ...{ word: 'stalled', standsStill: true, at: null, by: null },
    });
  });
});
