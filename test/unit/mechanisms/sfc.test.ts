import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as invariants from '../../../services/mechanisms/sfc/invariants.js';
import {
  congestionProbability,
  drainOctetPs,
  intervalIsOver,
  pauseTimeNs,
  sampleDrain,
  sampleGrowth,
} from '../../../services/mechanisms/sfc/machine.js';
import type { SfcPoint } from '../../../services/mechanisms/sfc/point.js';
import { sfcPointOf } from '../../../services/mechanisms/sfc/results.js';
import type { Engine } from '../../../services/engine/device/engine.js';
import {
  blankEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  envelopeOctets,
} from '../../../services/engine/wire/congestion-message.js';
import { blankSfcm, decodeSfcm, encodeSfcm } from '../../../services/engine/wire/sfcm.js';
import type { RunResults } from '../../../services/runtime/results/results.js';
import { Session } from '../../../services/runtime/session.js';
import { fabricOf, runScenario } from '../../kit/emulate.js';
import { Tamperer } from '../../kit/tamperer.js';

const view = (octets: number, growth = 0, freeOctets = 1e6) => ({ octets, growth, freeOctets });

describe('detectors of congestion', () => {
  it('look at the length of the queue', () => {
    const detector = { kind: 'threshold', octets: 1000 } as const;
    assert.deepEqual(
      [999, 1000, 5000].map((octets) => congestionProbability(detector, view(octets))),
      [0, 1, 1],
    );
  });

  it('look at the memory that is free', () => {
    const detector = { kind: 'dynamic', alpha: 0.5 } as const;
    assert.equal(congestionProbability(detector, view(400, 0, 1000)), 0);
    assert.equal(congestionProbability(detector, view(400, 0, 800)), 1);
  });

  it('draw along a line', () => {
    const detector = { kind: 'marking', minOctets: 100, maxOctets: 300, probability: 0.2 } as const;
    assert.deepEqual(
      [100, 200, 299, 300].map((octets) => congestionProbability(detector, view(octets))),
      [0, 0.1, 0.199, 1],
    );
  });

  it('look ahead', () => {
    const detector = { kind: 'predicted', octets: 1000, horizonPs: 100 } as const;
    assert.equal(congestionProbability(detector, view(500, 4)), 0);
    assert.equal(congestionProbability(detector, view(500, 5)), 1);
  });
});

describe('the pause that is requested', () => {
  const auto = { pauseNs: null, pauseMinNs: 100, pauseMaxNs: 9_000 };

  it('is what the surplus takes to drain, with what comes in the loop', () => {
    assert.equal(pauseTimeNs(auto, view(60_000), 10_000, 5_000_000, 80), 4_000);
    assert.equal(pauseTimeNs(auto, view(60_000, 0.005), 10_000, 5_000_000, 80), 6_000);
  });

  it('stays within its bounds', () => {
    assert.equal(pauseTimeNs(auto, view(10_100), 10_000, 0, 80), 100);
    assert.equal(pauseTimeNs(auto, view(1_000_000), 10_000, 0, 80), 9_000);
    assert.equal(pauseTimeNs(auto, view(60_000), 10_000, 0, Infinity), 9_000);
  });

  it('is what was configured, if anything was', () => {
    assert.equal(pauseTimeNs({ ...auto, pauseNs: 20_000 }, view(1), 10, 0, 80), 20_000);
  });

  it('knows growth from frames a quarter of a microsecond apart, and forgets it over a pause', () => {
    const sample = { octets: 0, atPs: 0, growth: 0 };
    sampleGrowth(sample, 500, 200_000);
    assert.equal(sample.growth, 0);
    sampleGrowth(sample, 2_500, 250_000);
    assert.equal(sample.growth, 0.01);
    sampleGrowth(sample, 9_000, 5_000_000);
    assert.equal(sample.growth, 0.01);
    sampleGrowth(sample, 8_000, 5_500_000);
    assert.equal(sample.growth, 0);
  });

  /** Frames of 1,500 octets join a queue once in `everyPs`, out of which a part of the line goes. */
  function measured(part: number, everyPs: number, frames: number, least = 0): number {
    const sample = {
      fromPs: 0,
      fromOctets: 0,
      joinedOctets: 0,
      lastPs: -1,
      lastOctets: 0,
      octetPs: 0,
    };
    for (let n = 0; n < frames; n++) {
      const now = n * everyPs;
      const octets = 200_000 + 1500 * n - (now * part) / 80;
      sampleDrain(sample, { now, octets, frameOctets: 1500 }, 80, least);
    }
    return drainOctetPs(sample, 80);
  }

  it('knows how fast a queue drains by what joins it and how long it is', () => {
    for (const part of [1, 0.5, 0.2, 0.02]) {
      const octetPs = measured(part, 60_000, 200);
      assert.ok(Math.abs(octetPs - 80 / part) < 1e-6, `${octetPs} at ${part} of the line`);
    }
    assert.equal(measured(0, 60_000, 200), Infinity);
  });

  it('takes a queue to drain at line rate until it has measured, or after it was short', () => {
    assert.equal(measured(0.2, 60_000, 20), 80);
    assert.equal(measured(0.2, 60_000, 200, 1e6), 80);
  });

  it('is sent to one source again only when the interval is over', () => {
    assert.equal(intervalIsOver(100, 199, 100), false);
    assert.equal(intervalIsOver(100, 200, 100), true);
    assert.equal(intervalIsOver(-Infinity, 0, 1e9), true);
  });
});

