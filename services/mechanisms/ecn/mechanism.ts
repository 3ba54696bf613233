import type {
  DevicePlace,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import { EcnMarker } from './marker.js';
import type { EcnSwitchSpec } from './spec.js';

/** Switches mark ECN-capable frames by the length of their egress queue (RFC 3168). */
export class EcnMechanism implements SliceMechanism<EcnSwitchSpec, never> {
  readonly name = 'ecn';

  constructor(private readonly tools: MechanismTools) {}

  atSwitch(
    place: DevicePlace,
    spec: EcnSwitchSpec | undefined,
    carrier: SwitchCarrier,
  ): EcnMarker | null {
    return spec === undefined
      ? null
      : new EcnMarker(spec.classes, place, { pool: this.tools.pool, carrier });
  }
}
