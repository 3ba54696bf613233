import {
  blankUetAck,
  blankUetNack,
  blankUetRequest,
  encodeUetAck,
  encodeUetNack,
  encodeUetRequest,
  UET_ACK_CC_OCTETS,
  UET_NACK_OCTETS,
  UET_REQUEST_OCTETS,
  UET_SEMANTIC_OCTETS,
  UET_UDP_PORT,
} from '../../engine/wire/uet.js';
import type { TransportWire } from '../transport-slice.js';
import { baseOf, bitmapOf, offsetOf, outOfOrderOf, unitsOf } from './layout.js';

const request = blankUetRequest();
const ack = blankUetAck();
const nack = blankUetNack();
/** Numbers of connections, and of packets, as headers have them. */
const PDC_MASK = 0xffff;

/** The octets of its packets: what a frame does not carry (resent, SYN, service time) is 0. */
export const uetWire: TransportWire = {
  udpPort: UET_UDP_PORT,
  packetOctets: UET_REQUEST_OCTETS + UET_SEMANTIC_OCTETS,
  answerOctets: UET_ACK_CC_OCTETS,
  encodePacket: (octets, at, { sequence, connection, remote, isFlagged }) => {
    request.ackRequested = isFlagged;
    request.psn = sequence >>> 0;
    request.sourcePdc = remote & PDC_MASK;
    request.destinationPdc = connection & PDC_MASK;
    const end = encodeUetRequest(octets, at, request);
    octets.fill(0, end, end + UET_SEMANTIC_OCTETS);
    return end + UET_SEMANTIC_OCTETS;
  },
  refusalOctets: UET_NACK_OCTETS,
  encodeRefusal: (octets, at, { sequence, connection, remote, isFlagged, said, counts }) => {
    nack.marked = isFlagged;
    nack.code = counts;
    nack.psn = (sequence + offsetOf(said)) >>> 0;
    nack.sourcePdc = remote & PDC_MASK;
    nack.destinationPdc = connection & PDC_MASK;
    return encodeUetNack(octets, at, nack);
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
