import { UNKNOWN } from '../kernel/kinds.js';
import { classesAbove, type Arbiter, type ArbiterSpec, type Heads } from '../contract/arbiter.js';
import { DwrrArbiter, quantaOf } from './dwrr.js';
import type { TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

type DueDateSpec = Extract<ArbiterSpec, { kind: 'due-dates' }>;

/** What the arbiter reads of the queues of a port. */
export interface DueDateView {
  /** When the first frame of a queue that is not empty was admitted, in ps. */
  headAdmittedPs(port: number, trafficClass: TrafficClass): number;
  /** Classes whose frames are due now at the earliest, however late they are, one bit each. */
  excessive(port: number): number;
  readonly clock: { readonly now: number };
}

/**
 * Strict classes first; then, of the classes with a delay bound, the one whose first frame is due
 * first, the higher class where two are due together; then classes by their weights; then best
 * effort, the highest first. A class that has more than its part gains
 * nothing by being late, so frames of others keep their due dates.
 */
export class DueDateArbiter implements Arbiter {
  static readonly kinds = UNKNOWN;

  private readonly strict: number;
  /** By class: its delay bound in ps. */
  private readonly boundPs: Float64Array;
  private readonly sharing: DwrrArbiter;
  /** Classes with a delay bound, and with a weight, one bit each. */
  private bounded = 0;
  private weighted = 0;
  #view: DueDateView | null = null;

  constructor({ strict, boundsPs, weights }: DueDateSpec) {
    this.strict = strict;
    this.boundPs = Float64Array.from(boundsPs, (bound) => bound ?? 0);
    this.sharing = new DwrrArbiter(quantaOf(weights));
    boundsPs.forEach((bound, tc) => {
      assert(bound === null || (bound > 0 && (strict & (1 << tc)) === 0), 'due-dates.bound');
      if (bound !== null) this.bounded |= 1 << tc;
      if ((weights[tc] ?? 0) > 0) this.weighted |= 1 << tc;
    });
  }

  /** Before the first frame: where the arbiter reads since when frames wait. */
  equip(view: DueDateView): void {
    this.#view = view;
  }

  pick(eligible: number, heads: Heads, port: number): number {
    const strict = eligible & this.strict;
    if (strict !== 0) return 31 - Math.clz32(strict);
    const bounded = eligible & this.bounded;
    if (bounded !== 0) return this.dueFirst(bounded, port);
    const weighted = eligible & this.weighted;
    if (weighted !== 0) return this.sharing.pick(weighted, heads, port);
    return 31 - Math.clz32(eligible);
  }

  /** A class that is paid by due dates or weights has its part beside others of its kind. */
  outranking(trafficClass: number): number {
    const { strict, bounded, weighted } = this;
    const bit = 1 << trafficClass;
    if ((strict & bit) !== 0) return strict & classesAbove(trafficClass);
    if ((bounded & bit) !== 0) return strict;
    if ((weighted & bit) !== 0) return strict | bounded;
    return strict | bounded | weighted | classesAbove(trafficClass);
  }

  /** When a frame of a class that is admitted now is due; Infinity without a bound. */
  duePs(trafficClass: TrafficClass, admittedPs: number): number {
    if ((this.bounded & (1 << trafficClass)) === 0) return Infinity;
    return admittedPs + this.boundPs[trafficClass];
  }

  private dueFirst(classes: number, port: number): number {
    const view = this.#view!;
    const excessive = view.excessive(port);
    let first = -1;
    let firstPs = Infinity;
    for (let left = classes; left !== 0;) {
      const tc = 31 - Math.clz32(left);
      let duePs = this.boundPs[tc] + view.headAdmittedPs(port, tc);
      if ((excessive & (1 << tc)) !== 0 && duePs < view.clock.now) duePs = view.clock.now;
      if (duePs < firstPs) {
        first = tc;
        firstPs = duePs;
      }
      left &= ~(1 << tc);
    }
    assert(first >= 0 && firstPs < Infinity, 'due-dates.first-is-due');
    return first;
  }
}
