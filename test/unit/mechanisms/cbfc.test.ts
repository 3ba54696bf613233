import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CLOSED,
  costOf,
  OPEN,
  Receiver,
  RX_CONSUMED,
  RX_REPORTED,
  RX_STORED,
  RX_SYNCHRONISED,
  Sender,
  SYNCHRONISING,
  TX_CONSUMED,
  TX_FREED,
  TX_PEAK,
  TX_STATE,
  wordOf,
} from '../../../services/mechanisms/cbfc/machine.js';
import type { ChannelTerms, SenderTerms } from '../../../services/mechanisms/cbfc/spec.js';
import { fc } from '../../kit/properties.js';

const CHANNEL = 3;
const MASK = 0xfffff;

function terms(
  own: Readonly<Record<number, Partial<ChannelTerms>>>,
  pools: number[] = [],
): SenderTerms {
  const channels = Array.from({ length: 32 }, (_, n): ChannelTerms | null =>
    own[n] === undefined
      ? null
      : { limit: 0x7fff, pool: -1, reserved: 0, sharing: 'none', threshold: 0, ...own[n] },
  );
  return { channels, pools, shift: 7, overhead: 0 };
}

function senderOf(limit: number): Sender {
  const sender = new Sender(terms({ [CHANNEL]: { limit } }));
  sender.open(CHANNEL);
  return sender;
}

function receiverOf(limit: number): Receiver {
  const receiver = new Receiver(new Array<number>(32).fill(limit));
  receiver.begin(CHANNEL);
  return receiver;
}

describe('A frame costs', () => {
  it('whole credits of its octets and the overhead', () => {
    assert.equal(costOf(64, 0, 7), 1);
    assert.equal(costOf(128, 0, 7), 1);
    assert.equal(costOf(129, 0, 7), 2);
    assert.equal(costOf(132, -4, 7), 1);
    assert.equal(costOf(64, 127, 5), 6);
    assert.equal(costOf(9216, 0, 11), 5);
    // Never nothing, whatever the overhead takes away.
    assert.equal(costOf(10, -16, 5), 1);
  });
});

