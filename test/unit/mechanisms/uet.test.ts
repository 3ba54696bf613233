/** NSCC step by step, the choice of entropy values, and both ends over a network that is not kind. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReceiveSpec, SendSpec } from '../../../services/engine/contract/spec.js';
import type { TransportEnds } from '../../../services/engine/contract/transport.js';
import {
  BITMAP_WORDS,
  MESSAGE_DONE,
  PLACED,
  SAY_ACK,
  SAY_NAK,
  trackRows,
} from '../../../services/engine/contract/transport.js';
import {
  CLASS,
  FramePool,
  HASH,
  isAnswer,
  KIND_ACK,
  KIND_CUT,
  KIND_CUT_LAST,
  KIND_DATA,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  REMAINING,
  SEQUENCE,
} from '../../../services/engine/frame/frame-pool.js';
import { field } from '../../../services/engine/kernel/fields.js';
import { SHAPE } from '../../../services/engine/kernel/kinds.js';
import { Clock } from '../../../services/engine/kernel/clock.js';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { Tables } from '../../../services/engine/kernel/tables.js';
import {
  cameGood,
  entropyOf,
  entropyWords,
  hashOf,
  nextEntropy,
  penalise,
  penaltyOf,
} from '../../../services/mechanisms/uet/entropy.js';
import {
  baseOf,
  bitmapOf,
  offsetOf,
  outOfOrderOf,
  packCounts,
  packSaid,
  unitsOf,
} from '../../../services/mechanisms/uet/layout.js';
import {
  AVERAGE,
  delayOf,
  IN_FLIGHT,
  INCREASE,
  initialise,
  NSCC_WORDS,
  onAck,
  onLoss,
  onTimeout,
  WINDOW,
} from '../../../services/mechanisms/uet/machine.js';
import { makeReceiver } from '../../../services/mechanisms/uet/receiver.js';
import { makeSender } from '../../../services/mechanisms/uet/sender.js';
import { completeUet, uetSettings } from '../../../services/mechanisms/uet/settings.js';
import { uet } from '../../../services/mechanisms/uet/slice.js';
import type { EntropySpec, UetSpec } from '../../../services/mechanisms/uet/spec.js';
import { fc } from '../../kit/properties.js';

const US = 1e6;

/** 100 Gb/s over 12 us: the path for which the constants of NSCC are written, so a = 1. */
const flow = {
  ...{ packetsPerMessage: 500, messages: 1, releasesMessages: false, lineBps: 100e9 },
  ...{ packetPayload: 4000, lastPayload: 4000, packetOctets: 4122, roundTripPs: 12 * US },
  ...{ isLossless: false, isCut: false },
};
const planned = (written: object = {}, more: Partial<typeof flow> = {}): UetSpec => {
  const settings = completeUet(uetSettings.parse(written));
  const carried = { ...flow, ...more };
  const { window } = settings;
  const packets = window === 'auto' ? uet.autoWindow(settings, carried) : window;
  return uet.plan(settings, carried, packets) as UetSpec;
};
const SPEC = planned().nscc;

function near(actual: number | undefined, expected: number): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-6, `${actual}`);
}

describe('the constants of NSCC', () => {
  it('are those of the table where the path has 150,000 octets', () => {
    assert.equal(SPEC.maxWindow, 225_000);
    assert.equal(SPEC.targetPs, 12 * US);
    assert.equal(SPEC.alpha, (4 * 4000) / (12 * US));
    assert.equal(SPEC.fairIncrease, 5 * 4000);
    assert.equal(SPEC.eta, 0.15 * 4000);
    assert.equal(SPEC.fastScale, 0.25);
    assert.equal(SPEC.adaptDelayPs, 48 * US);
    assert.equal(SPEC.packetOctets, 4104);
    assert.equal(SPEC.adjustOctets, 8 * 4104);
  });

  it('aim at less where switches trim, which tell of losses themselves', () => {
    const cut = planned({}, { isCut: true });
    assert.equal(cut.nscc.targetPs, 9 * US);
    assert.equal(cut.sleek, false);
    assert.equal(planned().sleek, true);
    assert.equal(planned({ sleek: 'on' }, { isCut: true }).sleek, true);
    assert.equal(planned({ sleek: 'off' }).sleek, false);
  });

  it('scale with the product of rate and round trip', () => {
    const twice = planned({}, { lineBps: 200e9 }).nscc;
    assert.equal(twice.fairIncrease, 2 * SPEC.fairIncrease);
    assert.equal(twice.fastScale, 2 * SPEC.fastScale);
    assert.equal(twice.maxWindow, 2 * SPEC.maxWindow);
  });
});

