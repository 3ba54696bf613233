import { assert } from '../../engine/kernel/assert.js';
import { COUNTER, SHAPE, UNKNOWN } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import {
  blankCeTag,
  CE_TAG_GRANT,
  CE_TAG_REQUEST,
  decodeCeTag,
  encodeLoneCeTag,
  isCeTagged,
} from '../../engine/wire/ce-tag.js';
import {
  blankCeFrame,
  CE_ACK,
  CE_EPOCH_MASK,
  CE_REPORT,
  CE_SYN,
  decodeCe,
  encodeCe,
  isCeFrame,
} from '../../engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT, OPCODE_CE_REQUEST } from '../../engine/wire/mac-control/opcodes.js';
import type { CreditAccounts } from './accounts.js';
import {
  SAY_ACCEPT,
  SAY_ANSWERS,
  SAY_DEMAND,
  SAY_GRANT,
  SAY_REPORT,
  SAY_RESYNC,
  SAY_SYNC,
} from './machine.js';
import type { CreditReceiver } from './receiver.js';
import type { CreditSender } from './sender.js';
import type { PortRow } from '../../engine/units/indices.js';

/** Why a message was discarded. */
export const CE_REFUSALS = [
  /** Credit exchange does not run at this port. */
  'ceUnexpected',
  /** It names no priority. */
  'ceEmpty',
  'ceWrongPriority',
  'ceWrongChannel',
] as const;

const UNEXPECTED = 0;
const EMPTY = 1;
const WRONG_PRIORITY = 2;
const WRONG_CHANNEL = 3;

const REQUESTS_SENT = 0;
const GRANTS_SENT = 1;
const REQUESTS_RECEIVED = 2;
const GRANTS_RECEIVED = 3;
const COUNTS = 4;

/**
 * Composes the messages of a port's accounts, in frames and tags, and parses those of the link
 * partner.
 */
export class CreditConversation {
  /** By account: bits of SAY. */
  private readonly pending: Uint8Array;
  private readonly started: Uint8Array;
  /** By port: the account to begin with, for fairness. */
  private readonly cursor: Int32Array;
  /** By port: a message waits for a data frame that carries it in a tag. */
  readonly tagOffered: Uint8Array;
  private readonly refusals: Float64Array;
  private readonly counts: Float64Array;
  private readonly macs: number[] = [];
  private readonly frame = blankCeFrame();
  private readonly tag = blankCeTag();
  /** What came in, whatever it is. */
  private readonly decoded = blankCeFrame();
  private readonly decodedTag = blankCeTag();

  constructor(
    tables: Tables,
    private readonly accounts: CreditAccounts,
    private readonly sender: CreditSender,
    private readonly receiver: CreditReceiver,
  ) {
    this.pending = tables.uint8('credit', field('pending', UNKNOWN));
    this.started = tables.uint8('credit', field('started', UNKNOWN));
    this.cursor = tables.int32('port', field('account in turn', SHAPE));
    this.tagOffered = tables.uint8('port', field('tag offered', SHAPE));
    this.refusals = tables.float64('port', field('refused', COUNTER, CE_REFUSALS.length));
    this.counts = tables.float64('port', field('credit messages', COUNTER, COUNTS));
  }

  configure(port: PortRow, mac: number): void {
    this.macs[port] = mac;
  }

  isStarted(row: number): boolean {
    return this.started[row] !== 0;
  }

  start(row: number): void {
    this.started[row] = 1;
  }

  stop(row: number): void {
    this.started[row] = 0;
    this.pending[row] = 0;
  }

  add(row: number, what: number): void {
    this.pending[row] |= what;
  }

  isPending(port: PortRow): boolean {
    return this.firstPending(port) >= 0;
  }

  /** A tag fits if there is one account only, and its totals have 16 bits. */
  fitsTag(port: PortRow): boolean {
    const first = this.accounts.firstRow(port);
    let things = 0;
    for (let i = 0; i < this.accounts.rowCount(port); i++) {
      const says = this.pending[first + i];
      if (says === 0) continue;
      if (this.isTooWide(first + i, says)) return false;
      things += (says & (says - 1)) === 0 ? 1 : 2;
    }
    return things === 1;
  }

  offerTag(port: PortRow, offered: boolean): void {
    this.tagOffered[port] = offered ? 1 : 0;
  }

