import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/qcn.test.ts';
const WIRE = 'test/unit/engine/wire/congestion.test.ts';
const DOMAIN = 'test/scenario/qcn-domain.test.ts';

/** Congestion notification, clause by clause. */
export const qcnConformance: Conformance = {
  name: 'qcn',
  title: 'Congestion notification (QCN)',
  about:
    'Clauses 30 to 33: a congested queue samples frames and sends their sources messages, by ' +
    'which these slow down.',
  claims: [
    {
      ...{ of: '802.1Q', clause: '30, 31.1.1, 32.2' },
      says: 'Congestion points send messages to the sources of sampled frames, across bridges.',
      ...{ key: 'qcn', example: 'incast-qcn' },
      test: [DOMAIN, 'tags frames from end to end and sends CNMs to every source'],
    },
    {
      ...{ of: '802.1Q', clause: '30.6, 32.1.1' },
      says: 'Edge: frames of a congestion notification priority from outside are remapped.',
      ...{ key: 'qcn.defence', example: 'incast-qcn' },
      test: [DOMAIN, 'remaps frames from outside, and sends no CNM there'],
    },
    {
      ...{ of: '802.1Q', clause: '32.1.1' },
      says: 'Interior: the tag is removed where the link partner is not ready for it.',
      ...{ key: 'qcn.ports', example: 'incast-qcn' },
      test: [DOMAIN, 'removes the tag at an interior port whose link partner does not support it'],
    },
    {
      ...{ of: '802.1Q', clause: '32.8' },
      says: 'A queue is compared with its set point and with its length at the last sample.',
      ...{ key: 'qcn.setPoint', example: 'incast-qcn' },
      test: [UNIT, 'compares the queue with its set point, and with the sample before'],
    },
    {
      ...{ of: '802.1Q', clause: '30.2.1, 32.8' },
      says: 'Feedback has six bits, of the largest that set point and weight allow.',
      ...{ key: 'qcn.weight', example: 'incast-qcn' },
      test: [UNIT, 'quantises 66 112 octets of congestion as 32 of 63'],
    },
    {
      ...{ of: '802.1Q', clause: '32.9' },
      says: 'The worse the congestion, the fewer octets until the next sample.',
      ...{ key: 'qcn.sampleBase', example: 'incast-qcn' },
      test: [UNIT, 'samples the sooner the worse it is'],
    },
    {
      ...{ of: '802.1Q', clause: '32.11, 32.13' },
      says: 'A reaction point cuts its rate in proportion to the feedback, by a half at most.',
      ...{ key: 'qcn.gain', example: 'nic-qcn' },
      test: [UNIT, 'cuts by 1/128 for each unit of feedback, by half at most'],
    },
    {
      ...{ of: '802.1Q', clause: '32.14, 32.15' },
      says: 'It recovers by octets sent: fast at first, then in steps.',
      ...{ key: 'qcn.byteReset', example: 'incast-qcn' },
      test: [UNIT, 'recovers half of the loss per cycle of 150 kB, five times'],
    },
    {
      ...{ of: '802.1Q', clause: '32.14, 32.15' },
      says: 'Time counts beside octets; where both are past the threshold, steps are greater.',
      ...{ key: 'qcn.timeReset', example: 'incast-qcn' },
      test: [UNIT, 'counts time beside octets: 15 ms, later half of it'],
    },
    {
      ...{ of: '802.1Q', clause: '33.2' },
      says: 'A CN-TAG carries the number by which a source knows the flow again.',
      ...{ key: 'qcn.outside', example: 'incast-qcn', octets: 'CN-TAG', capture: ['s1:p2'] },
      test: [WIRE, 'is the known one, with its tags and what it encapsulates'],
    },
    {
      ...{ of: '802.1Q', clause: '32.9.4, 33.3, 33.4' },
      says: 'A CNM carries feedback, congestion point, queue, and the beginning of the frame.',
      ...{ key: 'qcn.quote', example: 'incast-qcn', octets: 'CNM', capture: ['s1:p2'] },
      test: [WIRE, 'comes back as it was, signs and all'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.7' },
      says: 'LLDP says for which priorities a port notifies, and may keep tags.',
      ...{
        key: 'qcn.priorities',
        example: 'incast-qcn',
        octets: 'LLDP: Congestion Notification',
        capture: ['s1:p2', 'discovery=true'],
      },
      test: [
        'test/unit/engine/wire/lldp.test.ts',
        'of whole frames lies where the vectors have it',
      ],
    },
  ],
};
