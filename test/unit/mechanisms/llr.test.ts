/** The two ends of link-level retry, and every state that they can come to over a bad link. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LlrWords } from '../../../services/mechanisms/llr/machine.js';
import * as machine from '../../../services/mechanisms/llr/machine.js';
import {
  ACCEPT,
  DUPLICATE,
  LLR_WORDS,
  MISSING,
  outstanding,
  RX_EXPECTED,
  RX_NACK_SENT,
  RX_SEND_ACKS,
  RX_SEND_NACK,
  RX_STATE,
  SEQUENCE_ERROR,
  TX_ADVANCE,
  TX_AGAIN,
  TX_DATA,
  TX_FLUSH,
  TX_NEXT,
  TX_OLDEST,
  TX_REPLAY,
  TX_REPLAYS,
  TX_STATE,
} from '../../../services/mechanisms/llr/machine.js';

const MASK = 0xfffff;

/** Both ends in one row, after their initialisation, with a number of the first frame. */
function running(first = 0): LlrWords {
  const w = new Int32Array(LLR_WORDS);
  w[TX_NEXT] = first;
  machine.begin(w, 0);
  machine.initialise(w, 0, first, w[TX_DATA]!);
  assert.ok(machine.echoed(w, 0, first, w[TX_DATA]!));
  return w;
}

describe('the sender of link-level retry', () => {
  it('frees what is acknowledged, across the end of the numbers', () => {
    const w = running(MASK - 1);
    const numbers = [0, 1, 2, 3].map(() => machine.sendNew(w, 0));
    assert.deepEqual(numbers, [MASK - 1, MASK, 0, 1]);
    assert.equal(machine.acknowledge(w, 0, MASK), 2);
    assert.equal(machine.acknowledge(w, 0, MASK), 0);
    assert.equal(outstanding(w, 0), 2);
  });

  it('takes no number that it has not sent, or that is long acknowledged', () => {
    const w = running();
    machine.sendNew(w, 0);
    machine.sendNew(w, 0);
    assert.equal(machine.acknowledge(w, 0, 2), SEQUENCE_ERROR);
    assert.equal(machine.acknowledge(w, 0, 1), 2);
    assert.equal(machine.acknowledge(w, 0, 0), SEQUENCE_ERROR);
  });

  it('replays in order, and gives up after so many replays without progress', () => {
    const w = running();
    for (let i = 0; i < 3; i++) machine.sendNew(w, 0);
    assert.ok(machine.replay(w, 0, 2));
    assert.deepEqual([machine.sendAgain(w, 0), machine.sendAgain(w, 0)], [0, 1]);
    assert.equal(w[TX_STATE], TX_REPLAY);
    assert.equal(machine.sendAgain(w, 0), 2);
    assert.equal(w[TX_STATE], TX_ADVANCE);
    assert.ok(machine.replay(w, 0, 2));
    assert.ok(!machine.replay(w, 0, 2));
    assert.equal(machine.flush(w, 0), 3);
    assert.equal(w[TX_STATE], TX_FLUSH);
  });

  it('leaves out of a replay what is acknowledged meanwhile', () => {
    const w = running();
    for (let i = 0; i < 3; i++) machine.sendNew(w, 0);
    machine.replay(w, 0, 1);
    assert.equal(machine.acknowledge(w, 0, 1), 2);
    assert.equal(machine.sendAgain(w, 0), 2);
    assert.equal(w[TX_STATE], TX_ADVANCE);
  });

  it('does not take the echo of another initialisation', () => {
    const w = running();
    machine.begin(w, 0);
    assert.ok(!machine.echoed(w, 0, w[TX_NEXT]!, w[TX_DATA]! - 1));
    assert.ok(!machine.echoed(w, 0, w[TX_NEXT]! + 1, w[TX_DATA]!));
    assert.ok(machine.echoed(w, 0, w[TX_NEXT]!, w[TX_DATA]!));
  });
});

describe('the receiver of link-level retry', () => {
  it('asks once for the frame that is missing, and is silent until it comes', () => {
    const w = running();
    assert.equal(machine.arrived(w, 0, 0), ACCEPT);
    assert.equal(machine.arrived(w, 0, 2), MISSING);
    assert.equal(w[RX_STATE], RX_SEND_NACK);
    assert.equal(machine.lastGood(w, 0), 0);
    machine.nackSent(w, 0);
    assert.equal(machine.arrived(w, 0, 3), MISSING);
    assert.ok(!machine.bad(w, 0));
    assert.equal(w[RX_STATE], RX_NACK_SENT);
    assert.equal(machine.arrived(w, 0, 1), ACCEPT);
    assert.equal(w[RX_STATE], RX_SEND_ACKS);
    assert.equal(machine.arrived(w, 0, 0), DUPLICATE);
  });

  it('asks again when a replay has begun without the frame', () => {
    const w = running();
    assert.ok(machine.bad(w, 0));
    machine.nackSent(w, 0);
    for (const number of [1, 2, 3]) machine.arrived(w, 0, number);
    assert.equal(w[RX_STATE], RX_NACK_SENT);
    machine.arrived(w, 0, 1);
    assert.equal(w[RX_STATE], RX_SEND_NACK);
  });

  it('takes an INIT that comes again, or late, for the one that it was', () => {
    const w = running();
    machine.arrived(w, 0, 0);
    machine.initialise(w, 0, 0, w[TX_DATA]!);
    assert.equal(w[RX_EXPECTED], 1);
  });
});

