/**
 * Cases of the public "LLR & CBFC Test Plan" (it follows the SAI proposals), under their numbers: a
 * tester at either side of a switch, h1 and h2, whose messages faults withhold.
 *
 * - LLR-06, frames of which the tester sends the FCS poisoned, is in scenario/link-retry: no host
 *   sends such frames, so a switch that cuts through does.
 * - CBFC-05 and 06 map PCP and DEI, or the DSCP, to channels. Here the priority of a frame has the
 *   channel, and its load gives it the priority: no device maps a DSCP, or the DEI, so these run
 *   with frames of the plan, and show that neither changes the channel. CBFC-07 is 06 with IPv6;
 *   flows are of IPv4.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Session } from '../../services/runtime/session.js';
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

  it('LLR-10: frames of all sizes take the time of a switch that stores and forwards', () => {
    const sizes = [64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1517, 1518, 1519];
    for (const frame of [...sizes, 2047, 2048, 2049, 4095, 4096, 4097, MTU - 1, MTU]) {
      const text = retry({ frame }).replace('rate: line', 'rate: 50%');
      for (const more of ['', 'switches: { cutThrough: true }\n']) {
        const results = runScenario(more + text);
        counts(results, { 'h1:p1 TX_OK': 1000, 'h2:p1 RX_OK': 1000 });
        const { frames, latencyMinPs, latencyMaxPs } = flowOf(results, 'h2');
        assert.equal(frames, 1000);
        // Its last bit twice, 5 m twice, and the pipeline.
        const tookPs = 2 * ((frame + 8) * 20 + 25_000) + 500_000;
        assert.deepEqual([latencyMinPs, latencyMaxPs], [tookPs, tookPs], `${frame} ${more}`);
      }
    }
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

  for (const [name, first, second] of [
    ['CBFC-05: PCP and DEI', 'vlan: 100', 'vlan: { inner: 100, dei: true }'],
    ['CBFC-06: IP DSCP', 'dscp: 0', 'dscp: 63'],
  ] as const) {
    it(`${name}: frames use the channel of their priority, and no other`, () => {
      const load = (priority: number, startUs: number, more: string): string =>
        `  - { name: p${priority}, stream: { from: h1, to: h2 }, frame: 68, bytes: ${100 * (68 - HEADERS)}, ` +
        `rate: line, start: ${startUs}us, priority: ${priority}, ${more} }`;
      const text = `
duration: 1ms
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: 5m } }
priorities: { 0: cbfc, 7: cbfc }
cbfc: { channels: [0, 2, 3, 4, 5, 6, 7, 1] }
load:
${load(0, 10, first)}
${load(7, 500, second)}`;
      const session = new Session(fabricOf(text), { check: true });
      const usedAt = (us: number): number[][] => {
        session.runTo(us * 1e6);
        const { channels } = session.results('complete');
        return [0, 1].map((channel) => {
          const at = (port: string, name: string): number =>
            channels.find((row) => row.port === port && row.channel === channel)?.statistics[
              name
            ] ?? 0;
          const names = ['CONSUMED', 'FREED'];
          return [
            ...names.map((one) => at('h1:p1', `SENDER_CREDITS_${one}`)),
            ...names.map((one) => at('h2:p1', `RECEIVER_CREDITS_${one}`)),
          ];
        });
      };
      const hundred = [100, 100, 100, 100];
      const none = [0, 0, 0, 0];
      assert.deepEqual(usedAt(400), [hundred, none]);
      assert.deepEqual(usedAt(900), [hundred, hundred]);
    });
  }

  /** By phase: the part of the line that each priority of h1 has; h3 reads those of the last. */
  function sharesOf(cbfc: string, channels: number, slow: string): number[][] {
    const priorities = Array.from({ length: channels }, (_, n) => n);
    const share = 1 / channels;
    const session = new Session(
      fabricOf(`
duration: 2ms
fabric:
  link: { rate: 400G, length: 5m }
  devices: [{ name: s1, kind: switch }, { name: s2, kind: switch }, { name: h1, kind: host },
    { name: h2, kind: host }, { name: h3, kind: host }]
  links: [{ between: [h1, s1] }, { between: [s1, s2] }, { between: [s2, h2] },
    { between: [s2, h3] }]
priorities: { ${priorities.map((n) => `${n}: cbfc`).join(', ')} }
classes: { arbiter: round-robin }
cbfc: { ${cbfc} }
load:
${priorities.map((n) => `  - { name: v${n}, stream: { from: h1, to: ${n === channels - 1 ? 'h3' : 'h2'} }, frame: 1518, rate: ${100 * share}%, start: 10us, end: 950us, priority: ${n} }`).join('\n')}
faults:
  - { kind: slow-receiver, where: { device: h3 }, rate: ${slow}, at: 200us, for: 200us }
  - { kind: host-pause, where: { device: h3 }, at: 400us, for: 200us }`),
      { check: true },
    );
    const framesAt = (us: number): number[] => {
      session.runTo(us * 1e6);
      return session.results('complete').flows.map(({ frames }) => frames);
    };
    const shares = [100, 300, 500, 850].map((us) => {
      const before = framesAt(us);
      return framesAt(us + 90).map((n, i) => ((n - before[i]!) * 1538 * 20) / 90e6);
    });
    while (session.advance(1000) === 'running');
    const { flows, ports } = session.results('complete');
    for (const { frames, sentFrames } of flows) assert.equal(frames, sentFrames);
    const drops = ports.flatMap((port) => port.priorities.flatMap((own) => Object.keys(own.drops)));
    assert.deepEqual(drops, []);
    return shares;
  }

  function near(actual: readonly number[], expected: readonly number[]): void {
    actual.forEach((share, n) => {
      assert.ok(
        Math.abs(share - expected[n]!) < 0.01,
        `${actual.join(' ')}: ${expected.join(' ')}`,
      );
    });
  }

  it('CBFC-04: back pressure slows a sender, and stops it', () => {
    const [free, slow, none, again] = sharesOf('limit: channel', 1, '200G');
    near(free!, [1]);
    near(slow!, [0.5]);
    near(none!, [0]);
    near(again!, [1]);
  });

  it('CBFC-08: with credits of each channel, back pressure stops its own alone', () => {
    const [free, slow, none, again] = sharesOf('limit: channel', 4, '40G');
    near(free!, [0.25, 0.25, 0.25, 0.25]);
    near(slow!, [0.25, 0.25, 0.25, 0.1]);
    near(none!, [0.25, 0.25, 0.25, 0]);
    near(again!, [0.25, 0.25, 0.25, 0.25]);
  });

  it('CBFC-09: with credits of the port, back pressure of a channel stops all', () => {
    const shared = 'limit: port, buffer: 200KB, reserved: 1B, sharing: static';
    const [free, slow, none, again] = sharesOf(shared, 2, '120G');
    near(free!, [0.5, 0.5]);
    for (const share of slow!) assert.ok(share > 0.2 && share < 0.45, slow!.join(' '));
    assert.deepEqual(none, [0, 0]);
    near(again!, [0.5, 0.5]);
  });

  const three = (loads: string): Session =>
    new Session(
      fabricOf(`
duration: 3ms
fabric: { generator: star, hosts: 4, link: { rate: 400G, length: 5m } }
switches: { buffer: { size: 4MB } }
priorities: { 0: cbfc }
load:
${loads}`),
      { check: true },
    );

  it('CBFC-10: an incast of three shares the line, and loses nothing', () => {
    const session = three(`
  - { name: a, stream: { from: h1, to: h4 }, frame: 1518, rate: line, start: 10us, end: 410us }
  - { name: b, stream: { from: h2, to: h4 }, frame: 1518, rate: line, start: 110us, end: 310us }
  - { name: c, stream: { from: h3, to: h4 }, frame: 1518, rate: line, start: 210us, end: 310us }`);
    const framesAt = (us: number): number[] => {
      session.runTo(us * 1e6);
      return session.results('complete').flows.map(({ frames }) => frames);
    };
    for (const [us, expected] of [
      [50, [1, 0, 0]],
      [150, [1 / 2, 1 / 2, 0]],
      [250, [1 / 3, 1 / 3, 1 / 3]],
      [350, [1, 0, 0]],
    ] as const) {
      const before = framesAt(us);
      near(
        framesAt(us + 50).map((n, i) => ((n - before[i]!) * 1538 * 20) / 50e6),
        expected,
      );
    }
    while (session.advance(1000) === 'running');
    const { flows } = session.results('complete');
    for (const { frames, sentFrames } of flows) assert.equal(frames, sentFrames);
  });

  it('CBFC-11: in an incast of three only best effort loses frames', () => {
    const of = (host: string, priority: number): string =>
      `  - { stream: { from: ${host}, to: h4 }, frame: 1518, rate: 50%, end: 500us, priority: ${priority} }`;
    const hosts = ['h1', 'h2', 'h3'];
    const session = three(hosts.flatMap((host) => [of(host, 0), of(host, 4)]).join('\n'));
    while (session.advance(1000) === 'running');
    const { flows } = session.results('complete');
    const lost = (priority: number): number =>
      flows
        .filter((flow) => flow.priority === priority)
        .reduce((sum, { frames, sentFrames }) => sum + sentFrames - frames, 0);
    assert.equal(lost(0), 0);
    assert.ok(lost(4) > 0);
  });

  for (const frame of [64, MTU]) {
    it(`CBFC-12: 500 m at 99 % of the line: ${frame}`, () => {
      const frames = 10_000;
      const text = `
fabric: { generator: star, hosts: 2, link: { rate: 400G, length: 500m } }
duration: 10ms
priorities: { 0: cbfc }
load: [{ stream: { from: h1, to: h2 }, frame: ${frame}, bytes: ${frames * (frame - HEADERS)}, rate: line }]`;
      assert.deepEqual(fabricOf(text).warnings, []);
      const { lastArrivalPs, startPs, latencyMinPs, ...flow } = flowOf(runScenario(text), 'h2');
      assert.equal(flow.frames, frames);
      const tookPs = lastArrivalPs! - startPs - latencyMinPs!;
      assert.ok(((frames - 1) * (frame + 20) * 20) / tookPs > 0.99);
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
