import type { FaultTimes } from '../contract/fault.js';
import type { RandomStream } from '../kernel/random.js';

/** The next activity of a fault. */
export interface Spell {
  readonly beginPs: number;
  readonly endPs: number;
}

/** The first activity of a fault; null if there is none. */
export function firstSpell(when: FaultTimes, random: RandomStream): Spell | null {
  const spell = when.random ? sampled(when, when.startPs, random) : fixed(when, when.startPs);
  return before(when.untilPs, spell);
}

/** The activity after one that has passed; null if there is none. */
export function nextSpell(
  when: FaultTimes,
  past: Spell,
  count: number,
  random: RandomStream,
): Spell | null {
  if (count >= when.times || when.everyPs === Infinity || past.endPs === Infinity) return null;
  const next = when.random
    ? sampled(when, past.endPs, random)
    : fixed(when, past.beginPs + when.everyPs);
  return before(when.untilPs, next);
}

/** The part of an activity before a time; null if there is none. */
export function before(untilPs: number, { beginPs, endPs }: Spell): Spell | null {
  return beginPs >= untilPs ? null : { beginPs, endPs: Math.min(endPs, untilPs) };
}

function fixed({ forPs }: FaultTimes, beginPs: number): Spell {
  return { beginPs, endPs: beginPs + forPs };
}

/** At least a picosecond each, so that activities follow each other in time. */
function sampled({ everyPs, forPs }: FaultTimes, fromPs: number, random: RandomStream): Spell {
  const draw = (meanPs: number): number =>
    meanPs === Infinity ? Infinity : 1 + Math.round(random.exponential(meanPs));
  const beginPs = fromPs + (everyPs === Infinity ? 0 : draw(everyPs));
  return { beginPs, endPs: beginPs + draw(forPs) };
}
