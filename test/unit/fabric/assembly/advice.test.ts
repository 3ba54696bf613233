import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adviceOn } from '../../../../services/fabric/assembly/advice.js';
import { sourceOf } from '../../../kit/emulate.js';

const STAR = 'fabric: { generator: star, hosts: 3 }';
const LOAD = 'load: [{ incast: { from: h2..h3, to: h1 }, bytes: 1MB, priority: 3 }]';

function advice(...lines: string[]): string[] {
  const { loaded, fabric } = sourceOf(`${[STAR, ...lines].join('\n')}\n`);
  return adviceOn(fabric, loaded.document).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
}

describe('advice on a scenario', () => {
  it('is none where values fit each other', () => {
    assert.deepEqual(advice('priorities: { 3: pfc }', LOAD), []);
    assert.deepEqual(advice('priorities: { all: pfc }', LOAD), [], 'meant for all');
    const ci = 'ci: { priority: 2 }';
    const isolated = 'priorities: { 2: pfc, 3: { flowControl: pfc, ci: true } }';
    assert.deepEqual(advice(isolated, ci, LOAD), []);
    const elsewhere = 'devices: { s1: { priorities: { 3: pfc } } }';
    const inherited = 'priorities: { 3: { flowControl: credit, fallback: none, xoff: 64KB } }';
    assert.deepEqual(advice(inherited, elsewhere, LOAD), [], 'a device has a use for it');
    assert.deepEqual(advice('priorities: { 3: { alpha: 2 } }', LOAD), [], 'a lossy account');
  });

  for (const [what, lines, expected] of [
    [
      'a lossless priority without load',
      ['priorities: { 3: pfc, 4: pfc }', LOAD],
      /^priorities\.4: pfc on priority 4, which no load uses; loads use 3: set priority in a load/,
    ],
    [
      'ECN marking above XOFF',
      ['priorities: { 3: { flowControl: pfc, xoff: 50KB, ecn: { step: 60KB } } }', LOAD],
      /^priorities\.3\.ecn: ecn marks from 60000 bytes on, above XOFF at 50000 bytes: /,
    ],
    [
      'an alpha that leaves less than a frame',
      [
        'switches: { buffer: { size: 500KB } }',
        'priorities: { 3: { flowControl: pfc, alpha: 0.001 } }',
        LOAD,
      ],
      /^priorities\.3: alpha 0\.001 leaves XOFF at \d+ bytes at s1:p1, less than one frame of /,
    ],
    [
      'headroom below the loop',
      ['priorities: { 3: { flowControl: pfc, headroom: 1KB } }', LOAD],
      /^priorities\.3\.headroom: headroom of 1000 bytes at s1:p1, below the \d+ bytes that may /,
    ],
    [
      'a pause that expires before it is sent again',
      ['priorities: { 3: { flowControl: pfc, refresh: 150% } }', LOAD],
      /^priorities\.3\.refresh: refresh of 150 %: each pause expires before it is sent again, and /,
    ],
    [
      'the same of 802.3x',
      ['pause: { refresh: 300% }', LOAD],
      /^pause\.refresh: refresh of 300 %: each pause expires before it is sent again, and /,
    ],
    [
      'a watchdog faster than one pause',
      ['priorities: { 3: { flowControl: pfc, watchdog: { detection: 100us } } }', LOAD],
      /^priorities\.3\.watchdog: watchdog detects a storm after 100us, but one pause of 65535 quanta/,
    ],
    [
      'a threshold under credit',
      ['priorities: { 3: { flowControl: credit, xoff: 64KB } }', LOAD],
      /^priorities\.3\.xoff: xoff has no effect on priority 3 under credit; remove it, or give/,
    ],
    [
      'alpha under credit',
      ['priorities: { 3: { flowControl: cbfc, alpha: 2 } }', LOAD],
      /^priorities\.3\.alpha: alpha has no effect on priority 3 under cbfc/,
    ],
    [
      'headroom without flow control',
      ['priorities: { 3: { headroom: 9KB } }', LOAD],
      /^priorities\.3\.headroom: headroom has no effect on priority 3 without flow control/,
    ],
    [
      'lossless drops where nothing is lossless',
      [LOAD, 'expect: [{ metric: lossless-drops, max: 0 }]'],
      /^expect\.0: lossless-drops where no priority is lossless: it is always 0; /,
    ],
  ] as const) {
    it(`notices ${what}`, () => {
      const found = advice(...lines);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, expected);
    });
  }
});
