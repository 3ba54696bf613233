import type { Shortage } from '../mechanism-slice.js';
import type { CreditPortSpec } from './spec.js';

/** Why the link partner of a port may lack credit of a channel while the port stores little. */
export function shortageOf(
  spec: CreditPortSpec | null,
  priority: number,
  channel: number,
): Shortage {
  if (spec === null) return { kind: 'under-way', hasOctets: 0, needsOctets: 0 };
  const { granting, channels } = spec;
  const { unitOctets, bufferUnits, loopUnits, shaper, unsolicited, policy } = granting;
  const shares = channels.reduce((sum, { share }) => sum + share, 0);
  const own = channels.find((one) => one.channel === channel)?.share ?? shares;
  const hasOctets = Math.floor((bufferUnits[priority] * unitOctets * own) / shares);
  const needsOctets = loopUnits[priority] * unitOctets;
  const sizes = { hasOctets, needsOctets };
  if (shaper !== null) return { kind: 'shaped', ...sizes };
  if (hasOctets < needsOctets) return { kind: 'below-loop', ...sizes };
  if (!unsolicited) return { kind: 'on-request', ...sizes };
  const isLent = policy === 'demand' && channels.length > 1;
  return { kind: isLent ? 'lent' : 'under-way', ...sizes };
}
