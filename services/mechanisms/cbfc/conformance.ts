import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/cbfc.test.ts';
const WIRE = 'test/unit/engine/wire/channel-updates.test.ts';
const VALIDATION = 'test/validation/cbfc.test.ts';
const CASES = 'test/validation/link-layer-cases.test.ts';
const UEC = { of: 'Ultra Ethernet 1.0: link layer', clause: '5.2' } as const;

/** Credit-based flow control, sentence by sentence of what is public. */
export const cbfcConformance: Conformance = {
  name: 'cbfc',
  title: 'Credit-based flow control (CBFC)',
  about:
    'Ultra Ethernet 1.0, 5.2, by what is public of it: a frame starts when its virtual channel ' +
    'has credits. What is chosen is in [the README](../../services/mechanisms/cbfc/README.md).',
  claims: [
    {
      ...UEC,
      says: 'A frame costs its octets and an overhead, in whole credits.',
      ...{ key: 'cbfc.overhead', example: 'incast-cbfc' },
      test: [UNIT, 'whole credits of its octets and the overhead'],
    },
    {
      ...UEC,
      says: 'A frame may start while what is in use and its cost are within the limit.',
      ...{ key: 'cbfc.limit', example: 'incast-cbfc' },
      test: [UNIT, 'may start while what is in use and the cost are within the limit'],
    },
    {
      ...UEC,
      says: 'CF_Update is an ordered set of eight octets: two channels, a count of 15 bits each.',
      ...{
        key: 'cbfc.cfMinSpacing',
        example: 'incast-cbfc',
        octets: 'CBFC: CF_Update',
        capture: ['s1:p2'],
      },
      test: [WIRE, 'is the octets as written down, both ways'],
    },
    {
      ...UEC,
      says: 'A lost CF_Update is healed by the next one, which comes in time.',
      ...{ key: 'cbfc.cfMaxSpacing', example: 'incast-cbfc' },
      test: [VALIDATION, 'the first messages after a restart lost, again and again'],
    },
    {
      ...UEC,
      says: 'CC_Update says what was consumed, and frees what frames used that never came.',
      ...{
        key: 'cbfc.ccInterval',
        example: 'incast-cbfc',
        octets: 'CBFC: CC_Update',
        capture: ['s1:p2'],
      },
      test: [VALIDATION, 'data frames that are lost: CC_Update brings their credits back'],
    },
    {
      ...UEC,
      says: 'Counters have 20 bits and are cyclic.',
      ...{ key: 'cbfc', example: 'incast-cbfc', test: [UNIT, 'counts on where its counters wrap'] },
    },
    {
      ...UEC,
      says: 'Channels may share the credits of a port by profiles.',
      ...{ key: 'cbfc.sharing', example: 'three-flow-controls' },
      test: [UNIT, 'shares the credits of a pool: what is reserved, and a part of the rest'],
    },
    {
      ...UEC,
      says: 'A credit is 32 to 2,048 octets, a power of two.',
      ...{ key: 'cbfc.creditSize', example: 'incast-cbfc' },
      test: [CASES, 'CBFC-01, 02: credits of all sizes, modulo 2^20'],
    },
    {
      ...UEC,
      says: 'Back pressure slows a sender, and stops it.',
      ...{ key: 'cbfc.channels', example: 'incast-cbfc' },
      test: [CASES, 'CBFC-04: back pressure slows a sender, and stops it'],
    },
    {
      ...UEC,
      says: 'LLDP says that a port has it, and the credits of its channels; frames wait for that.',
      ...{
        key: 'cbfc.buffer',
        example: 'incast-cbfc',
        octets: 'LLDP: UEC credits',
        capture: ['s1:p2', 'discovery=true'],
      },
      test: [VALIDATION, 'and frames start when both ends have advertised it'],
    },
  ],
};
