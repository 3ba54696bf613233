import type { MechanismHost } from '../../services/engine/contract/flow-control.js';
import type { PortSpec } from '../../services/engine/contract/spec.js';
import type { CreditPortSpec } from '../../services/mechanisms/credit/spec.js';
import { accountRows } from '../../services/engine/contract/grants-spec.js';
import { bufferBacksCredit } from '../../services/mechanisms/credit/invariants.js';
import type { CreditLink } from '../../services/mechanisms/credit/invariants.js';
import { COUNT_MASK } from '../../services/mechanisms/credit/machine.js';
import type { CreditMechanism } from '../../services/mechanisms/credit/mechanism.js';
import { bareCredit } from './bare-credit.js';
import {
  ACTIVE_AT,
  ALLOWED,
  BLOCKED,
  CONSUMED,
  LAST_USE,
  LIMIT,
  LIMIT_SENT,
  MODES,
  PASSED,
  REFRESH_AT,
  REFRESHES,
  REPORT_AT,
  REPORTS,
  STATE,
  WANTED,
} from '../../services/mechanisms/credit/records.js';
import { FramePool } from '../../services/engine/frame/frame-pool.js';
import { Clock } from '../../services/engine/kernel/clock.js';
import { perUnit, type Rows, type SavedRows, Tables } from '../../services/engine/kernel/tables.js';
import {
  blankCeFrame,
  CE_EPOCH_MASK,
  decodeCe,
} from '../../services/engine/wire/mac-control/ce-frame.js';
import { macControlOpcode } from '../../services/engine/wire/mac-control/mac-control-header.js';
import { OPCODE_CE_GRANT } from '../../services/engine/wire/mac-control/opcodes.js';
import { creditSpec, nothingIsLost } from './credit-link.js';

/** Timers of the accounts are whole numbers of ticks, so that there are few times. */
const TICK_PS = 1e6;
const PRIORITY = 3;
const ROW = 0;
const UNIT = 64;
const LONGEST_UNITS = 2;
const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];
/** Messages and frames on their way in one direction. */
const ON_THE_WAY = 2;
/** Of these, and of those the other way, when a timer expires. */
const AT_A_TICK = 0;
/** Ticks within which everything is back once nothing is harmed any more. */
const RECOVERY_TICKS = 40;
const POOL = new FramePool(4);

// Doubles of an account, as its halves number them.

const SENDER_TIMES = [0, 1];
const SENDER_TRIES = 11;
const RECEIVER_SYNC_ASKED = 0;
/** Of the tries to begin an epoch: the first, the last soon one, and later ones. */
const TRIES_TOLD_APART = 3;

/** What may happen to messages, frames and ends; how often in all is limited. */
export interface Harms {
  readonly lose: boolean;
  readonly duplicate: boolean;
  /** Flips a bit of a message, and its FCS is right. */
  readonly corrupt: boolean;
  readonly restart: boolean;
  readonly most: number;
}

/** A small account. */
export function smallSpec(policy: 'static' | 'demand', bufferUnits: number): CreditPortSpec {
  const spec = creditSpec(bufferUnits, policy);
  return {
    ...spec,
    granting: {
      ...spec.granting,
      frameUnits: LONGEST_UNITS,
      keepUnits: new Array<number>(8).fill(LONGEST_UNITS),
      stepUnits: 1,
      refreshPs: TICK_PS,
      resyncPs: TICK_PS,
      idlePs: 2 * TICK_PS,
    },
    asking: {
      ...spec.asking,
      frameUnits: LONGEST_UNITS,
      keepUnits: new Array<number>(8).fill(LONGEST_UNITS),
      pollPs: TICK_PS,
      reportPs: TICK_PS,
      syncPs: TICK_PS,
      syncTries: 1,
      agePs: policy === 'demand' ? 2 * TICK_PS : Infinity,
    },
    keepAlivePs: 2 * TICK_PS,
    roundTripPs: TICK_PS / 4,
  };
}

/** Units of a frame, or the octets of a message. */
type Passing = number | Uint8Array;

