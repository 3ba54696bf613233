/** Link-level retry and CBFC when their messages are lost, repeated, changed, forged or late. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

interface Way {
  readonly link?: string;
  readonly llr?: string;
  readonly method?: string;
  readonly faults?: string;
}

/** It begins when all links are initialised. */
const LOAD = 'priority: 3, bytes: 60KB, transport: { reliable: { timeout: 100us } }, start: 40us';

/** Both ways between two hosts over a switch, reliable and lossless. */
function scenario({ link = ', length: 10m', llr = '', method = 'cbfc', faults = '' }: Way): string {
  return `
fabric: { generator: star, hosts: 2, link: { rate: 100G${link} } }
switches: { pipeline: 200ns }
llr: { enabled: true${llr} }
priorities: { 3: ${method} }
duration: 1ms
load:
  - { name: there, stream: { from: h1, to: h2 }, ${LOAD} }
  - { name: back, stream: { from: h2, to: h1 }, ${LOAD} }
faults: [${faults}]`;
}

/** Runs it with all checks: everything arrives, and only what a flush gave up was lost. */
function survives(way: Way, what: string): RunResults {
  const results = runScenario(scenario(way));
  assert.equal(results.failure, null, `${what}: ${results.failure?.reason}`);
  for (const { name, completionPs } of results.flows) {
    assert.notEqual(completionPs, null, `${what}: ${name}`);
  }
  return results;
}

function llrCount(results: RunResults, counter: string): number {
  return results.llr.reduce(
    (sum, { counters }) => sum + (counters as Readonly<Record<string, number>>)[counter]!,
    0,
  );
}

function cbfcCount(results: RunResults, counter: string): number {
  return results.channels.reduce((sum, { ofPort }) => sum + ofPort[counter]!, 0);
}

const SETS = {
  LLR_ACK: '4b01000016000000',
  LLR_NACK: '4b02000016000000',
  LLR_INIT: '4b03000006010000',
  LLR_INIT_ECHO: '4b04000006010000',
  CF_Update: '4b10180016180010',
};
const SET_BITS = 64;

function withBit(hex: string, bit: number): string {
  const octets = Buffer.from(hex, 'hex');
  octets[bit >> 3]! ^= 0x80 >> (bit & 7);
  return octets.toString('hex');
}

function forged(octets: string): string {
  return (
    `{ kind: forge, where: { port: 'h2:p1' }, octets: '${octets}', ` +
    'interval: 700ns, at: 41us, for: 8us }'
  );
}

describe('ordered sets', () => {
  for (const [name, octets] of Object.entries(SETS)) {
    it(`forged as ${name}, whole and with each bit changed, do no lasting harm`, () => {
      survives({ faults: forged(octets) }, 'whole');
      for (let bit = 0; bit < SET_BITS; bit++) {
        survives({ faults: forged(withBit(octets, bit)) }, `bit ${bit}`);
      }
    });
  }

  it('are forged only where there are any', () => {
    const text = scenario({ faults: forged(SETS.LLR_ACK), method: 'pfc' });
    assert.throws(
      () => fabricOf(text.replace('enabled: true', 'enabled: false')),
      /none of the ports that .* hits has ordered sets/,
    );
  });

  for (const action of ['lose', 'duplicate', 'corrupt', 'delay, delay: 2us']) {
    it(`of either kind: ${action}, half of them, under bit errors`, () => {
      const faults =
        `{ kind: control, frames: any, action: ${action}, probability: 50%, ` +
        'at: 41us, for: 40us }';
      survives({ link: ', length: 10m, postFecBer: 1.0e-6', faults }, action);
    });
  }

  it('INIT and its echo lost for a long time: frames go without retry, then with it', () => {
    for (const frames of ['llr-init', 'llr-init-echo']) {
      const faults = `{ kind: control, frames: ${frames}, action: lose, probability: 100%, for: 44us }`;
      const results = survives({ faults, llr: ', replayTimer: 900ns' }, frames);
      // Each of four ports has asked more than once.
      assert.ok(llrCount(results, 'LLR_TX_INIT_CTL_OS') > 8, frames);
      assert.ok(llrCount(results, 'LLR_TX_OK') > 0, frames);
    }
  });
});

