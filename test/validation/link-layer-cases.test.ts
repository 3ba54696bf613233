/**
 * Cases of public test plans for the Ultra Ethernet link layer, under their numbers: a tester at
 * either side of a switch, h1 and h2, whose messages faults withhold.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

const HEADERS = 46;
const MTU = 9216;

interface Case {
  readonly llr?: string;
  readonly frame?: number;
  readonly frames?: number;
  readonly faults?: string;
  readonly length?: string;
}

function retry({ llr = '', frame = 64, frames = 1000, faults = '', length = '5m' }: Case): string {
  return `
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: ${length} } }
duration: 5ms
llr: { enabled: true${llr} }
load:
  - { name: a, stream: { from: h1, to: h2 }, frame: ${frame}, bytes: ${frames * (frame - HEADERS)},
      rate: line, start: 10us }
faults: [${faults}]`;
}

/** Another hundred frames at 4 ms. */
function twoLoads(text: string, frame = 64): string {
  const b =
    `  - { name: b, stream: { from: h1, to: h2 }, frame: ${frame}, ` +
    `bytes: ${100 * (frame - HEADERS)}, rate: line, start: 4ms }`;
  return text.replace('faults:', `${b}\nfaults:`);
}

/** `s1:p1 RX_OK` and the like. */
function counter(results: RunResults, name: string): number {
  const [port, short] = name.split(' ') as [string, string];
  const counters: Readonly<Record<string, number>> = results.llr.find(
    (row) => row.port === port,
  )!.counters;
  return counters[`LLR_${short}`]!;
}

function counts(results: RunResults, expected: Readonly<Record<string, number>>): void {
  const actual = Object.keys(expected).map((name) => [name, counter(results, name)] as const);
  assert.deepEqual(Object.fromEntries(actual), expected);
}

/** What arrives at a port around the 901st frame of so many octets is bad, or lost. */
function hit(kind: 'bit-errors' | 'loss', port: string, frame: number): string {
  const octetPs = 20;
  const wirePs = (frame + 20) * octetPs;
  // At s1 a frame is in when its last bit is; h2 receives it from a switch that stores it first.
  const wayPs = port === 's1:p1' ? 25_000 : 2 * 25_000 + (frame + 8) * octetPs;
  const arrivalPs = 10_000_000 + 900 * wirePs + (frame + 8) * octetPs + wayPs;
  const share = kind === 'loss' ? 'probability: 100%' : 'errorRate: 0.999999';
  const from = arrivalPs - wirePs / 2;
  return `{ kind: ${kind}, where: { port: '${port}' }, ${share}, at: ${from}ps, for: ${wirePs}ps }`;
}

const NO_ACK = '{ kind: control, where: { device: s1, peer: h2 }, frames: llr-ack, action: lose }';
const PATIENT = ', bytes: 20MB, replays: 3, dataAgeTimeout: 100ms';

