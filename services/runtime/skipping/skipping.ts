import type { Engine } from '../../engine/device/engine.js';
import type { Kind } from '../../engine/kernel/kinds.js';
import type { Place } from '../../engine/recurrence/compare.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Windows } from '../embedded/windows.js';
import type { Sampler } from '../series.js';
import type { Observers } from '../observers.js';
import { exclusionOf } from './exclusion.js';
import type { Listened } from './listened.js';
import type { SkipPace } from './skipper.js';
import { Skipper } from './skipper.js';

/** How much of a run was skipped, as its state repeated; or why nothing was. */
export interface SkippingResult {
  readonly jumps: number;
  readonly skippedPs: number;
  /** What excludes skipping; null: nothing does. */
  readonly excluded: string | null;
  /** The last state that nearly came back; null: none did. */
  readonly nearest: NearestResult | null;
}

/** Of a run in which nothing is skipped. */
export function nothingSkipped(excluded: string | null): SkippingResult {
  return { jumps: 0, skippedPs: 0, excluded, nearest: null };
}

interface NearestResult {
  readonly periodPs: number;
  readonly device: string;
  /** What had to be equal, and was not. */
  readonly what: string;
  /** How: the kind of state that it is; null: it is no number of one device. */
  readonly kind: Kind['is'] | null;
  readonly before: number | null;
  readonly after: number | null;
}

interface SkippingOptions {
  readonly fabric: Fabric;
  readonly isChecked: boolean;
  readonly pace: SkipPace;
  /** Of the series; null: there is none. */
  readonly sampler: Sampler | null;
}

/** What repeats in a run of one thread is skipped, unless a record or a check excludes it. */
export class Skipping {
  private readonly excluded: string | null;
  private readonly skipper: Skipper | null;

  constructor(
    private readonly engine: Engine,
    windows: Windows,
    observers: Observers,
    { fabric, isChecked, pace, sampler }: SkippingOptions,
  ) {
    this.excluded = exclusionOf(observers.plan, isChecked, fabric);
    const isOff = this.excluded !== null;
    const listen = (): Listened | null => observers.listened();
    this.skipper = isOff ? null : new Skipper(engine, windows, listen, sampler, pace);
  }

  /** The engine is in another state than it was. */
  restored(): void {
    this.skipper?.restored();
  }

  isDue(): boolean {
    return this.skipper?.isDue() ?? false;
  }

  seek(limitPs: number): void {
    this.skipper!.seek(limitPs);
  }

  result(): SkippingResult {
    const { engine, excluded, skipper } = this;
    if (skipper === null) return nothingSkipped(excluded);
    const { jumps, skippedPs, nearest } = skipper.skipped;
    const miss = nearest && {
      periodPs: nearest.periodPs,
      ...(nearest.place === null
        ? { device: '', what: nearest.why, kind: null, before: null, after: null }
        : named(engine, nearest.place)),
    };
    return { jumps, skippedPs, excluded, nearest: miss };
  }
}

function named(engine: Engine, place: Place): Omit<NearestResult, 'periodPs'> {
  const { device, unit, row, field, kind, before, after } = place;
  const { spec, rows } = engine.devices[device]!;
  const own = unit === null ? '' : ` of ${unit} ${row - rows[unit].first + 1}`;
  const what = `${field}${own}: ${before}, then ${after}`;
  return { device: spec.name, what, kind, before, after };
}
