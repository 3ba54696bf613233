import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLASS,
  FramePool,
  HASH,
  LENGTH,
  NEXT,
  REMAINING,
  SEQUENCE,
} from '../../../services/engine/frame/frame-pool.js';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { FrameReceiver, FrameSender } from '../../../services/runtime/partition/frame-batch.js';

const IN_FLIGHT_QUEUES = 5;
const WHOLE_OCTETS = 68;
const BRIEF_OCTETS = 16;
const BASE_OCTETS = 8;
const ROOMY = 1 << 20;

interface Sent {
  readonly inFlightQueue: number;
  readonly record: Int32Array;
}

function octetsOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function readAll(receiver: FrameReceiver, pieces: readonly Uint8Array[]): Sent[] {
  return pieces.flatMap((piece) => {
    assert.ok(receiver.accepts(piece));
    const read: Sent[] = [];
    for (let inFlightQueue = receiver.next(); inFlightQueue >= 0; inFlightQueue = receiver.next()) {
      const record = receiver.record.slice();
      record[NEXT] = 0;
      read.push({ inFlightQueue, record });
    }
    return read;
  });
}

class Flow {
  sequence: number;
  remaining: number;
  born = 0;

  constructor(
    private readonly hash: number,
    private readonly random: RandomStream,
  ) {
    this.sequence = random.below(1 << 20);
    this.remaining = random.below(1000);
  }

  /** Now and then it is marked, skips, begins a message or has an odd time. */
  next(pool: FramePool, atPs: number): number {
    const { random } = this;
    const frame = pool.allocate();
    pool.words.fill(0, frame, frame + 8);
    pool.ends.fill(0, frame, frame + 8);
    pool.words[frame + HASH] = this.hash;
    pool.words[frame + CLASS] = random.below(20) === 0 ? 0x800 : 3;
    this.sequence += random.below(30) === 0 ? 7 : 1;
    this.remaining = random.below(40) === 0 ? 500 : this.remaining - random.below(2);
    pool.words[frame + SEQUENCE] = this.sequence;
    pool.ends[frame + REMAINING] = this.remaining;
    pool.setArrival(frame, atPs + (random.below(50) === 0 ? 1 / 3 : random.below(1e6)));
    if (random.below(3) === 0)
      this.born = atPs - random.below(1e6) * (random.below(50) === 0 ? 1e7 : 1);
    pool.setBorn(frame, this.born);
    return frame;
  }
}

void test('what is read is what was sent, in any mixture of flows and over many messages', () => {
  const random = new RandomStream(7, 'batch');
  const pool = new FramePool(1 << 16);
  const sender = new FrameSender(1000);
  const receiver = new FrameReceiver(IN_FLIGHT_QUEUES);
  // More flows than slots: some take each other's place.
  const flows = Array.from({ length: 6000 }, (_, i) => new Flow(i * 0x1234567, random));
  for (let message = 0; message < 200; message++) {
    const sent: Sent[] = [];
    for (let i = random.below(100); i >= 0; i--) {
      const flow = flows[random.below(random.below(2) === 0 ? 10 : flows.length)]!;
      const frame = flow.next(pool, message * 1e6);
      const inFlightQueue = random.below(IN_FLIGHT_QUEUES);
      sender.add(inFlightQueue, pool, frame);
      const record = pool.read(frame);
      record[NEXT] = 0;
      sent.push({ inFlightQueue, record });
      pool.release(frame);
    }
    const pieces = sender.takePieces();
    assert.ok(pieces.every(({ length }) => length <= 1000));
    assert.deepEqual(readAll(receiver, pieces), sent);
    assert.ok(sender.isEmpty);
  }
});

void test('a frame like the one before it of its flow takes 16 octets', () => {
  const pool = new FramePool(1 << 16);
  const sender = new FrameSender(ROOMY);
  const frame = pool.allocate();
  pool.words[frame + LENGTH] = 64;
  pool.setArrival(frame, 1e13);
  const sizes = [10, 9, 8].map((remaining, sequence) => {
    pool.words[frame + SEQUENCE] = sequence;
    pool.ends[frame + REMAINING] = remaining;
    sender.add(0, pool, frame);
    return octetsOf(sender.takePieces()) - BASE_OCTETS;
  });
  assert.deepEqual(sizes, [WHOLE_OCTETS, BRIEF_OCTETS, BRIEF_OCTETS]);
});

void test('what is no batch is refused, and forgotten', () => {
  const pool = new FramePool(1 << 16);
  const sender = new FrameSender(ROOMY);
  const frame = pool.allocate();
  pool.words[frame + LENGTH] = 64;
  sender.add(IN_FLIGHT_QUEUES - 1, pool, frame);
  sender.add(IN_FLIGHT_QUEUES - 1, pool, frame);
  const [batch] = sender.takePieces();
  const octets = batch!.slice();
  const receiver = new FrameReceiver(IN_FLIGHT_QUEUES);
  for (let length = 1; length < octets.length; length++) {
    // Without its last frame it would be whole again.
    if (length === BASE_OCTETS || length === BASE_OCTETS + WHOLE_OCTETS) continue;
    assert.ok(!receiver.accepts(octets.subarray(0, length)), `${length} octets`);
    assert.equal(receiver.next(), -1);
  }
  assert.ok(!new FrameReceiver(IN_FLIGHT_QUEUES - 1).accepts(octets));
  assert.equal(readAll(receiver, [octets]).length, 2);
  assert.equal(readAll(receiver, [new Uint8Array(0)]).length, 0);
});
