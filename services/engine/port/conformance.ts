import type { Conformance } from '../contract/conformance.js';

const SCENARIO = 'test/scenario/port-priorities.test.ts';
const UNIT = 'test/unit/engine/wire/code-points.test.ts';
const EXAMPLE = { of: '802.1Q', example: 'port-priorities' } as const;

/** Priorities of frames that enter and leave a port, clause by clause. */
export const priorityConformance: Conformance = {
  name: 'priorities',
  title: 'Priorities of frames',
  about: '802.1Q 6.9: the priority that a frame has in a switch, and the tag that carries it.',
  claims: [
    {
      ...{ ...EXAMPLE, clause: '6.9.1' },
      says: 'A frame without a tag gets the default priority of the port that receives it.',
      key: 'ports[].defaultPriority',
      test: [SCENARIO, 'gives frames without a tag the default priority'],
    },
    {
      ...{ ...EXAMPLE, clause: '6.9.3' },
      says: 'The PCP of a tag is encoded and decoded by one of four tables: 6-2 and 6-3.',
      ...{ key: 'ports[].pcp', capture: ['s1:p4'] },
      test: [UNIT, 'encodes as table 6-2 says'],
    },
    {
      ...{ ...EXAMPLE, clause: '6.9.3' },
      says: 'What is drop eligible has the DEI, or 0 where the port does not use it.',
      ...{ key: 'ports[].useDei', capture: ['s1:p4'] },
      test: [SCENARIO, 'leaves out the DEI where it is not used'],
    },
    {
      ...{ ...EXAMPLE, clause: '6.9.4' },
      says: 'The receiving port regenerates the priority by a table of its own.',
      key: 'ports[].regeneration',
      test: [SCENARIO, 'regenerates priorities where they come in'],
    },
    {
      ...{ ...EXAMPLE, clause: '36.1.1' },
      says: 'A priority with flow control keeps its number on the link, and no other gets it.',
      key: 'ports[].priorities',
      test: [SCENARIO, 'refuses what would pause another priority than it sends'],
    },
  ],
};
