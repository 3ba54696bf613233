import { blankCnp, encodeCnpFrame } from '../../engine/wire/cnp.js';
import { queuePairOf } from '../../engine/wire/roce.js';
import type { MessageTemplate } from '../message-template.js';

/** A CNP to the sender of the host's first connection with DCQCN. */
export const cnpTemplate: MessageTemplate = {
  frames: 'cnp',
  encapsulation: 'ipv4',
  keys: [],
  encode: (octets, envelope, { connectionOf }) => {
    const cnp = { ...blankCnp(), destinationQueuePair: queuePairOf(connectionOf('dcqcn')) };
    return encodeCnpFrame(octets, 0, envelope, cnp);
  },
};