describe('the window of NSCC', () => {
  const started = (window: number, average = 0): Float64Array => {
    const table = new Float64Array(NSCC_WORDS);
    initialise(table, 0, SPEC);
    table[WINDOW] = window;
    table[AVERAGE] = average;
    return table;
  };
  const ack = (
    table: Float64Array,
    newOctets: number,
    marked: boolean,
    delayPs: number,
    now: number,
  ) => {
    onAck(table, 0, SPEC, { newOctets, marked, delayPs, now });
  };

  it('measures delays from the least round trip', () => {
    const table = started(100_000);
    assert.equal(delayOf(table, 0, 15 * US), 3 * US);
    assert.equal(delayOf(table, 0, 11 * US), 0);
    assert.equal(delayOf(table, 0, 12 * US), 1 * US);
  });

  it('grows in proportion to how far a delay is below the target, after eight packets', () => {
    const table = started(100_000);
    ack(table, 8000, false, 3 * US, 1);
    // alpha * 8,000 octets * 9 us.
    assert.equal(table[INCREASE], 16_000 * 8000 * 0.75);
    assert.equal(table[WINDOW], 100_000);
    ack(table, 25_000, false, 3 * US, 2);
    // 33,000 octets are more than eight packets: (8,000 + 25,000) * 12,000 / 100,000.
    near(table[WINDOW], 103_960);
    assert.equal(table[INCREASE], 0);
  });

  it('grows by eta as well once a round trip', () => {
    const table = started(100_000);
    ack(table, 8000, false, 3 * US, 12 * US);
    near(table[WINDOW], 100_000 + 960 + 600);
  });

  it('grows fairly where delay is above the target and unmarked', () => {
    const table = started(100_000);
    ack(table, 8000, false, 20 * US, 1);
    assert.equal(table[INCREASE], 20_000 * 8000);
    // A delay that no mark confirms counts as a quarter of the least round trip.
    near(table[AVERAGE], 0.0125 * 3 * US);
  });

  it('grows by a quarter of what arrives once a whole window had no delay', () => {
    const table = started(10_000);
    ack(table, 10_000, false, 0.5 * US, 1);
    assert.equal(table[WINDOW], 10_000);
    ack(table, 4000, false, 0.5 * US, 2);
    assert.equal(table[WINDOW], 11_000);
    ack(table, 4000, false, 0.5 * US, 3);
    assert.equal(table[WINDOW], 12_000);
    ack(table, 4000, false, 2 * US, 4);
    assert.equal(table[WINDOW], 12_000);
  });

  it('shrinks by the average, once a round trip, where mark and delay agree', () => {
    const table = started(100_000, 24 * US);
    ack(table, 4000, true, 24 * US, 20 * US);
    // 1 - 0.8 * (24 - 12) / 24 = 0.6; and eta, as a round trip is over.
    near(table[WINDOW], 60_600);
    ack(table, 4000, true, 24 * US, 21 * US);
    near(table[WINDOW], 60_600);
    const deepest = started(100_000, 1000 * US);
    ack(deepest, 4000, true, 1000 * US, 20 * US);
    near(deepest[WINDOW], 50_600);
  });

  it('leaves a mark without delay to other paths', () => {
    const table = started(100_000, 24 * US);
    ack(table, 4000, true, 5 * US, 1);
    assert.equal(table[WINDOW], 100_000);
    assert.equal(table[INCREASE], 0);
  });

  it('becomes what has arrived in a period with a loss, and ignores marks of before', () => {
    const table = started(200_000);
    table[IN_FLIGHT] = 100_000;
    ack(table, 4000, false, 5 * US, 1);
    ack(table, 6000, false, 5 * US, 10 * US);
    onLoss(table, 0, SPEC, 4104, 30 * US);
    // Its period ended at 24 us; since the first acknowledgement 6,000 octets arrived.
    assert.equal(table[WINDOW], 6000);
    ack(table, 50_000, true, 100 * US, 31 * US);
    assert.equal(table[WINDOW], 6000);
    ack(table, 60_000, true, 100 * US, 32 * US);
    const { [WINDOW]: after = 0 } = table;
    assert.ok(after >= SPEC.minWindow);
  });

  it('loses a packet by a loss and by a timeout, and keeps one', () => {
    const table = started(100_000);
    onLoss(table, 0, SPEC, 4104, 1);
    assert.equal(table[WINDOW], 95_896);
    onTimeout(table, 0, SPEC);
    assert.equal(table[WINDOW], 91_792);
    for (let i = 0; i < 100; i++) onTimeout(table, 0, SPEC);
    assert.equal(table[WINDOW], 4104);
  });
});

