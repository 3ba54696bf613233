import type { Clock } from '../kernel/clock.js';
import type { LedInputs } from './leds.js';
import { BLINK_HALF_PS, ledBlinks, ledLit, LEDS } from './leds.js';

/** Frames that follow each other within this time are one activity (a choice). */
export const ACTIVITY_HOLD_PS = 50e9;

/** Kinds of activity. */
export const MAC_ACTIVITY = 0;
export const FILTER_ACTIVITY = 1;

/** Hears of a change: the LED, whether it is lit now, and when it changed. */
export type LedListener = (led: number, lit: boolean, atPs: number) => void;

/**
 * The LEDs in time. Between two things that happen to them they do what was settled before, so
 * what they did is worked out when the next thing happens, change by change.
 */
export class LedPanel {
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
  private toldPs = 0;

  static readonly wiring = ['linkBps'];

  constructor(private readonly linkBps: number) {}

  /** What they show before anything has happened is no change. */
  start(ledctl: number): void {
    this.setControl(ledctl, 0, () => undefined);
    this.changes.fill(0);
  }

  /** A frame passes; true if it ends an idle time, which `rise` must then be told of. */
  note(activity: number, clock: Clock): boolean {
    const { activeUntil } = this;
    if (clock.now > activeUntil[activity]) return true;
    activeUntil[activity] = clock.now + ACTIVITY_HOLD_PS;
    return false;
  }

  rise(activity: number, nowPs: number, hear: LedListener): void {
    this.advance(nowPs, hear);
    this.activeUntil[activity] = nowPs + ACTIVITY_HOLD_PS;
    this.settle(nowPs, hear);
  }

  setLink(up: boolean, nowPs: number, hear: LedListener): void {
    this.advance(nowPs, hear);
    this.link = up;
    this.settle(nowPs, hear);
  }

  /** LEDCTL is written. */
  setControl(ledctl: number, nowPs: number, hear: LedListener): void {
    this.advance(nowPs, hear);
    this.ledctl = ledctl;
    this.settle(nowPs, hear);
  }

  /** What they will have done by a time if nothing happens until then; `hear` is given the rest. */
  at(nowPs: number, hear: LedListener = () => undefined): LedPanel {
    const then = new LedPanel(this.linkBps);
    const { lit, changes, changedPs, blinksFrom, activeUntil } = this;
    then.lit.set(lit);
    then.changes.set(changes);
    then.changedPs.set(changedPs);
    then.blinksFrom.set(blinksFrom);
    then.activeUntil.set(activeUntil);
    then.link = this.link;
    then.ledctl = this.ledctl;
    then.toldPs = this.toldPs;
    then.advance(nowPs, hear);
    return then;
  }

  /** Tells of every change before a time. */
  advance(toPs: number, hear: LedListener): void {
    for (let at = this.nextChange(); at < toPs; at = this.nextChange()) this.settle(at, hear);
  }

  /** The next time at which an activity ends or the phase of a blinking LED turns. */
  private nextChange(): number {
    const { toldPs } = this;
    let next = Infinity;
    for (const until of this.activeUntil) if (until > toldPs && until < next) next = until;
    for (const from of this.blinksFrom) {
      if (from === Infinity) continue;
      const halves = Math.floor((toldPs - from) / BLINK_HALF_PS) + 1;
      next = Math.min(next, from + halves * BLINK_HALF_PS);
    }
    return next;
  }

  private settle(atPs: number, hear: LedListener): void {
    this.toldPs = atPs;
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
      hear(led, lit, atPs);
    }
  }

  private inputsAt(atPs: number): LedInputs {
    const { link, linkBps, activeUntil } = this;
    return {
      link,
      linkBps,
      macActivity: atPs < activeUntil[MAC_ACTIVITY],
      filterActivity: atPs < activeUntil[FILTER_ACTIVITY],
    };
  }
}