describe('link-level retry', () => {
  it('with a replay timer below the round trip sends twice, and delivers once', () => {
    const link = ', length: 2km';
    const results = survives({ link, llr: ', replayTimer: 3us, dataAgeTimeout: 1ms' }, 'timer');
    assert.ok(llrCount(results, 'LLR_RX_DUPLICATE_SEQ') > 0);
  });

  it('initialises again when both ends restart', () => {
    for (const faults of [
      "{ kind: link-down, where: { port: 'h2:p1' }, at: 43us, for: 2us, every: 20us, times: 3 }",
      "{ kind: link-down, where: { port: 'h2:p1' }, at: 43us, for: 90us }",
      '{ kind: reboot, where: { device: s1 }, at: 44us, for: 30us }',
    ]) {
      survives({ link: ', length: 10m, postFecBer: 1.0e-6', faults }, faults);
    }
  });

  it('forgets in a reboot what it kept and what it expected, however short that is', () => {
    for (const method of ['pfc', 'credit', 'cbfc', 'none']) {
      const faults = '{ kind: reboot, where: { device: s1 }, at: 44us, for: 300ns }';
      const results = survives({ faults, method }, method);
      const counts = (port: string): Readonly<Record<string, number>> =>
        results.llr.find((row) => row.port === port)!.counters;
      for (const port of ['s1:p1', 's1:p2']) {
        // It sends nothing again: copies are lost, and all that it takes anew has new numbers.
        assert.equal(counts(port)['LLR_TX_REPLAY'], 0, `${method} ${port}`);
        assert.ok(counts(port)['LLR_TX_DISCARD']! > 0, `${method} ${port}`);
        assert.equal(counts(port)['LLR_RX_INIT_ECHO_CTL_OS'], 2, `${method} ${port}`);
      }
      const discards = llrCount(results, 'LLR_TX_DISCARD');
      const drops = results.priorities.find(({ priority }) => priority === 3)!.drops;
      assert.equal(drops['link-not-ready'], discards, method);
    }
  });

  it('loses nothing of a lossless priority until it flushes, and counts that', () => {
    for (const method of ['pfc', 'credit', 'cbfc', 'none']) {
      const results = survives({ link: ', length: 10m, postFecBer: 1.0e-5', method }, method);
      assert.ok(llrCount(results, 'LLR_RX_BAD') > 5, method);
      assert.equal(llrCount(results, 'LLR_TX_DISCARD'), 0, method);
      for (const flow of results.flows) assert.equal(flow.retransmittedFrames, 0, method);
    }
    const cut = '{ kind: bit-errors, where: { device: h2 }, errorRate: 0.5, at: 43us, for: 60us }';
    const results = survives({ faults: cut }, 'flush');
    const given = llrCount(results, 'LLR_TX_DISCARD');
    assert.ok(given > 0);
    const resent = results.flows.reduce((sum, flow) => sum + flow.retransmittedFrames, 0);
    assert.ok(resent > 0);
  });
});

describe('CBFC above link-level retry', () => {
  // Totals go out so often that many meet a replay.
  const often = '\ncbfc: { ccInterval: 2us }';

  it('takes nothing for lost that is sent again', () => {
    for (const length of ['2m', '100m', '2km']) {
      const link = `, postFecBer: 5.0e-6, length: ${length}`;
      const results = runScenario(scenario({ link }) + often);
      assert.equal(results.failure, null, length);
      assert.ok(llrCount(results, 'LLR_TX_REPLAY') > 5, length);
      assert.equal(llrCount(results, 'LLR_TX_DISCARD'), 0, length);
      assert.equal(cbfcCount(results, 'cbfcCreditsLeaked'), 0, length);
      assert.equal(cbfcCount(results, 'cbfcImplausibleTotals'), 0, length);
      assert.equal(cbfcCount(results, 'cbfcImplausibleCounts'), 0, length);
    }
  });

  it('has all its credits again after a flush, and after a short outage', () => {
    for (const faults of [
      '{ kind: bit-errors, where: { device: h2 }, errorRate: 0.5, at: 43us, for: 60us }',
      "{ kind: link-down, where: { port: 'h2:p1' }, at: 43us, for: 500ns, every: 9us, times: 3 }",
    ]) {
      const text = scenario({ faults });
      const session = new Session(fabricOf(text + often), { check: true });
      session.runTo(1e9);
      const results = session.results('complete');
      assert.equal(results.failure, null, results.failure?.reason);
      assert.equal(cbfcCount(results, 'CBFC_SENDER_CREDITS_USED'), 0, faults);
    }
  });
});

