import { faultKind } from './fault-kind.js';

export const linkDown = faultKind({
  name: 'link-down',
  effect: 'no carrier at both ends: nothing is sent, and frames on the link are lost',
  must: {},
  may: {},
  hits: 'link',
  breaksLinks: true,
  place(at) {
    at.put({ kind: 'down' });
    at.putAtPeer({ kind: 'down' });
    return true;
  },
  look: 'down',
  form: { says: 'the link has no carrier', fields: [] },
});
