import type { Conformance } from '../contract/conformance.js';

const UNIT = 'test/unit/engine/arbiter/arbiters.test.ts';

/** Transmission selection, clause by clause. */
export const selectionConformance: Conformance = {
  name: 'selection',
  title: 'Transmission selection (ETS)',
  about: '802.1Q clause 37: classes share a link by percentages, behind strict ones.',
  claims: [
    {
      ...{ of: '802.1Q', clause: '37' },
      says: 'Strict classes go first; the rest is divided by percentage.',
      ...{ key: 'classes.arbiter.ets', example: 'ets-shares' },
      test: [UNIT, 'serves strict classes first and divides the rest by percentage'],
    },
    {
      ...{ of: '802.1Q', clause: '37' },
      says: 'What an idle class does not use is for the others.',
      ...{ key: 'classes.arbiter', example: 'ets-shares' },
      test: [UNIT, 'gives what an idle class does not use to the others in proportion'],
    },
    {
      ...{ of: '802.1Q', clause: '37' },
      says: 'Shares are of the link, whatever the sizes of frames are.',
      ...{ key: 'switches.arbiter', example: 'ets-shares' },
      test: [UNIT, 'gives backlogged classes their share of the link, whatever their frame sizes'],
    },
  ],
};
