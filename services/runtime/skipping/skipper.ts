/**
 * Skips what repeats. Where the state of a fabric has come back, but for times that have moved by
 * one period and counters that have grown, what follows is what followed before, until something
 * ends it: so n periods are added to times, counters and digests without executing them.
 *
 * It relies on the kinds of state (`engine/recurrence`), which say what may differ and what bounds
 * n; a fingerprint only says where to look. It would break if a decision read a time, a counter or
 * a random number that its kind does not admit, so whatever has no kind forbids a jump.
 */

import type { Engine } from '../../engine/device/engine.js';
import type { DigestState } from '../../engine/kernel/digest.js';
import { digestAfter } from '../../engine/kernel/digest-periods.js';
import type { Place } from '../../engine/recurrence/compare.js';
import type { Imprint } from '../../engine/recurrence/imprint.js';
import type { Recurrences } from '../../engine/recurrence/recurrence.js';
import { makeRecurrences } from '../../engine/recurrence/recurrence.js';
import type { Windows } from '../embedded/windows.js';
import type { Sampler } from '../series.js';
import { BusyPort } from './busy-port.js';
import { Fingerprints } from './fingerprints.js';
import type { Listened } from './listened.js';
import { RepeatedSamples } from './repeated-samples.js';

/** A state that nearly came back. */
interface NearestMiss {
  readonly periodPs: number;
  readonly place: Place | null;
  readonly why: string;
}

/**
 * How much is spent to find a state that comes back: a hundredth of the run, and nothing of a short
 * one; from its beginning; or whatever it costs.
 */
export type SkipPace = 'sparingly' | 'soon' | 'eagerly';

interface Skipped {
  readonly jumps: number;
  readonly skippedPs: number;
  /** The last: a state that nearly came back; null: none did. */
  readonly nearest: NearestMiss | null;
}

/** Starts of frames that a try looks at, the first time. */
const FIRST_INSTANTS = 24;
const MOST_INSTANTS = 1 << 14;
const EAGER_INSTANTS = 256;
// What it costs to look at an instant, and to prove that a state came back, in events.

const COST_OF_PORT = 0.36;
const COST_OF_DEVICE = 2;
const COST_OF_NUMBER = 1;

/** So many times what a try cost is executed before the next one. */
const PATIENCE = 100;
/** At least so many events. */
const LEAST_EVENTS = 1000;
/** To count what was executed takes a moment, too: it is done every so many windows. */
const WINDOWS_A_COUNT = 16;
const INSTANTS_AT_FIRST = 100;
/** Nothing is looked for in a run of so few events: it is over before code has warmed up. */
const SHORT_RUN = 1e6;
/** The first proof costs so much more than others, as its code is new, and knows no connections. */
const COST_OF_FIRST_PROOF = 2e5;
/** After a jump a state recurs soon: so much is spent to find it, without patience. */
const INSTANTS_AT_ONCE = 400;
const PROOFS_AT_ONCE = 3;
/** Less is executed faster than it is skipped. */
const LEAST_PERIODS = 4;
/** States that look alike, and are not, are compared so often in a try. */
const PROOFS_A_TRY = 3;
/** Periods that are executed to prove that they repeat. */
const PROVING = 3;

const RECORDED = 'congestion episodes were recorded (--no-observe, observe.episodes)';
const UNLIKE = 'counters grew by more in one period than in another';

type Numbers = ArrayLike<number>;

