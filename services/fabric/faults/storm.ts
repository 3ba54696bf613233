import { QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import { MECHANISMS, pausingOf } from '../../mechanisms/registry.js';
import { integer } from '../../settings/parts.js';
import { faultKind, priorityMask } from './fault-kind.js';
import { KEYS } from './keys.js';

/** 802.3 Annex 31B: the longest time of a frame. */
const LONGEST_QUANTA = 65_535;
/** A faulty NIC repeats its pause so often within the time that it names. */
const REPEATS = 2;

export const storm = faultKind({
  name: 'storm',
  effect: 'the port pauses its link partner again and again, as a broken NIC does',
  must: {},
  may: {
    priority: KEYS.priority,
    interval: KEYS.interval,
    quanta: integer(1, LONGEST_QUANTA).describe('Pause time that a storm names.'),
  },
  hits: 'port',
  needs: MECHANISMS.flatMap(({ name, pausing }) => (pausing ? name : [])).join(' or '),
  place(at, { priority, interval, quanta = LONGEST_QUANTA }) {
    const { pausing, mac, octetPs } = at.port;
    const named = (pausing?.priorities ?? 0) & priorityMask(priority);
    // Nothing would respond.
    if (pausing === null || named === 0) return false;
    const lasts = quanta * QUANTUM_OCTETS * octetPs;
    const octets = pausingOf(pausing.mechanism)!.compose(mac, named, quanta);
    const everyPs = interval ?? Math.ceil(lasts / REPEATS);
    at.put({ kind: 'send', octets: [...octets], everyPs, message: null });
    return true;
  },
  look: 'device',
  form: {
    says: 'a broken NIC stops its link partner, again and again',
    fields: [{ key: 'priority', text: '3' }],
  },
});
