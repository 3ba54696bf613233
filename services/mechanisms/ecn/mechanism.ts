import type {
  DevicePlace,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import { outsidePart } from '../../engine/contract/outside.js';
import { EcnMarker } from './marker.js';
import { OutsideMarker } from './outside-marker.js';
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
    if (spec === undefined) return null;
    const { pool, markings } = this.tools;
    const tools = { pool, carrier };
    const outside = spec.classes.map((own) =>
      own.kind === 'outside' ? outsidePart(markings, place, own, carrier) : null,
    );
    return outside.every((own) => own === null)
      ? new EcnMarker(spec.classes, place, tools)
      : new OutsideMarker(spec.classes, place, tools, outside);
  }
}