interface State {
  readonly now: number;
  readonly ends: readonly { readonly rows: SavedRows; readonly armed: number }[];
  readonly toReceiver: readonly Passing[];
  readonly toSender: readonly Passing[];
  readonly waiting: number;
  readonly stored: readonly number[];
  readonly harmed: number;
  readonly isWrong: boolean;
}

const PRIORITIES_OF = { first: 0, count: 1 };
const ROWS: Rows = {
  ...perUnit(() => ({ first: 0, count: 0 })),
  port: PRIORITIES_OF,
  credit: PRIORITIES_OF,
};

/** One end of the link; what it sends is on its way at once. */
class End implements MechanismHost {
  readonly hasListeners = new Uint8Array(1);
  readonly tables = new Tables({ port: 1, credit: 1 });
  readonly credit: CreditMechanism;
  armed = Infinity;
  due = false;

  constructor(
    readonly clock: Clock,
    spec: CreditPortSpec,
    mac: number,
    waitingUnits: () => number,
    permitted: () => void,
  ) {
    if (accountRows(spec) !== 1) throw new Error('one account at each end');
    this.credit = bareCredit(this, this.tables, POOL, {
      waitingOctets: () => waitingUnits() * UNIT,
      mayStart: permitted,
    });
    const port = { grants: spec, mac, classOf: IDENTITY, groupOf: IDENTITY };
    this.credit.configurePort(0, port as unknown as PortSpec);
  }

  dropKept(): void {}
  hold(): void {}
  announceStop(): void {}
  announceNotice(): void {}
  announceQueue(): void {}
  announceGrantStep(): void {}
  announceShort(): void {}
  repeat(): void {}
  wakeAt(): void {}
  wake(): void {}

  controlDue(): boolean {
    return this.due;
  }

  arm(_client: number, _port: number, _timer: number, time: number): void {
    this.armed = time;
  }

  disarm(): void {}

  requestControl(): void {
    this.due = true;
  }
}

/** All states of one account of a link, in any order of events, with a limited number of harms. */
export class CreditStates {
  readonly seen = new Set<string>();
  transitions = 0;
  private readonly clock = new Clock();
  private readonly sender: End;
  private readonly receiver: End;
  private readonly link: CreditLink;
  private readonly bufferUnits: number;
  private toReceiver: Passing[] = [];
  private toSender: Passing[] = [];
  /** Units of the frame that waits for credit; 0: none. */
  private waiting = 0;
  /** Units of each frame in the buffer. */
  private stored: number[] = [];
  private harmed = 0;
  /** A message had a wrong bit. */
  private isWrong = false;
  /** Keys of states from which everything is known to come back. */
  private readonly recovering = new Set<string>();
  private readonly decoded = blankCeFrame();

  constructor(
    spec: CreditPortSpec,
    private readonly harms: Harms,
  ) {
    this.bufferUnits = spec.granting.bufferUnits[PRIORITY]!;
    const waiting = (): number => this.waiting;
    const letStart = (): void => {
      const { sender } = this.sender.credit;
      if (this.waiting > 0 && sender.mayStart(ROW, this.waiting * UNIT)) sender.unblock(ROW);
    };
    // It never grants anything.
    const silent = { ...spec, granting: { ...spec.granting, unsolicited: false } };
    this.sender = new End(this.clock, silent, 1, waiting, letStart);
    this.receiver = new End(this.clock, spec, 2, () => 0, letStart);
    this.link = {
      sending: this.sender.credit,
      sendingRow: ROW,
      receiving: this.receiver.credit,
      receivingRow: ROW,
    };
  }

