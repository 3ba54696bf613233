import type { Engine } from '../../engine/device/engine.js';
import type { MechanismKind } from '../../engine/contract/slice.js';
import { SfcMechanism } from './mechanism.js';
import type { SfcPoint } from './point.js';
import { SfcBridgePoint, SfcStationPoint } from './roles.js';

export const sfc: MechanismKind = {
  name: 'sfc',
  create: (tools) => new SfcMechanism(tools),
};

/** What a device has of it; null where it does not run. */
export function sfcPointOf(engine: Engine, place: number): SfcPoint | null {
  const role = engine.rolesOf(place)['sfc'];
  return role instanceof SfcBridgePoint || role instanceof SfcStationPoint ? role : null;
}

export function sfcOf(engine: Engine): SfcMechanism {
  return engine.given.find((mechanism) => mechanism instanceof SfcMechanism)!;
}
