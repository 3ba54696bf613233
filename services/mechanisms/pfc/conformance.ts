import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/pfc.test.ts';
const WIRE = 'test/unit/engine/wire/mac-control.test.ts';
const RESPONSE = 'test/validation/pause-response.test.ts';

/** PAUSE and PFC, clause by clause. */
export const pfcConformance: Conformance = {
  name: 'pfc',
  title: 'PAUSE and PFC',
  about: 'A receiver pauses its link partner: all priorities (802.3 31B), or some (802.1Q 36).',
  claims: [
    {
      ...{ of: '802.3', clause: '31B.2' },
      says: 'PAUSE is a MAC control frame with one time, in quanta of 512 bit times of its link.',
      ...{ key: 'pause.quanta', example: 'four-documents' },
      ...{
        octets: 'PAUSE',
        capture: ['acc1:p*'],
        test: [WIRE, 'is encoded as the standard has it'],
      },
    },
    {
      ...{ of: '802.3', clause: '31B.3.1' },
      says: 'PAUSE is sent with its time while the buffer of the port is over XOFF, then with 0.',
      ...{ key: 'pause.xoff', example: 'pause' },
      test: [UNIT, 'asks with its full time while its account is over, and with zero when'],
    },
    {
      ...{ of: '802.3', clause: '31B.3.2' },
      says: 'A time that is received replaces the one that runs; zero ends the pause.',
      ...{ key: 'pause.quanta', example: 'pause' },
      test: [
        UNIT,
        'lets go when the time is over, and not at the time of a stop that was replaced',
      ],
    },
    {
      ...{ of: '802.3', clause: '31B.3.3' },
      says: 'A station takes PAUSE at the group address of MAC control, and at its own address.',
      ...{ key: 'pause', example: 'four-documents' },
      test: [UNIT, 'holds every priority, at the group address and at its own, but not at another'],
    },
    {
      ...{ of: '802.3', clause: '31B.3.7' },
      says: 'A frame that has begun ends; no other starts once the response time is over.',
      ...{ key: 'pause.responseDelay', example: 'four-documents' },
      test: [RESPONSE, 'starts nothing from the moment the stop acts until it expires'],
    },
    {
      ...{ of: '802.3', clause: '31.4.1' },
      says: 'A MAC control frame has the least length, and its padding is zero.',
      ...{ key: 'priorities.*.flowControl', example: 'incast-pfc' },
      test: [WIRE, 'does not fit where less than 60 octets are left'],
    },
    {
      ...{ of: '802.3', clause: '31D' },
      says: 'PFC has a vector of eight priorities, and a time for each of them.',
      ...{ key: 'priorities.*.quanta', example: 'incast-pfc' },
      ...{ octets: 'PFC', capture: ['s1:p2'], test: [WIRE, 'is decoded into vector and times'] },
    },
    {
      ...{ of: '802.3', clause: '31D' },
      says: 'Each priority has a timer; a time that is received replaces it.',
      ...{ key: 'priorities.*.refresh', example: 'incast-pfc' },
      test: [UNIT, 'holds a named priority for its time, lets the others go'],
    },
    {
      ...{ of: '802.3', clause: '31D' },
      says: 'A time of zero ends a pause; a priority that the vector leaves out is left alone.',
      ...{ key: 'priorities.*.xonGap', example: 'incast-pfc' },
      test: [UNIT, 'lets go at once on time zero, and leaves alone what a frame does not name'],
    },
    {
      ...{ of: '802.1Q', clause: '36.1.3.2' },
      says: 'A priority is paused when its ingress buffer is at XOFF, again before that expires.',
      ...{ key: 'priorities.*.xoff', example: 'incast-pfc' },
      test: [UNIT, 'asks once when an account goes over, and again after half the time'],
    },
    {
      ...{ of: '802.1Q', clause: '36' },
      says: 'A port that runs PFC ignores PAUSE.',
      ...{ key: 'priorities.*.flowControl', example: 'four-documents' },
      test: [UNIT, 'is ignored by a port that runs PFC'],
    },
    {
      ...{ of: '802.1Q', clause: '36.1.3' },
      says: 'A priority without PFC at this port is not paused.',
      ...{ key: 'discovery.pfcCapability', example: 'discovery-willing-hosts' },
      test: [UNIT, 'ignores priorities for which it does not run'],
    },
    {
      ...{ of: '802.1Q', clause: '36.1.3.3' },
      says: 'The pause acts within 614.4 ns: 12 quanta at 10 Gb/s, 480 at 400 Gb/s.',
      ...{ key: 'priorities.*.responseDelay', example: 'long-link-pfc' },
      test: [UNIT, 'the response limit of PFC is 12 quanta at 10 Gb/s and 480 at 400 Gb/s'],
    },
    {
      ...{ of: '802.1Q', clause: 'Annex N' },
      says: 'Headroom holds what still arrives after XOFF: a sum of delays and frames in the way.',
      ...{ key: 'priorities.*.headroom', example: 'long-link-pfc' },
      test: ['test/scenario/sizes.test.ts', 'has the headroom of Annex N term by term'],
    },
  ],
};