export class Skipper {
  private readonly busy: BusyPort;
  private readonly fingerprints: Fingerprints;
  private readonly devices: readonly number[];
  /** Null, and nothing is heard: no state has looked as if it had come back. */
  private recurrences: Recurrences | null = null;
  private listened: Listened | null = null;
  private instants = FIRST_INSTANTS;
  /** NaN: the run has not begun. */
  private dueAtEvents = NaN;
  private windowsToCount = 1;
  /** What may be spent without executing more events before; in events, as what follows. */
  private allowance: number;
  private spent = 0;
  private readonly costOfInstant: number;
  private costOfProof = 0;
  private costOfCode = 0;
  private jumps = 0;
  private skippedPs = 0;
  private skippedEvents = 0;
  /** States that were compared whole. */
  private compared = 0;
  private nearest: NearestMiss | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly windows: Windows,
    /** Of the recorder of episodes; null: none are recorded. */
    private readonly listen: () => Listened | null,
    private readonly sampler: Sampler | null,
    private readonly pace: SkipPace,
  ) {
    this.devices = [...engine.devices.keys()];
    const { count } = engine.shared.ports;
    this.costOfInstant = count * COST_OF_PORT + this.devices.length * COST_OF_DEVICE;
    this.allowance = this.firstAllowance();
    this.busy = new BusyPort(engine);
    this.fingerprints = new Fingerprints(engine);
  }

  get skipped(): Skipped {
    const { jumps, skippedPs, nearest } = this;
    return { jumps, skippedPs, nearest };
  }

  /** The engine is in another state: its events count from there. */
  restored(): void {
    this.dueAtEvents = NaN;
    this.windowsToCount = 1;
  }

  /** So many events have been executed that a try costs little. */
  isDue(): boolean {
    if (--this.windowsToCount > 0) return false;
    this.windowsToCount = this.isEager ? 1 : WINDOWS_A_COUNT;
    const executed = this.executed();
    if (Number.isNaN(this.dueAtEvents)) {
      this.dueAtEvents = executed + this.leastEvents();
    }
    return executed >= this.dueAtEvents;
  }

  /** Looks for a state that comes back, and skips what repeats; nothing from `limitPs` on. */
  seek(limitPs: number): void {
    const skippedBefore = this.skippedEvents;
    this.spent = this.costOfInstant;
    const looked = this.look(limitPs);
    const isPaid = this.skippedEvents - skippedBefore > this.spent;
    if (this.isEager) this.instants = EAGER_INSTANTS;
    else if (isPaid) {
      this.instants = FIRST_INSTANTS;
      this.allowance = INSTANTS_AT_ONCE * this.costOfInstant + PROOFS_AT_ONCE * this.costOfProof;
    } else if (this.allowance <= 0 && looked === this.instants) {
      this.instants = Math.min(2 * this.instants, MOST_INSTANTS);
    }
    if (!isPaid) this.spent += this.costOfCode;
    this.costOfCode = 0;
    if (!isPaid) this.allowance -= this.spent;
    const patience = this.allowance > 0 ? 0 : PATIENCE * this.spent;
    this.dueAtEvents = this.executed() + (this.isEager ? 1 : Math.max(LEAST_EVENTS, patience));
  }

  /** Returns how many instants were looked at, if it has not jumped from one of them. */
  private look(limitPs: number): number {
    const port = this.busy.find();
    if (port < 0) return 0;
    const seen = new Map<number, number>();
    const first = this.compared;
    for (let looked = 0; looked < this.instants; looked++) {
      const nowPs = this.nextStart(port, limitPs);
      if (nowPs < 0) return looked;
      this.spent += this.costOfInstant;
      const print = this.fingerprints.at(nowPs);
      const beforePs = seen.get(print);
      if (beforePs !== undefined) {
        const { jumps, compared } = this;
        this.skip(nowPs, nowPs - beforePs, limitPs);
        if (this.jumps > jumps || this.compared - first === PROOFS_A_TRY) return looked;
        // What was executed meanwhile was not looked at.
        if (this.compared > compared) seen.clear();
      }
      seen.set(print, nowPs);
    }
    return this.instants;
  }

  /** Executes everything before the next start of a port; -1: it has nothing to send. */
  private nextStart(port: number, limitPs: number): number {
    const { engine, windows } = this;
    const { at } = engine.shared.transmits;
    this.run(Math.min(windows.nextTime() + 1, limitPs));
    for (;;) {
      const startPs = at[port]!;
      if (startPs >= limitPs) return -1;
      this.run(startPs);
      if (at[port] === startPs) return startPs;
    }
  }

  /** Executes some periods; where they repeat, adds as many as nothing ends. */
  private skip(fromPs: number, periodPs: number, limitPs: number): void {
    const { engine, windows, devices } = this;
    const nowPs = fromPs + PROVING * periodPs;
    if (nowPs + (this.isEager ? 1 : LEAST_PERIODS) * periodPs > limitPs) return;
    const recurrences = this.knownRecurrences();
    const { listened } = this;
    const heard = listened?.count ?? 0;
    const print = this.fingerprints.at(fromPs);
    const digests = [this.digests()];
    const imprints: Imprint[] = [];
    let most = Math.floor((limitPs - nowPs) / periodPs);
    let samples: RepeatedSamples | null = null;
    for (let n = 1; n <= PROVING; n++) {
      const untilPs = fromPs + n * periodPs;
      if (n === PROVING && this.sampler !== null) {
        samples = new RepeatedSamples(this.sampler, untilPs - periodPs, periodPs);
        most = samples.take(most, (timePs) => {
          this.run(timePs);
        });
      }
      this.run(untilPs);
      if (this.fingerprints.at(untilPs) !== print) return;
      digests.push(this.digests());
      imprints.push(this.imprint(untilPs));
      if (n !== 2) continue;
      this.compared++;
      const met = recurrences.compare(imprints[0]!, imprints[1]!);
      if (!met.isEqual) {
        this.missed(periodPs, met.by, 'differs');
        return;
      }
      most = Math.min(most, met.most.periods);
    }
    samples?.close();
    const [first, second, third] = imprints as [Imprint, Imprint, Imprint];
    if (listened !== null && (listened.count !== heard || listened.isCounting())) {
      this.missed(periodPs, null, RECORDED);
      return;
    }
    const met = recurrences.compare(second, third);
    if (!met.isEqual) {
      this.missed(periodPs, met.by, 'differs');
      return;
    }
    if (!growAlike(first, second, third)) {
      this.missed(periodPs, null, UNLIKE);
      return;
    }
    const periods = Math.min(met.most.periods, most);
    if (periods < 1 || (periods < LEAST_PERIODS && !this.isEager)) return;
    const folded = devices.map((d) => {
      const [a, b, c, e] = digests.map((of) => of[d]!) as [
        DigestState,
        DigestState,
        DigestState,
        DigestState,
      ];
      return digestAfter([a, b, c, e], periods);
    });
    if (folded.includes(null)) {
      this.missed(periodPs, null, UNLIKE);
      return;
    }
    const executed = this.executed();
    recurrences.advance(met, periods);
    folded.forEach((state, d) => {
      engine.shared.digests.write(d, state!);
    });
    samples?.repeat(periods);
    this.skippedEvents += this.executed() - executed;
    const skippedPs = periods * periodPs;
    engine.clock.now += skippedPs;
    windows.latestPs += skippedPs;
    this.jumps++;
    this.skippedPs += skippedPs;
  }

  /** Executes everything before a time, and takes the samples that are due by then. */
  private run(untilPs: number): void {
    const { sampler, windows } = this;
    while (sampler !== null && sampler.dueAt <= untilPs) {
      windows.run(sampler.dueAt);
      sampler.sampleUpTo(Math.min(windows.nextTime(), untilPs));
    }
    windows.run(untilPs);
  }

  private knownRecurrences(): Recurrences {
    if (this.recurrences !== null) return this.recurrences;
    this.costOfCode = COST_OF_FIRST_PROOF;
    this.listened = this.listen();
    this.recurrences = makeRecurrences(this.engine);
    return this.recurrences;
  }

  private imprint(nowPs: number): Imprint {
    const imprint = this.knownRecurrences().imprint(this.devices, nowPs);
    this.costOfProof = COST_OF_NUMBER * (imprint.tables.length + imprint.others.length);
    this.spent += this.costOfProof / PROVING;
    return imprint;
  }

  private missed(periodPs: number, place: Place | null, why: string): void {
    this.nearest = { periodPs, place, why };
  }

  private digests(): DigestState[] {
    return this.devices.map((d) => this.engine.shared.digests.read(d));
  }

  private firstAllowance(): number {
    return this.isEager ? Infinity : INSTANTS_AT_FIRST * this.costOfInstant;
  }

  private get isEager(): boolean {
    return this.pace === 'eagerly';
  }

  /** What is executed before the first try. */
  private leastEvents(): number {
    return this.pace === 'sparingly' ? Math.max(SHORT_RUN, PATIENCE * this.firstAllowance()) : 0;
  }

  private executed(): number {
    const { events } = this.engine.shared;
    let sum = -this.skippedEvents;
    for (let d = 0; d < events.length; d++) sum += events[d]!;
    return sum;
  }
}

/** A sum whose parts began before a period grows otherwise in the next one. */
function growAlike(first: Imprint, second: Imprint, third: Imprint): boolean {
  const isAlike = (a: Numbers, b: Numbers, c: Numbers, i: number): boolean => {
    const [before, after] = [b[i]! - a[i]!, c[i]! - b[i]!];
    return before === after;
  };
  for (const { field, at, count } of third.runs) {
    if (field.kind.is !== 'counter') continue;
    for (let i = at; i < at + count; i++) {
      if (!isAlike(first.tables, second.tables, third.tables, i)) return false;
    }
  }
  return (
    first.others.length === third.others.length &&
    third.labels.every(
      ({ kind }, i) =>
        kind.is !== 'counter' || isAlike(first.others, second.others, third.others, i),
    )
  );
}
