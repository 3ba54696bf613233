import { field } from '../../engine/kernel/fields.js';
import { COUNTER } from '../../engine/kernel/kinds.js';
import type {
  DevicePlace,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import { type TrimCounts, Trimmer } from './trimmer.js';
import type { TrimSwitchSpec } from './spec.js';

/** Switches forward the headers of packets for which they have no buffer. */
export class TrimMechanism implements SliceMechanism<TrimSwitchSpec, never> {
  readonly name = 'trim';
  /** By port that frames were to leave by. */
  readonly counts: TrimCounts;

  constructor(private readonly tools: MechanismTools) {
    const { tables } = tools;
    this.counts = {
      trimmed: tables.float64('port', field('trimmed', COUNTER)),
      dropped: tables.float64('port', field('dropped trimmed', COUNTER)),
    };
  }

  atSwitch(
    place: DevicePlace,
    spec: TrimSwitchSpec | undefined,
    carrier: SwitchCarrier,
  ): Trimmer | null {
    if (spec === undefined) return null;
    const { pool } = this.tools;
    return new Trimmer(spec, place, { pool, counts: this.counts, carrier });
  }
}
