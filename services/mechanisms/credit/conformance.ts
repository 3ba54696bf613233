import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/engine/wire/credit-exchange.test.ts';
const REQUESTS = 'test/validation/credit-requests.test.ts';
const TENANTS = 'test/validation/credit-tenants.test.ts';
const NEGOTIATION = 'test/scenario/credit-negotiation.test.ts';
const PROPOSAL = { of: 'Credit exchange: proposal of January 2014' } as const;

/** Credit exchange, sentence by sentence of the proposal. */
export const creditConformance: Conformance = {
  name: 'credit',
  title: 'Credit exchange',
  about:
    'The proposal of January 2014 to IEEE 802.1: a sender sends what its link partner has ' +
    'granted. [All sentences of the proposal](../seeds/credit-exchange.md).',
  claims: [
    {
      ...PROPOSAL,
      clause: 'CE Frame Format',
      says: 'A frame of MAC control has a vector of priorities, credits of each, and a channel.',
      ...{
        key: 'credit.unit',
        example: 'incast-credit',
        octets: 'Credit exchange: CE frame',
        capture: ['s1:p2'],
      },
      test: [UNIT, 'are octets as written down, both ways'],
    },
    {
      ...PROPOSAL,
      clause: 'Frame Format with CE-Tag',
      says: 'A tag of 64 bits on a data frame, or alone, has the credits of one priority.',
      ...{
        key: 'credit.tags',
        example: 'incast-credit',
        octets: 'Credit exchange: CE-Tag',
        capture: ['s1:p2', 'credit.tags=true'],
      },
      test: [UNIT, 'name exactly one priority'],
    },
    {
      ...PROPOSAL,
      clause: 'Algorithm',
      says: 'Six steps: capabilities, request, grant, transmit, receive, account.',
      ...{ key: 'credit.request', example: 'credit-on-request' },
      test: ['test/validation/credit-steps.test.ts', 'are recorded in their order at both ends'],
    },
    {
      ...PROPOSAL,
      clause: 'Credit requested',
      says: 'What is requested follows from queue, rate, round trip and prediction.',
      ...{ key: 'credit.prediction', example: 'credit-on-request' },
      test: [REQUESTS, 'is as much as the prediction says'],
    },
    {
      ...PROPOSAL,
      clause: 'Credits granted',
      says: 'What is granted follows from buffers, a factor, and the settings of a shaper.',
      ...{ key: 'credit.shaper', example: 'credit-on-request' },
      test: [REQUESTS, 'paces grants: a sender gets the rate, and no more'],
    },
    {
      ...PROPOSAL,
      clause: 'Channels',
      says: 'A channel of 16 bits separates tenants of a link; unused credit can be lent.',
      ...{ key: 'credit.channels', example: 'credit-tenants' },
      test: [TENANTS, 'borrow the memory of an idle one, and give it back'],
    },
    {
      ...PROPOSAL,
      clause: 'Long distances',
      says: 'A link is lossless and busy with the buffer of about one round trip.',
      ...{ key: 'credit.buffer', example: 'long-link-credit' },
      test: [
        'test/validation/credit-distance.test.ts',
        'credit keeps a wire busy with little more than one round trip',
      ],
    },
    {
      ...PROPOSAL,
      clause: 'DCBX, Application Protocol TLV',
      says: 'An entry for each priority, by the EtherType of CE frames, advertises it.',
      ...{ key: 'credit.cet', example: 'discovery-island' },
      ...{ octets: 'LLDP: Application Priority', capture: ['s1:p2', 'credit.cet=both'] },
      test: [NEGOTIATION, 'is all that a link partner needs to agree'],
    },
    {
      ...PROPOSAL,
      clause: 'DCBX, capabilities',
      says: 'Ends advertise unit, largest unit, channels and priorities; both decide by them.',
      ...{ key: 'credit.maxChannels', example: 'discovery-island' },
      ...{ octets: 'LLDP: Credit Exchange (CET)', capture: ['s1:p2'] },
      test: [
        'test/property/negotiation-space.test.ts',
        'exchange credit on the same terms, by every version of the TLV',
      ],
    },
    {
      ...PROPOSAL,
      clause: 'Flow Control Methods',
      says: 'A link has one method for each priority, whatever its ends are configured for.',
      ...{ key: 'credit.fallback', example: 'discovery-island' },
      test: [
        'test/property/negotiation-space.test.ts',
        'come to one method, whatever both are configured for and whoever receives',
      ],
    },
    {
      ...PROPOSAL,
      clause: 'Path',
      says: 'After convergence it is known which link of a path has no credit, and why.',
      ...{ key: 'discovery', example: 'discovery-island' },
      test: [
        'test/scenario/discovery-cli.test.ts',
        'lists the links that rule out credit, and why',
      ],
    },
  ],
};