const INCAST = `
duration: 200us
fabric: { generator: star, hosts: 5 }
switches: { buffer: { size: 8MB } }
priorities: { 3: { sfc: true } }
load:
  - { name: s, stream: { from: h2..h5, to: h1 }, rate: line, frame: 1518, priority: 3 }
`;

function bridgeOf(results: RunResults): RunResults['sfc'][number] {
  return results.sfc.find(({ role }) => role === 'bridge')!;
}

function pointsOf(engine: Engine): SfcPoint[] {
  return engine.devices.flatMap(({ place }) => sfcPointOf(engine, place) ?? []);
}

describe('a switch that pauses sources', () => {
  const settings = [
    'detect: 50KB',
    'detect: { dynamic: 0.01 }',
    'detect: { min: 20KB, max: 90KB, probability: 50% }',
    'detect: { predicted: 90KB, horizon: 2us }',
    'detect: 50KB, resume: true',
    'detect: 50KB, pause: 30us, minInterval: 1us',
    'detect: 50KB, sources: 2',
    'detect: 50KB, sourceLife: 2us',
    'detect: 50KB, processing: 900ns',
    'detect: 50KB, queueInterval: 3us',
    'detect: 50KB, scope: flow',
    'detect: 50KB, encapsulation: ipv6, quote: 200',
  ];
  for (const setting of settings) {
    it(`keeps the queue short and its books in order (${setting})`, () => {
      const fabric = fabricOf(`${INCAST}sfc: { target: 10KB, ${setting} }\n`);
      const session = new Session(fabric, { check: true });
      while (session.advance(1000) === 'running');
      const results = session.results('complete');
      assert.equal(results.status, 'complete');
      assert.ok(bridgeOf(results).counters['sfcSfcmsTransmitted']! >= 4);
      // Without it, 200 us of four senders would leave 7.5 MB there.
      assert.ok(results.buffers[0]!.peakPoolOctets < 1_500_000);
      for (const point of pointsOf(session.engine)) {
        assert.ok(invariants.everyMessageIsAccountedFor(point));
        assert.ok(invariants.everyDetectionIsAnswered(point));
        assert.ok(invariants.tableKeepsItsBound(point));
      }
    });
  }

  it('shows pauses of single flows as it shows those of a priority', () => {
    // One flow a host, so both scopes do the same.
    const stationsOf = (scope: string): RunResults['sfc'] =>
      runScenario(`${INCAST}sfc: { detect: 50KB, target: 10KB, scope: ${scope} }\n`).sfc.filter(
        ({ role }) => role === 'station',
      );
    const [flows, priorities] = [stationsOf('flow'), stationsOf('priority')];
    assert.equal(flows.length, 4);
    flows.forEach(({ pauses, pausedPs }, i) => {
      assert.ok(pauses > 1);
      // Of ports that are due together another one may go first.
      assert.ok(Math.abs(pauses - priorities[i]!.pauses) <= 1, String(pauses));
      assert.ok(Math.abs(pausedPs / priorities[i]!.pausedPs - 1) < 0.06, String(pausedPs));
    });
  });

  it('gives up the source unseen longest when its table is full', () => {
    const { sourcesPeak, counters } = bridgeOf(
      runScenario(`${INCAST}sfc: { detect: 50KB, sources: 2 }\n`),
    );
    assert.equal(sourcesPeak, 2);
    assert.ok(counters['sfcSourcesReplaced']! > 0);
  });

  const tables = [
    { name: 'one entry', setting: 'sources: 1', entries: 1 },
    { name: 'two entries', setting: 'sources: 2', entries: 2 },
    { name: 'sources that age within the interval', setting: 'sourceLife: 2us', entries: 4 },
  ];
  for (const { name, setting, entries } of tables) {
    it(`keeps sfcmMinInterval with a table of ${name}`, () => {
      const { counters } = bridgeOf(runScenario(`${INCAST}sfc: { detect: 50KB, ${setting} }\n`));
      // 200 us have room for 20 intervals of 10 us, and one more message.
      assert.ok(counters['sfcSfcmsTransmitted']! <= 21 * entries);
      assert.ok(counters['sfcSfcmsTransmitted']! >= 15);
      if (entries < 4) assert.ok(counters['sfcSourcesRefused']! > 0);
    });
  }

  it('sends one message a queueInterval at most, to whichever sources', () => {
    const { counters } = bridgeOf(
      runScenario(`${INCAST}sfc: { detect: 50KB, minInterval: 1us, queueInterval: 5us }\n`),
    );
    // 200 us have room for 40 intervals of 5 us, and one more message.
    assert.ok(counters['sfcSfcmsTransmitted']! <= 41);
    assert.ok(counters['sfcSfcmsTransmitted']! >= 15);
    assert.ok(counters['sfcSfcmsLimited']! > 100);
    const without = bridgeOf(runScenario(`${INCAST}sfc: { detect: 50KB, minInterval: 1us }\n`));
    assert.ok(without.counters['sfcSfcmsTransmitted']! > 60);
    assert.equal(without.counters['sfcSfcmsLimited'], 0);
  });

  // s1 sends by one link to s2, which is paused by a slow receiver behind it.
  const BEHIND_PAUSE = `
duration: 60us
fabric: { generator: dumbbell, left: 1, right: 1, fabricLink: { rate: 100G, length: 5m } }
switches: { buffer: { size: 8MB } }
priorities: { 3: { flowControl: pfc, xoff: 30KB, sfc: true } }
devices: { s2: { sfc: { send: false } } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 3 }
faults: [{ kind: slow-receiver, where: { device: h2 }, at: 1us, rate: 1G }]
`;
  const ofS1 = (setting: string): Readonly<Record<string, number>> => {
    const results = runScenario(
      `${BEHIND_PAUSE}sfc: { detect: 10KB, target: 5KB, pauseMax: 40us, ${setting} }\n`,
    );
    return results.sfc.find(({ device }) => device === 's1')?.counters ?? {};
  };

  it('sends nothing for a queue that is paused itself', () => {
    assert.equal(ofS1('whilePaused: silent')['sfcSfcmsTransmitted'] ?? 0, 0);
  });

  it('sends the longest pause for a queue that is paused itself, if it is set to', () => {
    assert.ok(ofS1('whilePaused: longest')['sfcSfcmsTransmitted']! > 0);
    const { sfc } = runScenario(
      `${BEHIND_PAUSE}sfc: { detect: 10KB, target: 5KB, pauseMax: 40us, whilePaused: longest }\n`,
    );
    const { pauses, pausedPs } = sfc.find(({ device }) => device === 'h1')!;
    assert.ok(pausedPs / pauses > 20e6, `${pausedPs} ps in ${pauses} pauses`);
  });

  it('forgets sources that are not seen any more', () => {
    const results = runScenario(
      `${INCAST.replace('duration: 200us', 'duration: 3ms').replace('priority: 3 }', 'priority: 3, end: 50us }')}sfc: { detect: 50KB }\n`,
    );
    assert.equal(bridgeOf(results).counters['sfcSourcesAged'], 4);
  });

  it('resumes sources, if it is configured to', () => {
    const results = runScenario(
      `${INCAST}sfc: { detect: 50KB, target: 20KB, pause: 90us, resume: true }\n`,
    );
    const { counters } = bridgeOf(results);
    assert.ok(counters['sfcResumesTransmitted']! > 0);
    assert.ok(results.priorities[0]!.goodputBps > 80e9);
  });

  it('pauses flows to the congested place only, where stations can', () => {
    const load = `
  - { name: s, stream: { from: h2..h4, to: h1 }, rate: line, frame: 1518, priority: 3 }
  - { name: other, stream: { from: h2, to: h5 }, rate: 20G, frame: 1518, priority: 3 }
`;
    const text = INCAST.replace(/load:[^]*/, `load:${load}`);
    const worstPs = (scope: string): number =>
      runScenario(`${text}sfc: { detect: 50KB, scope: ${scope} }\n`).flows[3]!.latencyMaxPs!;
    assert.ok(worstPs('flow') < 2e6, String(worstPs('flow')));
    assert.ok(worstPs('priority') > 10e6, String(worstPs('priority')));
  });

  it('crosses bridges that add and remove tags', () => {
    const results = runScenario(`
duration: 200us
fabric: { generator: star, hosts: 4 }
switches: { forwarding: bridged, buffer: { size: 8MB } }
devices:
  s1: { ports: { 1: { native: 1, tagged: [10] }, 2: { native: 10 }, 3: { native: 10 }, 4: { native: 1, tagged: [10] } } }
priorities: { 3: { sfc: true } }
sfc: { detect: 50KB, encapsulation: ethernet }
load:
  - { name: u, stream: { from: [h2, h3], to: h1 }, rate: line, frame: 1518, priority: 3 }
  - { name: t, stream: { from: h4, to: h1 }, rate: line, frame: 1518, priority: 3, vlan: { inner: 10 } }
  - { name: hello, stream: { from: h1, to: [h2, h3] }, rate: 1M, frame: 64, bytes: 18, vlan: { inner: 10 } }
`);
    const stations = results.sfc.filter(({ role }) => role === 'station');
    assert.equal(stations.length, 3);
    for (const { counters } of stations) {
      assert.ok(counters['sfcSfcmsExecuted']! > 3);
      assert.equal(counters['sfcSfcmsMalformed']! + counters['sfcSfcmsForged']!, 0);
    }
  });
});

