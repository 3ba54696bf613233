import type { selvage } from '#contracts';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { PROTOCOL } from '../runtime/partition/messages.js';

export interface Refusal {
  readonly reason: string;
  /** The run has fewer services, and this is no error. */
  readonly surplus: boolean;
}

/** Why a service has no place in a run with these services; null if it has one. */
export function refusal(
  register: selvage.v1.Register.$Properties,
  slots: readonly { readonly plan: ServicePlan }[],
  run: { readonly run: string; readonly version: string },
): Refusal | null {
  const wrong = mismatch(register, run);
  if (wrong !== null) return { reason: wrong, surplus: false };
  const service = register.service ?? -1;
  const slot = slots[service];
  if (slot === undefined) {
    const { length } = slots;
    return { reason: `this run has ${length} services, from 0 to ${length - 1}`, surplus: true };
  }
  const own = slot.plan.parts.length;
  const most = register.threads ?? 0;
  if (most === 0 || own <= most) return null;
  const reason = `the run has ${own} threads for this service, which may have ${most}`;
  return { reason, surplus: false };
}

function mismatch(
  register: selvage.v1.Register.$Properties,
  own: { readonly run: string; readonly version: string },
): string | null {
  const protocol = register.protocol ?? 0;
  if (protocol !== PROTOCOL) {
    return `protocol ${protocol} is not understood here: this is protocol ${PROTOCOL}`;
  }
  if (register.version !== own.version) {
    return `the service is of version ${register.version ?? '?'}, the run of ${own.version}`;
  }
  return register.run === own.run ? null : `this is run ${own.run}`;
}
