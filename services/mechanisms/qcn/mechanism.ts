import type {
  DevicePlace,
  HostCarrier,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import { QcnDefences } from './defence.js';
import type { QcnPoints } from './points.js';
import { makeQcnPoints } from './points.js';
import type { QcnHostSpec, QcnSwitchSpec } from './spec.js';
import { QcnStation } from './station.js';
import { QcnSwitch } from './switch.js';

/** Congestion points and defences of switches, and reactions of hosts to CNMs. */
export class QcnMechanism implements SliceMechanism<QcnSwitchSpec, QcnHostSpec> {
  readonly name = 'qcn';
  readonly points: QcnPoints;
  private readonly defences: QcnDefences;

  constructor(private readonly tools: MechanismTools) {
    const { tables, pool, ports, counters } = tools;
    this.points = makeQcnPoints(tables, pool, ports);
    this.defences = new QcnDefences(tables, pool, counters);
  }

  atSwitch(
    place: DevicePlace,
    spec: QcnSwitchSpec | undefined,
    carrier: SwitchCarrier,
  ): QcnSwitch | null {
    if (spec === undefined) return null;
    const { points, defences, tools } = this;
    return new QcnSwitch({ place, spec, carrier, points, defences, pool: tools.pool });
  }

  /** Every station parses CNMs, whether a connection of its own has a reaction point or not. */
  atHost(_place: DevicePlace, spec: QcnHostSpec | undefined, carrier: HostCarrier): QcnStation {
    return new QcnStation(spec?.reactionPoints ?? [], carrier);
  }
}
