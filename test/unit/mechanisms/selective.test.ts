import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BITMAP_WORDS,
  MESSAGE_DONE,
  PLACED,
  SAY_ACK,
  SAY_NAK,
} from '../../../services/engine/contract/transport.js';
import type { ReceiveSpec, SendSpec } from '../../../services/engine/contract/spec.js';
import {
  CLASS,
  FramePool,
  KIND_ACK,
  LENGTH,
  REMAINING,
  SEQUENCE,
} from '../../../services/engine/frame/frame-pool.js';
import { field } from '../../../services/engine/kernel/fields.js';
import { SHAPE } from '../../../services/engine/kernel/kinds.js';
import { Clock } from '../../../services/engine/kernel/clock.js';
import { Tables } from '../../../services/engine/kernel/tables.js';
import {
  blankSelectiveAck,
  decodeSelectiveAck,
  encodeSelectiveAck,
  SELECTIVE_ACK_OCTETS,
} from '../../../services/engine/wire/selective-ack.js';
import {
  clear,
  countFrom,
  firstMissing,
  firstPresent,
  has,
  set,
  wordFrom,
} from '../../../services/engine/kernel/bit-window.js';
import { classOfDepth, depthPercentile } from '../../../services/engine/kernel/depths.js';
import { makeReceiver, makeSender } from '../../../services/mechanisms/selective/machine.js';
import {
  completeSelective,
  selectiveSettings,
} from '../../../services/mechanisms/selective/settings.js';
import { hexOf } from '../engine/wire/vectors.js';
import { isLong } from '../../kit/long-suite.js';
import { fc } from '../../kit/properties.js';

describe('the window of packets', () => {
  const BITS = 128;
  const step = fc.record({ kind: fc.constantFrom('set', 'move'), by: fc.nat(127) });

  it('is a set of numbers, whatever enters and leaves it', () => {
    fc.assert(
      fc.property(fc.nat(1 << 20), fc.array(step, { maxLength: 60 }), (start, steps) => {
        const words = new Int32Array(BITS / 32 + 2);
        const known = new Set<number>();
        let from = start;
        for (const { kind, by } of steps) {
          if (kind === 'set') {
            set(words, 1, BITS, from + by);
            known.add(from + by);
          } else {
            clear(words, 1, BITS, from, from + by);
            for (let p = from; p < from + by; p++) known.delete(p);
            from += by;
          }
          const to = from + BITS;
          let missing = from;
          while (missing < to && known.has(missing)) missing++;
          assert.equal(firstMissing(words, 1, BITS, from, to), missing);
          let present = from;
          while (present < to && !known.has(present)) present++;
          assert.equal(firstPresent(words, 1, BITS, from, to), present);
          assert.equal(countFrom(words, 1, BITS, from, to), known.size);
          assert.equal(has(words, 1, BITS, from + by), known.has(from + by));
          const end = Math.min(to, from + by + 20);
          let word = 0;
          for (let i = 0; i < 32 && from + by + i < end; i++) {
            if (known.has(from + by + i)) word |= 1 << i;
          }
          assert.equal(wordFrom(words, 1, BITS, from + by, end), word);
          assert.equal(words[0], 0);
          assert.equal(words.at(-1), 0);
        }
      }),
      { seed: 3 },
    );
  });
});

describe('a depth', () => {
  it('is in a class of half an octave, the first eight of their own', () => {
    const classes = [1, 2, 8, 9, 11, 12, 15, 16, 23, 24].map(classOfDepth);
    assert.deepEqual(classes, [0, 1, 7, 8, 8, 9, 9, 10, 10, 11]);
    assert.equal(classOfDepth(1 << 24), 31);
    const depths = new Int32Array(32);
    assert.equal(depthPercentile(depths, 0.99), 0);
    depths[2] = 98;
    depths[8] = 2;
    assert.equal(depthPercentile(depths, 0.5), 3);
    assert.equal(depthPercentile(depths, 0.99), 11);
  });
});

describe('a selective acknowledgement', () => {
  it('is encoded as the description has it, and read again', () => {
    const octets = new Uint8Array(SELECTIVE_ACK_OCTETS);
    const known = { base: 258, bitmap: 0x8000000d };
    assert.equal(encodeSelectiveAck(octets, 0, known), SELECTIVE_ACK_OCTETS);
    assert.equal(hexOf(octets), '00 00 01 02 80 00 00 0d');
    const read = blankSelectiveAck();
    assert.equal(decodeSelectiveAck(octets, 0, read), 'ok');
    assert.deepEqual(read, known);
    assert.equal(decodeSelectiveAck(octets.subarray(1), 0, read), 'too-short');
    octets[0] = 1;
    assert.equal(decodeSelectiveAck(octets, 0, read), 'wrong-version');
  });
});

