import { quantity } from '../../settings/parts.js';
import { time } from '../../settings/quantities.js';
import { faultKind } from './fault-kind.js';
import { KEYS } from './keys.js';

export const delay = faultKind({
  name: 'delay',
  effect: 'the link takes longer in both directions; frames keep their order',
  must: { delay: KEYS.delay },
  may: {
    jitter: quantity(time).describe(
      'Up to so much later still, at random; frames keep their order.',
    ),
  },
  hits: 'link',
  place(at, { delay: delayPs, jitter: jitterPs = 0 }) {
    at.put({ kind: 'delay', delayPs, jitterPs });
    at.putAtPeer({ kind: 'delay', delayPs, jitterPs });
    return true;
  },
  look: 'slow',
  form: { says: 'the link is longer', fields: [{ key: 'delay', text: '1us' }] },
});
