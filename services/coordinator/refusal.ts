import type { selvage } from '#contracts';
import { PROTOCOL } from '../runtime/part/messages.js';

export interface Refusal {
  readonly reason: string;
  /** The run has fewer services, and this is no error. */
  readonly surplus: boolean;
}

/** Why a service has no place in a run of so many services; null if it has one. */
export function refusal(
  register: selvage.v1.Register.$Properties,
  services: number,
  own: { readonly run: string; readonly version: string },
): Refusal | null {
  const wrong = mismatch(register, own);
  if (wrong !== null) return { reason: wrong, surplus: false };
  const service = register.service ?? -1;
  if (service >= 0 && service < services) return null;
  return { reason: `this run has ${services} services, from 0 to ${services - 1}`, surplus: true };
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
