/**
 * Which class is served of those whose first frame may start. Strict priority and round robin are
 * 802.1Q 8.6.8, ETS is clause 37, and sharing is deficit weighted round robin: a class is served
 * while its deficit covers its first frame, preamble and gap included, and gains its quantum
 * whenever its turn begins (Shreedhar and Varghese).
 */

import { bitsOf, lineOctets, maskOf, PRIORITIES } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Model, Observer, Port, Start } from '../model/model.js';
import { reasonOf } from '../model/port.js';
import type { Gates } from './gates.js';

/** Of classes, one bit each; of a class, the octets of its first frame on the link. */
type Pick = (eligible: number, octetsOf: (trafficClass: number) => number) => number;

interface Choice {
  readonly pick: Pick;
  share?(shares: readonly (number | null)[]): void;
}

/** The quantum of the smallest share: a frame of the usual longest length on the link. */
const LEAST_QUANTUM = lineOctets(1518);

export class Arbiters implements Observer {
  private readonly choices = new Map<Port, Choice>();

  constructor(
    private readonly model: Model,
    private readonly gates: Gates,
  ) {
    for (const port of model.ports) {
      const why = whyUnknown(port) ?? model.negotiation.whyUnknown(port);
      const choice = this.choiceOf(port);
      const outside = choice === null ? 'an arbiter of a plugin' : null;
      if (model.verdict.knows('arbiter', why ?? outside)) this.choices.set(port, choice!);
    }
    model.negotiation.listeners.push(this);
  }

  /** Shares are those of a willing port's link partner from now on. */
  sharesChanged(port: Port, shares: readonly (number | null)[]): void {
    this.choices.get(port)?.share?.(shares);
  }

  /** A link layer discards a frame that was chosen: the choice left no trace on the wire. */
  discarded(port: Port): void {
    if (!hasLinkRetry(port) || !this.choices.delete(port)) return;
    this.model.verdict.decline('arbiter', 'a link layer discards frames that were chosen');
  }

  starting(port: Port, { atPs, trafficClass, eligible, frame }: Start): void {
    const choice = this.choices.get(port);
    if (choice === undefined) return;
    const isKnown = this.gates.whyUnknown(port) === null;
    const own = isKnown ? this.gates.eligible(port, atPs) : eligible;
    const waiting = maskOf(PRIORITIES, (tc) => port.queues[tc]!.length > 0);
    this.model.verdict.judge('arbiter');
    if (own === 0 || (own & ~waiting) !== 0) return;
    const expected = choice.pick(own, (tc) => {
      const head = (isKnown ? this.gates.head(port, tc) : undefined) ?? port.queues[tc]![0]!;
      return lineOctets(head.frame.octets);
    });
    if (expected === trafficClass) return;
    const among = bitsOf(own).join(', ');
    const what = `class ${trafficClass} is served, expected class ${expected} of ${among}`;
    this.model.verdict.broken('arbiter', port.at(atPs, frame.priority), `${what} (802.1Q 8.6.8)`);
  }

  private choiceOf({ device }: Port): Choice | null {
    const { settings, isHost } = device.configuration;
    const { negotiates, scenario } = this.model.configuration;
    const setting = (isHost ? settings.host : settings.switch).arbiter ?? scenario.classes.arbiter;
    if (setting.kind === 'ets') return new Ets(setting.shares);
    if (setting.kind === 'dwrr') return new Dwrr(setting.weights);
    if (setting.kind === 'round-robin') return roundRobin();
    if (setting.kind === 'outside') return null;
    // A link partner may recommend shares in place of strict priority.
    return negotiates ? new Ets(PRIORITIES.map(() => null)) : { pick: highest };
  }
}

function whyUnknown(port: Port): string | null {
  const { ownMemory, hasPlainClasses } = port.device.configuration;
  return reasonOf({
    'a scheduler with due dates': ownMemory === 'slots',
    'the planes of an 82599': ownMemory === 'nic',
    'isolated flows have a class of their own': !hasPlainClasses,
    'a device that restarts': port.hasFault('flush'),
  });
}

const highest = (eligible: number): number => bitsOf(eligible).at(-1)!;

/** A frame of each class in turn, whatever its length. */
function roundRobin(): Choice {
  let last = 7;
  return { pick: (eligible) => (last = nextAfter(last, eligible)) };
}

class Dwrr implements Choice {
  private readonly deficits = new Float64Array(8);
  private quanta: readonly number[] = [];
  private served: number | null = null;
  private waited = 0;

  constructor(weights: readonly number[]) {
    this.share(weights);
  }

  share(weights: readonly (number | null)[]): void {
    const shares = weights.map((weight) => weight ?? 0);
    const least = Math.min(...shares.filter((weight) => weight > 0));
    this.quanta = shares.map((weight) => (weight / least) * LEAST_QUANTUM);
  }

  pick: Pick = (eligible, octetsOf) => {
    // A class that had nothing to send starts again from zero.
    for (const tc of bitsOf(this.waited & ~eligible)) this.deficits[tc] = 0;
    this.waited = eligible;
    const among = maskOf(bitsOf(eligible), (tc) => (this.quanta[tc] ?? 0) > 0);
    // Classes without a share have what the others leave.
    if (among === 0) return (this.served = nextAfter(this.served ?? 7, eligible));
    let tc = this.served ?? -1;
    if (tc < 0 || (among & (1 << tc)) === 0) tc = this.begin(this.served ?? 7, among);
    while (this.deficits[tc]! < octetsOf(tc)) tc = this.begin(tc, among);
    this.deficits[tc]! -= octetsOf(tc);
    return tc;
  };

  private begin(last: number, among: number): number {
    const tc = nextAfter(last, among);
    this.served = tc;
    this.deficits[tc]! += this.quanta[tc]!;
    return tc;
  }
}

class Ets implements Choice {
  private readonly sharing = new Dwrr([]);
  private strict = 0;

  constructor(shares: readonly (number | null)[]) {
    this.share(shares);
  }

  share(shares: readonly (number | null)[]): void {
    this.sharing.share(shares);
    this.strict = maskOf([...shares.keys()], (tc) => shares[tc] === null);
  }

  pick: Pick = (eligible, octetsOf) => {
    const strict = eligible & this.strict;
    return strict === 0 ? this.sharing.pick(eligible, octetsOf) : highest(strict);
  };
}

function nextAfter(last: number, eligible: number): number {
  const classes = bitsOf(eligible);
  return classes.find((tc) => tc > last) ?? classes[0]!;
}
