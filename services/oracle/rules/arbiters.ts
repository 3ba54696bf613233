/**
 * Which class is served of those whose first frame may start. Strict priority and round robin are
 * 802.1Q 8.6.8, ETS is clause 37, and sharing is deficit weighted round robin: a class is served
 * while its deficit covers its first frame, preamble and gap included, and gains its quantum
 * whenever its turn begins (Shreedhar and Varghese).
 */

import type { Configuration } from '../configuration.js';
import { lineOctets, PRIORITIES } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Negotiation } from '../model/negotiation.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port } from '../model/port.js';
import type { Verdict } from '../verdict.js';
import type { Gates } from './gates.js';

type ArbiterSetting = Configuration['scenario']['classes']['arbiter'];

interface Choice {
  /** Of these classes, one bit each; of a class, the octets of its first frame on the link. */
  pick(eligible: number, octetsOf: (trafficClass: number) => number): number;
  /** Percents of classes; null: strict. */
  share?(shares: readonly (number | null)[]): void;
}

/** The quantum of the smallest share: a frame of the usual longest length on the link. */
const LEAST_QUANTUM = lineOctets(1518);

export class Arbiters implements Observer {
  private readonly choices: Map<Port, Choice | null>;

  constructor(
    configuration: Configuration,
    devices: readonly Device[],
    private readonly gates: Gates,
    private readonly negotiation: Negotiation,
    private readonly verdict: Verdict,
  ) {
    const ports = devices.flatMap((device) => [...device.ports]);
    this.choices = new Map(ports.map((port) => [port, this.choiceOf(configuration, port)]));
    negotiation.listeners.push(this);
  }

  /** Shares are those of a willing port's link partner from now on. */
  sharesChanged(port: Port, shares: readonly (number | null)[]): void {
    this.choices.get(port)?.share?.(shares);
  }

  /** A link layer discards a frame that was chosen: the choice left no trace on the wire. */
  discarded(port: Port): void {
    if (!hasLinkRetry(port) || this.choices.get(port) === null) return;
    this.choices.set(port, null);
    this.verdict.decline('arbiter', 'a link layer discards frames that were chosen');
  }

  starting(port: Port, { atPs, trafficClass, eligible, frame }: Start): void {
    const choice = this.choices.get(port);
    if (choice === null || choice === undefined) return;
    const isKnown = this.gates.whyUnknown(port) === null;
    const place = { device: port.device.index, port: port.index, atPs, priority: frame.priority };
    const own = isKnown ? this.gates.eligible(port, atPs) : eligible;
    this.verdict.judge('arbiter');
    if (own === 0 || (own & ~waitingAt(port)) !== 0) return;
    const expected = choice.pick(own, (tc) => {
      const head = (isKnown ? this.gates.head(port, tc) : undefined) ?? port.queues[tc]![0]!;
      return lineOctets(head.frame.octets);
    });
    if (expected === trafficClass) return;
    const among = classesOf(own).join(', ');
    const what = `class ${trafficClass} is served, expected class ${expected} of ${among}`;
    this.verdict.broken('arbiter', place, `${what} (802.1Q 8.6.8)`);
  }

  private choiceOf(configuration: Configuration, port: Port): Choice | null {
    const { settings, isHost, ownMemory, hasPlainClasses } = port.device.configuration;
    const why = whyUnknown(ownMemory, hasPlainClasses, port) ?? this.negotiation.whyUnknown(port);
    if (why !== null) {
      this.verdict.decline('arbiter', why);
      return null;
    }
    const own = isHost ? settings.host.arbiter : settings.switch.arbiter;
    const setting = own ?? configuration.scenario.classes.arbiter;
    // A link partner may recommend shares in place of strict priority.
    const isOpen = configuration.negotiates && setting.kind === 'strict';
    if (isOpen) return new Ets(PRIORITIES.map(() => null));
    const choice = makeChoice(setting);
    if (choice === null) this.verdict.decline('arbiter', 'an arbiter of a plugin');
    return choice;
  }
}

function whyUnknown(
  ownMemory: string | null,
  hasPlainClasses: boolean,
  { configuration: { faults } }: Port,
): string | null {
  if (ownMemory === 'slots') return 'a scheduler with due dates';
  if (ownMemory === 'nic') return 'the planes of an 82599';
  if (!hasPlainClasses) return 'isolated flows have a class of their own';
  return faults.has('flush') ? 'a device that restarts' : null;
}

/** Null: a plugin chooses. */
function makeChoice(setting: ArbiterSetting): Choice | null {
  switch (setting.kind) {
    case 'strict':
      return { pick: highest };
    case 'round-robin':
      return new RoundRobin();
    case 'dwrr':
      return new Dwrr(setting.weights);
    case 'ets':
      return new Ets(setting.shares);
    case 'outside':
      return null;
  }
}

function highest(eligible: number): number {
  return Math.max(...classesOf(eligible));
}

/** A frame of each class in turn, whatever its length. */
class RoundRobin implements Choice {
  private last = 7;

  pick(eligible: number): number {
    this.last = nextAfter(this.last, eligible);
    return this.last;
  }
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

  pick(eligible: number, octetsOf: (trafficClass: number) => number): number {
    // A class that had nothing to send starts again from zero.
    for (const tc of classesOf(this.waited & ~eligible)) this.deficits[tc] = 0;
    this.waited = eligible;
    const sharing = classesOf(eligible).filter((tc) => (this.quanta[tc] ?? 0) > 0);
    const among = sharing.reduce((mask, tc) => mask | (1 << tc), 0);
    // Classes without a share have what the others leave.
    if (among === 0) return (this.served = nextAfter(this.served ?? 7, eligible));
    let tc = this.served ?? -1;
    if (tc < 0 || (among & (1 << tc)) === 0) tc = this.begin(this.served ?? 7, among);
    while (this.deficits[tc]! < octetsOf(tc)) tc = this.begin(tc, among);
    this.deficits[tc]! -= octetsOf(tc);
    return tc;
  }

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
    this.strict = shares.reduce<number>((mask, s, tc) => (s === null ? mask | (1 << tc) : mask), 0);
  }

  pick(eligible: number, octetsOf: (trafficClass: number) => number): number {
    const strict = eligible & this.strict;
    return strict === 0 ? this.sharing.pick(eligible, octetsOf) : highest(strict);
  }
}

function classesOf(mask: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((tc) => (mask & (1 << tc)) !== 0);
}

/** The next class in turn, cyclically. */
function nextAfter(last: number, eligible: number): number {
  const classes = classesOf(eligible);
  return classes.find((tc) => tc > last) ?? classes[0]!;
}

function waitingAt(port: Port): number {
  return port.queues.reduce((mask, { length }, tc) => (length > 0 ? mask | (1 << tc) : mask), 0);
}
