import { PS_PER_NS } from '../../engine/units/time.js';
import { encodeEnvelope, envelopeOctets } from '../../engine/wire/congestion-message.js';
import { blankSfcm, encodeSfcm, SFCM_PAUSE } from '../../engine/wire/sfcm.js';
import type { MessageTemplate } from '../message-template.js';
import { time } from '../../settings/quantities.js';
import { PAUSE_MAX_DEFAULT } from './settings.js';

const PAUSE_DEFAULT_PS = time.parse(PAUSE_MAX_DEFAULT);

export const sfcmTemplate: MessageTemplate = {
  frames: 'sfcm',
  encapsulation: 'ethernet',
  keys: ['source', 'pause'],
  pauseDefault: PAUSE_MAX_DEFAULT,
  encode: (octets, envelope, { mac, source, destination, priority, pausePs }) => {
    const pauseNs = Math.ceil((pausePs ?? PAUSE_DEFAULT_PS) / PS_PER_NS);
    const addresses = { source, destination, queueMac: mac };
    const sfcm = { ...blankSfcm(), type: SFCM_PAUSE, priority, pauseNs, ...addresses };
    const at = envelopeOctets(envelope);
    return encodeEnvelope(octets, 0, envelope, encodeSfcm(octets, at, sfcm) - at);
  },
};
