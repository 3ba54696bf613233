import type { Arbiter, ArbiterKind, ArbiterPlace, ArbiterSpec } from '../contract/arbiter.js';
import { DueDateArbiter } from './due-dates.js';
import { DwrrArbiter, quantaOf } from './dwrr.js';
import { EtsArbiter } from './ets.js';
import { RoundRobinArbiter } from './round-robin.js';
import { StrictArbiter } from './strict.js';
import { PacketPlane } from './wsp-arbiter.js';

interface OutsideArbiters extends Omit<ArbiterPlace, 'settings'> {
  readonly kinds: readonly ArbiterKind[];
}

/** With those from outside, and what these are told of their port. */
export function makeArbiter(spec: ArbiterSpec, { kinds, ...place }: OutsideArbiters): Arbiter {
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
    case 'outside': {
      const kind = kinds.find(({ name }) => name === spec.name);
      if (kind === undefined) throw new Error(`no arbiter from outside is called ${spec.name}`);
      return kind.create({ ...place, settings: spec.settings });
    }
  }
}