  /** Visits every state; the path to one that is wrong is in the error. */
  explore(most: number): void {
    this.begin();
    const queue: { state: State; path: readonly string[] }[] = [{ state: this.save(), path: [] }];
    this.seen.add(this.key(true));
    while (queue.length > 0) {
      const { state, path } = queue.pop()!;
      this.restore(state);
      for (const [name, act] of this.actions()) {
        this.restore(state);
        const step = [...path, name];
        try {
          act();
          this.settle();
          this.transitions++;
          this.check();
          const key = this.key(true);
          if (this.seen.has(key)) continue;
          this.seen.add(key);
          if (this.seen.size > most) throw new Error(`more than ${most} states`);
          const next = this.save();
          this.recover();
          queue.push({ state: next, path: step });
        } catch (error) {
          throw new Error(`${(error as Error).message}, after ${step.join(', ')}`, {
            cause: error,
          });
        }
      }
    }
  }

  private actions(): [string, () => void][] {
    const { harms, harmed } = this;
    const all: [string, () => void][] = [];
    const mayHarm = harmed < harms.most;
    const harm = (name: string, isPossible: boolean, act: () => void): void => {
      if (!isPossible || !mayHarm) return;
      all.push([
        name,
        () => {
          this.harmed++;
          act();
        },
      ]);
    };
    const { sender } = this.sender.credit;
    if (this.waiting === 0) {
      for (let units = 1; units <= LONGEST_UNITS; units++) {
        all.push([
          `offer ${units}`,
          () => {
            this.offer(units);
          },
        ]);
      }
    } else if (sender.mayStart(ROW, this.waiting * UNIT) && this.toReceiver.length < ON_THE_WAY) {
      all.push([
        'send',
        () => {
          this.send();
        },
      ]);
    }
    for (const [where, passing, deliver] of [
      [
        'receiver',
        this.toReceiver,
        (one: Passing) => {
          this.reach(one);
        },
      ],
      [
        'sender',
        this.toSender,
        (one: Passing) => {
          this.answer(one);
        },
      ],
    ] as const) {
      const [first] = passing;
      if (first === undefined) continue;
      all.push([
        `deliver to ${where}`,
        () => {
          deliver(passing.shift()!);
        },
      ]);
      harm(`lose to ${where}`, harms.lose, () => passing.shift());
      if (typeof first === 'number') continue;
      harm(`repeat to ${where}`, harms.duplicate, () => {
        deliver(first);
      });
      for (const [octet, bit] of FLIPS) {
        harm(`flip ${octet}.${bit} to ${where}`, harms.corrupt, () => {
          this.isWrong = true;
          const wrong = (passing.shift() as Uint8Array).slice();
          wrong[octet]! ^= 1 << bit;
          deliver(wrong);
        });
      }
    }
    this.stored.forEach((units, i) => {
      if (this.stored.indexOf(units) === i)
        all.push([
          `free ${units}`,
          () => {
            this.free(i);
          },
        ]);
    });
    harm('restart of the sender', harms.restart, () => {
      sender.startOver(ROW);
    });
    harm('restart of the receiver', harms.restart, () => {
      this.receiver.credit.receiver.startOver(ROW);
    });
    // A timer is longer than messages are on their way.
    if (this.toReceiver.length + this.toSender.length <= AT_A_TICK) {
      all.push([
        'tick',
        () => {
          this.tick();
        },
      ]);
    }
    return all;
  }

  private offer(units: number): void {
    const { sender } = this.sender.credit;
    this.waiting = units;
    if (!sender.mayStart(ROW, units * UNIT)) sender.block(ROW);
  }

  private send(): void {
    const { sender } = this.sender.credit;
    sender.unblock(ROW);
    sender.spend(ROW, this.waiting);
    this.toReceiver.push(this.waiting);
    this.waiting = 0;
  }

  /** Something comes to the receiver. */
  private reach(one: Passing): void {
    const { credit } = this.receiver;
    if (typeof one !== 'number') {
      credit.receiveControl(0, one, one.length);
      return;
    }
    credit.receiver.take(ROW, one, one * UNIT);
    const used = this.stored.reduce((sum, units) => sum + units, 0);
    if (used + one <= this.bufferUnits) {
      this.stored.push(one);
      this.stored.sort((a, b) => a - b);
      return;
    }
    if (!this.isWrong) throw new Error(`${one} units for which there is no room`);
    credit.receiver.free(ROW, one);
  }