describe('the preset of IRN', () => {
  it('sets what belongs together, below what is written', () => {
    const of = (written: object) => completeSelective(selectiveSettings.parse(written));
    const irn = of({ preset: 'irn' });
    assert.deepEqual(
      [
        irn.windowProducts,
        irn.reorder,
        irn.timeout,
        irn.maxTimeout,
        irn.lowTimeout,
        irn.fewPackets,
      ],
      [1, 0, 320e6, 320e6, 100e6, 3],
    );
    const longer = of({ preset: 'irn', timeout: '1ms', reorder: 4, fewPackets: 2 });
    assert.deepEqual(
      [longer.reorder, longer.timeout, longer.maxTimeout, longer.fewPackets],
      [4, 1e9, 1e9, 2],
    );
    const usual = of({});
    assert.deepEqual([usual.windowProducts, usual.reorder, usual.timeout], [2, 'auto', 4e9]);
  });
});

/** More take minutes. */
const LOSSES = isLong ? 2 : 1;

/** Two ends and what is between them; every order, loss and duplication is possible. */
class World {
  private readonly tables = new Tables({ send: 1, receive: 1, transport: 2, bitmap: 3 });
  private readonly words = this.tables.int32('bitmap', field('packets', SHAPE, BITMAP_WORDS));
  private readonly pool = new FramePool(64);
  readonly core = { unacked: 0, next: 0, highest: 0, placed: 0, done: 0, losses: 0, copies: 0 };
  data: number[] = [];
  answers: (readonly [number, number])[] = [];
  private readonly sender = makeSender(
    this.tables,
    {
      clock: new Clock(),
      unacked: () => this.core.unacked,
      next: () => this.core.next,
      highest: () => this.core.highest,
      acknowledge: (_, expected) => {
        assert.ok(expected <= this.core.highest);
        if (expected <= this.core.unacked) return false;
        this.core.unacked = expected;
        this.core.next = Math.max(this.core.next, expected);
        return true;
      },
      goTo: (_, packet) => {
        assert.ok(packet >= this.core.unacked && packet <= this.core.highest);
        this.core.next = packet;
      },
      waiting: () => 0,
      pace: () => assert.fail('it has no pacer'),
      tell: () => assert.fail('it answers packets only'),
    },
    this.words,
  );
  private readonly receiver = makeReceiver(this.tables, this.words);

  constructor(
    private readonly window: number,
    readonly total: number,
    private readonly perMessage: number,
    reorderPackets: number,
  ) {
    const transport = { kind: 'selective', ackEvery: 1, reorderPackets, trackedPackets: window };
    this.sender.configure!(0, { transport } as unknown as SendSpec, { row: 0, bitmap: 0 });
    const receive = {
      ...{ transport, packetsPerMessage: perMessage, startPs: 0, echoes: false },
      ...{ fullPayloadOctets: 1000, lastPayloadOctets: 10, overheadOctets: 62 },
    };
    const nic = { device: 0, first: 0, octetPs: 80 };
    this.receiver.configure(0, receive as unknown as ReceiveSpec, { row: 1, bitmap: 1 }, nic);
  }

  save(): string {
    const columns = this.tables.layout().map(({ column }) => [...column]);
    this.data.sort((a, b) => a - b);
    this.answers.sort(([a, b], [c, d]) => a - c || b - d);
    return JSON.stringify([this.core, this.data, this.answers, columns]);
  }

  load(saved: string): void {
    const [core, data, answers, columns] = JSON.parse(saved) as [
      object,
      number[],
      never[],
      number[][],
    ];
    Object.assign(this.core, core);
    this.data = data;
    this.answers = answers;
    this.tables.layout().forEach(({ column }, i) => {
      column.set(columns[i]!);
    });
  }

  get isOver(): boolean {
    return this.core.unacked === this.total;
  }

  maySend(): boolean {
    const { next, unacked } = this.core;
    return next < this.total && next < unacked + this.window;
  }

  send(): void {
    const { core } = this;
    const packet = core.next;
    this.data.push(packet);
    core.next = packet + 1;
    if (packet < core.highest) core.next = this.sender.follows(0, packet);
    else core.highest = packet + 1;
  }

