import { faultKind } from './fault-kind.js';

export const reboot = faultKind({
  name: 'reboot',
  effect: 'a switch loses its frames and learned state, and its links are down for `for`',
  must: {},
  may: {},
  mustBe: ['for'],
  hits: 'switch',
  breaksLinks: true,
  place({ ports }) {
    ports.forEach((own, p) => {
      if (p === 0) own.put({ kind: 'flush' });
      own.put({ kind: 'down' });
      own.putAtPeer({ kind: 'down' });
    });
    return true;
  },
  look: 'device',
  form: { says: 'the switch loses all that it holds and has learned', fields: [] },
});
