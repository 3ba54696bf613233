/** Every kind of fault, in the order in which readers find them. */

import { bitErrors } from './bit-errors.js';
import { control } from './control.js';
import { delay } from './delay.js';
import type { FaultKind, Shape } from './fault-kind.js';
import { forge } from './forge.js';
import { freeze } from './freeze.js';
import { fullTable } from './full-table.js';
import { stealGrants, stuckGrants } from './grants.js';
import { linkDown } from './link-down.js';
import { lldpDrift } from './lldp-drift.js';
import { loss } from './loss.js';
import { misCabling } from './mis-cabling.js';
import { hostPause, slowReceiver } from './reading.js';
import { reboot } from './reboot.js';
import { set } from './set.js';
import { shrinkBuffer } from './shrink-buffer.js';
import { slowLink } from './slow-link.js';
import { storm } from './storm.js';
import { wrongMap } from './wrong-map.js';

const KINDS = [
  linkDown,
  loss,
  bitErrors,
  delay,
  slowLink,
  control,
  freeze,
  storm,
  forge,
  stealGrants,
  stuckGrants,
  shrinkBuffer,
  set,
  reboot,
  fullTable,
  lldpDrift,
  slowReceiver,
  hostPause,
  misCabling,
  wrongMap,
];

/** By name. */
export const FAULT_KINDS: ReadonlyMap<string, FaultKind> = new Map(
  KINDS.map((kind) => [kind.name, kind as unknown as FaultKind]),
);

/** Keys of all kinds, each once. */
export const KEYS_OF_KINDS: Shape = Object.assign(
  {},
  ...KINDS.flatMap(({ must, may }) => [must, may]),
) as Shape;