/** What is on the link: frames one way, answers the other way, in order; a bad frame is `!`. */
interface World {
  readonly w: LlrWords;
  readonly frames: readonly number[];
  readonly answers: readonly (readonly [boolean, number])[];
  /** Frames that were delivered, and given up. */
  readonly delivered: number;
  readonly offered: number;
}

const WINDOW = 3;
const FRAMES = 3;
const ON_LINK = 3;
const REPLAYS = 2;
const BAD = -1;

/** Every world that one step leads to. A link keeps order, and loses, spoils and repeats. */
function* steps(world: World): Generator<World> {
  const { frames, answers } = world;
  const changed = (change: (w: LlrWords) => Partial<World>): World => {
    const w = world.w.slice();
    return { ...world, ...change(w), w };
  };
  const state = world.w[TX_STATE];
  if (frames.length < ON_LINK) {
    if (state === TX_REPLAY)
      yield changed((w) => ({ frames: [...frames, machine.sendAgain(w, 0)] }));
    else if (state === TX_ADVANCE && outstanding(world.w, 0) < WINDOW && world.offered < FRAMES) {
      yield changed((w) => ({
        frames: [...frames, machine.sendNew(w, 0)],
        offered: world.offered + 1,
      }));
    }
  }
  const [first, ...rest] = frames;
  if (first !== undefined) {
    yield changed(() => ({ frames: rest }));
    if (first !== BAD) yield changed(() => ({ frames: [BAD, ...rest] }));
    yield changed((w) => {
      if (first === BAD) {
        machine.bad(w, 0);
        return { frames: rest };
      }
      const expected = w[RX_EXPECTED];
      const verdict = machine.arrived(w, 0, first);
      if (verdict !== ACCEPT) return { frames: rest };
      assert.equal(first, expected);
      assert.equal(first, world.delivered, 'once each, in order');
      return { frames: rest, delivered: world.delivered + 1 };
    });
  }
  if (answers.length < ON_LINK) {
    // An ACK or NACK may be sent at any time at which the state allows it.
    yield changed((w) => {
      const isNack = w[RX_STATE] === RX_SEND_NACK;
      machine.nackSent(w, 0);
      return { answers: [...answers, [isNack, machine.lastGood(w, 0)] as const] };
    });
  }
  const [answer, ...later] = answers;
  if (answer !== undefined) {
    yield changed(() => ({ answers: later }));
    for (const left of [later, answers]) {
      // It may come twice.
      if (left === answers && later.length === ON_LINK - 1) continue;
      yield changed((w) => {
        const freed = machine.acknowledge(w, 0, answer[1]);
        if (freed !== SEQUENCE_ERROR && answer[0] && outstanding(w, 0) > 0) again(w);
        return { answers: left };
      });
    }
  }
  if (outstanding(world.w, 0) > 0 && state === TX_ADVANCE) {
    yield changed((w) => {
      again(w);
      return {};
    });
  }
}

function again(w: LlrWords): void {
  if (!machine.replay(w, 0, REPLAYS)) machine.flush(w, 0);
}

function keyOf({ w, frames, answers, delivered, offered }: World): string {
  return [w.join(), frames.join(), answers.join(';'), delivered, offered].join('|');
}

function check({ w, delivered, offered }: World): void {
  if (w[TX_STATE] === TX_FLUSH) return;
  // Until it flushes, the sender has whatever was not delivered.
  const oldest = w[TX_OLDEST]!;
  assert.ok(oldest <= delivered, 'nothing is freed that was not delivered');
  assert.equal(w[TX_NEXT], offered);
  assert.ok(outstanding(w, 0) <= WINDOW);
  assert.ok(w[TX_REPLAYS]! <= REPLAYS);
  if (w[TX_STATE] === TX_REPLAY) assert.ok(w[TX_AGAIN]! >= oldest && w[TX_AGAIN]! < w[TX_NEXT]);
}

describe('both ends of link-level retry', () => {
  it('lose nothing over any link that keeps order, until they flush', () => {
    const start = { w: running(), frames: [], answers: [], delivered: 0, offered: 0 };
    const seen = new Set([keyOf(start)]);
    const left: World[] = [start];
    let ended = 0;
    for (let world = left.pop(); world !== undefined; world = left.pop()) {
      check(world);
      if (world.w[TX_STATE] === TX_FLUSH) continue;
      if (world.delivered === FRAMES && outstanding(world.w, 0) === 0) ended++;
      for (const next of steps(world)) {
        const key = keyOf(next);
        if (seen.has(key)) continue;
        seen.add(key);
        left.push(next);
      }
    }
    console.log(`${seen.size} states, ${ended} of them with all frames delivered`);
    assert.ok(seen.size > 10_000 && ended > 0);
  });
});
