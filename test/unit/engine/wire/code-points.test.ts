/** Priority Code Points, by the tables of the standard. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  codePointOf,
  type Coding,
  CODINGS,
  DROP_ELIGIBLE,
  PLAIN_CODING,
  prioritiesAcross,
  UNTAGGED,
} from '../../../../services/engine/wire/code-points.js';

/** 802.1Q table 6-2: PCP of 7, 7DE, 6, 6DE, ... 0, 0DE. */
const TABLE_6_2: Readonly<Record<Coding, string>> = {
  '8P0D': '7766554433221100',
  '7P1D': '7766545433221100',
  '6P2D': '7766545432321100',
  '5P3D': '7766545432321010',
};

/** 802.1Q table 6-3: priority of PCP 7, 6, ... 0; D: drop eligible. */
const TABLE_6_3: Readonly<Record<Coding, string>> = {
  '8P0D': '7 6 5 4 3 2 1 0',
  '7P1D': '7 6 4 4D 3 2 1 0',
  '6P2D': '7 6 4 4D 2 2D 1 0',
  '5P3D': '7 6 4 4D 2 2D 0 0D',
};

const withoutDei = (pcp: Coding) => ({ ...PLAIN_CODING, pcp, usesDei: false });
const show = (priority: number): string =>
  `${priority % DROP_ELIGIBLE}${priority >= DROP_ELIGIBLE ? 'D' : ''}`;

describe('priority code points', () => {
  it('encodes as table 6-2 says', () => {
    for (const pcp of CODINGS) {
      const all = [7, 6, 5, 4, 3, 2, 1, 0].flatMap((priority) => [
        codePointOf(withoutDei(pcp), priority),
        codePointOf(withoutDei(pcp), priority | DROP_ELIGIBLE),
      ]);
      assert.equal(all.join(''), TABLE_6_2[pcp], pcp);
    }
  });

  it('decodes as table 6-3 says', () => {
    // Without drop_eligible 8P0D sends each PCP as its priority.
    const sender = withoutDei('8P0D');
    for (const pcp of CODINGS) {
      const across = prioritiesAcross(sender, withoutDei(pcp));
      const all = [7, 6, 5, 4, 3, 2, 1, 0].map((code) => show(across?.[code] ?? code));
      assert.equal(all.join(' '), TABLE_6_3[pcp], pcp);
    }
  });

  it('has the DEI beside the PCP where both ends use it, and loses it where one does not', () => {
    assert.equal(codePointOf(PLAIN_CODING, 5 | DROP_ELIGIBLE), 5 | DROP_ELIGIBLE);
    assert.equal(prioritiesAcross(PLAIN_CODING, PLAIN_CODING), null);
    const ends = [PLAIN_CODING, withoutDei('8P0D')] as const;
    for (const [sender, receiver] of [ends, ends.toReversed() as [never, never]]) {
      const across = prioritiesAcross(sender, receiver)!;
      assert.deepEqual(
        [5, 5 | DROP_ELIGIBLE].map((own) => across[own]),
        [5, 5],
      );
      assert.equal(across[UNTAGGED | 5 | DROP_ELIGIBLE], 5 | DROP_ELIGIBLE);
    }
  });

  it('regenerates after decoding, and takes the default where there is no tag', () => {
    const regeneration = [0, 1, 2, 3, 6, 5, 6, 7];
    const receiver = { ...PLAIN_CODING, pcp: '7P1D', defaultPriority: 4, regeneration } as const;
    const across = prioritiesAcross({ ...PLAIN_CODING, pcp: '7P1D' }, receiver)!;
    assert.deepEqual(
      [4, 5, 7].map((own) => across[own]),
      [6, 6, 7],
    );
    assert.deepEqual(
      [0, 7].map((own) => across[UNTAGGED | own]),
      [6, 6],
    );
  });
});