  deliver(at: number): void {
    const [packet] = this.data.splice(at, 1);
    const { pool, core } = this;
    const frame = pool.allocate();
    pool.words[frame + SEQUENCE] = packet!;
    pool.words[frame + LENGTH] = 1062;
    pool.ends[frame + REMAINING] = this.perMessage - 1 - (packet! % this.perMessage);
    const outcome = this.receiver.take(0, pool, frame, false);
    if ((outcome & PLACED) !== 0) core.placed++;
    if ((outcome & MESSAGE_DONE) !== 0) {
      core.done++;
      while (this.receiver.completed(0, core.done) >= 0) core.done++;
    }
    const say = outcome & (SAY_ACK | SAY_NAK);
    assert.notEqual(say, 0);
    pool.words[frame + CLASS] = KIND_ACK;
    pool.setSaid(frame, 0);
    this.receiver.answer(0, say, pool, frame);
    this.answers.push([pool.words[frame + SEQUENCE]!, pool.said(frame)]);
    pool.release(frame);
  }

  answer(at: number): void {
    const [[expected, said]] = this.answers.splice(at, 1) as [readonly [number, number]];
    const { pool } = this;
    const frame = pool.allocate();
    pool.words[frame + SEQUENCE] = expected;
    pool.words[frame + CLASS] = said === 0 ? KIND_ACK : KIND_ACK + (1 << 12);
    pool.setSaid(frame, said);
    this.sender.tellsLoss(0, pool, frame);
    this.sender.answered(0, pool, frame);
    pool.release(frame);
  }

  timeOut(): void {
    this.sender.timedOut(0);
  }

  check(): void {
    const { core, total, perMessage } = this;
    assert.equal(this.sender.broken!(0), null);
    assert.equal(this.receiver.broken(0), null);
    assert.ok(core.placed <= total && core.done <= total / perMessage);
    if (!this.isOver) return;
    assert.deepEqual([core.placed, core.done], [total, total / perMessage]);
  }
}

describe('sender and receiver', () => {
  /** All that can happen next: sending, arrivals in any order, and so many losses and copies. */
  function* steps(world: World, losses: number, copies: number): Generator<() => void> {
    const { core, data, answers } = world;
    if (world.maySend() && data.length < 4)
      yield () => {
        world.send();
      };
    if (core.unacked < core.highest && data.length + answers.length === 0) {
      yield () => {
        world.timeOut();
      };
    }
    for (let i = 0; i < data.length; i++) {
      yield () => {
        world.deliver(i);
      };
      if (core.losses < losses) yield () => (core.losses++, data.splice(i, 1));
      if (core.copies < copies) yield () => (core.copies++, data.push(data[i]!));
    }
    for (let i = 0; i < answers.length; i++) {
      yield () => {
        world.answer(i);
      };
      if (core.losses < losses) yield () => (core.losses++, answers.splice(i, 1));
      if (core.copies < copies) yield () => (core.copies++, answers.push(answers[i]!));
    }
  }

  /** From here on nothing is lost: it ends. */
  function assertEnds(world: World): void {
    for (let i = 0; i < 200 && !world.isOver; i++) {
      if (world.data.length > 0) world.deliver(0);
      else if (world.answers.length > 0) world.answer(0);
      else if (world.maySend()) world.send();
      else world.timeOut();
      world.check();
    }
    assert.ok(world.isOver, 'it never ends');
  }

  for (const [window, total, perMessage, reorder, losses, copies] of [
    [3, 4, 2, 0, LOSSES, 1],
    [3, 4, 2, 1, LOSSES, 1],
    [2, 4, 1, 0, LOSSES, 1],
    [4, 4, 4, 3, LOSSES, 0],
  ] as const) {
    it(`end with each message once: window ${window}, distance ${reorder}, ${losses} losses`, () => {
      const world = new World(window, total, perMessage, reorder);
      const first = world.save();
      const seen = new Set([first]);
      const open = [first];
      for (let saved = open.pop(); saved !== undefined; saved = open.pop()) {
        world.load(saved);
        const count = [...steps(world, losses, copies)].length;
        for (let i = 0; i < count; i++) {
          world.load(saved);
          [...steps(world, losses, copies)][i]!();
          world.check();
          const next = world.save();
          if (seen.has(next)) continue;
          seen.add(next);
          open.push(next);
          assertEnds(world);
        }
      }
      assert.ok(seen.size > 1000, `${seen.size} states`);
    });
  }
});
