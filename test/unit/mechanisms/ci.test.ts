import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blockedAlong,
  flowKey,
  FOUND_HERE,
  isOutlived,
  mayTransmitCim,
  FROM_CIM,
} from '../../../services/mechanisms/ci/machine.js';
import type { CiPoint } from '../../../services/mechanisms/ci/point.js';
import { ciOf, ciPointOf } from '../../../services/mechanisms/ci/results.js';
import type { Engine } from '../../../services/engine/device/engine.js';
import { blankCim, encodeCim } from '../../../services/engine/wire/cim.js';
import {
  blankEnvelope,
  encodeEnvelope,
  envelopeOctets,
} from '../../../services/engine/wire/congestion-message.js';
import type { RunResults } from '../../../services/runtime/results/results.js';
import { Session } from '../../../services/runtime/session.js';
import { fabricOf, flowOf } from '../../kit/emulate.js';
import { OrderWatch } from '../../kit/order-watch.js';

describe('the rules of congestion isolation', () => {
  it('give every flow a key of its own', () => {
    const keys = [0, 1, 65_535].flatMap((source) =>
      [0, 1, 65_535].flatMap((target) =>
        [0, 1, 0x3fff].map((port) => flowKey(source, target, 0xc000 | port)),
      ),
    );
    assert.equal(new Set(keys).size, 27);
    assert.ok(keys.every(Number.isSafeInteger));
  });

  it('send so many messages for a flow, and no more', () => {
    assert.deepEqual(
      [0, 2, 3].map((count) => mayTransmitCim(count, 3)),
      [true, true, false],
    );
  });

  it('block the congesting queue with any monitored priority, but for a peer', () => {
    const classOf = [0, 1, 2, 2, 4, 5, 6, 7];
    const spec = (isPeer: boolean): Parameters<typeof blockedAlong>[1] =>
      ({ monitorQueues: 1 << 2, priority: 1, ports: [{ isPeer }] }) as never;
    assert.deepEqual(blockedAlong(classOf, spec(false), 0), [0b1100, 0b10]);
    assert.deepEqual(blockedAlong(classOf, spec(true), 0), [0, 0]);
  });

  it('give a flow up when it is not seen, or long after congestion', () => {
    const entry = { mask: FOUND_HERE, seenPs: 100, uncongestedPs: 0 };
    assert.equal(isOutlived(entry, 199, 100, 50), false);
    assert.equal(isOutlived(entry, 200, 100, 50), true);
    assert.equal(isOutlived({ ...entry, mask: FROM_CIM }, 150, 100, 50), true);
    const congested = { mask: FROM_CIM, seenPs: 100, uncongestedPs: Infinity };
    assert.equal(isOutlived(congested, 150, 100, 50), false);
  });
});

const FABRIC = `
duration: 300us
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, hostLink: { rate: 100G, length: 10m }, fabricLink: { rate: 400G, length: 50m } }
switches: { buffer: { size: 4MB } }
`;
const CONGESTION = `
load:
  - { name: c, stream: { from: [h1, h2, h3], to: h5 }, rate: line, frame: 1518, priority: 3 }
  - { name: victim, stream: { from: h4, to: h6 }, rate: line, frame: 1518, priority: 3 }
`;
const ON_PFC = `
priorities:
  2: { flowControl: pfc, responseDelay: 200ns, xoff: 100KB }
  3: { flowControl: pfc, responseDelay: 200ns, xoff: 250KB, ci: true }
  5: { flowControl: pfc, responseDelay: 200ns, xoff: 100KB }
`;

interface Outcome {
  readonly results: RunResults;
  readonly watch: OrderWatch;
  readonly points: readonly CiPoint[];
}

/** To the end, with books checked, and the order of every flow's frames. */
function emulate(text: string, damage?: (engine: Engine) => void): Outcome {
  const session = new Session(fabricOf(text), { check: true });
  damage?.(session.engine);
  const watch = new OrderWatch(session.engine);
  session.engine.listen(watch);
  while (session.advance(1000) === 'running');
  return { results: session.results('complete'), watch, points: pointsOf(session.engine) };
}

function pointsOf(engine: Engine): CiPoint[] {
  return engine.devices.flatMap(({ place }) => ciPointOf(engine, place) ?? []);
}

const isolationOf = ({ results }: Outcome, device: string): RunResults['isolations'][number] =>
  results.isolations.find((row) => row.device === device)!;