function tampered(settings: string, change: (octets: Uint8Array) => void): RunResults {
  const session = new Session(fabricOf(`${INCAST_OVER_TWO}${settings}`), { check: false });
  session.engine.listen(new Tamperer(session.engine, change));
  while (session.advance(1000) === 'running');
  return session.results('complete');
}

const INCAST_OVER_TWO = `
duration: 60us
fabric: { generator: dumbbell, left: 3, right: 1, fabricLink: { rate: 400G, length: 5m } }
switches: { buffer: { size: 8MB } }
priorities: { 3: { flowControl: pfc, sfc: true } }
load:
  - { name: s, stream: { from: h1..h3, to: h4 }, rate: line, frame: 1518, priority: 3 }
`;

/** The whole message again, with another source in its PDU. */
function forge(octets: Uint8Array): void {
  const envelope = blankEnvelope();
  const pdu = blankSfcm();
  assert.equal(decodeEnvelope(octets, 0, envelope), 'ok');
  assert.equal(decodeSfcm(octets, envelope.pduAt, envelope.pduEnd, pdu), 'ok');
  pdu.source = 0x02000000_1234;
  const at = envelopeOctets(envelope);
  encodeEnvelope(octets, 0, envelope, encodeSfcm(octets, at, pdu) - at);
}

