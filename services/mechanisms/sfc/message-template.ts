import { PS_PER_NS } from '../../engine/units/time.js';
import { encodeEnvelope, envelopeOctets } from '../../engine/wire/congestion-message.js';
import { blankSfcm, encodeSfcm, SFCM_PAUSE } from '../../engine/wire/sfcm.js';
import type { MessageTemplate } from '../message-template.js';
import { SFC_PAUSE_MAX_NS } from './managed.js';

export const sfcmTemplate: MessageTemplate = {
  frames: 'sfcm',
  encapsulation: 'ethernet',
  keys: ['source', 'pause'],
  encode: (octets, envelope, { mac, source, destination, priority, pausePs }) => {
    const pauseNs = pausePs === null ? SFC_PAUSE_MAX_NS : Math.ceil(pausePs / PS_PER_NS);
    const addresses = { source, destination, queueMac: mac };
    const sfcm = { ...blankSfcm(), type: SFCM_PAUSE, priority, pauseNs, ...addresses };
    const at = envelopeOctets(envelope);
    return encodeEnvelope(octets, 0, envelope, encodeSfcm(octets, at, sfcm) - at);
  },
};