describe('entropy values', () => {
  const words = (how: EntropySpec): Int32Array => new Int32Array(entropyWords(how) + 1);
  const draw = (own: Int32Array, how: EntropySpec, count: number): number[] =>
    Array.from({ length: count }, () => nextEntropy(own, 0, how, 99));

  it('are all taken once a round, in another order each', () => {
    const how = { policy: 'oblivious', values: 16 } as const;
    const own = words(how);
    const rounds = Array.from({ length: 8 }, () => draw(own, how, 16));
    for (const round of rounds) assert.equal(new Set(round).size, 16);
    assert.ok(new Set(rounds.map(String)).size > 3);
  });

  it('are skipped once for each penalty', () => {
    const how = { policy: 'bitmap', values: 8 } as const;
    const own = words(how);
    penalise(own, 0, 5, 1);
    penalise(own, 0, 2, 20);
    assert.equal(penaltyOf(own, 0, 2), 15);
    const drawn = draw(own, how, 8 * 16);
    const count = (value: number): number => drawn.filter((one) => one === value).length;
    assert.ok(count(2) <= 3 && count(5) < count(0) + 1 && count(0) > 15);
    assert.equal(penaltyOf(own, 0, 2), 0);
    assert.equal(own.at(-1), 0);
  });

  it('come back first in, first out; REPS keeps the newest eight', () => {
    for (const [policy, first] of [
      ['mixed', 0],
      ['reps', 4],
    ] as const) {
      const how = { policy, values: 64 };
      const own = words(how);
      for (let value = 0; value < 12; value++) cameGood(own, 0, how, value);
      const kept = draw(own, how, 12 - first);
      assert.deepEqual(
        kept,
        Array.from({ length: 12 - first }, (_, i) => i + first),
      );
      const others = draw(own, how, 200);
      assert.ok(new Set(others).size > 40);
    }
  });

  it('are in the low bits of a hash whose other bits they change, too', () => {
    const how = { policy: 'mixed', values: 64 } as const;
    const hashes = Array.from({ length: 64 }, (_, value) => hashOf(12_345, value, how));
    hashes.forEach((hash, value) => {
      assert.equal(entropyOf(hash, how), value);
    });
    assert.ok(new Set(hashes.map((hash) => hash >>> 16)).size > 60);
  });
});

