import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/sfc.test.ts';
const VALIDATION = 'test/validation/sfc.test.ts';
const WIRE = 'test/unit/engine/wire/congestion-messages.test.ts';
const PROPOSAL = { of: 'Source flow control: proposal of January 2025' } as const;

/** Source flow control, sentence by sentence. */
export const sfcConformance: Conformance = {
  name: 'sfc',
  title: 'Source flow control',
  about:
    'Clause 52 as P802.1Qdw proposes it: a congested queue sends a message that pauses the ' +
    'source of a flow. [All sentences of the proposal](../seeds/source-flow-control.md).',
  claims: [
    {
      ...{ of: '802.1Q', clause: '52' },
      says: 'The source pauses one path delay after its message is sent, and starts no frame.',
      ...{ key: 'sfc.processing', example: 'incast-sfc' },
      test: [VALIDATION, 'comes one path delay and the processing after detection'],
    },
    {
      ...{ of: '802.1Q', clause: '52.4, 52.5.1' },
      says: 'Frames that join a monitored queue are given to the detection of congestion.',
      ...{ key: 'sfc.detect', example: 'incast-sfc' },
      test: [UNIT, 'look at the length of the queue'],
    },
    {
      ...{ of: '802.1Q', clause: '52.4.3, 52.5.2' },
      says: 'A message pauses the station that it is for, or is for the bridge at its link.',
      ...{ key: 'sfc.proxy', example: 'sfc-proxy' },
      test: [
        VALIDATION,
        'takes messages and stops its stations by PFC for the time in the message',
      ],
    },
    {
      ...{ of: '802.1Q', clause: '52.5.3' },
      says: 'A message has version, type, length and value; the value names flow and queue.',
      ...{ key: 'sfc.quote', example: 'incast-sfc', octets: 'SFCM', capture: ['s1:p2'] },
      test: [WIRE, 'are octets as written down, both ways: SFCM'],
    },
    {
      ...PROPOSAL,
      clause: 'Queuing Frames',
      says: 'Only monitored queues are looked at, by any method.',
      ...{
        key: 'sfc.detect',
        example: 'incast-sfc',
        test: [UNIT, 'look at the length of the queue'],
      },
    },
    {
      ...PROPOSAL,
      clause: 'addSfcSource',
      says: 'An entry is made for a source if there is none.',
      ...{ key: 'sfc.sources', example: 'incast-sfc' },
      test: [UNIT, 'gives up the source unseen longest when its table is full'],
    },
    {
      ...PROPOSAL,
      clause: 'condTransmitSfcmPdu',
      says: 'Two messages to one source are a least interval apart.',
      ...{ key: 'sfc.minInterval', example: 'incast-sfc' },
      test: [UNIT, 'is sent to one source again only when the interval is over'],
    },
    {
      ...PROPOSAL,
      clause: 'buildAndSendSfcm',
      says: 'The pause follows from the state of the queue.',
      ...{ key: 'sfc.pause', example: 'incast-sfc' },
      test: [UNIT, 'is what the surplus takes to drain, with what comes in the loop'],
    },
    {
      ...PROPOSAL,
      clause: 'periodicTableCleanup',
      says: 'Sources that are not seen any more are forgotten.',
      ...{ key: 'sfc.sourceLife', example: 'incast-sfc' },
      test: [UNIT, 'forgets sources that are not seen any more'],
    },
    {
      ...PROPOSAL,
      clause: 'processSfcmPdu, end station',
      says: 'The station that a message reaches pauses.',
      ...{ key: 'sfc.receive', example: 'incast-sfc' },
      test: [VALIDATION, 'stops the first frame that would start after it, and none before'],
    },
    {
      ...PROPOSAL,
      clause: 'processSfcmPdu, proxy',
      says: 'A bridge in proxy mode pauses its station by PFC, for the time in the message.',
      ...{ key: 'sfc.proxy', example: 'sfc-proxy' },
      test: [
        VALIDATION,
        'takes messages and stops its stations by PFC for the time in the message',
      ],
    },
    {
      ...PROPOSAL,
      clause: 'processSfcmPdu, not reached',
      says: 'A bridge that is not the proxy forwards the message.',
      ...{ key: 'sfc.proxy', example: 'sfc-proxy' },
      test: [VALIDATION, 'forwards a message where PFC does not run, and counts that'],
    },
    {
      ...PROPOSAL,
      clause: 'LLDP',
      says: 'A port advertises what it does with messages; a bridge acts for stations without.',
      ...{
        key: 'sfc.send',
        example: 'sfc-proxy',
        octets: 'LLDP: Source Flow Control (SFC)',
        capture: ['leaf1:p1', 'discovery=true'],
      },
      test: [
        'test/validation/discovery.test.ts',
        'leaves stations alone that advertise that they respond, and acts for those that do not',
      ],
    },
    {
      ...PROPOSAL,
      clause: 'Annex',
      says: 'The buffer that a queue needs is the sum of a model of delays.',
      ...{ key: 'sfc.target', example: 'victim-behind-sfc' },
      test: [VALIDATION, 'is what the worked examples of the delay model say, with their rounding'],
    },
  ],
};