describe('A sender', () => {
  it('may start while what is in use and the cost are within the limit', () => {
    const sender = senderOf(10);
    sender.spend(CHANNEL, 6);
    assert.ok(sender.mayStart(CHANNEL, 4));
    assert.ok(!sender.mayStart(CHANNEL, 5));
    sender.onFreed(CHANNEL, 1);
    assert.equal(sender.inUse(CHANNEL), 5);
    assert.ok(sender.mayStart(CHANNEL, 5));
    assert.equal(sender.words[wordOf(CHANNEL, TX_PEAK)], 6);
  });

  it('counts on where its counters wrap', () => {
    const sender = senderOf(100);
    sender.words[wordOf(CHANNEL, TX_CONSUMED)] = MASK - 2;
    sender.onFreed(CHANNEL, (MASK - 2) & 0x7fff);
    assert.equal(sender.inUse(CHANNEL), 0);
    sender.spend(CHANNEL, 5);
    assert.equal(sender.consumed(CHANNEL), 2);
    assert.equal(sender.inUse(CHANNEL), 5);
    sender.onFreed(CHANNEL, 1);
    assert.equal(sender.inUse(CHANNEL), 1);
    assert.equal(sender.words[wordOf(CHANNEL, TX_FREED)], 1);
  });

  it('starts nothing while it is closed, or waits for an answer', () => {
    const sender = senderOf(10);
    sender.close(CHANNEL);
    assert.equal(sender.state(CHANNEL), CLOSED);
    assert.ok(!sender.mayStart(CHANNEL, 1));
    sender.onFreed(CHANNEL, 0);
    assert.equal(sender.state(CHANNEL), CLOSED);
    sender.synchronise(CHANNEL);
    assert.equal(sender.state(CHANNEL), SYNCHRONISING);
    assert.ok(!sender.mayStart(CHANNEL, 1));
    sender.onFreed(CHANNEL, 0);
    assert.equal(sender.state(CHANNEL), OPEN);
    assert.ok(sender.mayStart(CHANNEL, 10));
  });

  it('takes a count that says more is in use than it may have, counts it, and starts nothing', () => {
    const sender = senderOf(10);
    assert.ok(sender.onFreed(CHANNEL, 5));
    assert.equal(sender.implausible, 1);
    assert.ok(!sender.mayStart(CHANNEL, 1));
    assert.ok(!sender.onFreed(CHANNEL, 0));
    assert.ok(sender.mayStart(CHANNEL, 10));
  });

  it('leaves a count that cannot be out of the watermarks, and of what the port has in use', () => {
    const sender = new Sender(terms({ 0: { limit: 10 }, 1: { limit: 10 } }));
    for (const channel of [0, 1]) sender.open(channel);
    sender.spend(0, 6);
    sender.spend(1, 2);
    const peaks = (): number[] => [
      sender.words[wordOf(0, TX_PEAK)]!,
      sender.peakOfPort(),
      sender.inUseOfPort(),
    ];
    assert.deepEqual(peaks(), [6, 8, 8]);
    sender.onFreed(0, 7);
    assert.equal(sender.inUse(0), 0x7fff);
    assert.deepEqual(peaks(), [6, 8, 2]);
    sender.spend(1, 1);
    assert.deepEqual(peaks(), [6, 8, 3]);
    sender.onFreed(0, 5);
    assert.deepEqual(peaks(), [6, 8, 4]);
    sender.spend(0, 8);
    assert.deepEqual(peaks(), [9, 12, 12]);
    // Fewer are granted than are in use.
    sender.agree(0, 4);
    assert.deepEqual(peaks(), [9, 12, 3]);
    assert.ok(sender.addsUp());
  });

  it('shares the credits of a pool: what is reserved, and a part of the rest', () => {
    const reserved = { pool: 0, reserved: 4, threshold: 0 };
    const sender = new Sender(
      terms(
        {
          0: { ...reserved, sharing: 'none' },
          1: { ...reserved, sharing: 'static', threshold: 6 },
          2: { ...reserved, sharing: 'dynamic', threshold: -1 },
        },
        [10],
      ),
    );
    for (const channel of [0, 1, 2]) sender.open(channel);
    sender.spend(0, 4);
    assert.ok(!sender.mayStart(0, 1), 'nothing but what is reserved');
    assert.ok(sender.mayStart(1, 10), 'reserved and the static part');
    assert.ok(!sender.mayStart(1, 11));
    // Half of ten that are free.
    assert.ok(sender.mayStart(2, 9));
    assert.ok(!sender.mayStart(2, 10));
    sender.spend(1, 10);
    // Half of four that are left.
    assert.ok(sender.mayStart(2, 6));
    assert.ok(!sender.mayStart(2, 7));
    assert.equal(sender.inUseOfPort(), 14);
    assert.ok(sender.addsUp());
    sender.onFreed(1, 8);
    assert.ok(sender.mayStart(2, 9));
    assert.ok(sender.addsUp());
  });
});

describe('A receiver', () => {
  it('has freed what was consumed but for what it stores', () => {
    const receiver = receiverOf(10);
    receiver.take(CHANNEL, 5);
    receiver.take(CHANNEL, 2);
    assert.equal(receiver.freed(CHANNEL), 0);
    receiver.free(CHANNEL, 5);
    assert.equal(receiver.freed(CHANNEL), 5);
    assert.equal(receiver.unreported(CHANNEL), 5);
    assert.equal(receiver.report(CHANNEL), 5);
    assert.equal(receiver.unreported(CHANNEL), 0);
  });

  it('frees what its sender consumed for frames that never came', () => {
    const receiver = receiverOf(10);
    receiver.take(CHANNEL, 2);
    receiver.onConsumed(CHANNEL, 7);
    assert.equal(receiver.leaked, 5);
    assert.equal(receiver.freed(CHANNEL), 5);
    assert.equal(receiver.stored(CHANNEL), 2);
  });

  it('believes a total that cannot be true only when the next is not true either', () => {
    const receiver = receiverOf(10);
    receiver.onConsumed(CHANNEL, 11);
    assert.deepEqual([receiver.words[wordOf(CHANNEL, RX_CONSUMED)]!, receiver.implausible], [0, 1]);
    receiver.onConsumed(CHANNEL, 4);
    assert.equal(receiver.words[wordOf(CHANNEL, RX_CONSUMED)]!, 4);
    receiver.onConsumed(CHANNEL, 900);
    receiver.onConsumed(CHANNEL, 900);
    assert.equal(receiver.words[wordOf(CHANNEL, RX_CONSUMED)]!, 900);
  });

  it('takes the first total after a restart as it is, and keeps what it stores', () => {
    const receiver = receiverOf(10);
    receiver.take(CHANNEL, 3);
    receiver.reset(CHANNEL);
    receiver.onConsumed(CHANNEL, 0);
    assert.equal(receiver.stored(CHANNEL), 3);
    assert.equal(receiver.freed(CHANNEL), (0 - 3) & MASK);
  });
});