describe('what an acknowledgement says in a frame', () => {
  it('comes back as it was', () => {
    const offset = fc.integer({ min: -2048, max: 2047 });
    const bitmap = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const units = fc.nat(0xffffff);
    fc.assert(
      fc.property(bitmap, fc.nat(255), offset, units, fc.nat(400), (bits, block, by, n, late) => {
        const said = packSaid(bits, block, by);
        assert.ok(Number.isSafeInteger(said) && said >= 0 && said < 2 ** 52);
        assert.deepEqual([bitmapOf(said), baseOf(said), offsetOf(said)], [bits, 8 * block, by]);
        const counts = packCounts(n, late);
        assert.deepEqual([unitsOf(counts), outOfOrderOf(counts)], [n, Math.min(255, late)]);
      }),
      { seed: 1 },
    );
  });
});

/** Both ends of one connection over a network that loses, trims, doubles and reorders. */
function deliver(
  random: RandomStream,
  packets: number,
  perMessage: number,
  windowPackets: number,
  isCut: boolean,
  control: 'nscc' | 'rccc' | 'both',
) {
  const written = { window: windowPackets, ackEvery: 3, control };
  const spec = planned(written, { packetsPerMessage: perMessage, isCut });
  const rows = (['sending', 'receiving'] as const).map((end) => trackRows(spec, end));
  const bitmaps = rows[0]!.bitmaps + rows[1]!.bitmaps;
  const tables = new Tables({
    ...{ device: 1, port: 0, send: 0, receive: 0, credit: 0, rate: 0, nic: 0, pool: 0 },
    ...{ transport: 2, bitmap: bitmaps },
  });
  const clock = new Clock();
  const words = tables.int32('bitmap', field('packets', SHAPE, BITMAP_WORDS));
  const end = { unacked: 0, next: 0, highest: 0 };
  let pacedAt = Infinity;
  const ends: TransportEnds = {
    clock,
    unacked: () => end.unacked,
    next: () => end.next,
    highest: () => end.highest,
    acknowledge: (_c, expected) => {
      assert.ok(expected <= end.highest);
      if (expected <= end.unacked) return false;
      end.unacked = expected;
      end.next = Math.max(end.next, expected);
      return true;
    },
    goTo: (_c, packet) => {
      end.next = packet;
    },
    waiting: () => packets - end.highest,
    pace: (device, atPs) => {
      assert.deepEqual([device, pacedAt], [0, Infinity]);
      pacedAt = atPs;
    },
    tell: (_device, _c, say) => {
      sendAnswer(say);
    },
  };
  const sender = makeSender(tables, ends, words);
  const receiver = makeReceiver(tables, ends, words);
  const send = { transport: spec, hash: 7, packetsPerMessage: perMessage };
  sender.configure!(0, send as unknown as SendSpec, { row: 0, bitmap: 0 });
  const receive = {
    ...{ transport: spec, hash: 9, packetsPerMessage: perMessage, startPs: 0 },
    ...{ fullPayloadOctets: 4000, lastPayloadOctets: 4000 },
  };
  receiver.configure(
    0,
    receive as unknown as ReceiveSpec,
    { row: 1, bitmap: rows[0]!.bitmaps },
    { device: 0, first: 0, octetPs: 80 },
  );

  const pool = new FramePool();
  const underway: number[] = [];
  const placed = new Set<number>();
  let messages = 0;
  let refused = 0;
  const check = (): void => {
    assert.equal(sender.broken!(0), null);
    assert.equal(receiver.broken(0), null);
  };
  const pass = (frame: number): void => {
    if (random.below(10) === 0) {
      pool.release(frame);
      return;
    }
    underway.push(frame);
    if (random.below(20) === 0) underway.push(pool.copyFrom(pool, frame));
  };
  function sendAnswer(say: number): void {
    const answer = pool.allocate();
    pool.words[answer + CLASS] = KIND_ACK;
    pool.words[answer + LENGTH] = 78;
    receiver.answer(0, say, pool, answer);
    const isNak = (pool.words[answer + CLASS]! & KIND_MASK) === KIND_NAK;
    assert.equal(isNak, say !== SAY_ACK);
    assert.equal(pool.words[answer + LENGTH], isNak ? 64 : 78);
    assert.ok(entropyOf(pool.words[answer + HASH]!, spec.entropy) < 64);
    pass(answer);
  }
  for (let step = 0; end.unacked < packets; step++) {
    assert.ok(step < 200_000, 'it ends');
    clock.now += 1e5;
    const fits = end.next < Math.min(packets, end.unacked + windowPackets);
    if (pacedAt <= clock.now) {
      pacedAt = Infinity;
      receiver.paced!(0, 0);
      check();
    }
    const maySend = fits && sender.permittedAt!(0) <= clock.now;
    if (maySend && random.below(3) > 0) {
      const frame = pool.allocate();
      pool.words[frame + CLASS] = KIND_DATA;
      pool.words[frame + SEQUENCE] = end.next;
      pool.words[frame + LENGTH] = 4102;
      pool.ends[frame + REMAINING] = perMessage - 1 - (end.next % perMessage);
      const isResent = end.next < end.highest;
      sender.departs!(0, pool, frame, isResent);
      const packet = end.next++;
      end.highest = Math.max(end.highest, end.next);
      if (isResent) end.next = sender.follows(0, packet);
      check();
      pass(frame);
    } else if (underway.length > 0) {
      // One of the oldest few.
      const [frame] = underway.splice(random.below(Math.min(9, underway.length)), 1) as [number];
      if (isAnswer(pool.words[frame + CLASS]!)) {
        sender.answered(0, pool, frame);
      } else {
        const isMarked = random.below(8) === 0;
        const isTrimmed = isCut && random.below(4) === 0;
        if (isTrimmed) {
          const kind = random.below(2) === 0 ? KIND_CUT : KIND_CUT_LAST;
          pool.words[frame + CLASS] = kind;
        }
        const outcome = isTrimmed
          ? receiver.takeCut!(0, pool, frame, isMarked)
          : receiver.take(0, pool, frame, isMarked);
        if ((outcome & SAY_NAK) !== 0) refused++;
        if ((outcome & PLACED) !== 0) {
          assert.ok(!placed.has(pool.words[frame + SEQUENCE]!), 'once');
          placed.add(pool.words[frame + SEQUENCE]!);
        }
        if ((outcome & MESSAGE_DONE) !== 0) {
          messages++;
          while (receiver.completed(0, messages) !== -1) messages++;
        }
        const say = outcome & (SAY_ACK | SAY_NAK);
        if (say !== 0) sendAnswer(say);
      }
      pool.release(frame);
      check();
    } else if (!maySend && end.unacked < end.highest) {
      sender.timedOut(0);
      check();
    } else if (!maySend) assert.ok(sender.permittedAt!(0) < Infinity || pacedAt < Infinity);
  }
  assert.equal(placed.size, packets);
  assert.equal(messages, packets / perMessage);
  for (const frame of underway) pool.release(frame);
  return { ...receiver.reordering!(0), refused };
}

describe('both ends of UET', () => {
  it('place each packet once and complete each message, whatever is lost, cut or overtaken', () => {
    for (let seed = 1; seed <= 120; seed++) {
      const random = new RandomStream(seed, 'uet');
      const perMessage = 1 + random.below(9);
      const window = [1, 2, 5, 40, 200][seed % 5]!;
      const packets = perMessage * (10 + random.below(60));
      const isCut = seed % 2 === 0;
      const control = (['nscc', 'rccc', 'both'] as const)[seed % 3]!;
      const told = deliver(random, packets, perMessage, window, isCut, control);
      assert.ok(window === 1 || told.outOfOrder > 0, `seed ${seed}`);
      assert.equal(told.refused > 0, isCut);
      assert.ok(told.peakPackets < window);
    }
  });
});
