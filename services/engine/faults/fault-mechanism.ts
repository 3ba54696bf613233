import type { FaultEffect, FaultSpec } from '../contract/fault.js';
import type {
  HoldReason,
  ManagedValue,
  Mechanism,
  MechanismHost,
} from '../contract/flow-control.js';
import type { PortSpec } from '../contract/spec.js';
import { RandomStream } from '../kernel/random.js';
import type { Tables } from '../kernel/tables.js';
import { matchesControl } from './control-frames.js';
import { firstSpell, nextSpell } from './fault-schedule.js';
import { frameError, turnOneBit, UNHURT } from './frame-errors.js';

// What a fault does to a port now, one bit each in `flags`.

/** The port starts no frame, not even a control frame. */
export const SILENT = 1;
/** Some of what arrives does not get through. */
export const LOSSY = 2;
/** Some control frames that arrive are changed, repeated or late. */
export const MEDDLED = 4;
/** What the port sends takes longer than its rate and its cable say. */
export const LATE = 8;
/** Since a fault began here or at the other end, an overflow is no surprise. */
const EXCUSED = 16;
/** Since a fault began here, what control frames said may not have been true, or came twice. */
const DECEIVED = 32;
const REPEATED = 64;
/** What stays when the fault is over. */
const LASTING = EXCUSED | DECEIVED | REPEATED;

// Words of a fault at a port.

const ACTIVE = 0;
const BEGUN = 1;
/** Octets that a shrunk memory gave up. */
const TAKEN = 2;
const WORDS = 4;

// Doubles.

const BEGIN_AT = 0;
const END_AT = 1;
const TICK_AT = 2;
const HITS = 3;
const ACTIVE_PS = 4;
const OVER_AT = 5;
const DOUBLES = 6;

/** What becomes of a control frame; bits. */
export const CONTROL_LOST = 1;
export const CONTROL_TWICE = 2;
export const CONTROL_LATER = 4;

const TIMER = 0;
/** Behind the addresses, type and opcode. */
const PARAMETERS_AT = 16;
const FCS_OCTETS = 4;

/** What faults do beyond the wire: parts of a device that have to be asked. */
export interface FaultTools {
  /** The port may send again. */
  wake(port: number): void;
  /** The carrier is lost. */
  linkDown(port: number): void;
  /** A carrier is back: those who count or wait over the link start over. */
  linkUp(port: number): void;
  /** Loses every frame that the port's device holds. */
  flush(port: number): void;
  /** Takes shared memory (negative: gives it back); returns the octets taken. */
  shrink(port: number, octets: number): number;
  steal(port: number, priorities: number, units: number): void;
  /** A fault began or ended: part of what the device executed. */
  note(port: number, fault: number, began: boolean): void;
}

/** Counts of a fault at one port. */
export interface FaultCounts {
  readonly fault: number;
  readonly port: number;
  readonly begun: number;
  readonly hits: number;
  readonly activePs: number;
  /** When it was there last; null while it is, and before it ever was. */
  readonly overSincePs: number | null;
  /** When it will be over next; Infinity if it is not to come again, or stays. */
  readonly overAtPs: number;
}

/** How many rows the faults of a port take. */
export function faultRows(port: PortSpec): number {
  return port.faults.length;
}

/**
 * Faults of the emulated world. Each is a row of a table with its state, owned by the device whose
 * port it is at, and acts on what that port sends or on what arrives there: so nothing depends on
 * where the neighbour is run. It is a mechanism to those who carry it, because it needs timers, may
 * send frames and holds a port back.
 */
