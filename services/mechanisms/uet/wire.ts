import {
  blankUetAck,
  blankUetCreditRequest,
  CONTROL_CREDIT,
  encodeUetAck,
  encodeUetCredit,
  encodeUetCreditRequest,
  encodeUetNack,
  encodeUetRequest,
  UET_ACK_CC_OCTETS,
  UET_CREDIT_REQUEST_OCTETS,
  UET_NACK_OCTETS,
  UET_REQUEST_OCTETS,
  UET_SEMANTIC_OCTETS,
  UET_UDP_PORT,
} from '../../engine/wire/uet.js';
import type { TransportWire } from '../transport-slice.js';
import { baseOf, bitmapOf, offsetOf, outOfOrderOf, unitsOf } from './layout.js';

const request = blankUetCreditRequest();
const ack = blankUetAck();
/** Numbers of connections, and of packets, as headers have them. */
const PDC_MASK = 0xffff;

/** The octets of its packets: what a frame does not carry (resent, SYN, service time) is 0. */
export function uetWire(hasCredit: boolean): TransportWire {
  const requestOctets = hasCredit ? UET_CREDIT_REQUEST_OCTETS : UET_REQUEST_OCTETS;
  return {
    udpPort: UET_UDP_PORT,
    packetOctets: requestOctets + UET_SEMANTIC_OCTETS,
    answerOctets: UET_ACK_CC_OCTETS,
    refusalOctets: UET_NACK_OCTETS,
    encodePacket: (octets, at, { sequence, connection, remote, isFlagged, wanted }) => {
      request.ackRequested = isFlagged;
      request.psn = sequence >>> 0;
      request.sourcePdc = remote & PDC_MASK;
      request.destinationPdc = connection & PDC_MASK;
      request.creditTarget = wanted;
      const end = hasCredit
        ? encodeUetCreditRequest(octets, at, request)
        : encodeUetRequest(octets, at, request);
      octets.fill(0, end, end + UET_SEMANTIC_OCTETS);
      return end + UET_SEMANTIC_OCTETS;
    },
    encodeRefusal: (octets, at, { sequence, connection, remote, isFlagged, said, counts }) => {
      const ends = { sourcePdc: remote & PDC_MASK, destinationPdc: connection & PDC_MASK };
      if (counts === CONTROL_CREDIT) {
        return encodeUetCredit(octets, at, { ...ends, psn: sequence >>> 0, credit: said });
      }
      const psn = (sequence + offsetOf(said)) >>> 0;
      return encodeUetNack(octets, at, { ...ends, psn, marked: isFlagged, code: counts });
    },
    encodeAnswer: (octets, at, { sequence, connection, remote, isFlagged, said, counts }) => {
      ack.marked = isFlagged;
      ack.cumulativePsn = sequence >>> 0;
      ack.ackOffset = offsetOf(said);
      ack.sourcePdc = remote & PDC_MASK;
      ack.destinationPdc = connection & PDC_MASK;
      ack.sackOffset = baseOf(said);
      ack.sackLow = bitmapOf(said) >>> 0;
      ack.receivedUnits = unitsOf(counts);
      ack.outOfOrder = outOfOrderOf(counts);
      return encodeUetAck(octets, at, ack);
    },
  };
}