  private answer(one: Passing): void {
    const octets = one as Uint8Array;
    this.sender.credit.receiveControl(0, octets, octets.length);
  }

  private free(index: number): void {
    const [units] = this.stored.splice(index, 1);
    this.receiver.credit.receiver.free(ROW, units!);
  }

  private tick(): void {
    this.clock.now = Math.max(
      this.clock.now,
      Math.min(this.sender.armed, this.receiver.armed, this.clock.now + TICK_PS),
    );
    this.fire();
  }

  /** Data goes one way: the halves of the other direction are left out. */
  private begin(): void {
    this.fire();
    this.receiver.credit.sender.stop(ROW);
    const grants = this.toSender.filter(
      (one) => macControlOpcode(one as Uint8Array, 64) === OPCODE_CE_GRANT,
    );
    this.toSender.splice(0, this.toSender.length, ...grants);
  }

  private fire(): void {
    for (const end of [this.sender, this.receiver]) {
      if (end.armed > this.clock.now) continue;
      end.armed = Infinity;
      end.credit.onTimer(0, 0);
    }
    this.settle();
  }

  /** What the ends have to send is on its way. */
  private settle(): void {
    for (const [end, passing] of [
      [this.sender, this.toReceiver],
      [this.receiver, this.toSender],
    ] as const) {
      while (end.due) {
        end.due = false;
        const octets = new Uint8Array(64);
        const length = end.credit.compose(0, this.clock.now, octets);
        if (length > 0) passing.push(octets);
      }
    }
  }

  private check(): void {
    if (this.isWrong) return;
    const inFlight = this.toReceiver.reduce<number>(
      (sum, one) => sum + (typeof one === 'number' ? one : 0),
      0,
    );
    if (!bufferBacksCredit(this.link, inFlight)) throw new Error('credit was created');
  }

  /** Nothing is harmed, offered or blocked any more: all credit comes back within some ticks. */
  private recover(): void {
    this.waiting = 0;
    this.sender.credit.sender.unblock(ROW);
    const known: string[] = [];
    for (let tick = 0; ; tick++) {
      this.drain();
      const key = this.key(false);
      if (this.recovering.has(key) || this.isBack()) break;
      if (tick === RECOVERY_TICKS) throw new Error('credit is lost for ever');
      known.push(key);
      this.tick();
    }
    for (const key of known) this.recovering.add(key);
  }

  private drain(): void {
    for (let turn = 0; this.toReceiver.length + this.toSender.length > 0; turn++) {
      if (turn === 1000) throw new Error('messages without end');
      while (this.toReceiver.length > 0) this.reach(this.toReceiver.shift()!);
      while (this.toSender.length > 0) this.answer(this.toSender.shift()!);
      while (this.stored.length > 0) this.free(0);
      this.settle();
    }
    while (this.stored.length > 0) this.free(0);
    this.settle();
    if (this.toReceiver.length + this.toSender.length > 0) this.drain();
  }

  private isBack(): boolean {
    if (!nothingIsLost(this.link)) return false;
    const { sender, accounts } = this.sender.credit;
    const isStatic = accounts.specOf(ROW).granting.policy === 'static';
    return !isStatic || sender.available(ROW) === this.bufferUnits;
  }

  private save(): State {
    return {
      now: this.clock.now,
      ends: [this.sender, this.receiver].map(({ tables, armed }) => ({
        rows: tables.save(ROWS),
        armed,
      })),
      toReceiver: [...this.toReceiver],
      toSender: [...this.toSender],
      waiting: this.waiting,
      stored: [...this.stored],
      harmed: this.harmed,
      isWrong: this.isWrong,
    };
  }

  private restore(state: State): void {
    this.clock.now = state.now;
    [this.sender, this.receiver].forEach((end, i) => {
      end.tables.restore(ROWS, state.ends[i]!.rows);
      end.armed = state.ends[i]!.armed;
      end.due = false;
    });
    this.toReceiver.splice(0, this.toReceiver.length, ...state.toReceiver);
    this.toSender.splice(0, this.toSender.length, ...state.toSender);
    this.waiting = state.waiting;
    this.stored = [...state.stored];
    this.harmed = state.harmed;
    this.isWrong = state.isWrong;
  }

