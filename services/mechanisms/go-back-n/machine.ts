import type { ReceiveSpec } from '../../engine/contract/spec.js';
import type {
  TransportEnds,
  TransportReceiver,
  TransportSender,
} from '../../engine/contract/transport.js';
import {
  EARLIER,
  MESSAGE_DONE,
  PLACED,
  SAY_ACK,
  SAY_NAK,
  SAY_NOTHING,
} from '../../engine/contract/transport.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  ECHO_FLAG,
  KIND_MASK,
  KIND_NAK,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';
import { fields } from '../../engine/kernel/fields.js';
import { SHAPE, sequence } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { FrameRef } from '../../engine/units/indices.js';
import { firstBroken } from '../../engine/contract/broken.js';
import * as invariants from './invariants.js';
import type { GoBackNSpec } from './spec.js';

// Words of a receiving connection, in doubles.

/** Next packet expected in order. */
const EXPECTED = 0;
/** Packets since the last acknowledgement. */
const UNACKNOWLEDGED = 1;
/** A NAK was sent for EXPECTED and nothing in order has come since. */
const NAKKED = 2;
/** Whether the last packet in order was marked; of a connection that echoes marks. */
const ECHO = 3;
const STRIDE = 4;
const RECEIVER = fields(STRIDE, {
  // Of a connection with another transport it is 0.
  expected: [EXPECTED, sequence(0)],
  unacknowledged: [UNACKNOWLEDGED, SHAPE],
  nakked: [NAKKED, SHAPE],
  echo: [ECHO, SHAPE],
});

/** The sending ends: everything is sent again from the packet that is missing. */
export function makeSender(ends: TransportEnds): TransportSender {
  function tellsLoss(_c: number, pool: FramePool, frame: FrameRef): boolean {
    return (pool.words[frame + CLASS] & KIND_MASK) === KIND_NAK;
  }

  /** Everything before the number has arrived; after a NAK, what follows has not. */
  function answered(c: number, pool: FramePool, frame: FrameRef): boolean {
    const expected = pool.words[frame + SEQUENCE];
    const isNew = ends.acknowledge(c, expected);
    if (!tellsLoss(c, pool, frame)) return isNew;
    if (expected !== ends.unacked(c) || ends.next(c) <= expected) return isNew;
    ends.goTo(c, expected);
    return true;
  }

  return {
    tellsLoss,
    answered,
    follows: (_c, packet) => packet + 1,
    timedOut: (c) => {
      ends.goTo(c, ends.unacked(c));
    },
  };
}

/** The receiving ends: packets are accepted in order only. */
export function makeReceiver(tables: Tables): TransportReceiver {
  const state = tables.float64('receive', RECEIVER);
  const ackEvery = new Int32Array(state.length / STRIDE);
  const echoes = new Uint8Array(state.length / STRIDE);

  function configure(c: number, spec: ReceiveSpec): void {
    ackEvery[c] = (spec.transport as GoBackNSpec).ackEvery;
    echoes[c] = spec.echoes ? 1 : 0;
  }

  function take(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number {
    const s = c * STRIDE;
    const sequence = pool.words[frame + SEQUENCE];
    if (sequence !== state[s + EXPECTED]) return outOfOrder(s, sequence);
    state[s + EXPECTED] = sequence + 1;
    state[s + NAKKED] = 0;
    const earlier = echoes[c] !== 0 ? turnEcho(s, isMarked) : SAY_NOTHING;
    const isLast = pool.ends[frame + REMAINING] === 0;
    if (!isLast && ++state[s + UNACKNOWLEDGED] < ackEvery[c]) return PLACED | earlier;
    state[s + UNACKNOWLEDGED] = 0;
    return isLast ? PLACED | SAY_ACK | MESSAGE_DONE | earlier : PLACED | SAY_ACK | earlier;
  }

  /** RFC 8257 3.2: what was received before a change of marks is acknowledged by itself. */
  function turnEcho(s: number, isMarked: boolean): number {
    const echo = isMarked ? 1 : 0;
    if (state[s + ECHO] === echo) return SAY_NOTHING;
    state[s + ECHO] = echo;
    if (state[s + UNACKNOWLEDGED] === 0) return SAY_NOTHING;
    state[s + UNACKNOWLEDGED] = 0;
    return EARLIER;
  }

  function outOfOrder(s: number, sequence: number): number {
    if (sequence < state[s + EXPECTED]) return SAY_ACK;
    if (state[s + NAKKED] !== 0) return SAY_NOTHING;
    state[s + NAKKED] = 1;
    return SAY_NAK;
  }

  function answer(c: number, say: number, pool: FramePool, frame: FrameRef): void {
    const { words } = pool;
    if (say === SAY_NAK) words[frame + CLASS] = (words[frame + CLASS] & ~KIND_MASK) | KIND_NAK;
    words[frame + SEQUENCE] = state[c * STRIDE + EXPECTED];
    if (state[c * STRIDE + ECHO] !== 0) words[frame + CLASS] |= ECHO_FLAG;
  }

  function answerEarlier(c: number, pool: FramePool, frame: FrameRef): void {
    const { words } = pool;
    words[frame + SEQUENCE] = state[c * STRIDE + EXPECTED] - 1;
    if (state[c * STRIDE + ECHO] === 0) words[frame + CLASS] |= ECHO_FLAG;
  }

  function broken(c: number): string | null {
    const { [c * STRIDE + EXPECTED]: expected, [c * STRIDE + UNACKNOWLEDGED]: waiting } = state;
    // Every connection is asked after every round.
    if (waiting <= expected && waiting < ackEvery[c]) return null;
    return firstBroken('goBackN', invariants, expected, waiting, ackEvery[c]);
  }

  // A packet that completes a message is its last one, and none behind it has been accepted.
  return { configure, take, answer, answerEarlier, completed: () => -1, broken };
}
