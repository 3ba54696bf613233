/** Each flow control of a link is ruled by its own fallback, and waits for nothing that never comes. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

/** More than half of what 100 Gb/s carry in 100 us. */
const FRAMES_LEAST = 500;

function star(what: string, changes = ''): string {
  return `
duration: 100us
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
discovery: { second: 1us${changes} }
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 3, start: 10us }
${what}`;
}

function framesOf(results: RunResults): number {
  assert.equal(results.failure, null, JSON.stringify(results.failure));
  assert.deepEqual(
    results.priorities.flatMap(({ drops }) => Object.keys(drops)),
    [],
  );
  return results.flows[0]!.frames;
}

describe('CBFC on links whose ends negotiate', () => {
  it('is not ruled by the fallback of credit exchange', () => {
    for (const what of [
      'priorities: { 3: credit }\ncredit: { codec: cbfc, fallback: none }',
      'priorities: { 3: credit }\ncredit: { codec: both, fallback: none }',
      'priorities: { 3: cbfc }\ncredit: { fallback: none }',
    ]) {
      for (const interval of ['256us', '1us']) {
        const results = runScenario(star(`${what}\ncbfc: { ccInterval: ${interval} }`));
        assert.ok(framesOf(results) > FRAMES_LEAST, `${what}: ${framesOf(results)} frames`);
        assert.deepEqual(
          results.channels.map(({ ofPort }) => ofPort['cbfcCreditsLeaked']),
          [0, 0, 0, 0],
        );
      }
    }
  });

  const ONE_END = 'priorities: { 3: cbfc }\ndevices: { h2: { priorities: { 3: none } } }';

  it('is refused where only one end has it, as without discovery', () => {
    assert.throws(
      () => fabricOf(star(ONE_END)),
      /priority 3 has cbfc at s1:p2 but not at the other end, h2:p1; make them alike or give a/,
    );
  });

  it('gives way to its own fallback there', () => {
    for (const fallback of ['pfc', 'none']) {
      const results = runScenario(
        star(`${ONE_END.replace('none', fallback)}\ncbfc: { fallback: ${fallback} }`),
      );
      assert.ok(framesOf(results) > FRAMES_LEAST);
      const s1 = results.discovery!.ports.find(({ port }) => port === 's1:p2')!;
      assert.equal(s1.operational.pfc!.priorities.length, fallback === 'pfc' ? 1 : 0);
    }
  });
});

describe('credit exchange with a link partner that can never have it', () => {
  const ONE_END = 'priorities: { 3: credit }\ndevices: { h2: { priorities: { 3: none } } }';

  it('waits where nothing else will do, and the run says where and why', () => {
    const { status, discovery } = runScenario(star(ONE_END));
    assert.equal(status, 'stalled');
    const [blocked] = discovery!.blocked;
    assert.equal(blocked!.link, 's1:p2 > h2:p1');
    assert.match(blocked!.why, /^no credit exchange at h2:p1: nothing is sent without it$/);
  });

  it('gives way to PAUSE where that is the fallback, and nothing waits', () => {
    const pair = star(`${ONE_END}\ncredit: { fallback: pause }`)
      .replace(/^fabric: .*$/m, 'fabric: { generator: pair }')
      .replace('rate: line, ', '');
    const results = runScenario(pair);
    assert.ok(framesOf(results) > FRAMES_LEAST);
    assert.deepEqual(results.discovery!.blocked, []);
    const methods = results.discovery!.ports.map(({ methods: own }) => own[3]);
    assert.deepEqual(methods, ['pause', 'pause']);
  });
});

describe('an end that advertises credit by applications alone', () => {
  const ENDS = `
priorities: { 3: credit }
credit: { fallback: pfc }
devices: { h2: { credit: { cet: application } }, s1: { credit: { unit: 2048B } } }`;

  it('does not agree on units that applications cannot say, and neither does its peer', () => {
    const results = runScenario(star(ENDS));
    assert.ok(framesOf(results) > FRAMES_LEAST);
    const ports = results.discovery!.ports;
    assert.deepEqual(
      ports.map(({ port, credit }) => [port, credit.priorities]),
      [
        ['h1:p1', 0],
        ['h2:p1', 0],
        ['s1:p1', 0],
        ['s1:p2', 0],
      ],
    );
    for (const { port, mismatches } of ports) {
      assert.ok(mismatches.includes('credit-unit'), `${port}: ${mismatches.join()}`);
    }
  });
});

describe('a class of several priorities that negotiate credit', () => {
  const CLASS = `
priorities: { 3: credit, 4: credit }
classes: { transmit: [0, 1, 2, 3, 3, 5, 6, 7], receive: [0, 1, 2, 3, 3, 5, 6, 7] }`;
  const LEFT = ', changes: [ { at: 30us, devices: h1, credit: [ 3 ] } ]';

  for (const fallback of ['pfc', 'refuse']) {
    it(`has credit for all of them or for none, and says so (fallback: ${fallback})`, () => {
      const results = runScenario(star(`${CLASS}\ncredit: { fallback: ${fallback} }`, LEFT));
      const [h1, s1] = ['h1:p1', 's1:p1'].map((name) =>
        results.discovery!.ports.find(({ port }) => port === name)!,
      );
      for (const end of [h1, s1]) {
        assert.deepEqual([end!.credit.agreed, end!.credit.priorities], [0, 0]);
        assert.ok(end!.mismatches.includes('credit'));
      }
      const { verdict } = results.discovery!.paths[0]!;
      const frames = framesOf(results);
      if (fallback === 'pfc')
        assert.deepEqual([verdict, frames > FRAMES_LEAST], ['lossless, mixed', true]);
      else assert.deepEqual([verdict, frames < FRAMES_LEAST], ['refused', true]);
    });
  }
});

describe('the flow control that results name', () => {
  const named = (text: string): string => {
    const { failure, priorities } = runScenario(text);
    assert.equal(failure, null);
    return priorities.find(({ priority }) => priority === 3)!.flowControl;
  };
  const none = "devices: { 'h*': { priorities: { 3: none } } }";

  it('is what links come to, and not what is configured', () => {
    for (const method of ['cbfc', 'credit']) {
      const text = `priorities: { 3: { flowControl: ${method}, fallback: pfc } }\n${none}`;
      assert.equal(named(star(text).replace(/discovery.*/, '')), 'pfc', method);
    }
    const credit = 'priorities: { 3: { flowControl: credit, fallback: pfc } }';
    assert.equal(named(star(`${credit}\n${none.replace('none', 'pfc')}`)), 'pfc');
    assert.equal(named(star(credit)), 'credit');
    assert.equal(named(star('priorities: { 3: credit }\ncredit: { codec: cbfc }')), 'cbfc');
  });

  it('is both where some links fall back', () => {
    const text = 'priorities: { 3: { flowControl: cbfc, fallback: pfc } }';
    const one = none.replace("'h*'", 'h2');
    assert.equal(named(star(`${text}\n${one}`).replace(/discovery.*/, '')), 'cbfc + pfc');
  });
});