describe('cases of link-level retry', () => {
  for (const frame of [64, MTU]) {
    it(`LLR-01: frames are numbered, and acknowledged in turn: ${frame}`, () => {
      const results = runScenario(retry({ frame }));
      counts(results, {
        ...{ 'h1:p1 TX_OK': 1000, 's1:p1 RX_OK': 1000, 's1:p2 TX_OK': 1000, 'h2:p1 RX_OK': 1000 },
        ...{ 's1:p1 TX_NACK_CTL_OS': 0, 's1:p2 RX_NACK_CTL_OS': 0 },
      });
      const acks = counter(results, 's1:p1 TX_ACK_CTL_OS');
      assert.ok(acks > 0 && acks === counter(results, 'h1:p1 RX_ACK_CTL_OS'));
    });

    for (const [name, kind] of [
      ['LLR-02: a gap', 'loss'],
      ['LLR-03: a bad FCS', 'bit-errors'],
    ] as const) {
      it(`${name} causes one NACK and one replay, and nothing is lost: ${frame}`, () => {
        const results = runScenario(retry({ frame, faults: hit(kind, 's1:p1', frame) }));
        counts(results, {
          ...{ 's1:p1 TX_NACK_CTL_OS': 1, 'h1:p1 RX_NACK_CTL_OS': 1, 'h1:p1 TX_REPLAY': 1 },
          ...{ 's1:p1 RX_REPLAY': 1, 's1:p1 RX_EXPECTED_SEQ_GOOD': 1000 },
          's1:p1 RX_EXPECTED_SEQ_BAD': kind === 'loss' ? 0 : 1,
        });
        assert.equal(flowOf(results, 'h2').frames, 1000);
      });
    }

    it(`LLR-04: what is sent again counts as sent: ${frame}`, () => {
      const results = runScenario(retry({ frame, faults: hit('loss', 'h2:p1', frame) }));
      counts(results, {
        ...{ 's1:p2 RX_NACK_CTL_OS': 1, 's1:p2 TX_REPLAY': 1, 'h2:p1 RX_REPLAY': 1 },
        's1:p2 TX_OK': counter(results, 'h2:p1 RX_OK') + 1,
      });
      assert.ok(counter(results, 's1:p2 TX_OK') > 1000);
      assert.equal(flowOf(results, 'h2').frames, 1000);
    });

    it(`LLR-05: without ACK all is sent again three times, then it flushes: ${frame}`, () => {
      const llr = `${PATIENT}, frames: 2000, replayTimer: 300us, reinitialise: false`;
      const results = runScenario(retry({ frame, llr, faults: NO_ACK }));
      counts(results, {
        ...{ 's1:p2 TX_OK': 4000, 'h2:p1 RX_OK': 4000, 's1:p2 TX_REPLAY': 3 },
        ...{ 's1:p2 TX_DISCARD': 1000, 'h2:p1 RX_INIT_CTL_OS': 1 },
      });
    });

    it(`LLR-07: no more frames are outstanding than may be: ${frame}`, () => {
      const llr = `${PATIENT}, frames: 10, replayTimer: 30us, reinitialise: false, whileFlush: block`;
      const results = runScenario(retry({ frame, llr, faults: NO_ACK }));
      counts(results, {
        ...{ 's1:p2 TX_REPLAY': 3, 'h2:p1 RX_OK': 40, 'h2:p1 RX_DUPLICATE_SEQ': 30 },
        's1:p2 TX_OK': 40,
      });
    });

    it(`LLR-09: it recovers from FLUSH by itself: ${frame}`, () => {
      const llr = `${PATIENT}, frames: 1000, replayTimer: 100us, whileInit: discard`;
      const text = retry({ frame, llr, frames: 100, faults: `${NO_ACK.slice(0, -2)}, for: 3ms }` });
      counts(runScenario(text), {
        ...{ 'h2:p1 RX_OK': 400, 'h2:p1 RX_EXPECTED_SEQ_GOOD': 100, 'h2:p1 RX_DUPLICATE_SEQ': 300 },
        ...{ 'h2:p1 RX_INIT_CTL_OS': 2, 'h2:p1 TX_INIT_ECHO_CTL_OS': 2 },
      });
      counts(runScenario(twoLoads(text, frame)), {
        'h2:p1 RX_OK': 500,
        'h2:p1 RX_EXPECTED_SEQ_GOOD': 200,
      });
    });
  }

  for (const [action, arrive, discarded] of [
    ['best-effort', 100, 100],
    ['block', 0, 100],
    ['discard', 0, 200],
  ] as const) {
    it(`after a flush frames have an action of their own: ${action}`, () => {
      const llr =
        `${PATIENT}, frames: 1000, replayTimer: 100us, reinitialise: false, ` +
        `whileInit: ${action === 'block' ? 'discard' : 'block'}, whileFlush: ${action}`;
      const results = runScenario(twoLoads(retry({ llr, frames: 100, faults: NO_ACK })));
      assert.deepEqual(
        results.flows.map(({ frames }) => frames),
        [100, arrive],
      );
      counts(results, { 's1:p2 TX_DISCARD': discarded });
    });
  }

  it('LLR-08: 500 m at 99 % of the line, and no replay', () => {
    const frames = 20_000;
    const results = runScenario(retry({ frames, length: '500m' }));
    counts(results, {
      ...{ 'h1:p1 TX_OK': frames, 's1:p1 RX_OK': frames, 's1:p2 TX_OK': frames },
      ...{ 'h2:p1 RX_OK': frames, 's1:p2 TX_REPLAY': 0, 'h2:p1 RX_REPLAY': 0 },
    });
    assert.deepEqual(fabricOf(retry({ frames, length: '500m' })).warnings, []);
    const { lastArrivalPs, startPs, latencyMinPs } = flowOf(results, 'h2');
    const tookPs = lastArrivalPs! - startPs - latencyMinPs!;
    assert.ok(((frames - 1) * 84 * 20) / tookPs > 0.99);
  });

  it('LLR-11: with uncorrectable codewords only frames without retry are lost', () => {
    const results = runScenario(`
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: 5m, fec: rs-544, preFecBer: 1.0e-3 } }
duration: 1ms
llr: { enabled: true, priorities: [3] }
load:
  - { name: a, stream: { from: h1, to: h2 }, frame: 64, rate: 40%, start: 10us, end: 900us, priority: 3 }
  - { name: b, stream: { from: h1, to: h2 }, frame: 64, rate: 40%, start: 10us, end: 900us }`);
    const [a, b] = results.flows;
    assert.ok(counter(results, 'h1:p1 RX_NACK_CTL_OS') > 0);
    assert.equal(a!.frames, a!.sentFrames);
    const drops = results.priorities.flatMap((own) => Object.entries(own.drops));
    assert.deepEqual(drops, [['fcs-error', b!.sentFrames - b!.frames]]);
    assert.ok(b!.frames < b!.sentFrames);
  });
});

