import { field } from '../../engine/kernel/fields.js';
import { COUNTER, unknown } from '../../engine/kernel/kinds.js';
import { firstBroken } from '../../engine/contract/broken.js';
import type {
  HoldReason,
  ManagedValue,
  MechanismHost,
} from '../../engine/contract/flow-control.js';
import type { LinkLayer } from '../../engine/contract/link-layer.js';
import { NO_NUMBER, WITHHELD } from '../../engine/contract/link-layer.js';
import type { DevicePlace, MechanismTools, SliceMechanism } from '../../engine/contract/slice.js';
import type { ReplayBuffers } from '../../engine/port/replay-buffers.js';
import type { LlrSet } from '../../engine/wire/llr.js';
import {
  blankLlrSet,
  decodeLlrSet,
  encodeLlrSet,
  LLR_ACK,
  LLR_INIT,
  LLR_INIT_ECHO,
  LLR_NACK,
} from '../../engine/wire/llr.js';
import { halfOfPacked, ORDERED_SET_OCTETS, packedOf } from '../../engine/wire/ordered-set.js';
import type { LlrCounter } from './counters.js';
import { LLR_COUNTERS } from './counters.js';
import type { LlrPath, LlrPathEvents } from './frame-path.js';
import { makeLlrPath } from './frame-path.js';
import * as invariants from './invariants.js';
import * as machine from './machine.js';
import {
  outstanding,
  RX_DATA,
  RX_EXPECTED,
  RX_INIT,
  RX_OFF,
  RX_SEND_NACK,
  RX_STATE,
  SEQUENCE_ERROR,
  TX_ADVANCE,
  TX_DATA,
  TX_FLUSH,
  TX_INIT,
  TX_NEXT,
  TX_OLDEST,
  TX_REPLAY,
  TX_STATE,
} from './machine.js';
import {
  ACKED_AT,
  BLOCKED,
  COUNT,
  COUNTS,
  DEADLINE,
  DOUBLES,
  DOWN,
  DUE,
  ELIGIBLE,
  FRAMES_MOST,
  OCTETS_MOST,
  OWES_ACK,
  OWES_AT,
  REPLAY_TIMER_PS,
  SENDER_ARMED,
  SPACING_PS,
  STRIDE,
} from './rows.js';
import type { FrameAction, LlrPortSpec, LlrSpec } from './spec.js';
import type { FrameRef, PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

const SENDER_TIMER = 0;
const INIT_TIMER = 1;
const PCS_TIMER = 2;

/** Link-level retry of all ports of a service. */
export class LlrMechanism implements SliceMechanism<LlrSpec, LlrSpec>, LlrPathEvents {
  readonly name = 'llr';
  readonly linkLayer: LinkLayer;
  private readonly words: Int32Array;
  private readonly doubles: Float64Array;
  private readonly counts: Float64Array;
  private readonly specs: (LlrPortSpec | null)[] = [];
  private readonly host: MechanismHost;
  private readonly buffers: ReplayBuffers;
  private readonly path: LlrPath;
  private readonly set: LlrSet = blankLlrSet();

  constructor(private readonly tools: MechanismTools) {
    const { tables, host, replayBuffers } = tools;
    this.words = tables.int32('port', field('llr', unknown(0), STRIDE));
    this.doubles = tables.float64('port', field('llr times', unknown(0), DOUBLES));
    this.counts = tables.float64('port', field('llr counts', COUNTER, COUNTS));
    this.host = host;
    this.buffers = replayBuffers;
    const { words, doubles, counts } = this;
    const { pool } = tools;
    const path = makeLlrPath(
      { pool, clock: host.clock, buffers: replayBuffers, words, doubles, counts },
      this,
    );
    const { owesAt, starts, started, arrives } = path;
    this.path = path;
    this.linkLayer = {
      owesAt,
      starts,
      started,
      arrives,
      request: (port) => {
        this.request(port, LLR_ACK);
      },
      answer: (port) => packedOf(LLR_ACK, path.acknowledges(port)),
      answered: (port, packed) => {
        const number = halfOfPacked(packed);
        const isAck = packed === packedOf(LLR_ACK, number);
        if (isAck && path.wasAcknowledged(port, number)) return true;
        return this.answeredPacked(port, packed);
      },
      repeats: (port, frame) => this.repeats(port, frame),
      oldestNumber: (port) => words[port * STRIDE + TX_OLDEST],
      numberAfter: machine.numberAfter,
      lacks: (port, number) => machine.lacks(words, port * STRIDE, number),
    };
  }

  atSwitch(place: DevicePlace, spec: LlrSpec | undefined): null {
    this.configure(place, spec);
    return null;
  }

  atHost(place: DevicePlace, spec: LlrSpec | undefined): null {
    this.configure(place, spec);
    return null;
  }

  private configure({ firstPort }: DevicePlace, spec: LlrSpec | undefined): void {
    spec?.ports.forEach((own, p) => {
      const port = firstPort + p;
      this.specs[port] = own;
      if (own === null) return;
      this.doubles[port * DOUBLES + OWES_AT] = Infinity;
      this.tools.ports.layer(port);
      const times = port * DOUBLES;
      this.doubles[times + DEADLINE] = Infinity;
      this.doubles[times + SENDER_ARMED] = Infinity;
      this.doubles[times + ACKED_AT] = -Infinity;
      this.doubles[times + SPACING_PS] = own.spacingPs;
      this.doubles[times + FRAMES_MOST] = own.frames;
      this.doubles[times + OCTETS_MOST] = own.octets;
      this.doubles[times + REPLAY_TIMER_PS] = own.replayTimerPs;
      this.words[port * STRIDE + RX_INIT] = -1;
      this.words[port * STRIDE + ELIGIBLE] = own.priorities;
      this.host.arm(this.tools.slot, port, INIT_TIMER, 0);
    });
  }

  // The way out.

  startsWhileDown(port: PortRow): number {
    if (this.actionAt(port) !== 'discard') return NO_NUMBER;
    this.count(port, COUNT.LLR_TX_DISCARD, 1);
    return WITHHELD;
  }

  /** What becomes of frames now that the sender does not run. */
  private actionAt(port: PortRow): FrameAction {
    const { whileInit, whileFlush } = this.specs[port]!;
    return this.words[port * STRIDE + TX_STATE] === TX_FLUSH ? whileFlush : whileInit;
  }

  firstStarts(port: PortRow): void {
    this.restart(port, this.host.clock.now);
  }

  private repeats(port: PortRow, frame: FrameRef): number {
    const at = port * STRIDE;
    this.path.countSent(port, frame);
    const number = machine.sendAgain(this.words, at);
    if (this.words[at + TX_STATE] === TX_ADVANCE) this.ended(port);
    return number;
  }

  /** A replay is over. */
  private ended(port: PortRow): void {
    this.host.repeat(port, false);
    this.count(port, COUNT.LLR_TX_REPLAY, 1);
    this.restart(port, this.host.clock.now);
  }

  /** Blocks the priorities of a port that has no room for another frame, or lets them go. */
  block(port: PortRow): void {
    const at = port * STRIDE;
    const spec = this.specs[port]!;
    const state = this.words[at + TX_STATE];
    const runs = state === TX_ADVANCE || state === TX_REPLAY;
    const blocks = runs
      ? this.buffers.frames(port) >= spec.frames || this.buffers.octets(port) >= spec.octets
      : this.actionAt(port) === 'block';
    if (blocks === (this.words[at + BLOCKED] === 1)) return;
    this.words[at + BLOCKED] = blocks ? 1 : 0;
    this.host.hold(this.tools.slot, port, blocks ? spec.priorities : 0);
  }

  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    const isBlocked = this.words[port * STRIDE + BLOCKED] === 1;
    if (!isBlocked || (this.specs[port]!.priorities & (1 << priority)) === 0) return null;
    return { mechanism: this.name, untilPs: Infinity, sincePs: null };
  }

  /** The timer of the sender begins again; one that is armed is left to find out. */
  private restart(port: PortRow, now: number): void {
    const times = port * DOUBLES;
    this.doubles[times + DEADLINE] = now + this.specs[port]!.replayTimerPs;
    if (this.doubles[times + SENDER_ARMED] === Infinity) this.armSender(port);
  }

  private armSender(port: PortRow): void {
    const times = port * DOUBLES;
    // Data does not age while the link is down: PCS_TIMER rules then.
    const isDown = this.words[port * STRIDE + DOWN] === 1;
    const oldestPs = isDown ? Infinity : this.buffers.oldestPs(port);
    const agedPs = oldestPs + this.specs[port]!.dataAgePs;
    const at = Math.max(this.host.clock.now, Math.min(this.doubles[times + DEADLINE], agedPs));
    this.doubles[times + SENDER_ARMED] = at;
    this.host.arm(this.tools.slot, port, SENDER_TIMER, at);
  }

  private startReplay(port: PortRow): void {
    const at = port * STRIDE;
    if (!machine.replay(this.words, at, this.specs[port]!.replays)) {
      this.flush(port);
      return;
    }
    this.buffers.rewind(port);
    this.restart(port, this.host.clock.now);
    this.host.repeat(port, true);
  }

  private flush(port: PortRow): void {
    this.giveUp(port);
    const isDown = this.words[port * STRIDE + DOWN] === 1;
    if (this.specs[port]!.reinitialises && !isDown) this.begin(port);
    this.block(port);
  }

  /** Gives up what is outstanding. */
  private giveUp(port: PortRow): void {
    const frames = machine.flush(this.words, port * STRIDE);
    this.count(port, COUNT.LLR_TX_DISCARD, frames);
    this.buffers.forEach(port, (frame) => {
      this.host.dropKept(port, frame);
    });
    assert(this.buffers.frames(port) === frames, 'llr.given-up-was-kept');
    this.buffers.release(port, frames);
    this.host.repeat(port, false);
  }

  private begin(port: PortRow): void {
    machine.begin(this.words, port * STRIDE);
    this.sendInit(port);
    this.block(port);
  }

  private sendInit(port: PortRow): void {
    const { now } = this.host.clock;
    this.request(port, LLR_INIT);
    this.host.arm(this.tools.slot, port, INIT_TIMER, now + this.specs[port]!.replayTimerPs);
  }

  // The way in.

  cameAgain(port: PortRow): void {
    this.buffers.setMissingUntil(port, this.host.clock.now);
  }

  cameAhead(port: PortRow): void {
    this.count(port, COUNT.LLR_RX_MISSING_SEQ, 1);
    this.isMissing(port);
    if (this.words[port * STRIDE + RX_STATE] === RX_SEND_NACK) this.request(port, LLR_NACK);
    this.refreshOwed(port);
  }

  wakeAt(port: PortRow, untilPs: number): void {
    this.host.wakeAt(port, untilPs);
  }

  cameBad(port: PortRow, number: number): void {
    const { words } = this;
    const at = port * STRIDE;
    this.count(port, COUNT.LLR_RX_BAD, 1);
    if (words[at + RX_STATE] !== RX_OFF) {
      this.countBad(port, number);
      this.isMissing(port);
    }
    if (machine.bad(words, at)) this.request(port, LLR_NACK);
    this.refreshOwed(port);
  }

  /** Numbers are counted whatever the FCS. */
  private countBad(port: PortRow, number: number): void {
    if (number === NO_NUMBER) return;
    const at = port * STRIDE;
    const isExpected = number === this.words[at + RX_EXPECTED];
    const isAhead = machine.lacks(this.words, at, number);
    if (isExpected) this.count(port, COUNT.LLR_RX_EXPECTED_SEQ_BAD, 1);
    else this.count(port, isAhead ? COUNT.LLR_RX_MISSING_SEQ : COUNT.LLR_RX_DUPLICATE_SEQ, 1);
  }

  /** Until it is sent again; the sender gives up what is older. */
  private isMissing(port: PortRow): void {
    this.buffers.setMissingUntil(port, this.host.clock.now + this.specs[port]!.dataAgePs);
  }

  /** What is good waits for a NACK that is due. */
  private refreshOwed(port: PortRow): void {
    const at = port * STRIDE;
    const times = port * DOUBLES;
    const owes = this.words[at + OWES_ACK] !== 0 && this.words[at + RX_STATE] !== RX_SEND_NACK;
    const dueAt = this.doubles[times + ACKED_AT] + this.doubles[times + SPACING_PS];
    this.doubles[times + OWES_AT] = owes ? dueAt : Infinity;
  }

  // Ordered sets.

  request(port: PortRow, type: number): void {
    const at = port * STRIDE + DUE;
    if ((this.words[at] & (1 << type)) !== 0) return;
    this.words[at] |= 1 << type;
    this.host.requestControl(this.tools.slot, port);
  }

  compose(port: PortRow, _txEnd: number, octets: Uint8Array): number {
    const { words, set } = this;
    const at = port * STRIDE;
    const due = words[at + DUE];
    assert(words[at + ELIGIBLE] !== 0 || due === 0, 'llr.port-retries');
    if (due === 0) return 0;
    const type = firstDue(due);
    words[at + DUE] &= ~(1 << type);
    if (words[at + DUE] !== 0) this.host.requestControl(this.tools.slot, port);
    set.type = type;
    set.data = 0;
    if (type === LLR_INIT) {
      if (words[at + TX_STATE] !== TX_INIT) return 0;
      set.number = words[at + TX_NEXT];
      set.data = words[at + TX_DATA];
      this.count(port, COUNT.LLR_TX_INIT_CTL_OS, 1);
    } else if (type === LLR_INIT_ECHO) {
      set.number = words[at + RX_INIT];
      set.data = words[at + RX_DATA];
      this.count(port, COUNT.LLR_TX_INIT_ECHO_CTL_OS, 1);
    } else set.number = type === LLR_ACK ? this.path.acknowledges(port) : this.refuse(port);
    return encodeLlrSet(octets, 0, set);
  }

  /** Number of the NACK that starts now. */
  private refuse(port: PortRow): number {
    const number = this.path.answers(port);
    machine.nackSent(this.words, port * STRIDE);
    this.count(port, COUNT.LLR_TX_NACK_CTL_OS, 1);
    return number;
  }

  receiveOrderedSet(port: PortRow, octets: Uint8Array): boolean {
    const { set } = this;
    if (this.specs[port] === undefined || this.specs[port] === null) return false;
    const decoded = decodeLlrSet(octets, ORDERED_SET_OCTETS, set);
    if (decoded !== 'ok') return decoded === 'bad-value';
    const at = port * STRIDE;
    if (set.type === LLR_INIT) {
      this.count(port, COUNT.LLR_RX_INIT_CTL_OS, 1);
      machine.initialise(this.words, at, set.number, set.data);
      this.refreshOwed(port);
      this.request(port, LLR_INIT_ECHO);
    } else if (set.type === LLR_INIT_ECHO) {
      this.count(port, COUNT.LLR_RX_INIT_ECHO_CTL_OS, 1);
      if (machine.echoed(this.words, at, set.number, set.data)) this.block(port);
    } else this.answered(port, set.number, set.type === LLR_NACK);
    return true;
  }

  /** False if it is neither an ACK nor a NACK, or of a port without retry. */
  private answeredPacked(port: PortRow, packed: number): boolean {
    if (this.words[port * STRIDE + ELIGIBLE] === 0) return false;
    const number = halfOfPacked(packed);
    const isNack = packed === packedOf(LLR_NACK, number);
    if (!isNack && packed !== packedOf(LLR_ACK, number)) return false;
    this.answered(port, number, isNack);
    return true;
  }

  /** An ACK or a NACK came. */
  private answered(port: PortRow, number: number, isNack: boolean): void {
    const { words } = this;
    const at = port * STRIDE;
    this.count(port, isNack ? COUNT.LLR_RX_NACK_CTL_OS : COUNT.LLR_RX_ACK_CTL_OS, 1);
    const wasReplaying = words[at + TX_STATE] === TX_REPLAY;
    const freed = machine.acknowledge(words, at, number);
    if (freed === SEQUENCE_ERROR) {
      this.count(port, COUNT.LLR_RX_ACK_NACK_SEQ_ERROR, 1);
      return;
    }
    if (freed > 0) {
      this.buffers.release(port, freed);
      assert(this.buffers.frames(port) === outstanding(words, at), 'llr.kept-is-outstanding');
      this.restart(port, this.host.clock.now);
      if (wasReplaying && words[at + TX_STATE] === TX_ADVANCE) this.ended(port);
    }
    if (isNack && outstanding(words, at) > 0) this.startReplay(port);
    this.block(port);
  }

  // Timers and the carrier.

  onTimer(port: PortRow, timer: number): void {
    const { now } = this.host.clock;
    const times = port * DOUBLES;
    if (timer === SENDER_TIMER) {
      if (this.doubles[times + SENDER_ARMED] !== now) return;
      this.doubles[times + SENDER_ARMED] = Infinity;
      this.senderWaited(port, now);
    } else if (timer === INIT_TIMER) this.initWaited(port);
    else if (this.words[port * STRIDE + DOWN] === 1 && !this.isOff(port)) this.flush(port);
  }

  private initWaited(port: PortRow): void {
    const at = port * STRIDE;
    if (this.words[at + TX_STATE] === TX_INIT) this.sendInit(port);
    else if (this.isOff(port) && this.words[at + DOWN] === 0) this.begin(port);
  }

  private senderWaited(port: PortRow, now: number): void {
    const at = port * STRIDE;
    const spec = this.specs[port]!;
    if (this.buffers.frames(port) === 0) return;
    if (this.words[at + DOWN] === 1) {
      this.restart(port, now);
      return;
    }
    if (this.buffers.oldestPs(port) + spec.dataAgePs <= now) this.flush(port);
    else if (this.doubles[port * DOUBLES + DEADLINE] > now) this.armSender(port);
    else if (this.words[at + TX_STATE] === TX_REPLAY) this.restart(port, now);
    else this.startReplay(port);
  }

  linkDown(port: PortRow): void {
    const spec = this.specs[port];
    if (spec === undefined || spec === null) return;
    this.words[port * STRIDE + DOWN] = 1;
    this.host.arm(this.tools.slot, port, PCS_TIMER, this.host.clock.now + spec.pcsLostPs);
  }

  linkUp(port: PortRow): void {
    const spec = this.specs[port];
    if (spec === undefined || spec === null) return;
    const at = port * STRIDE;
    this.words[at + DOWN] = 0;
    const hasFlushed = this.words[at + TX_STATE] === TX_FLUSH;
    if (this.isOff(port) || (hasFlushed && spec.reinitialises)) this.begin(port);
  }

  /** Both ends of it forget: the sender its copies, the receiver what it expects. */
  forget(port: PortRow): void {
    if (this.specAt(port) === null) return;
    const at = port * STRIDE;
    this.giveUp(port);
    this.words[at + TX_STATE] = machine.TX_OFF;
    this.words[at + RX_STATE] = RX_OFF;
    this.words[at + RX_INIT] = -1;
    this.words[at + DUE] = 0;
    this.words[at + OWES_ACK] = 0;
    this.refreshOwed(port);
    this.block(port);
  }

  private isOff(port: PortRow): boolean {
    return this.words[port * STRIDE + TX_STATE] === machine.TX_OFF;
  }

  // What it counts, and what must hold.

  private count(port: PortRow, counter: number, by: number): void {
    this.counts[port * COUNTS + counter] += by;
  }

  /** Null where it does not run. */
  specAt(port: PortRow): LlrPortSpec | null {
    return this.specs[port] ?? null;
  }

  /** Frames, and octets of them: the most that a port kept to send again. */
  mostReplayed(port: PortRow): readonly [number, number] {
    return [this.buffers.peakFrames(port), this.buffers.peakOctets(port)];
  }

  counted(port: PortRow, counter: LlrCounter): number {
    return this.counts[port * COUNTS + COUNT[counter]];
  }

  managedValues(port: PortRow): ManagedValue[] {
    if (this.specAt(port) === null) return [];
    return LLR_COUNTERS.map((name) => ({ name, priority: null, value: this.counted(port, name) }));
  }

  ailmentOnLink(port: PortRow): string | null {
    const peer = this.tools.ports.peer(port);
    if (this.specAt(peer) === null) return null;
    const state = this.words[peer * STRIDE + TX_STATE];
    if (state === TX_ADVANCE || state === TX_REPLAY) return null;
    const name = state === TX_FLUSH ? 'FLUSH' : state === TX_INIT ? 'INIT' : 'OFF';
    return `link-level retry is in ${name}`;
  }

  brokenAt(port: PortRow): string | null {
    const spec = this.specAt(port);
    if (spec === null) return null;
    const { words, buffers } = this;
    return firstBroken(this.name, invariants, { port, words, at: port * STRIDE, spec, buffers });
  }
}

/**
 * An echo and INIT go before what counts from them. The echo is first: it ends the link partner's
 * INITs, which may be due again as soon as one is sent.
 */
function firstDue(due: number): number {
  if ((due & (1 << LLR_INIT_ECHO)) !== 0) return LLR_INIT_ECHO;
  if ((due & (1 << LLR_INIT)) !== 0) return LLR_INIT;
  return (due & (1 << LLR_NACK)) !== 0 ? LLR_NACK : LLR_ACK;
}
