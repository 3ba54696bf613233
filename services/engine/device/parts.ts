import type { EgressPath } from './egress-path.js';
import type { Starting } from './starting.js';
import type { Hosting } from './host/hosting.js';
import type { MechanismSet } from './mechanisms.js';
import type { Switching } from './switch/switching.js';

/** What acts on the devices of a service: tools of faults and mechanisms are made of it. */
export interface DeviceParts {
  readonly set: MechanismSet;
  readonly starting: Starting;
  readonly egressPath: EgressPath;
  readonly switching: Switching;
  readonly hosting: Hosting;
}