export class FaultMechanism implements Mechanism {
  readonly name = 'fault';
  /** By port: what is wrong with it. 0 where all is well, and nothing else need be looked at. */
  readonly flags: Uint8Array;
  /** For how long the control frame last judged is held back. */
  delayPs = 0;
  private readonly words: Int32Array;
  private readonly doubles: Float64Array;
  /** By port: what its next timer is armed for, and until when the wire's far end is busy. */
  private readonly armedFor: Float64Array;
  private readonly busyUntil: Float64Array;
  private readonly first: Int32Array;
  private readonly end: Int32Array;
  private readonly specs: FaultSpec[] = [];
  private readonly spells: RandomStream[] = [];
  private readonly dice: RandomStream[] = [];
  private next = 0;
  private tools: FaultTools | null = null;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
  ) {
    this.flags = tables.uint8('port', 1);
    this.words = tables.int32('fault', WORDS);
    this.doubles = tables.float64('fault', DOUBLES);
    this.armedFor = tables.float64('port', 1).fill(Infinity);
    this.busyUntil = tables.float64('port', 1);
    this.first = new Int32Array(tables.count('port'));
    this.end = new Int32Array(tables.count('port'));
  }

  /** What is built after the mechanisms. */
  equip(tools: FaultTools): void {
    this.tools = tools;
  }

  /** Ports are configured in their order. */
  configurePort(port: number, spec: PortSpec): void {
    this.first[port] = this.next;
    for (const fault of spec.faults) {
      const row = this.next++;
      this.specs[row] = fault;
      this.spells[row] = new RandomStream(fault.seed, `fault ${fault.when.stream}`);
      this.dice[row] = new RandomStream(fault.seed, `fault ${fault.dice}`);
      const { beginPs, endPs } = firstSpell(fault.when, this.spells[row]);
      const d = row * DOUBLES;
      this.doubles[d + BEGIN_AT] = beginPs;
      this.doubles[d + END_AT] = endPs;
      this.doubles[d + TICK_AT] = Infinity;
    }
    this.end[port] = this.next;
    this.arm(port);
  }

  /** State of an actor's rows that is not in the tables. */
  extras(first: number, count: number): object {
    const spells = this.spells.slice(first, first + count);
    return { spells, dice: this.dice.slice(first, first + count) };
  }

  // What the data path asks where `flags` says that something is wrong.

  /** Why a frame that has come in is lost, or UNHURT. */
  fate(port: number, priority: number, octets: number): number {
    for (let row = this.first[port]; row < this.end[port]; row++) {
      if (this.words[row * WORDS + ACTIVE] === 0) continue;
      const reason = frameError(this.specs[row].effect, priority, octets, this.dice[row]);
      if (reason === UNHURT) continue;
      this.doubles[row * DOUBLES + HITS]++;
      return reason;
    }
    return UNHURT;
  }

  /** What becomes of a control frame that has come in; it may be changed. */
  judge(port: number, octets: Uint8Array, length: number): number {
    if (this.fate(port, -1, length + FCS_OCTETS) !== UNHURT) return CONTROL_LOST;
    let verdict = 0;
    this.delayPs = 0;
    for (let row = this.first[port]; row < this.end[port]; row++) {
      const { effect } = this.specs[row];
      if (effect.kind !== 'control' || this.words[row * WORDS + ACTIVE] === 0) continue;
      if (!matchesControl(effect.match, octets)) continue;
      if (this.dice[row].uniform() >= effect.probability) continue;
      this.doubles[row * DOUBLES + HITS]++;
      verdict |= this.meddle(row, effect, octets, length);
    }
    return verdict;
  }

  /** How much longer than at the port's rate a frame takes that starts now. */
  slownessPs(port: number, octets: number, octetPs: number): number {
    let slowest = octetPs;
    this.forEachActive(port, (_, effect) => {
      if (effect.kind === 'slow') slowest = Math.max(slowest, effect.octetPs);
    });
    return (slowest - octetPs) * octets;
  }

  /**
   * When a frame arrives that would at `atPs` and takes so long; none overtakes another, or comes
   * before the wire is free of the one before.
   */
  arrivalOf(port: number, atPs: number, lastsPs: number): number {
    let at = atPs;
    this.forEachActive(port, (row, effect) => {
      if (effect.kind !== 'delay') return;
      this.doubles[row * DOUBLES + HITS]++;
      at += effect.delayPs;
      if (effect.jitterPs > 0) at += this.dice[row].below(effect.jitterPs + 1);
    });
    if (at < this.busyUntil[port]) at = this.busyUntil[port];
    else if (at === atPs) {
      this.busyUntil[port] = 0;
      this.refresh(port);
      return at;
    }
    this.busyUntil[port] = at + lastsPs;
    return at;
  }

  /** Whether a lossless overflow at a port may come of a declared fault. */
  excuses(port: number): boolean {
    return (this.flags[port] & EXCUSED) !== 0;
  }

  /** Whether a declared fault may have made credit: by false words, or by amounts said twice. */
  mayMakeCredit(port: number, incremental: boolean): boolean {
    return (this.flags[port] & (incremental ? DECEIVED | REPEATED : DECEIVED)) !== 0;
  }

  /** A port starts no frame now, whatever waits. */
  isSilent(port: number): boolean {
    return (this.flags[port] & SILENT) !== 0;
  }

  // What carriers of mechanisms ask.

  onTimer(port: number): void {
    const { now } = this.host.clock;
    if (this.armedFor[port] !== now) return;
    this.armedFor[port] = Infinity;
    for (let row = this.first[port]; row < this.end[port]; row++) {
      const d = row * DOUBLES;
      if (this.words[row * WORDS + ACTIVE] !== 0 && this.doubles[d + END_AT] <= now) {
        this.finish(port, row);
      }
      if (this.words[row * WORDS + ACTIVE] === 0 && this.doubles[d + BEGIN_AT] <= now) {
        this.begin(port, row);
      }
      if (this.doubles[d + TICK_AT] <= now) this.tick(port, row);
    }
    this.arm(port);
  }

  compose(port: number, _txEnd: number, octets: Uint8Array): number {
    let chosen = -1;
    for (let row = this.first[port]; row < this.end[port]; row++) {
      if (this.specs[row].effect.kind !== 'send') continue;
      // Asked for while the fault was there, the frame may come to be sent after its end.
      if (chosen < 0 || this.words[row * WORDS + ACTIVE] !== 0) chosen = row;
    }
    const { effect } = this.specs[chosen];
    if (effect.kind !== 'send') return 0;
    this.doubles[chosen * DOUBLES + HITS]++;
    octets.set(effect.octets);
    return effect.octets.length;
  }

  holdReason(port: number): HoldReason | null {
    if ((this.flags[port] & SILENT) === 0) return null;
    let untilPs = Infinity;
    this.forEachActive(port, (row, { kind }) => {
      if (kind === 'down' || kind === 'freeze') untilPs = this.doubles[row * DOUBLES + END_AT];
    });
    return { mechanism: this.name, untilPs };
  }

  admitted(): void {}
  released(): void {}

  receiveControl(): boolean {
    return false;
  }

  heldPs(): number {
    return 0;
  }

  holdCount(): number {
    return 0;
  }

  stopsSent(): number {
    return 0;
  }

  managedValues(): ManagedValue[] {
    return [];
  }

  /** Of every fault at a port, until `now`. */
  counts(port: number, now: number): FaultCounts[] {
    const counts: FaultCounts[] = [];
    for (let row = this.first[port]; row < this.end[port]; row++) {
      const d = row * DOUBLES;
      const isActive = this.words[row * WORDS + ACTIVE] !== 0;
      const running = isActive ? now - this.doubles[d + BEGIN_AT] : 0;
      counts.push({
        fault: this.specs[row].fault,
        port,
        begun: this.words[row * WORDS + BEGUN],
        hits: this.doubles[d + HITS],
        activePs: this.doubles[d + ACTIVE_PS] + running,
        overAtPs: this.doubles[d + END_AT],
        overSincePs:
          isActive || this.doubles[d + ACTIVE_PS] === 0 ? null : this.doubles[d + OVER_AT],
      });
    }
    return counts;
  }

  private begin(port: number, row: number): void {
    const { effect } = this.specs[row];
    this.words[row * WORDS + ACTIVE] = 1;
    this.words[row * WORDS + BEGUN]++;
    this.flags[port] |= lastingFlagsOf(effect);
    this.tools!.note(port, this.specs[row].fault, true);
    if (effect.kind === 'down') this.tools!.linkDown(port);
    else if (effect.kind === 'flush') this.tools!.flush(port);
    else if (effect.kind === 'shrink') {
      this.words[row * WORDS + TAKEN] = this.tools!.shrink(port, effect.octets);
    } else if (effect.kind === 'send' || effect.kind === 'steal') {
      this.doubles[row * DOUBLES + TICK_AT] = this.host.clock.now;
    }
    this.refresh(port);
  }

  private finish(port: number, row: number): void {
    const { effect, when, fault } = this.specs[row];
    const w = row * WORDS;
    const d = row * DOUBLES;
    this.words[w + ACTIVE] = 0;
    this.doubles[d + TICK_AT] = Infinity;
    const past = { beginPs: this.doubles[d + BEGIN_AT], endPs: this.doubles[d + END_AT] };
    this.doubles[d + ACTIVE_PS] += past.endPs - past.beginPs;
    this.doubles[d + OVER_AT] = past.endPs;
    const next = nextSpell(when, past, this.words[w + BEGUN], this.spells[row]);
    this.doubles[d + BEGIN_AT] = next?.beginPs ?? Infinity;
    this.doubles[d + END_AT] = next?.endPs ?? Infinity;
    this.tools!.note(port, fault, false);
    if (effect.kind === 'shrink') this.tools!.shrink(port, -this.words[w + TAKEN]);
    const wasSilent = this.flags[port] & SILENT;
    this.refresh(port);
    if (effect.kind === 'down' && !this.isDown(port)) this.tools!.linkUp(port);
    if (wasSilent !== 0 && (this.flags[port] & SILENT) === 0) this.tools!.wake(port);
  }

  /** A fault that acts again and again does so now. */
  private tick(port: number, row: number): void {
    const { effect } = this.specs[row];
    if (effect.kind === 'send') this.host.requestControl(this.slot, port);
    else if (effect.kind === 'steal') {
      this.doubles[row * DOUBLES + HITS]++;
      this.tools!.steal(port, effect.priorities, effect.units);
    } else return;
    this.doubles[row * DOUBLES + TICK_AT] = this.host.clock.now + effect.everyPs;
  }

  private meddle(
    row: number,
    { action, delayPs }: Extract<FaultEffect, { kind: 'control' }>,
    octets: Uint8Array,
    length: number,
  ): number {
    switch (action) {
      case 'lose':
        return CONTROL_LOST;
      case 'duplicate':
        return CONTROL_TWICE;
      case 'corrupt':
        turnOneBit(octets, PARAMETERS_AT, length, this.dice[row]);
        return 0;
      case 'delay':
        this.delayPs += delayPs;
        return CONTROL_LATER;
    }
  }

  private isDown(port: number): boolean {
    let down = false;
    this.forEachActive(port, (_, { kind }) => {
      if (kind === 'down') down = true;
    });
    return down;
  }

  /** Works out again what is wrong with a port. */
  private refresh(port: number): void {
    let flags = this.flags[port] & LASTING;
    this.forEachActive(port, (_, effect) => {
      flags |= flagsOf(effect);
    });
    // What was late once must not be overtaken.
    if (this.busyUntil[port] > this.host.clock.now) flags |= this.flags[port] & LATE;
    this.flags[port] = flags;
  }

  private forEachActive(port: number, visit: (row: number, effect: FaultEffect) => void): void {
    for (let row = this.first[port]; row < this.end[port]; row++) {
      if (this.words[row * WORDS + ACTIVE] !== 0) visit(row, this.specs[row].effect);
    }
  }

  /** One timer per port, for whatever comes first. */
  private arm(port: number): void {
    let next = Infinity;
    for (let row = this.first[port]; row < this.end[port]; row++) {
      const d = row * DOUBLES;
      const active = this.words[row * WORDS + ACTIVE] !== 0;
      next = Math.min(
        next,
        this.doubles[d + (active ? END_AT : BEGIN_AT)],
        this.doubles[d + TICK_AT],
      );
    }
    if (next === Infinity) return;
    this.armedFor[port] = next;
    this.host.arm(this.slot, port, TIMER, next);
  }
}

/** How the flow control of the link may fail its purpose from now on. */
function lastingFlagsOf(effect: FaultEffect): number {
  switch (effect.kind) {
    case 'slow':
    case 'steal':
    case 'flush':
      return 0;
    case 'send':
      return EXCUSED | DECEIVED;
    case 'control':
      if (effect.action === 'corrupt') return EXCUSED | DECEIVED;
      return effect.action === 'duplicate' ? EXCUSED | REPEATED : EXCUSED;
    default:
      return EXCUSED;
  }
}

function flagsOf({ kind }: FaultEffect): number {
  switch (kind) {
    case 'down':
      return SILENT | LOSSY | MEDDLED;
    case 'freeze':
      return SILENT;
    case 'loss':
    case 'bit-errors':
      return LOSSY | MEDDLED;
    case 'control':
      return MEDDLED;
    case 'slow':
    case 'delay':
      return LATE;
    default:
      return 0;
  }
}