describe('a message that is not what it should be', () => {
  const counted = (results: RunResults, name: string): number =>
    results.sfc.reduce((sum, { counters }) => sum + counters[name]!, 0);
  const roles: readonly (readonly [string, string])[] = [
    ['an end station', 'sfc: { detect: 30KB }\n'],
    ['an edge that acts for its stations', 'sfc: { detect: 30KB, receive: false }\n'],
  ];
  for (const [station, settings] of roles) {
    it(`is discarded by ${station} when it is for another station`, () => {
      const results = tampered(settings, forge);
      assert.ok(counted(results, 'sfcSfcmsForged') > 2);
      assert.equal(counted(results, 'sfcSfcmsExecuted') + counted(results, 'sfcPfcInvoked'), 0);
    });

    it(`is dropped and counted by ${station} when it is malformed`, () => {
      const results = tampered(settings, (octets) => {
        const envelope = blankEnvelope();
        if (decodeEnvelope(octets, 0, envelope) === 'ok') octets[envelope.pduAt + 3] = 0;
      });
      assert.ok(counted(results, 'sfcSfcmsMalformed') > 2);
      assert.equal(counted(results, 'sfcSfcmsExecuted') + counted(results, 'sfcPfcInvoked'), 0);
    });

    it(`is ignored by ${station} when its type is of a later version`, () => {
      const results = tampered(settings, (octets) => {
        const envelope = blankEnvelope();
        if (decodeEnvelope(octets, 0, envelope) === 'ok') octets[envelope.pduAt + 1] = 0x1e;
      });
      assert.ok(counted(results, 'sfcSfcmsIgnored') > 2);
      assert.equal(counted(results, 'sfcSfcmsExecuted') + counted(results, 'sfcPfcInvoked'), 0);
    });
  }
});
