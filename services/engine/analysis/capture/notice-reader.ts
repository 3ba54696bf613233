import { blankCnm, blankCnmEnvelope, decodeCnmFrame } from '../../wire/cnm.js';
import { blankCnp, decodeCnpPacket } from '../../wire/cnp.js';
import {
  blankEnvelope,
  decodeEnvelope,
  SUBTYPE_CIM,
  SUBTYPE_SFCM,
} from '../../wire/congestion-message.js';
import { connectionOf, ROCE_UDP_PORT } from '../../wire/roce.js';

type NoticeType = 'cnm' | 'cnp' | 'cim' | 'sfcm' | 'other';

/** The type of a congestion message, and the connection of its receiver it is about. */
interface Notice {
  readonly type: NoticeType;
  /** NO_CONNECTION of those that name flows by their addresses. */
  readonly connection: number;
}

const NO_CONNECTION = -1;

const aroundCnm = blankCnmEnvelope();
const cnm = blankCnm();
const envelope = blankEnvelope();
const cnp = blankCnp();

export function readNotice(octets: Uint8Array): Notice {
  if (decodeCnmFrame(octets, 0, aroundCnm, cnm) === 'ok') {
    return { type: 'cnm', connection: aroundCnm.flowId - 1 };
  }
  const type = decodeEnvelope(octets, 0, envelope) === 'ok' ? typeInside(octets) : 'other';
  return {
    type,
    connection: type === 'cnp' ? connectionOf(cnp.destinationQueuePair) : NO_CONNECTION,
  };
}

function typeInside(octets: Uint8Array): NoticeType {
  const isUdp = envelope.encapsulation !== 'ethernet';
  if (isUdp && envelope.udp.destinationPort === ROCE_UDP_PORT) {
    return decodeCnpPacket(octets, 0, envelope, cnp) === 'ok' ? 'cnp' : 'other';
  }
  const subtype = octets[envelope.pduAt];
  return subtype === SUBTYPE_CIM ? 'cim' : subtype === SUBTYPE_SFCM ? 'sfcm' : 'other';
}
