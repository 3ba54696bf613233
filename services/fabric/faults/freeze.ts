import { faultKind } from './fault-kind.js';

export const freeze = faultKind({
  name: 'freeze',
  effect: 'the port sends nothing, not even control frames',
  must: {},
  may: {},
  hits: 'port',
  place(at) {
    at.put({ kind: 'freeze' });
    return true;
  },
  look: 'down',
  form: { says: 'the port sends nothing at all', fields: [] },
});
