import type { Arbiter, ArbiterSpec } from '../contract/arbiter.js';
import { DueDateArbiter } from './due-dates.js';
import { DwrrArbiter, quantaOf } from './dwrr.js';
import { EtsArbiter } from './ets.js';
import { RoundRobinArbiter } from './round-robin.js';
import { StrictArbiter } from './strict.js';
import { PacketPlane } from './wsp-arbiter.js';

export function makeArbiter(spec: ArbiterSpec): Arbiter {
  switch (spec.kind) {
    case 'strict':
      return new StrictArbiter();
    case 'round-robin':
      return new RoundRobinArbiter();
    case 'dwrr':
      return new DwrrArbiter(quantaOf(spec.weights));
    case 'ets':
      return new EtsArbiter(spec.shares);
    case 'due-dates':
      return new DueDateArbiter(spec);
    case 'weighted-strict':
      return new PacketPlane();
  }
}
