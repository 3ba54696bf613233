import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/ci.test.ts';
const WIRE = 'test/unit/engine/wire/congestion-messages.test.ts';
const DISCOVERY = 'test/validation/discovery.test.ts';

/** Congestion isolation, clause by clause. */
export const ciConformance: Conformance = {
  name: 'ci',
  title: 'Congestion isolation',
  about: 'Clause 49: frames of congesting flows go to a queue of their own, upstream, too.',
  claims: [
    {
      ...{ of: '802.1Q', clause: '49.3.6' },
      says: 'Messages go to link partners that isolate, as they advertise, and to no other.',
      ...{ key: 'ci.enable', example: 'incast-ci' },
      test: [DISCOVERY, 'sends CIMs to a link partner that advertises isolation, and to no other'],
    },
    {
      ...{ of: '802.1Q', clause: '49.3.7' },
      says: 'The stream table has an entry for each congesting flow, and is bounded.',
      ...{ key: 'ci.streams', example: 'incast-ci' },
      test: [UNIT, 'leaves flows where they are when its table is full, and counts them'],
    },
    {
      ...{ of: '802.1Q', clause: '49.4.1.1.3' },
      says: 'An entry that a message made does not outlive the congestion by more than a time.',
      ...{ key: 'ci.flowLife', example: 'incast-ci' },
      test: [UNIT, 'give a flow up when it is not seen, or long after congestion'],
    },
    {
      ...{ of: '802.1Q', clause: '49.4.1.2.7' },
      says: 'So many messages are sent for one flow, and no more.',
      ...{ key: 'ci.messages', example: 'incast-ci' },
      test: [UNIT, 'send so many messages for a flow, and no more'],
    },
    {
      ...{ of: '802.1Q', clause: '49.4.2' },
      says: 'Isolation goes upstream hop by hop, and ends everywhere when congestion does.',
      ...{ key: 'ci.detect', example: 'incast-ci' },
      test: [UNIT, 'goes hop by hop upstream, and no farther than to the last switch'],
    },
    {
      ...{ of: '802.1Q', clause: '49.4.3' },
      says: 'A message names the flow, adds or removes it, and quotes its frame.',
      ...{ key: 'ci.quote', example: 'incast-ci', octets: 'CIM', capture: ['leaf2:p*'] },
      test: [WIRE, 'are octets as written down, both ways: CIM'],
    },
    {
      ...{ of: '802.1Q', clause: '8.6.8.6' },
      says: 'No frame of a flow overtakes another between the monitored and congesting queue.',
      ...{ key: 'priorities.*.ci', example: 'incast-ci' },
      test: [UNIT, 'never breaks the order within a flow, nor loses a frame'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.15' },
      says: 'LLDP says which queues a port monitors, and where it takes messages.',
      ...{
        key: 'ci.encapsulation',
        example: 'incast-ci',
        octets: 'LLDP: Congestion Isolation',
        capture: ['leaf2:p1', 'discovery=true'],
      },
      test: [
        'test/unit/engine/wire/lldp.test.ts',
        'of whole frames lies where the vectors have it',
      ],
    },
  ],
};
