import { blankCnm, blankCnmEnvelope, encodeCnmFrame } from '../../engine/wire/cnm.js';
import type { MessageTemplate } from '../message-template.js';

/** The highest feedback of a congestion point (802.1Q 30.2.1). */
const WORST_FEEDBACK = 63;

export const cnmTemplate: MessageTemplate = {
  frames: 'cnm',
  encapsulation: 'ethernet',
  keys: [],
  encode: (octets, { ethernet }, { mac, priority }) => {
    const around = blankCnmEnvelope();
    Object.assign(around.ethernet, ethernet);
    const cnm = { ...blankCnm(), feedback: WORST_FEEDBACK, bridge: mac, priority };
    return encodeCnmFrame(octets, 0, around, cnm);
  },
};
