import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { faultKind } from './fault-kind.js';
import { KEYS } from './keys.js';

export const slowLink = faultKind({
  name: 'slow-link',
  effect: 'both directions run at a lower rate',
  must: { rate: KEYS.rate },
  may: {},
  hits: 'link',
  place(at, { rate }) {
    const octetPs = Math.ceil(OCTET_BITS_PS / rate);
    at.put({ kind: 'slow', octetPs });
    at.putAtPeer({ kind: 'slow', octetPs });
    return true;
  },
  look: 'slow',
  form: {
    says: 'both directions run at a lower rate',
    fields: [{ key: 'rate', text: '10G' }],
  },
});
