import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { ObserverPlan } from '../observers.js';

/** Why nothing may be skipped in a run that is recorded, or checked, like this; null: it may. */
export function exclusionOf(
  plan: ObserverPlan,
  isChecked: boolean,
  { specs }: Fabric,
): string | null {
  if (isChecked) return '--check looks at every event';
  if (plan.captures !== null) return 'frames are captured (--capture, observe.captures)';
  if (plan.traces !== null) return 'frames are traced (observe.traces)';
  if (plan.events !== false) return 'events are recorded (observe.events)';
  if (plan.wire) return 'what ports transmit is fingerprinted (observe.wire)';
  const isLive = specs.some(({ ports }) => ports.some(({ live }) => live !== undefined));
  return isLive ? 'real hosts send at any time' : null;
}