// A link at a small window, with everything that can happen to it.

interface World {
  readonly limit: number;
  readonly sender: Sender;
  readonly receiver: Receiver;
  /** Under way to the receiver, in order: a frame, or (negative) a CC_Update. */
  readonly wire: readonly { readonly kind: 'frame' | 'cc'; readonly value: number }[];
  /** Under way to the sender: counts freed. */
  readonly back: readonly number[];
}

const MOST_ON_WIRE = 3;

/** State up to a turn of the counters, from which everything else follows. */
function keyOf({ sender, receiver, wire, back }: World): string {
  const base = sender.consumed(CHANNEL);
  const behind = (count: number, mask = MASK): number => (base - count) & mask;
  return JSON.stringify([
    sender.state(CHANNEL),
    sender.inUse(CHANNEL),
    behind(receiver.words[wordOf(CHANNEL, RX_CONSUMED)]!),
    receiver.stored(CHANNEL),
    receiver.unreported(CHANNEL),
    receiver.isSynchronised(CHANNEL),
    wire.map(({ kind, value }) => (kind === 'frame' ? value : -1 - behind(value))),
    back.map((count) => behind(count, 0x7fff)),
  ]);
}

function copyOf(world: World): World {
  const sender = senderOf(world.limit);
  for (const word of [TX_STATE, TX_CONSUMED, TX_FREED]) {
    const at = wordOf(CHANNEL, word);
    sender.words[at] = world.sender.words[at]!;
  }
  const receiver = receiverOf(world.limit);
  for (const word of [RX_CONSUMED, RX_STORED, RX_REPORTED, RX_SYNCHRONISED]) {
    const at = wordOf(CHANNEL, word);
    receiver.words[at] = world.receiver.words[at]!;
  }
  return { ...world, sender, receiver };
}

/** Every world that may follow; the last few steps are what the link and its ends suffer. */
function successors(world: World, isHarmed: boolean): World[] {
  const next: World[] = [];
  const { limit, sender, receiver, wire, back } = world;
  const step = (change: (own: World) => Partial<World> | undefined): void => {
    const own = copyOf(world);
    next.push({ ...own, ...change(own) });
  };
  if (wire.length < MOST_ON_WIRE) {
    for (const cost of [1, 2]) {
      if (!sender.mayStart(CHANNEL, cost)) continue;
      step((own) => {
        own.sender.spend(CHANNEL, cost);
        return { wire: [...wire, { kind: 'frame', value: cost }] };
      });
    }
    step(() => ({ wire: [...wire, { kind: 'cc', value: sender.consumed(CHANNEL) }] }));
  }
  const [first, ...rest] = wire;
  if (first !== undefined) {
    step((own) => {
      if (first.kind === 'frame') own.receiver.take(CHANNEL, first.value);
      else own.receiver.onConsumed(CHANNEL, first.value);
      return { wire: rest };
    });
    if (isHarmed) step(() => ({ wire: rest }));
  }
  const stored = receiver.stored(CHANNEL);
  if (stored > 0) {
    step((own) => {
      own.receiver.free(CHANNEL, 1);
      return undefined;
    });
  }
  if (back.length < MOST_ON_WIRE && receiver.isSynchronised(CHANNEL)) {
    step((own) => ({ back: [...back, own.receiver.report(CHANNEL)] }));
  }
  const [update, ...later] = back;
  if (update === undefined) return next;
  step((own) => {
    own.sender.onFreed(CHANNEL, update);
    return { back: later };
  });
  if (!isHarmed) return next;
  step(() => ({ back: later }));
  if (back.length < MOST_ON_WIRE) step(() => ({ back: [update, ...back] }));
  // A restart of both ends: what is under way is lost, what is stored is not.
  step((own) => {
    own.sender.reset(CHANNEL);
    own.sender.synchronise(CHANNEL);
    own.receiver.reset(CHANNEL);
    return { wire: [], back: [] };
  });
  assert.ok(limit > 0);
  return next;
}

