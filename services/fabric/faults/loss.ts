import { faultKind, priorityMask } from './fault-kind.js';
import { KEYS } from './keys.js';

export const loss = faultKind({
  name: 'loss',
  effect: 'frames that arrive at the port are lost; without `priority` control frames too',
  must: { probability: KEYS.probability },
  may: { priority: KEYS.priority },
  hits: 'port',
  place(at, { probability, priority }) {
    const priorities = priorityMask(priority);
    at.put({ kind: 'loss', probability, priorities, control: priority === undefined });
    // A pause that is lost lets the other end overflow.
    at.putAtPeer({ kind: 'excuse' });
    return true;
  },
  look: 'lossy',
  form: {
    says: 'frames that arrive at the port are lost',
    fields: [{ key: 'probability', text: '10%' }],
  },
});