describe('congestion isolation', () => {
  const settings = [
    'detect: 40KB, low: 10KB',
    'detect: 20KB, low: 0',
    'detect: 40KB, low: 39KB',
    'detect: 40KB, messages: 1',
    'detect: 40KB, streams: 1',
    'detect: 40KB, idle: 3us',
    'detect: 40KB, encapsulation: ipv4',
    'detect: 40KB, encapsulation: ipv6, quote: 100',
    // The congesting queue would be served first.
    'priority: 5, detect: 40KB, low: 10KB',
    'priority: 5, detect: 20KB, low: 19KB, idle: 3us',
  ];
  const bursts = `
load:
  - { name: c, stream: { from: [h1, h2, h3], to: h5 }, arrivals: on-off, on: 9us, off: 14us, rate: 95G, frame: 1000, priority: 3 }
  - { name: victim, stream: { from: h4, to: h6 }, rate: 60G, frame: 700, priority: 3 }
`;
  // Only the hold keeps order where both queues take turns, or the congesting one is served first.
  const cases = ['strict', 'round-robin'].flatMap((arbiter) =>
    settings.flatMap((setting) => [
      { arbiter, setting, what: 'steady', load: CONGESTION },
      { arbiter, setting, what: 'in bursts', load: bursts },
    ]),
  );
  const scenarioOf = ({ arbiter, setting, load }: (typeof cases)[number]): string =>
    `${FABRIC}classes: { arbiter: ${arbiter} }\n${ON_PFC}ci: { ${setting} }\n${load}`;

  for (const own of cases) {
    const name = `${own.what}; ${own.arbiter}; ${own.setting}`;
    it(`never breaks the order within a flow, nor loses a frame (${name})`, () => {
      const outcome = emulate(scenarioOf(own));
      assert.equal(outcome.results.status, 'complete');
      assert.ok(outcome.watch.frames > 1000);
      assert.equal(outcome.watch.overtaken, 0);
      assert.ok(isolationOf(outcome, 'leaf2').counters['ciFramesIsolated']! > 0);
      for (const point of outcome.points) {
        assert.equal(point.broken(), null);
      }
    });
  }

  it('would break it where queues take turns, were the congesting one not blocked', () => {
    for (const own of cases.filter(({ arbiter }) => arbiter === 'round-robin')) {
      const outcome = emulate(scenarioOf(own), (engine) => {
        ciOf(engine).holdCongesting = () => undefined;
      });
      assert.ok(outcome.watch.overtaken > 0, own.setting);
      assert.match(
        outcome.results.failure!.reason,
        /overtaken by a later one of its flow|holdsKeepOrder/,
      );
    }
  });

  it('leaves a victim in its queue, undelayed, where PFC alone stops it', () => {
    const latency = (ci: boolean): number => {
      const text = `${FABRIC}${ON_PFC.replace('ci: true', `ci: ${ci}`)}ci: { detect: 40KB, low: 10KB }\n${CONGESTION}`;
      const { results } = emulate(text);
      return flowOf(results, 'h4->h6').latencyMaxPs!;
    };
    const alone = emulate(
      `${FABRIC}${ON_PFC}load:\n  - { name: victim, stream: { from: h4, to: h6 }, rate: line, frame: 1518, priority: 3 }\n`,
    );
    const idlePs = flowOf(alone.results, 'h4->h6').latencyMaxPs!;
    // A few frames share the uplink with it, at four times its rate.
    assert.ok(latency(true) - idlePs < 600_000, `${latency(true)} against ${idlePs}`);
    assert.ok(latency(false) - idlePs > 20e6);
  });

  it('stops only the queue of the guilty by PFC', () => {
    const { results } = emulate(`${FABRIC}${ON_PFC}ci: { detect: 40KB, low: 10KB }\n${CONGESTION}`);
    const blockedAt = (port: string, priority: number): number =>
      results.ports
        .find((row) => row.port === port)!
        .priorities.filter((row) => row.priority === priority)
        .reduce((sum, { blockedPs }) => sum + blockedPs, 0);
    for (const port of ['spine1:p2', 'leaf1:p5']) {
      assert.ok(blockedAt(port, 2) > 100e6, port);
      assert.equal(blockedAt(port, 3), 0, port);
    }
    assert.equal(blockedAt('h4:p1', 3), 0);
    assert.ok(blockedAt('h1:p1', 3) > 100e6);
  });

  it('goes hop by hop upstream, and no farther than to the last switch', () => {
    const outcome = emulate(`${FABRIC}${ON_PFC}ci: { detect: 40KB, low: 10KB }\n${CONGESTION}`);
    const of = (device: string): Readonly<Record<string, number>> =>
      isolationOf(outcome, device).counters;
    assert.deepEqual([of('leaf2')['ciFlowsFound'], of('leaf2')['ciFlowsByCim']], [3, 0]);
    assert.deepEqual([of('spine1')['ciFlowsFound'], of('spine1')['ciFlowsByCim']], [0, 3]);
    assert.deepEqual([of('leaf1')['ciFlowsFound'], of('leaf1')['ciFlowsByCim']], [0, 3]);
    // Three messages for each of three flows, and none to hosts.
    assert.equal(of('leaf2')['ciCimAddsTransmitted'], 9);
    assert.equal(of('leaf1')['ciCimAddsTransmitted'], 0);
  });

  it('ends when congestion does, everywhere', () => {
    const load = CONGESTION.replace('priority: 3 }', 'priority: 3, end: 60us }');
    const outcome = emulate(`${FABRIC}${ON_PFC}ci: { detect: 40KB, low: 10KB }\n${load}`);
    for (const device of ['leaf2', 'spine1', 'leaf1']) {
      assert.equal(isolationOf(outcome, device).flows, 0, device);
    }
    const { counters } = isolationOf(outcome, 'leaf2');
    assert.ok(counters['ciCimDelsTransmitted']! >= 3);
  });

  it('leaves flows where they are when its table is full, and counts them', () => {
    const outcome = emulate(
      `${FABRIC}${ON_PFC}ci: { detect: 40KB, low: 10KB, streams: 1 }\n${CONGESTION}`,
    );
    const row = isolationOf(outcome, 'leaf2');
    assert.equal(row.flowsPeak, 1);
    assert.ok(row.counters['ciTableFull']! > 0);
  });

  it('sends nothing to link partners that do not isolate', () => {
    const outcome = emulate(
      `${FABRIC}${ON_PFC}ci: { detect: 40KB, low: 10KB }\ndevices: { spine1: { ci: { enable: false } } }\n${CONGESTION}`,
    );
    assert.equal(outcome.watch.overtaken, 0);
    assert.equal(isolationOf(outcome, 'leaf2').counters['ciCimAddsTransmitted'], 0);
    assert.equal(
      outcome.results.isolations.find(({ device }) => device === 'spine1'),
      undefined,
    );
  });

  it('works without flow control: the guilty lose their own frames', () => {
    const lossy = 'priorities: { 3: { ci: true } }\n';
    const outcome = emulate(
      `${FABRIC.replace('4MB', '1MB')}${lossy}ci: { detect: 40KB, low: 10KB }\n${CONGESTION}`,
    );
    assert.equal(outcome.watch.overtaken, 0);
    assert.ok(flowOf(outcome.results, 'h4->h6').goodputBps > 94e9);
  });

  it('keeps frames of a reliable transport in order', () => {
    const text = `${FABRIC.replace('duration: 300us', '')}${ON_PFC}ci: { detect: 30KB, low: 5KB }
load:
  - { name: burst, incast: { from: h1..h7, to: h8 }, bytes: 300KB, priority: 3, transport: reliable }
`;
    const { results, points } = emulate(text);
    assert.equal(
      results.flows.every(({ completionPs }) => completionPs !== null),
      true,
    );
    assert.equal(
      results.flows.reduce((sum, { retransmittedFrames }) => sum + retransmittedFrames, 0),
      0,
    );
    assert.ok(points.some(({ counters }) => counters.ciFramesIsolated > 0));
  });
});