  /**
   * One frame with all that fits together: one channel, one kind, one epoch. 0 if no account of the
   * port has a message pending: credit exchange ended after the frame was requested.
   */
  compose(port: PortRow, octets: Uint8Array): number {
    const row = this.firstPending(port);
    if (row < 0) return 0;
    const what = this.mostUrgent(row, ~0);
    const answers = (what & SAY_ANSWERS) !== 0;
    const kind = answers ? SAY_ANSWERS : ~SAY_ANSWERS;
    const { frame, accounts } = this;
    frame.source = this.macs[port];
    frame.opcode = answers ? OPCODE_CE_GRANT : OPCODE_CE_REQUEST;
    frame.flags = this.flagsOf(row, what);
    frame.channel = accounts.channel(row);
    frame.tcSelectionVector = 0;
    const first = accounts.firstOfChannel(row);
    const requests = what === SAY_DEMAND || what === SAY_SYNC;
    for (let other = first; other < first + accounts.rowsPerChannel(port); other++) {
      if (this.mostUrgent(other, kind) !== what) continue;
      if (this.flagsOf(other, what) !== frame.flags) continue;
      frame.tcSelectionVector |= 1 << accounts.priority(other);
      const priority = accounts.priority(other);
      frame.amounts[priority] = requests ? this.sender.amount(other) : 0;
      frame.tcCredits[priority] = this.take(other, what);
    }
    this.cursor[port] = row - accounts.firstRow(port) + 1;
    this.counts[port * COUNTS + (answers ? GRANTS_SENT : REQUESTS_SENT)]++;
    return encodeCe(octets, 0, frame);
  }

  /** The same, for one account, in the tag of a frame that starts now; 0 if nothing waits. */
  composeTag(port: PortRow, octets: Uint8Array): number {
    if (this.tagOffered[port] === 0) return 0;
    this.tagOffered[port] = 0;
    const row = this.firstPending(port);
    if (row < 0 || this.isTooWide(row, this.pending[row])) return 0;
    const { tag, accounts } = this;
    const what = this.mostUrgent(row, ~0);
    const answers = (what & SAY_ANSWERS) !== 0;
    tag.type = answers ? CE_TAG_GRANT : CE_TAG_REQUEST;
    tag.flags = this.flagsOf(row, what);
    tag.tcSelectionVector = 1 << accounts.priority(row);
    tag.tcCredit = this.take(row, what);
    tag.channel = accounts.channel(row);
    this.counts[port * COUNTS + (answers ? GRANTS_SENT : REQUESTS_SENT)]++;
    return encodeLoneCeTag(octets, 0, this.macs[port], tag);
  }

  /** False if it is no credit message. */
  receive(port: PortRow, octets: Uint8Array, length: number): boolean {
    if (!this.read(octets, length)) return false;
    this.takeMessage(port);
    return true;
  }

  refusalsOf(port: PortRow, reason: number): number {
    return this.refusals[port * CE_REFUSALS.length + reason];
  }

  requestsSent(port: PortRow): number {
    return this.counts[port * COUNTS + REQUESTS_SENT];
  }

  grantsSent(port: PortRow): number {
    return this.counts[port * COUNTS + GRANTS_SENT];
  }

  requestsReceived(port: PortRow): number {
    return this.counts[port * COUNTS + REQUESTS_RECEIVED];
  }

  grantsReceived(port: PortRow): number {
    return this.counts[port * COUNTS + GRANTS_RECEIVED];
  }

  /** Reads a message into `decoded`; false if it is none of credit exchange, or malformed. */
  private read(octets: Uint8Array, length: number): boolean {
    const { decoded: frame, decodedTag: tag } = this;
    if (isCeFrame(octets, length)) return decodeCe(octets, 0, frame) === 'ok';
    if (!isCeTagged(octets, length) || decodeCeTag(octets, 0, tag) !== 'ok') return false;
    frame.opcode = tag.type === CE_TAG_GRANT ? OPCODE_CE_GRANT : OPCODE_CE_REQUEST;
    frame.flags = tag.flags;
    frame.tcSelectionVector = tag.tcSelectionVector;
    frame.tcCredits.fill(tag.tcCredit);
    frame.amounts.fill(0);
    frame.channel = tag.channel;
    return true;
  }