function outstanding({ receiver, wire }: World): number {
  const underway = wire.reduce((sum, { kind, value }) => (kind === 'frame' ? sum + value : sum), 0);
  return underway + receiver.stored(CHANNEL);
}

/** One exchange without harm: all frames arrive, are freed, and both ends hear of it. */
function settle(world: World): void {
  const { sender, receiver, wire, back } = world;
  for (const count of back) sender.onFreed(CHANNEL, count);
  for (const { kind, value } of wire) {
    if (kind === 'frame') receiver.take(CHANNEL, value);
    else receiver.onConsumed(CHANNEL, value);
  }
  receiver.free(CHANNEL, receiver.stored(CHANNEL));
  for (let update = 0; update < 2; update++) {
    receiver.onConsumed(CHANNEL, sender.consumed(CHANNEL));
    sender.onFreed(CHANNEL, receiver.report(CHANNEL));
  }
}

describe('The machines of a link, explored from end to end', () => {
  for (const limit of [2, 3, 4]) {
    it(`never promise the buffer twice, and always heal: ${limit} credits`, () => {
      const start: World = {
        ...{ limit, sender: senderOf(limit), receiver: receiverOf(limit), wire: [], back: [] },
      };
      // Shortly before all counters wrap.
      start.sender.words[wordOf(CHANNEL, TX_CONSUMED)] = MASK;
      start.sender.words[wordOf(CHANNEL, TX_FREED)] = MASK;
      start.receiver.words[wordOf(CHANNEL, RX_CONSUMED)] = MASK;
      start.receiver.words[wordOf(CHANNEL, RX_REPORTED)] = MASK;
      const seen = new Set([keyOf(start)]);
      const open = [start];
      while (open.length > 0) {
        const world = open.pop()!;
        assert.ok(outstanding(world) <= limit, `${outstanding(world)}: ${keyOf(world)}`);
        for (const next of successors(world, true)) {
          const key = keyOf(next);
          if (seen.has(key)) continue;
          seen.add(key);
          open.push(next);
        }
        const healed = copyOf(world);
        settle(healed);
        assert.equal(healed.sender.state(CHANNEL), OPEN);
        assert.equal(healed.sender.inUse(CHANNEL), 0, keyOf(world));
      }
      console.log(`${limit} credits: ${seen.size} states`);
      assert.ok(seen.size > 500);
    });
  }
});

describe('A link of many frames', () => {
  it('is in balance again after any loss, repetition or wrong count', () => {
    const events = fc.array(
      fc.record({
        what: fc.constantFrom('send', 'lose', 'arrive', 'free', 'cf', 'cf-lost', 'cc', 'wrong'),
        value: fc.integer({ min: 1, max: 0x7fff }),
      }),
      { maxLength: 200 },
    );
    const property = fc.property(events, fc.integer({ min: 40, max: 0x7fff }), (all, limit) => {
      const sender = senderOf(limit);
      const receiver = receiverOf(limit);
      const wire: number[] = [];
      for (const { what, value } of all) {
        const cost = 1 + (value % 40);
        if (what === 'send' && sender.mayStart(CHANNEL, cost)) {
          sender.spend(CHANNEL, cost);
          wire.push(cost);
        } else if (what === 'lose') wire.shift();
        else if (what === 'arrive' && wire.length > 0) receiver.take(CHANNEL, wire.shift()!);
        else if (what === 'free') {
          receiver.free(CHANNEL, Math.min(cost, receiver.stored(CHANNEL)));
        } else if (what === 'cf') sender.onFreed(CHANNEL, receiver.report(CHANNEL));
        else if (what === 'cf-lost') receiver.report(CHANNEL);
        else if (what === 'cc' && wire.length === 0) {
          receiver.onConsumed(CHANNEL, sender.consumed(CHANNEL));
        } else if (what === 'wrong') sender.onFreed(CHANNEL, value);
        assert.ok(sender.addsUp());
      }
      while (wire.length > 0) receiver.take(CHANNEL, wire.shift()!);
      for (let n = 0; n < 2; n++) receiver.onConsumed(CHANNEL, sender.consumed(CHANNEL));
      sender.onFreed(CHANNEL, receiver.report(CHANNEL));
      assert.equal(sender.inUse(CHANNEL), receiver.stored(CHANNEL));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
