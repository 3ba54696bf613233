import type { Engine } from '../../engine/device/engine.js';
import type { MechanismKind } from '../../engine/contract/slice.js';
import { CiMechanism } from './mechanism.js';
import { CiPoint } from './point.js';

export const ci: MechanismKind = {
  name: 'ci',
  create: (tools) => new CiMechanism(tools),
};

/** What a switch has of it; null where it does not run. */
export function ciPointOf(engine: Engine, place: number): CiPoint | null {
  const role = engine.rolesOf(place)['ci'];
  return role instanceof CiPoint ? role : null;
}

export function ciOf(engine: Engine): CiMechanism {
  return engine.given.find((mechanism) => mechanism instanceof CiMechanism)!;
}