describe('cases of CBFC', () => {
  const SIZES = [65, 127, 128, 129, 512, 1518, 1519, 4097, MTU - 1];
  const credits = (frames: number, keys: string, more = ''): string => `
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: 5m } }
priorities: { 0: cbfc }
cbfc: { ${keys} }
duration: 10ms
load:
${SIZES.map((size, n) => `  - { name: f${size}, stream: { from: h1, to: h2 }, frame: ${size}, bytes: ${frames * (size - HEADERS)}, rate: line, start: ${10 + 1000 * n}us }`).join('\n')}
${more}`;

  for (const [size, overhead, frames] of [
    [128, 0, 3000],
    [64, -4, 3000],
    [256, 127, 2000],
    [2048, -16, 2000],
  ] as const) {
    it(`CBFC-01, 02: credits of all sizes, modulo 2^20: ${size}, overhead ${overhead}`, () => {
      const results = runScenario(credits(frames, `creditSize: ${size}, overhead: ${overhead}`));
      const cost = (octets: number): number => Math.ceil((octets + overhead) / size);
      const consumed = SIZES.reduce((sum, octets) => sum + frames * cost(octets), 0) % 2 ** 20;
      const at = (port: string): Readonly<Record<string, number>> =>
        results.channels.find((row) => row.port === port)!.statistics;
      assert.equal(
        results.flows.reduce((sum, flow) => sum + flow.frames, 0),
        9 * frames,
      );
      for (const sender of ['h1:p1', 's1:p2']) {
        assert.equal(at(sender)['SENDER_CREDITS_CONSUMED'], consumed, sender);
        assert.equal(at(sender)['SENDER_CREDITS_FREED'], consumed, sender);
      }
      for (const receiver of ['s1:p1', 'h2:p1']) {
        assert.equal(at(receiver)['RECEIVER_CREDITS_CONSUMED'], consumed, receiver);
        assert.equal(at(receiver)['RECEIVER_CREDITS_FREED'], consumed, receiver);
      }
    });
  }

  it('CBFC-03: a CC_Update frees what corrupted frames have used', () => {
    const text = `
fabric: { generator: pair, link: { rate: 100G, length: 5m } }
priorities: { 0: cbfc }
cbfc: { buffer: 200KB }
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1518, bytes: ${100 * 1472}, rate: line }]
faults: [{ kind: bit-errors, where: { device: h2 }, errorRate: 0.999999, for: 50us }]`;
    const sender = (duration: string): Readonly<Record<string, number>> =>
      runScenario(text, `duration=${duration}`).channels.find(({ port }) => port === 'h1:p1')!
        .statistics;
    const before = sender('200us');
    assert.deepEqual(
      [before['SENDER_CREDITS_CONSUMED'], before['SENDER_CREDITS_FREED']],
      [1200, 0],
    );
    const after = sender('300us');
    assert.deepEqual(
      [after['SENDER_CREDITS_CONSUMED'], after['SENDER_CREDITS_FREED']],
      [1200, 1200],
    );
  });
});