describe('a CIM', () => {
  const session = new Session(fabricOf(`${FABRIC}${ON_PFC}${CONGESTION}`), { check: false });
  const { engine } = session;
  const leaf1 = engine.devices.find(({ spec }) => spec.name === 'leaf1')!;
  const point = ciPointOf(engine, leaf1.place)!;

  function message(source: number, destination: number, msduOctets: number): Uint8Array {
    const octets = new Uint8Array(300);
    const envelope = blankEnvelope();
    const pdu = { ...blankCim(), source, destination, msduOctets };
    pdu.msdu.set([0x08, 0x00]);
    const at = envelopeOctets(envelope);
    return octets.slice(0, encodeEnvelope(octets, 0, envelope, encodeCim(octets, at, pdu) - at));
  }
  const [h1, h5] = [0x02_00_00_00_00_01, 0x02_00_00_00_00_05];
  const uplink = leaf1.firstPort + 4;

  it('that is malformed is dropped and counted', () => {
    point.processCim(uplink, message(h1, h5, 48).subarray(0, 40));
    point.processCim(uplink, message(h1, h5, 10));
    assert.equal(point.counters.ciCimsMalformed, 2);
  });

  it('of a flow that cannot be here, or from a host, is refused and counted', () => {
    point.processCim(uplink, message(0x1234, h5, 48));
    point.processCim(leaf1.firstPort, message(h1, h5, 48));
    assert.equal(point.counters.ciCimsRefused, 2);
    assert.equal(point.table.ages.count, 0);
  });

  it('isolates its flow at the egress that it came in by', () => {
    point.processCim(uplink, message(h1, h5, 48));
    assert.equal(point.table.ages.count, 1);
    assert.equal(point.counters.ciFlowsByCim, 1);
  });
});