describe('credit exchange above link-level retry', () => {
  const overTwoKm = (more: string, set: string[] = []): RunResults =>
    runScenario(
      `
duration: 3ms
fabric: { generator: pair, link: { rate: 10G, length: 2km } }
priorities: { 3: credit }
llr: { enabled: true }
load: [{ stream: { from: h1, to: h2 }, frame: 1000, bytes: 200KB, priority: 3 }]
${more}`,
      ...set,
    );

  it('takes nothing for lost that is sent again, and believes no total too many', () => {
    for (const fault of [
      '{ kind: loss, probability: 2%, where: { device: h2 } }',
      '{ kind: bit-errors, errorRate: 1e-6, where: { device: h2 } }',
    ]) {
      const { credits, failure, finished } = overTwoKm(`faults: [${fault}]`);
      assert.deepEqual([failure, finished.done], [null, 1], fault);
      const [sender, receiver] = [credits[0]!, credits[1]!];
      const wrong = [sender.wrongTotals, sender.revoked, receiver.recovered, receiver.violations];
      assert.deepEqual([...wrong, receiver.contradictions], [0, 0, 0, 0, 0], fault);
    }
  });

  it('has its tags behind the frames before them, in the pipeline', () => {
    const results = runScenario(`
duration: 300us
fabric: { generator: star, hosts: 4, link: { rate: 400G, length: 50m } }
switches: { pipeline: 1300ns }
priorities: { 3: credit }
credit: { tags: true, tagWait: 50ns, report: 400ns, age: off, request: never }
llr: { enabled: true }
load:
  - { all-to-all: {}, bytes: 200KB, priority: 3, transport: raw, frame: 500 }
faults: [{ kind: link-down, at: 5us, for: 2us, where: { device: h1 } }]`);
    assert.equal(results.failure, null);
    for (const { port, contradictions, recovered, wrongTotals } of results.credits) {
      assert.deepEqual([contradictions, recovered, wrongTotals], [0, 0, 0], port);
    }
  });

  it('recovers what a flush gives up', () => {
    const fault = '{ kind: loss, probability: 100%, where: { device: h2 }, at: 50us, for: 1ms }';
    const { credits, failure, llr } = overTwoKm(`faults: [${fault}]`);
    assert.equal(failure, null);
    assert.ok(llr.length > 0 && credits[1]!.recovered > 0);
    assert.ok(credits[0]!.available + credits[1]!.occupied <= credits[0]!.bufferUnits);
  });

  it('needs totals: increments are refused', () => {
    assert.throws(
      () => overTwoKm('credit: { counts: incremental }'),
      /counts: incremental at h1:p1, where link-level retry sends frames again/,
    );
    const others = overTwoKm('credit: { counts: incremental }', ['llr.priorities=[1]']);
    assert.equal(others.failure, null);
  });
});

describe('a link layer in trouble', () => {
  for (const method of ['cbfc', 'pfc', 'credit']) {
    it(`gives one digest in every runner: ${method}`, () => {
      const faults =
        '{ kind: control, frames: any, action: lose, probability: 5%, at: 45us, for: 30us }, ' +
        "{ kind: link-down, where: { port: 'h2:p1' }, at: 60us, for: 1us }";
      const text = scenario({ link: ', length: 10m, postFecBer: 2.0e-6', method, faults });
      const fabric = fabricOf(text, 'duration=250us');
      for (const seed of [1, 2, 3]) assert.equal(whatIsWrong(fabric, seed), null);
    });
  }
});
