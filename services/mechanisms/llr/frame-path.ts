import type { LinkLayer } from '../../engine/contract/link-layer.js';
import { NO_NUMBER } from '../../engine/contract/link-layer.js';
import { DROP } from '../../engine/contract/probe.js';
import { UNHURT } from '../../engine/faults/frame-errors.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, POISONED_FLAG, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { Clock } from '../../engine/kernel/clock.js';
import type { ReplayBuffers } from '../../engine/port/replay-buffers.js';
import { LLR_NACK } from '../../engine/wire/llr.js';
import {
  ACCEPT,
  arrived,
  DUPLICATE,
  freedBy,
  lastGood,
  numberAfter,
  outstanding,
  RX_EXPECTED,
  RX_NACK_SENT,
  RX_SEND_ACKS,
  RX_SEND_NACK,
  RX_STATE,
  sendNew,
  TX_ADVANCE,
  TX_OLDEST,
  TX_REPLAYS,
  TX_STATE,
} from './machine.js';
import {
  ACKED_AT,
  BLOCKED,
  COUNT,
  COUNT_RX_ACK,
  COUNT_RX_GOOD,
  COUNT_RX_OK,
  COUNT_TX_ACK,
  COUNT_TX_OK,
  COUNTS,
  DEADLINE,
  DOUBLES,
  DUE,
  ELIGIBLE,
  FRAMES_MOST,
  OCTETS_MOST,
  OWES_ACK,
  OWES_AT,
  REPLAY_TIMER_PS,
  SPACING_PS,
  STRIDE,
} from './rows.js';
import type { FrameRef, PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** What the path of frames works on. */
interface LlrTables {
  readonly pool: FramePool;
  readonly clock: Clock;
  readonly buffers: ReplayBuffers;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly counts: Float64Array;
}

/** What the path of frames leaves to the mechanism. */
export interface LlrPathEvents {
  /** A frame starts while the sender does not run: NO_NUMBER or WITHHELD. */
  startsWhileDown(port: PortRow): number;
  /** The first frame that is outstanding starts. */
  firstStarts(port: PortRow): void;
  /** There may be no room for another frame, or room again. */
  block(port: PortRow): void;
  cameBad(port: PortRow, number: number): void;
  cameAhead(port: PortRow): void;
  /** What was missing has come. */
  cameAgain(port: PortRow): void;
  wakeAt(port: PortRow, untilPs: number): void;
}

export interface LlrPath extends Pick<LinkLayer, 'owesAt' | 'starts' | 'started' | 'arrives'> {
  acknowledges(port: PortRow): number;
  answers(port: PortRow): number;
  countSent(port: PortRow, frame: FrameRef): void;
  wasAcknowledged(port: PortRow, number: number): boolean;
}

/** What frames do to the rows of their ports, as functions over tables like the event loop. */
export function makeLlrPath(tables: LlrTables, events: LlrPathEvents): LlrPath {
  const { pool, clock, buffers, words, doubles, counts } = tables;
  const { words: frames } = pool;

  function owesAt(port: PortRow): number {
    return doubles[port * DOUBLES + OWES_AT];
  }

  function starts(port: PortRow, frame: FrameRef): number {
    const at = port * STRIDE;
    const frameClass = frames[frame + CLASS];
    if ((words[at + ELIGIBLE] & (1 << (frameClass & PRIORITY_MASK))) === 0) return NO_NUMBER;
    if (words[at + TX_STATE] !== TX_ADVANCE) return events.startsWhileDown(port);
    if (buffers.frames(port) === 0) events.firstStarts(port);
    buffers.keep(port, frame, clock.now);
    countSent(port, frame);
    const number = sendNew(words, at);
    assert(buffers.frames(port) === outstanding(words, at), 'llr.kept-is-outstanding');
    return number;
  }

  /** Each time that it is sent. */
  function countSent(port: PortRow, frame: FrameRef): void {
    const isPoisoned = (frames[frame + CLASS] & POISONED_FLAG) !== 0;
    counts[port * COUNTS + (isPoisoned ? COUNT.LLR_TX_POISONED : COUNT_TX_OK)]++;
  }

  function started(port: PortRow): void {
    const limits = port * DOUBLES;
    const isFull =
      buffers.frames(port) >= doubles[limits + FRAMES_MOST] ||
      buffers.octets(port) >= doubles[limits + OCTETS_MOST];
    if (isFull || words[port * STRIDE + BLOCKED] !== 0) events.block(port);
  }

  function arrives(port: PortRow, _frame: FrameRef, number: number, error: number): number {
    const at = port * STRIDE;
    const isUsual =
      error === UNHURT &&
      number === words[at + RX_EXPECTED] &&
      words[at + RX_STATE] === RX_SEND_ACKS &&
      words[at + DUE] === 0;
    if (!isUsual) return arrivesOddly(port, number, error);
    const ours = port * COUNTS;
    counts[ours + COUNT_RX_OK]++;
    counts[ours + COUNT_RX_GOOD]++;
    words[at + RX_EXPECTED] = numberAfter(number);
    if (doubles[port * DOUBLES + OWES_AT] === Infinity) oweAck(port);
    return UNHURT;
  }

  /** With an error, after one, without a number, or with another than the next. */
  function arrivesOddly(port: PortRow, number: number, error: number): number {
    const isPoisoned = error === DROP.POISONED;
    if (error !== UNHURT && !isPoisoned) {
      // What is lost without a trace shows by the number of the next.
      if (error === DROP.FCS_ERROR) events.cameBad(port, number);
      return error;
    }
    if (number === NO_NUMBER) return error;
    const at = port * STRIDE;
    const ours = port * COUNTS;
    counts[ours + (isPoisoned ? COUNT.LLR_RX_POISONED : COUNT_RX_OK)]++;
    const state = words[at + RX_STATE];
    const verdict = arrived(words, at, number);
    if (verdict === ACCEPT) {
      // Its sender had it so: it is not requested again.
      counts[ours + (isPoisoned ? COUNT.LLR_RX_EXPECTED_SEQ_POISONED : COUNT_RX_GOOD)]++;
      if (state === RX_NACK_SENT) counts[ours + COUNT.LLR_RX_REPLAY]++;
      if (state === RX_NACK_SENT || state === RX_SEND_NACK) events.cameAgain(port);
      words[at + DUE] &= ~(1 << LLR_NACK);
      oweAck(port);
      return error;
    }
    if (verdict === DUPLICATE) {
      counts[ours + COUNT.LLR_RX_DUPLICATE_SEQ]++;
      oweAck(port);
    } else events.cameAhead(port);
    return DROP.OUT_OF_SEQUENCE;
  }

  /** Frames are acknowledged together, no closer than the spacing. */
  function oweAck(port: PortRow): void {
    const own = port * DOUBLES;
    if (doubles[own + OWES_AT] !== Infinity) return;
    const at = port * STRIDE;
    words[at + OWES_ACK] = 1;
    // What is good waits for a NACK that is due.
    if (words[at + RX_STATE] === RX_SEND_NACK) return;
    doubles[own + OWES_AT] = doubles[own + ACKED_AT] + doubles[own + SPACING_PS];
    assert(doubles[own + OWES_AT] < Infinity, 'llr.owes-in-time');
    events.wakeAt(port, doubles[own + OWES_AT]);
  }

  /** Number of the ACK that starts now. */
  function acknowledges(port: PortRow): number {
    counts[port * COUNTS + COUNT_TX_ACK]++;
    return answers(port);
  }

  /** Number of the ACK or NACK that starts now. */
  function answers(port: PortRow): number {
    const times = port * DOUBLES;
    words[port * STRIDE + OWES_ACK] = 0;
    doubles[times + OWES_AT] = Infinity;
    doubles[times + ACKED_AT] = clock.now;
    return lastGood(words, port * STRIDE);
  }

  /**
   * An ACK came for frames that are outstanding, while nothing is sent again and no limit is
   * reached; false if that is not so, and nothing has changed.
   */
  function wasAcknowledged(port: PortRow, number: number): boolean {
    const at = port * STRIDE;
    if (words[at + TX_STATE] !== TX_ADVANCE || words[at + BLOCKED] !== 0) return false;
    const freed = freedBy(words, at, number);
    if (freed > outstanding(words, at)) return false;
    counts[port * COUNTS + COUNT_RX_ACK]++;
    words[at + TX_OLDEST] = numberAfter(number);
    words[at + TX_REPLAYS] = 0;
    buffers.release(port, freed);
    assert(buffers.frames(port) === outstanding(words, at), 'llr.kept-is-outstanding');
    // A timer is armed while anything is outstanding, and finds out.
    const times = port * DOUBLES;
    doubles[times + DEADLINE] = clock.now + doubles[times + REPLAY_TIMER_PS];
    return true;
  }

  return {
    ...{ owesAt, starts, started, arrives },
    ...{ acknowledges, answers, countSent, wasAcknowledged },
  };
}
