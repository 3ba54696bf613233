import { field } from '../../kernel/fields.js';
import { DUE, SHAPE } from '../../kernel/kinds.js';
import { NIC_ARBITER } from '../../contract/probe.js';
import type { SendSpec } from '../../contract/spec.js';
import { CLASS, HASH, LENGTH, PRIORITY_MASK, SOURCE, VLAN } from '../../frame/frame-pool.js';
import { assert } from '../../kernel/assert.js';
import { LENGTH_FACTOR } from '../../kernel/digest.js';
import type { Nic82599 } from '../../nic-82599/nic.js';
import { QUEUES } from '../../nic-82599/register-map.js';
import type { Device } from '../device.js';
import { DID_READ } from '../device.js';
import type { Shared } from '../shared.js';
import type { HostSide } from '../nic/host-side.js';
import { makeRings } from '../nic/rings.js';

const NO_FRAME = -1;

interface DescriptorQueueParts {
  /** By device: its row in tables of NICs. */
  readonly rows: Int32Array;
  readonly nics: readonly (Nic82599 | null)[];
  readonly host: HostSide;
  /** The timer queue is to switch a queue on at a time. */
  readonly armRate: (d: number, queue: number, atPs: number, armedPs: number) => void;
}

/**
 * The descriptor queues of adapters: which of them have something to send, and which may. Flows are
 * counts; acknowledgements of software are frames and go first in their queue.
 */
export type DescriptorQueues = ReturnType<typeof makeDescriptorQueues>;

