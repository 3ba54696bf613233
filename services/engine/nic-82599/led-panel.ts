import type { Clock } from '../kernel/clock.js';
import type { LedInputs } from './leds.js';
import { BLINK_HALF_PS, ledBlinks, ledLit, LEDS } from './leds.js';
import { assert } from '../kernel/assert.js';

/** Frames that follow each other within this time are one activity (a choice). */
export const ACTIVITY_HOLD_PS = 50e9;

/** Kinds of activity. */
export const MAC_ACTIVITY = 0;
export const FILTER_ACTIVITY = 1;

/** Called on a change: the LED, whether it is lit now, and when it changed. */
export type LedListener = (led: number, lit: boolean, atPs: number) => void;

/**
 * The LEDs in time. Between two events they continue as determined before, so their changes are
 * computed at the next event, change by change.
 */
export class LedPanel {
  readonly #linkBps: number;
  readonly lit = new Uint8Array(LEDS);
  /** By LED: how often it has changed, and when it did last. */
  readonly changes = new Float64Array(LEDS);
  readonly changedPs = new Float64Array(LEDS);
  /** By LED: since when it blinks; Infinity while it does not. */
  private readonly blinksFrom = new Float64Array(LEDS).fill(Infinity);
  /** By kind of activity: when it ends unless another frame comes. */
  private readonly activeUntil = new Float64Array(2).fill(-Infinity);
  private link = true;
  private ledctl = 0;
  private reportedPs = 0;

  constructor(linkBps: number) {
    this.#linkBps = linkBps;
  }

  /** The initial state is no change. */
  start(ledctl: number): void {
    this.setControl(ledctl, 0, () => undefined);
    this.changes.fill(0);
  }

  /** A frame passes; true if it ends an idle time, after which `rise` must be called. */
  note(activity: number, clock: Clock): boolean {
    const { activeUntil } = this;
    if (clock.now > activeUntil[activity]) return true;
    activeUntil[activity] = clock.now + ACTIVITY_HOLD_PS;
    return false;
  }

  rise(activity: number, nowPs: number, listener: LedListener): void {
    this.advance(nowPs, listener);
    this.activeUntil[activity] = nowPs + ACTIVITY_HOLD_PS;
    this.settle(nowPs, listener);
  }

  setLink(up: boolean, nowPs: number, listener: LedListener): void {
    this.advance(nowPs, listener);
    this.link = up;
    this.settle(nowPs, listener);
  }

  /** LEDCTL is written. */
  setControl(ledctl: number, nowPs: number, listener: LedListener): void {
    this.advance(nowPs, listener);
    this.ledctl = ledctl;
    this.settle(nowPs, listener);
  }

  /** Their state at a time if there is no event until then; `listener` is given the changes. */
  at(nowPs: number, listener: LedListener = () => undefined): LedPanel {
    const then = new LedPanel(this.#linkBps);
    const { lit, changes, changedPs, blinksFrom, activeUntil } = this;
    then.lit.set(lit);
    then.changes.set(changes);
    then.changedPs.set(changedPs);
    then.blinksFrom.set(blinksFrom);
    then.activeUntil.set(activeUntil);
    then.link = this.link;
    then.ledctl = this.ledctl;
    then.reportedPs = this.reportedPs;
    then.advance(nowPs, listener);
    return then;
  }

  /** Reports every change before a time. */
  advance(toPs: number, listener: LedListener): void {
    for (let at = this.nextChange(); at < toPs; at = this.nextChange()) this.settle(at, listener);
  }

  /** The next time at which an activity ends or the phase of a blinking LED turns. */
  private nextChange(): number {
    const { reportedPs } = this;
    let next = Infinity;
    for (const until of this.activeUntil) if (until > reportedPs && until < next) next = until;
    for (const from of this.blinksFrom) {
      if (from === Infinity) continue;
      const halves = Math.floor((reportedPs - from) / BLINK_HALF_PS) + 1;
      next = Math.min(next, from + halves * BLINK_HALF_PS);
    }
    return next;
  }

  private settle(atPs: number, listener: LedListener): void {
    assert(atPs >= this.reportedPs, 'nic.leds-in-time');
    this.reportedPs = atPs;
    const inputs = this.inputsAt(atPs);
    const { ledctl, blinksFrom } = this;
    for (let led = 0; led < LEDS; led++) {
      if (!ledBlinks(ledctl, led, inputs)) blinksFrom[led] = Infinity;
      else if (blinksFrom[led] === Infinity) blinksFrom[led] = atPs;
      const since = blinksFrom[led] === Infinity ? 0 : atPs - blinksFrom[led];
      const lit = ledLit(ledctl, led, inputs, since);
      if (lit === (this.lit[led] !== 0)) continue;
      this.lit[led] = lit ? 1 : 0;
      this.changes[led]++;
      this.changedPs[led] = atPs;
      listener(led, lit, atPs);
    }
  }

  private inputsAt(atPs: number): LedInputs {
    const linkBps = this.#linkBps;
    const { link, activeUntil } = this;
    return {
      link,
      linkBps,
      macActivity: atPs < activeUntil[MAC_ACTIVITY],
      filterActivity: atPs < activeUntil[FILTER_ACTIVITY],
    };
  }
}
