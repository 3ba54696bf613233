import type { selvage } from '#contracts';
import { PROTOCOL } from '../runtime/part/messages.js';

/** Why a service has no place in a run of so many services; null if it has one. */
export function refusal(
  register: selvage.v1.Register.$Properties,
  services: number,
  own: { readonly run: string; readonly version: string },
): string | null {
  const protocol = register.protocol ?? 0;
  if (protocol !== PROTOCOL) {
    return `protocol ${protocol} is not understood here: this is protocol ${PROTOCOL}`;
  }
  if (register.version !== own.version) {
    return `the service is of version ${register.version ?? '?'}, the run of ${own.version}`;
  }
  if (register.run !== own.run) return `this is run ${own.run}`;
  const service = register.service ?? -1;
  return service >= 0 && service < services ? null : `this run has ${services} services`;
}
