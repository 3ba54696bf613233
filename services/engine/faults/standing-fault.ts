import type { FaultSpec } from '../contract/fault.js';
import { SHAPE } from '../kernel/kinds.js';
import { RandomStream } from '../kernel/random.js';
import type { Plain } from '../kernel/snapshot.js';
import { restore, save } from '../kernel/snapshot.js';
import { before, firstSpell, nextSpell, type Spell } from './fault-schedule.js';
import { assert } from '../kernel/assert.js';

/** It acts by timers, which end what repeats, and on frames, of which it counts those it hits. */
export const STANDING_FAULT_KIND = SHAPE;

/**
 * A fault at a port: its specification, whether it is active, and its counts. The specification is
 * saved, too, since faults may be injected into a running fabric.
 */
export class StandingFault {
  isActive = false;
  begun = 0;
  /** Octets that a shrunk buffer lost, or entries of a table. */
  taken = 0;
  /** Of the present activity, or the next; Infinity if there is none. */
  beginPs = 0;
  endPs = 0;
  /** When a repeated fault acts next. */
  tickPs = Infinity;
  /** A frame of its own was requested and has not been sent. */
  isDue = false;
  untilPs: number;
  hits = 0;
  withheld = 0;
  /** Of activities that are over. */
  activePs = 0;
  overPs = 0;
  readonly random: RandomStream;
  private readonly spells: RandomStream;

  constructor(readonly spec: FaultSpec) {
    this.spells = new RandomStream(spec.seed, `fault ${spec.when.stream}`);
    this.random = new RandomStream(spec.seed, `fault ${spec.stream}`);
    this.untilPs = spec.when.untilPs;
    this.plan(firstSpell(spec.when, this.spells));
  }

  static revive(saved: Plain): StandingFault {
    const { spec } = saved as unknown as { readonly spec: FaultSpec };
    const fault = new StandingFault(spec);
    restore(fault, saved);
    return fault;
  }

  save(): Plain {
    return save(this);
  }

  /** When something is due next. */
  get duePs(): number {
    return Math.min(this.isActive ? this.endPs : this.beginPs, this.tickPs);
  }

  begin(): void {
    assert(!this.isActive && this.endPs > this.beginPs, 'fault.begins-once');
    this.isActive = true;
    this.begun++;
  }

  finish(): void {
    const { beginPs, endPs } = this;
    assert(this.isActive && endPs >= beginPs, 'fault.ends-after-it-began');
    this.isActive = false;
    this.tickPs = Infinity;
    this.activePs += endPs - beginPs;
    this.overPs = endPs;
    this.planAfter({ beginPs, endPs });
  }

  /** Ends it by that time. */
  endBy(untilPs: number): void {
    this.untilPs = Math.min(this.untilPs, untilPs);
    this.plan(before(this.untilPs, this));
  }

  /** Removes activities before a time: it is injected into a running fabric. */
  plantAt(nowPs: number): void {
    while (this.endPs <= nowPs) {
      this.begun++;
      this.planAfter(this);
    }
    this.beginPs = Math.max(this.beginPs, nowPs);
  }

  private planAfter(past: Spell): void {
    this.plan(nextSpell(this.spec.when, past, this.begun, this.spells));
    if (this.beginPs >= this.untilPs) this.plan(null);
  }

  private plan(spell: Spell | null): void {
    this.beginPs = spell?.beginPs ?? Infinity;
    this.endPs = spell?.endPs ?? Infinity;
  }
}

/** It acts forever: that does not keep a run from its end. */
export function isEndless({ when, effect }: FaultSpec): boolean {
  const { untilPs, everyPs, times, forPs } = when;
  if (untilPs !== Infinity) return false;
  if (everyPs !== Infinity && times === Infinity) return true;
  return forPs === Infinity && (effect.kind === 'send' || effect.kind === 'steal');
}