export function makeDescriptorQueues(
  shared: Shared,
  devices: readonly Device[],
  { rows, nics, host, armRate }: DescriptorQueueParts,
) {
  const { clock, pool, ports, counters, tables, nicFrames, digests } = shared;
  const { words, ends } = pool;
  const { lists } = nicFrames;
  const rings = makeRings(tables);
  /** By queue: the connection whose frame is next, and the list of those behind it. */
  const heads = tables.int32('nic', field('next of queue', SHAPE, QUEUES)).fill(NO_FRAME);
  const tails = tables.int32('nic', field('line of queue', SHAPE, QUEUES)).fill(NO_FRAME);
  /** By queue: when a timer switches it on; Infinity where none is armed. */
  const armedFor = tables.float64('nic', field('armed for', DUE, QUEUES)).fill(Infinity);
  /** By adapter: classes with a queue that may send, one bit each. */
  const readyClasses = tables.int32('nic', field('ready classes', SHAPE));
  /** By sending connection. */
  const queueOfSend = tables.int32('send', field('queue', SHAPE));

  function assign(
    d: number,
    connection: number,
    { vm, hash }: Pick<SendSpec, 'vm' | 'hash'>,
    trafficClass: number,
  ): void {
    const send = devices[d].rows.send.first + connection;
    queueOfSend[send] = nics[d]!.transmitQueueOf(vm, trafficClass, hash);
  }

  function queueOf(d: number, connection: number): number {
    return queueOfSend[devices[d].rows.send.first + connection];
  }

  function ready(d: number): number {
    return readyClasses[rows[d]];
  }

  /** True if a queue may send now that could not before. */
  function wake(d: number, connection: number): boolean {
    const base = devices[d].rows.send.first;
    const queue = queueOfSend[base + connection];
    const at = rows[d] * QUEUES + queue;
    if (heads[at] === connection) return false;
    rings.join(tails, at, base, connection);
    if (heads[at] !== NO_FRAME) return false;
    advance(d, at, base);
    return refresh(d, queue);
  }

  function answer(d: number, vm: number, frame: number): boolean {
    const port = devices[d].firstPort;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const trafficClass = ports.classOf(port, priority);
    const queue = nics[d]!.transmitQueueOf(vm, trafficClass, words[frame + HASH]);
    counters.made(port, priority, words[frame + LENGTH]);
    lists.push(nicFrames.answers(rows[d], queue), frame);
    return refresh(d, queue);
  }

  function answersWaiting(d: number, vm: number, trafficClass: number): number {
    const nic = nics[d]!;
    const first = nic.queueOf(vm, trafficClass);
    const last = first + (nic.spec.dcb ? 0 : queuesOfPool(nic) - 1);
    let frames = 0;
    for (let queue = first; queue <= last; queue++) {
      lists.forEach(nicFrames.answers(rows[d], queue), () => frames++);
    }
    return frames;
  }

  /** Grants a frame of a class; -1 if the queue in turn has nothing to send. */
  function take(d: number, trafficClass: number): number {
    const nic = nics[d]!;
    const arbiter = nic.vms[trafficClass];
    const vm = arbiter.pick();
    assert(vm >= 0, 'nic.vm-ready');
    const queue = nic.spec.dcb ? nic.queueOf(vm, trafficClass) : turnInPool(d, nic, vm);
    const frame = takeFrom(d, queue);
    const length = frame < 0 ? 0 : words[frame + LENGTH];
    if (frame >= 0) {
      arbiter.granted(vm, length);
      const credit = Math.imul(nic.descriptorPlane.credit[trafficClass], LENGTH_FACTOR);
      digests.mix(d, DID_READ | queue, (arbiter.credit[vm] + credit) | 0);
      if (nic.hints.enabled) nic.hints.transmitted(queue);
      if (nic.rates.controlled > 0) spendRate(nic, queue, trafficClass, length);
    }
    const arbiterNumber = NIC_ARBITER.MACHINES + trafficClass;
    devices[d].listeners.nicGranted?.nicGranted(d, clock.now, arbiterNumber, vm, length, 0);
    refresh(d, queue);
    return frame;
  }

  function spendRate(nic: Nic82599, queue: number, trafficClass: number, length: number): void {
    const { rates } = nic;
    rates.drift(clock.now);
    if (rates.isControlled(queue)) rates.sent(queue, trafficClass, length, clock.now);
  }

  function takeFrom(d: number, queue: number): number {
    const answers = nicFrames.answers(rows[d], queue);
    if (lists.head(answers) >= 0) return lists.shift(answers);
    const base = devices[d].rows.send.first;
    const at = rows[d] * QUEUES + queue;
    const connection = heads[at];
    assert(connection >= 0, 'nic.queue-has-work');
    heads[at] = NO_FRAME;
    const frame = host.mayQueue(d, connection) ? host.build(d, connection) : NO_FRAME;
    if (frame >= 0) rings.join(tails, at, base, connection);
    advance(d, at, base);
    return frame >= 0 ? checked(d, queue, frame) : NO_FRAME;
  }

  /** Anti-spoofing: a pool sends with its own address, and into its own VLANs only. */
  function checked(d: number, queue: number, frame: number): number {
    const nic = nics[d]!;
    if (nic.checksSpoofing && isSpoofed(d, nic, queue, frame)) {
      nic.spoofed++;
      pool.release(frame);
      return NO_FRAME;
    }
    const port = devices[d].firstPort;
    counters.made(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
    return frame;
  }

  function isSpoofed(d: number, nic: Nic82599, queue: number, frame: number): boolean {
    const foreign = ends[frame + SOURCE] !== host.position(d);
    return nic.isSpoofed(nic.vmOfQueue(queue), ends[frame + VLAN], foreign);
  }

  /** The next connection of a queue that may send becomes its head. */
  function advance(d: number, at: number, base: number): void {
    for (;;) {
      const connection = rings.take(tails, at, base);
      if (connection < 0) return;
      if (!host.mayQueue(d, connection)) continue;
      heads[at] = connection;
      return;
    }
  }

  /** Queues of a pool are served round robin, frame by frame (7.7.2.3). */
  function turnInPool(d: number, nic: Nic82599, pool_: number): number {
    const first = nic.queueOf(pool_, 0);
    const count = queuesOfPool(nic);
    for (let i = 1; i <= count; i++) {
      const queue = first + ((nic.lastInPool[pool_] + i) % count);
      if (!mayTake(d, queue)) continue;
      nic.lastInPool[pool_] = queue - first;
      return queue;
    }
    return first;
  }

  /** Without DCB. */
  function queuesOfPool(nic: Nic82599): number {
    return QUEUES / nic.vms[0].credit.length;
  }

  function hasWork(d: number, queue: number): boolean {
    const row = rows[d];
    return (
      heads[row * QUEUES + queue] !== NO_FRAME || lists.head(nicFrames.answers(row, queue)) >= 0
    );
  }

  function mayTake(d: number, queue: number): boolean {
    return hasWork(d, queue) && nics[d]!.rates.onFromPs(queue) <= clock.now;
  }

  /** Updates in the arbiters whether a queue may send; true if it may. */
  function refresh(d: number, queue: number): boolean {
    const nic = nics[d]!;
    const work = hasWork(d, queue);
    const may = work && (nic.rates.controlled === 0 || isOn(d, nic, queue));
    const tc = nic.classOfQueue(queue);
    const arbiter = nic.vms[tc];
    const vm = nic.vmOfQueue(queue);
    arbiter.setReady(vm, may || (!nic.spec.dcb && othersMay(d, nic, queue)));
    const bit = 1 << tc;
    if (arbiter.anyReady()) readyClasses[rows[d]] |= bit;
    else readyClasses[rows[d]] &= ~bit;
    return may;
  }

  /** Whether the rate scheduler has the queue switched on; a timer is armed if it has not. */
  function isOn(d: number, nic: Nic82599, queue: number): boolean {
    nic.rates.drift(clock.now);
    const onPs = nic.rates.onFromPs(queue);
    if (onPs <= clock.now) return true;
    arm(d, queue, onPs);
    return false;
  }

  function othersMay(d: number, nic: Nic82599, queue: number): boolean {
    const count = queuesOfPool(nic);
    const first = queue - (queue % count);
    for (let other = first; other < first + count; other++) {
      if (other !== queue && mayTake(d, other)) return true;
    }
    return false;
  }

  function arm(d: number, queue: number, atPs: number): void {
    const at = rows[d] * QUEUES + queue;
    if (atPs >= armedFor[at]) return;
    assert(atPs > clock.now, 'nic.rate-timer-ahead');
    armRate(d, queue, atPs, armedFor[at]);
    armedFor[at] = atPs;
  }

  function rateOn(d: number, queue: number): boolean {
    const at = rows[d] * QUEUES + queue;
    if (armedFor[at] !== clock.now) return false;
    armedFor[at] = Infinity;
    return refresh(d, queue);
  }

  /** The rate of a queue was changed; true if it may send now. */
  function changed(d: number, queue: number): boolean {
    return hasWork(d, queue) && refresh(d, queue);
  }

  function refreshAll(d: number): void {
    for (let queue = 0; queue < QUEUES; queue++) if (hasWork(d, queue)) refresh(d, queue);
  }

  /** Priorities were mapped to other classes: waiting frames move to their queues, in order. */
  function reassign(d: number): void {
    const { firstPort, rows: own, spec } = devices[d];
    const nic = nics[d]!;
    const base = own.send.first;
    const first = rows[d] * QUEUES;
    const waiting: number[] = [];
    const answers: [queue: number, frame: number][] = [];
    const queueNow = (vm: number, frameClass: number, hash: number): number =>
      nic.transmitQueueOf(vm, ports.classOf(firstPort, frameClass & PRIORITY_MASK), hash);
    for (let queue = 0; queue < QUEUES; queue++) {
      const at = first + queue;
      if (heads[at] !== NO_FRAME) waiting.push(heads[at]);
      heads[at] = NO_FRAME;
      for (let c = rings.take(tails, at, base); c >= 0; c = rings.take(tails, at, base)) {
        waiting.push(c);
      }
      const list = nicFrames.answers(rows[d], queue);
      while (lists.head(list) >= 0) {
        const frame = lists.shift(list);
        const vm = nic.vmOfQueue(queue);
        answers.push([queueNow(vm, words[frame + CLASS], words[frame + HASH]), frame]);
      }
    }
    if (spec.kind !== 'host') return;
    spec.sends.forEach(({ vm, frameClass, hash }, c) => {
      queueOfSend[base + c] = queueNow(vm, frameClass, hash);
    });
    for (const c of waiting) rings.join(tails, first + queueOfSend[base + c], base, c);
    for (const [queue, frame] of answers) lists.push(nicFrames.answers(rows[d], queue), frame);
    for (let queue = 0; queue < QUEUES; queue++) {
      advance(d, first + queue, base);
      refresh(d, queue);
    }
  }

  return {
    assign,
    reassign,
    queueOf,
    changed,
    ready,
    wake,
    answer,
    answersWaiting,
    take,
    rateOn,
    refreshAll,
  };
}
