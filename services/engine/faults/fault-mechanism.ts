import { FCS_OCTETS } from '../units/ethernet.js';
import type {
  ControlMatch,
  FaultEffect,
  FaultSpec,
  ForgedMessage,
  TableKind,
} from '../contract/fault.js';
import type { BufferChange } from '../contract/memory.js';
import type { HoldReason, Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { PortSpec } from '../contract/spec.js';
import type { TraceMask } from '../frame/trace-mask.js';
import type { Plain } from '../kernel/snapshot.js';
import { DUE, SHAPE, unknown } from '../kernel/kinds.js';
import { field } from '../kernel/fields.js';
import type { Tables } from '../kernel/tables.js';
import { isLinkState } from '../wire/link-state.js';
import { MAC_CONTROL_PARAMETERS } from '../wire/mac-control/mac-control-header.js';
import { ORDERED_SET_OCTETS } from '../wire/ordered-set.js';
import { matchesControl } from './control-frames.js';
import {
  CUT,
  DECEIVED,
  EXCUSED,
  flagsOf,
  lastingFlagsOf,
  LASTING,
  LATE,
  LOSSY,
  MEDDLED,
  REPEATED,
  SILENT,
} from './fault-flags.js';
import { frameError, turnOneBit, UNHURT } from './frame-errors.js';
import { isEndless, StandingFault } from './standing-fault.js';
import { assert } from '../kernel/assert.js';

/** What happens to a control frame; bits. */
export const CONTROL_LOST = 1;
export const CONTROL_TWICE = 2;
export const CONTROL_LATER = 4;

const TIMER = 0;

/** Effects of faults beyond the link: operations of a device. */
export interface FaultTools {
  /** The port may send again. */
  wake(port: number): void;
  /** The carrier is lost. */
  linkDown(port: number): void;
  /** A carrier is back: mechanisms that count over the link start again. */
  linkUp(port: number): void;
  /** Loses every frame that the port's device has. */
  flush(port: number): void;
  /** Configures the buffer of the port's device anew. */
  change(port: number, change: BufferChange): void;
  /** Takes shared buffer (negative: returns it); returns the octets taken. */
  shrink(port: number, octets: number): number;
  steal(port: number, priorities: number, octets: number): void;
  /** The port's device sends a spoofed message; false if it has no room for it. */
  forge(port: number, message: ForgedMessage, octets: Uint8Array): boolean;
  /** A table of the port's device takes no more entries than this; Infinity: its capacity. */
  limit(port: number, table: TableKind, entries: number): void;
  /** The clock of the port's LLDP timers runs so much faster, in parts per million. */
  drift(port: number, ppm: number): void;
  /** The application of the port's host takes so long per octet; 0: it reads all at once. */
  read(port: number, octetPs: number): void;
  /** The port's NIC pauses classes by this table; null: by its own again. */
  misdirect(port: number, table: number | null): void;
  /** A fault began or ended: part of the digest. */
  note(port: number, fault: number, began: boolean): void;
}

/** Counts of a fault at one port. */
interface FaultCounts {
  readonly fault: number;
  readonly effect: FaultEffect['kind'];
  readonly port: number;
  readonly begun: number;
  readonly hits: number;
  /** Spoofed frames that were not created: too many wait already. */
  readonly withheld: number;
  readonly activePs: number;
  /** When it last ended; null while it is active, and before it first was. */
  readonly overSincePs: number | null;
}

/**
 * Faults of the emulated fabric. Each is owned by the device of its port, and acts on what that
 * port sends or receives: so nothing depends on where the link partner runs. It is a mechanism of
 * its engine, because it needs timers, may send frames and holds a port.
 */
export class FaultMechanism implements Mechanism {
  readonly name = 'fault';
  /** By port: present effects. */
  readonly flags: Uint8Array;
  /** Delay of the control frame that was last judged. */
  delayPs = 0;
  /** By port: time of its next timer, when the far end is free, when the carrier was back last. */
  private readonly armedFor: Float64Array;
  private readonly busyUntil: Float64Array;
  private readonly upSince: Float64Array;
  private readonly at: StandingFault[][];
  private tools: FaultTools | null = null;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    private readonly traceMask: TraceMask,
  ) {
    this.flags = tables.uint8('port', field('effects', SHAPE));
    this.armedFor = tables.float64('port', field('armed for', DUE)).fill(Infinity);
    this.busyUntil = tables.float64('port', field('busy until', DUE));
    this.upSince = tables.float64('port', field('up since', unknown(0)));
    this.at = Array.from({ length: tables.count('port') }, () => []);
  }

  /** Sets what is built after the mechanisms. */
  setTools(tools: FaultTools): void {
    this.tools = tools;
  }

  configurePort(port: number, spec: PortSpec): void {
    this.at[port] = spec.faults.map((fault) => new StandingFault(fault));
    this.arm(port);
  }

  /** Injects a fault at a port of a running fabric, not before `now`. */
  plant(port: number, spec: FaultSpec, now: number): void {
    const fault = new StandingFault(spec);
    fault.plantAt(now);
    this.at[port].push(fault);
    this.arm(port);
  }

  /** The faults of this number at a port end by a time, and do not come again. */
  endBy(port: number, number: number, untilPs: number): void {
    for (const fault of this.at[port]) if (fault.spec.fault === number) fault.endBy(untilPs);
    this.arm(port);
  }

  /** Whether a port has a fault of this kind, or of any, now or at another time. */
  mayBe(port: number, kind?: FaultEffect['kind']): boolean {
    return this.at[port].some(({ spec }) => kind === undefined || spec.effect.kind === kind);
  }

  /** Whether a fault other than `except` has sent, changed or delayed control frames since then. */
  spoofedSince(port: number, except: number, sincePs: number): boolean {
    return this.at[port].some(
      ({ spec, isActive, activePs, overPs }) =>
        (spec.effect.kind === 'send' || spec.effect.kind === 'control') &&
        spec.fault !== except &&
        (isActive || (activePs > 0 && overPs >= sincePs)),
    );
  }

  has(port: number, number: number): boolean {
    return this.at[port].some(({ spec }) => spec.fault === number);
  }

  /** Faults of an actor's ports, with their state. */
  saveAt(firstPort: number, ports: number): Plain {
    return this.at.slice(firstPort, firstPort + ports).map((faults) => faults.map((f) => f.save()));
  }

  restoreAt(firstPort: number, saved: Plain): void {
    (saved as readonly (readonly Plain[])[]).forEach((faults, p) => {
      this.at[firstPort + p] = faults.map((fault) => StandingFault.revive(fault));
      this.impair(firstPort + p);
    });
  }

  // Calls of the data path where `flags` has an effect.

  /** Why a received frame is lost, or UNHURT. */
  fate(port: number, priority: number, octets: number): number {
    for (const fault of this.at[port]) {
      if (!fault.isActive) continue;
      const reason = frameError(fault.spec.effect, priority, octets, fault.random);
      if (reason === UNHURT) continue;
      assert(octets > 0 && priority < 8, 'fault.frame-that-is-hurt');
      fault.hits++;
      return reason;
    }
    return UNHURT;
  }

  /**
   * Whether a frame that started at a time was in flight when the carrier was lost. Nothing starts
   * without a carrier; what starts `flightPs` after it is back arrives behind all of that.
   */
  isCut(port: number, startPs: number, flightPs: number): boolean {
    const upSince = this.upSince[port];
    if (startPs < upSince) return true;
    if (startPs >= upSince + flightPs) {
      this.flags[port] &= ~CUT;
      this.impair(port);
    }
    return false;
  }

  /** Whether frames may be in flight to a port that an outage will lose. */
  mayBeCut(port: number): boolean {
    return (this.flags[port] & CUT) !== 0;
  }

  /** What happens to a received control frame; it may be changed. */
  judge(port: number, octets: Uint8Array, length: number): number {
    // Routing protocols resend what is lost: only a link that is down keeps an update.
    const isSet = length === ORDERED_SET_OCTETS;
    if (!isSet && isLinkState(octets)) return this.isDown(port) ? CONTROL_LOST : 0;
    const onWire = isSet ? length : length + FCS_OCTETS;
    if (this.fate(port, -1, onWire) !== UNHURT) return CONTROL_LOST;
    return this.meddleWith(port, octets, isSet ? 0 : MAC_CONTROL_PARAMETERS, length, (match) =>
      matchesControl(match, octets, length),
    );
  }

  /** The same of a congestion message, which is a frame of the fabric. */
  judgeMessage(port: number, message: number, octets: Uint8Array): number {
    return this.meddleWith(
      port,
      octets,
      0,
      octets.length,
      ({ messages }) => (messages & message) !== 0,
    );
  }

  private meddleWith(
    port: number,
    octets: Uint8Array,
    from: number,
    length: number,
    isMeant: (match: ControlMatch) => boolean,
  ): number {
    let verdict = 0;
    this.delayPs = 0;
    for (const fault of this.at[port]) {
      const { effect } = fault.spec;
      if (effect.kind !== 'control' || !fault.isActive || !isMeant(effect.match)) continue;
      if (fault.random.uniform() >= effect.probability) continue;
      fault.hits++;
      verdict |= this.meddle(fault, effect, octets, from, length);
    }
    return verdict;
  }

  /** How much longer than at the port's rate a frame takes that starts now. */
  slownessPs(port: number, octets: number, octetPs: number): number {
    let slowest = this.linkSet(port, 'octetPs') ?? octetPs;
    this.forEachActive(port, ({ spec: { effect } }) => {
      if (effect.kind === 'slow') slowest = Math.max(slowest, effect.octetPs);
    });
    return (slowest - octetPs) * octets;
  }

  /** What the link was last set to; null: nothing has set it. */
  private linkSet(port: number, key: 'octetPs' | 'delayPs'): number | null {
    let [value, sincePs]: [number | null, number] = [null, -1];
    this.forEachActive(port, ({ spec: { effect }, beginPs }) => {
      if (effect.kind !== 'link' || effect[key] === null || beginPs < sincePs) return;
      [value, sincePs] = [effect[key], beginPs];
    });
    return value;
  }

  /**
   * Arrival time of a frame that would arrive at `atPs` and takes so long; none overtakes another,
   * or arrives before the link is free of the one before.
   */
  arrivalOf(port: number, atPs: number, lastsPs: number): number {
    let at = atPs + (this.linkSet(port, 'delayPs') ?? 0);
    this.forEachActive(port, (fault) => {
      const { effect } = fault.spec;
      if (effect.kind !== 'delay') return;
      fault.hits++;
      at += effect.delayPs;
      if (effect.jitterPs > 0) at += fault.random.below(effect.jitterPs + 1);
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

  /**
   * Whether a declared fault may explain a lossless overflow at a port. Behind a frame that takes
   * longer than its link's rate says, a control frame leaves later than headroom is computed for.
   */
  excuses(port: number): boolean {
    return (this.flags[port] & EXCUSED) !== 0 || this.hasBegun(port, 'slow');
  }

  /** Whether a declared fault may have lost frames, messages or grants at a port. */
  mayLose(port: number): boolean {
    if ((this.flags[port] & EXCUSED) !== 0) return true;
    return this.hasBegun(port, 'steal') || this.hasBegun(port, 'flush');
  }

  private hasBegun(port: number, kind: FaultEffect['kind']): boolean {
    return this.at[port].some(({ spec, begun }) => spec.effect.kind === kind && begun > 0);
  }

  /**
   * Whether a declared fault may have made grants: by false messages, or by repeated increments.
   * Its effect on incremental counts remains; totals are right again when every fault of the port
   * has been over for `repairPs`.
   */
  mayMakeGrants(port: number, incremental: boolean, now: number, repairPs: number): boolean {
    if (incremental) return (this.flags[port] & (DECEIVED | REPEATED)) !== 0;
    if ((this.flags[port] & DECEIVED) === 0) return false;
    return this.at[port].some(({ isActive, activePs, overPs }) => {
      return isActive || (activePs > 0 && overPs + repairPs > now);
    });
  }

  /** A port starts no frame now, whatever waits. */
  isSilent(port: number): boolean {
    return (this.flags[port] & SILENT) !== 0;
  }

  onTimer(port: number): void {
    const { now } = this.host.clock;
    if (this.armedFor[port] !== now) return;
    this.armedFor[port] = Infinity;
    for (const fault of this.at[port]) {
      if (fault.isActive && fault.endPs <= now) this.finish(port, fault);
      if (!fault.isActive && fault.beginPs <= now) this.begin(port, fault);
      if (fault.tickPs <= now) this.tick(port, fault);
    }
    this.arm(port);
  }

  compose(port: number, _txEnd: number, octets: Uint8Array): number {
    // Requested while the fault was active, the frame may start after its end.
    const due = this.at[port].filter(({ isDue }) => isDue);
    if (due.length === 0) return 0;
    const [{ spec }] = due;
    const { effect } = spec;
    due[0].isDue = false;
    if (due.length > 1) this.host.requestControl(this.slot, port);
    if (effect.kind !== 'send') return 0;
    due[0].hits++;
    octets.set(effect.octets);
    return effect.octets.length;
  }

  holdReason(port: number): HoldReason | null {
    if ((this.flags[port] & SILENT) === 0) return null;
    let untilPs = Infinity;
    this.forEachActive(port, ({ spec: { effect }, endPs }) => {
      if (effect.kind === 'down' || effect.kind === 'freeze') untilPs = endPs;
    });
    return { mechanism: this.name, untilPs, sincePs: null };
  }

  /** Of every fault of the scenario's list at a port, until `now`. */
  counts(port: number, now: number): FaultCounts[] {
    const listed = this.at[port].filter(({ spec }) => spec.fault >= 0);
    return listed.map((fault) => {
      const { isActive, begun, hits, withheld, activePs, beginPs, overPs } = fault;
      return {
        fault: fault.spec.fault,
        effect: fault.spec.effect.kind,
        port,
        begun,
        hits,
        withheld,
        activePs: activePs + (isActive ? now - beginPs : 0),
        overSincePs: isActive || activePs === 0 ? null : overPs,
      };
    });
  }

  /** Faults of a port that begin, act or end at a time to come, unless they do so forever. */
  pending(port: number): number {
    return this.at[port].filter(({ spec, duePs }) => duePs < Infinity && !isEndless(spec)).length;
  }

  /** When a port last had no carrier; 0 if it always had one, Infinity while it has none. */
  upSincePs(port: number): number {
    return this.at[port].reduce((latest, { spec, isActive, overPs }) => {
      if (spec.effect.kind !== 'down') return latest;
      return Math.max(latest, isActive ? Infinity : overPs);
    }, 0);
  }

  private begin(port: number, fault: StandingFault): void {
    const { effect } = fault.spec;
    const tools = this.tools!;
    fault.begin();
    this.flags[port] |= lastingFlagsOf(effect);
    tools.note(port, fault.spec.fault, true);
    switch (effect.kind) {
      case 'down':
        tools.linkDown(port);
        break;
      case 'flush':
        tools.flush(port);
        break;
      case 'table':
        tools.limit(port, effect.table, effect.entries);
        break;
      case 'drift':
        tools.drift(port, effect.ppm);
        break;
      case 'read':
        tools.read(port, this.readingPs(port));
        break;
      case 'map':
        tools.misdirect(port, this.mapOf(port));
        break;
      case 'shrink':
        fault.taken = tools.shrink(port, effect.octets);
        break;
      case 'set':
        tools.change(port, effect.change);
        break;
      case 'send':
      case 'steal':
        fault.tickPs = this.host.clock.now;
        break;
      default: // The data path reads the others from `flags`.
    }
    this.refresh(port);
  }

  private finish(port: number, fault: StandingFault): void {
    const { effect } = fault.spec;
    const tools = this.tools!;
    fault.finish();
    tools.note(port, fault.spec.fault, false);
    switch (effect.kind) {
      case 'shrink':
        tools.shrink(port, -fault.taken);
        break;
      case 'table':
        tools.limit(port, effect.table, Infinity);
        break;
      case 'drift':
        tools.drift(port, 0);
        break;
      case 'read':
        tools.read(port, this.readingPs(port));
        break;
      case 'map':
        tools.misdirect(port, this.mapOf(port));
        break;
      default: // Nothing of a device is to be undone.
    }
    const wasSilent = this.flags[port] & SILENT;
    const isUp = effect.kind === 'down' && !this.isDown(port);
    if (isUp) {
      this.upSince[port] = this.host.clock.now;
      this.flags[port] |= CUT;
    }
    this.refresh(port);
    if (isUp) tools.linkUp(port);
    if (wasSilent !== 0 && (this.flags[port] & SILENT) === 0) tools.wake(port);
  }

  /** A repeated fault acts now. */
  private tick(port: number, fault: StandingFault): void {
    const { effect } = fault.spec;
    if (effect.kind === 'send' && effect.message === null) {
      fault.isDue = true;
      this.host.requestControl(this.slot, port);
    } else if (effect.kind === 'send') {
      const octets = Uint8Array.from(effect.octets);
      if (this.tools!.forge(port, effect.message!, octets)) fault.hits++;
      else fault.withheld++;
    } else if (effect.kind === 'steal') {
      fault.hits++;
      this.tools!.steal(port, effect.priorities, effect.octets);
    } else return;
    fault.tickPs = this.host.clock.now + effect.everyPs;
  }

  private meddle(
    { random }: StandingFault,
    { action, delayPs }: Extract<FaultEffect, { kind: 'control' }>,
    octets: Uint8Array,
    from: number,
    length: number,
  ): number {
    switch (action) {
      case 'lose':
        return CONTROL_LOST;
      case 'duplicate':
        return CONTROL_TWICE;
      case 'corrupt':
        turnOneBit(octets, from, length, random);
        return 0;
      case 'delay':
        this.delayPs += delayPs;
        return CONTROL_LATER;
    }
  }

  /** The most time per octet that its faults make an application take; 0: no fault does. */
  private readingPs(port: number): number {
    let slowest = 0;
    this.forEachActive(port, ({ spec: { effect } }) => {
      if (effect.kind === 'read') slowest = Math.max(slowest, effect.octetPs);
    });
    return slowest;
  }

  /** The table of the last of its faults that give it one; null: none does. */
  private mapOf(port: number): number | null {
    let table: number | null = null;
    this.forEachActive(port, ({ spec: { effect } }) => {
      if (effect.kind === 'map') table = effect.table;
    });
    return table;
  }

  /** Whether a port has no carrier now. */
  isDown(port: number): boolean {
    let down = false;
    this.forEachActive(port, ({ spec: { effect } }) => {
      if (effect.kind === 'down') down = true;
    });
    return down;
  }

  /** Computes the effects at a port again. */
  private refresh(port: number): void {
    let flags = this.flags[port] & LASTING;
    this.forEachActive(port, ({ spec: { effect } }) => {
      flags |= flagsOf(effect);
    });
    // A frame that was delayed must not be overtaken.
    if (this.busyUntil[port] > this.host.clock.now) flags |= this.flags[port] & LATE;
    this.flags[port] = flags;
    this.impair(port);
  }

  /** The data path reads effects in one place. */
  private impair(port: number): void {
    const flags = this.flags[port];
    const hits = (flags & (LOSSY | MEDDLED | CUT)) !== 0;
    this.traceMask.impair(port, hits, (flags & LATE) !== 0, (flags & SILENT) !== 0);
  }

  private forEachActive(port: number, visit: (fault: StandingFault) => void): void {
    for (const fault of this.at[port]) if (fault.isActive) visit(fault);
  }

  /** One timer per port, for the first of all due times. */
  private arm(port: number): void {
    const next = this.at[port].reduce((least, { duePs }) => Math.min(least, duePs), Infinity);
    if (next === Infinity) return;
    const armed = this.armedFor[port];
    if (armed !== Infinity) this.host.disarm(this.slot, port, TIMER, armed);
    this.armedFor[port] = next;
    this.host.arm(this.slot, port, TIMER, next);
  }
}
