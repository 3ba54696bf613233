import { CONTROL_FRAMES } from '../../engine/faults/control-frames.js';
import { MAC_CONTROL_KINDS } from '../../engine/wire/mac-control/kinds.js';
import { choice } from '../../settings/parts.js';
import { faultKind, priorityMask } from './fault-kind.js';
import { KEYS } from './keys.js';

const ACTIONS = ['lose', 'duplicate', 'corrupt', 'delay'] as const;

export const control = faultKind({
  name: 'control',
  effect: 'selected control frames that arrive are lost, duplicated, late, or have a wrong bit',
  must: {
    frames: KEYS.frames,
    action: choice(ACTIONS).describe(
      'What happens to them; corrupt: one bit is wrong and the FCS misses it.',
    ),
  },
  may: { probability: KEYS.probability, priority: KEYS.priority, delay: KEYS.delay },
  hits: 'port',
  check({ action, delay }, written) {
    if ((action === 'delay') === (delay !== undefined)) return;
    throw written.error('action: delay needs delay, and no other action has it');
  },
  place(at, { frames, action, probability = 1, priority, delay: delayPs = 0 }) {
    const match = { ...CONTROL_FRAMES[frames]!, priorities: priorityMask(priority) };
    at.put({ kind: 'control', match, action, probability, delayPs });
    // A pause that is lost lets the other end overflow.
    at.putAtPeer({ kind: 'excuse' });
    return true;
  },
  look: 'lossy',
  form: {
    says: 'control frames that arrive are lost, doubled, spoilt or late',
    fields: [
      { key: 'frames', text: MAC_CONTROL_KINDS[1]!.name, choices: Object.keys(CONTROL_FRAMES) },
      { key: 'action', text: 'lose', choices: ACTIONS },
      { key: 'probability', text: '10%' },
    ],
  },
});