  private takeMessage(port: PortRow): void {
    const { decoded: frame, accounts } = this;
    if (accounts.spec(port) === null) {
      this.refuse(port, UNEXPECTED);
      return;
    }
    if (frame.tcSelectionVector === 0) {
      this.refuse(port, EMPTY);
      return;
    }
    const slot = accounts.slotOfChannel(port, frame.channel);
    if (slot < 0) {
      this.refuse(port, WRONG_CHANNEL);
      return;
    }
    const isGrant = frame.opcode === OPCODE_CE_GRANT;
    this.counts[port * COUNTS + (isGrant ? GRANTS_RECEIVED : REQUESTS_RECEIVED)]++;
    for (let rest = frame.tcSelectionVector; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const priority = 31 - Math.clz32(bit);
      if (!accounts.has(port, priority)) {
        this.refuse(port, WRONG_PRIORITY);
        continue;
      }
      const row = accounts.row(port, slot, priority);
      // Increments are sent once, so those that arrive before this end has begun are used.
      if (!this.isStarted(row) && !(isGrant && !accounts.isCumulative(row))) continue;
      const word = frame.tcCredits[priority] & accounts.wordMask(row, !isGrant);
      if (isGrant) this.processAnswer(row, word);
      else this.processRequest(row, word);
    }
  }

  private processAnswer(row: number, word: number): void {
    const { flags } = this.decoded;
    const epoch = flags & CE_EPOCH_MASK;
    if ((flags & CE_SYN) !== 0) this.sender.onResync(row);
    else if ((flags & CE_ACK) !== 0) this.sender.onAccept(row, epoch, word);
    else this.sender.onGrant(row, epoch, word);
  }

  private processRequest(row: number, word: number): void {
    const { flags } = this.decoded;
    const epoch = flags & CE_EPOCH_MASK;
    const amount = this.decoded.amounts[this.accounts.priority(row)];
    if ((flags & CE_SYN) !== 0) this.receiver.onSync(row, epoch, word, amount);
    else if ((flags & CE_REPORT) !== 0) this.receiver.onReport(row, epoch, word);
    else this.receiver.onDemand(row, epoch, word, amount);
  }

  private refuse(port: PortRow, reason: number): void {
    this.refusals[port * CE_REFUSALS.length + reason]++;
  }

  /** A message is no longer pending, nor any that it implies. */
  private take(row: number, what: number): number {
    const isAnswer = (what & SAY_ANSWERS) !== 0;
    this.pending[row] &= isAnswer ? ~SAY_ANSWERS : SAY_ANSWERS;
    if (what === SAY_RESYNC) return 0;
    const total = isAnswer ? this.receiver.answerWord(row) : this.sender.requestWord(row, what);
    return total & this.accounts.wordMask(row, isAnswer);
  }

  /** The message of an account does not fit a tag. */
  private isTooWide(row: number, says: number): boolean {
    const { accounts } = this;
    if ((says & SAY_ANSWERS) !== 0 && accounts.isWide(row, true)) return true;
    return (says & ~SAY_ANSWERS) !== 0 && accounts.isWide(row, false);
  }

  private flagsOf(row: number, what: number): number {
    if (!this.accounts.isCumulative(row)) return 0;
    const isAnswer = (what & SAY_ANSWERS) !== 0;
    const epoch = isAnswer ? this.receiver.epoch(row) : this.sender.epoch(row);
    if (what === SAY_SYNC || what === SAY_RESYNC) return CE_SYN | epoch;
    if (what === SAY_ACCEPT) return CE_ACK | epoch;
    return what === SAY_REPORT ? CE_REPORT | epoch : epoch;
  }

  /** The next message of an account among these kinds; 0 for none. */
  private mostUrgent(row: number, kinds: number): number {
    let says = this.pending[row] & kinds;
    // A closed account grants nothing, whatever waited to be sent when it was closed.
    if ((says & (SAY_ACCEPT | SAY_GRANT)) !== 0 && !this.receiver.isOpen(row)) {
      says = (says & ~SAY_ANSWERS) | SAY_RESYNC;
    }
    return says === 0 ? 0 : 1 << (31 - Math.clz32(says));
  }

  private firstPending(port: PortRow): number {
    const first = this.accounts.firstRow(port);
    const count = this.accounts.rowCount(port);
    assert(this.cursor[port] >= 0 && this.cursor[port] <= count, 'credit.cursor');
    for (let i = 0, at = this.cursor[port]; i < count; i++, at++) {
      if (at >= count) at = 0;
      if (this.pending[first + at] !== 0) return first + at;
    }
    return -1;
  }
}