  /**
   * Two states with one key behave alike: totals are counted from what the sender has used, epochs
   * from its own, and times from now; what is over is over.
   */
  private key(withHarm: boolean): string {
    const { sender } = this;
    const base = sender.credit.sender.count(ROW, CONSUMED);
    const epoch = sender.credit.sender.epoch(ROW);
    const harm = withHarm ? this.harmed * 2 + (this.isWrong ? 1 : 0) : 0;
    const parts: number[] = [harm, this.waiting, ...this.stored];
    this.addSender(parts, base);
    this.addReceiver(parts, base, epoch);
    for (const passing of [this.toReceiver, this.toSender]) {
      parts.push(-2);
      for (const one of passing) {
        if (typeof one === 'number') parts.push(one);
        else parts.push(...this.messageKey(one, base, epoch));
      }
    }
    return parts.join(' ');
  }

  private addSender(parts: number[], base: number): void {
    const { credit, armed } = this.sender;
    const { counts, times } = credit.accounts.records;
    parts.push(-1, this.sinceNow(armed), (credit.sender.count(ROW, ALLOWED) - base) & COUNT_MASK);
    for (const at of [REPORTS, MODES, STATE, BLOCKED]) parts.push(counts[at]!);
    for (const at of [REPORT_AT, LAST_USE]) parts.push(this.sinceNow(times[at]!));
    for (const at of SENDER_TIMES) parts.push(this.sinceNow(credit.sender.get(ROW, at)));
    parts.push(Math.min(TRIES_TOLD_APART, credit.sender.get(ROW, SENDER_TRIES)));
  }

  private addReceiver(parts: number[], base: number, epoch: number): void {
    const { credit, armed } = this.receiver;
    const { counts, times } = credit.accounts.records;
    parts.push(-1, this.sinceNow(armed), credit.receiver.occupied(ROW));
    for (const at of [REFRESHES, MODES, WANTED]) parts.push(counts[at]!);
    for (const at of [REFRESH_AT, ACTIVE_AT]) parts.push(this.sinceNow(times[at]!));
    parts.push(this.sinceNow(credit.receiver.get(ROW, RECEIVER_SYNC_ASKED)));
    for (const word of [PASSED, LIMIT, LIMIT_SENT]) {
      parts.push((credit.receiver.count(ROW, word) - base) & COUNT_MASK);
    }
    parts.push((credit.receiver.epoch(ROW) - epoch) & CE_EPOCH_MASK);
  }

  private messageKey(octets: Uint8Array, base: number, epoch: number): number[] {
    const { decoded } = this;
    if (decodeCe(octets, 0, decoded) !== 'ok') return [-3, ...octets];
    const { flags, opcode, tcCredits, tcSelectionVector, amounts } = decoded;
    const own = (flags & ~CE_EPOCH_MASK) | ((flags - epoch) & CE_EPOCH_MASK);
    const word = (tcCredits[PRIORITY]! - base) & 0xffff;
    return [opcode === OPCODE_CE_GRANT ? -4 : -5, own, tcSelectionVector, word, amounts[PRIORITY]!];
  }

  /** In ticks; times in the past are alike once the longest period is over. */
  private sinceNow(time: number): number {
    if (time === Infinity) return 99;
    const ticks = (time - this.clock.now) / TICK_PS;
    return Math.max(-LONGEST_TICKS, ticks);
  }
}

const LONGEST_TICKS = 3;

/** Octets and bits of a message that are flipped: flags, epoch, and the total. */
const FLIPS: readonly (readonly [octet: number, bit: number])[] = [
  ...[0, 4, 5, 6, 7].map((bit) => [16, bit] as const),
  ...[0, 1, 3].map((bit) => [18 + 2 * PRIORITY + 1, bit] as const),
];
