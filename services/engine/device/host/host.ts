import { DROP } from '../../contract/probe.js';
import type { HostSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  KIND_ACK,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  SEQUENCE,
  STORED,
  TARGET,
} from '../../frame/frame-pool.js';
import type { Clock } from '../../kernel/clock.js';
import type { Counters } from '../../port/counters.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import type { Outlet } from '../outlet.js';
import type { Shared } from '../shared.js';
import { Turns } from '../nic/turns.js';
import { Completions } from './completions.js';
import type { Receivers } from './receivers.js';
import { MESSAGES, SAY_NOTHING } from './receivers.js';
import type { Senders } from './senders.js';
import { LATER, READY } from './senders.js';

/** Kinds of agenda entries of a host; the id is a connection. */
const KIND_START = KIND_DEVICE;
const KIND_WAKE = KIND_DEVICE + 1;
const KIND_DEADLINE = KIND_DEVICE + 2;

const NIC = 0;

/**
 * A host and its plain NIC in one actor: flows wait as counts and not as frames; the NIC keeps
 * one frame ready per traffic class and takes the next from whichever connection's turn it is.
 * So a paused priority holds its flows back at the source, and nothing is lost for want of NIC
 * memory. What arrives is taken in at line rate.
 */
export class Host {
  readonly completions = new Completions();
  private readonly turns: Turns;
  /** By traffic class: data frames that wait in the NIC (0 or 1). */
  private readonly waiting = new Uint8Array(8);
  /** By connection of this host: when its wake-up is due, Infinity for none. */
  private readonly wakeAt: Float64Array;
  private readonly classOfConnection: Uint8Array;
  private readonly classOf: Uint8Array;
  private readonly firstSend: number;
  private readonly firstReceive: number;
  /** By receiving connection: sending connections whose messages wait for its messages. */
  private readonly dependants: readonly (readonly number[])[];

  private readonly pool: FramePool;
  private readonly clock: Clock;
  private readonly counters: Counters;

  static readonly wiring = [
    ...[
      'device',
      'outlet',
      'pool',
      'clock',
      'counters',
      'spec',
      'senders',
      'receivers',
      'dependants',
    ],
    ...['firstSend', 'firstReceive'],
  ];

  constructor(
    shared: Shared,
    private readonly device: Device,
    private readonly outlet: Outlet,
    private readonly spec: HostSpec,
    private readonly senders: Senders,
    private readonly receivers: Receivers,
  ) {
    this.pool = shared.pool;
    this.clock = shared.clock;
    this.counters = shared.counters;
    this.firstSend = device.rows.send.first;
    this.firstReceive = device.rows.receive.first;
    this.turns = new Turns(spec.sends.length);
    this.wakeAt = new Float64Array(spec.sends.length).fill(Infinity);
    this.classOf = Uint8Array.from(spec.ports[NIC].classOf);
    this.classOfConnection = Uint8Array.from(
      spec.sends,
      (send) => this.classOf[send.frameClass & PRIORITY_MASK],
    );
    this.dependants = dependantsOf(spec);
    spec.sends.forEach((send, c) => {
      senders.configure(this.firstSend + c, send, spec.position, spec.seed);
      this.device.schedule(send.startPs, KIND_START, c, 0);
    });
    spec.receives.forEach((receive, c) => {
      receivers.configure(this.firstReceive + c, receive, spec.position);
    });
  }

  receive(port: number, frame: number): void {
    const { pool } = this;
    const { words } = pool;
    const frameClass = words[frame + CLASS];
    if ((frameClass & GROUP_FLAG) === 0 && words[frame + TARGET] !== this.spec.position) {
      this.outlet.drop(this.device.place, port, frame, DROP.NOT_ADDRESSED);
      return;
    }
    const c = pool.ends[frame + CONNECTION];
    const kind = frameClass & KIND_MASK;
    if (kind === KIND_ACK || kind === KIND_NAK) {
      this.acknowledged(c, words[frame + SEQUENCE], kind === KIND_NAK);
    } else this.takePacket(c, frame);
    pool.release(frame);
  }

  /** The NIC's frame of a class starts on the wire: the next one takes its place. */
  departing(trafficClass: number, frame: number): void {
    const kind = this.pool.words[frame + CLASS] & KIND_MASK;
    if (kind === KIND_ACK || kind === KIND_NAK) return;
    this.waiting[trafficClass] = 0;
    this.refill(trafficClass);
  }

  onTimer(kind: number, c: number): void {
    if (kind === KIND_DEADLINE) this.checkDeadline(c);
    else if (kind === KIND_START) this.startFlow(c);
    else if (this.wakeAt[c] === this.clock.now) {
      this.wakeAt[c] = Infinity;
      this.wake(c);
    }
  }

  private startFlow(c: number): void {
    this.senders.start(this.firstSend + c);
    if (this.spec.sends[c].after.length > 0) this.releaseDependant(c);
    this.wake(c);
  }

  /** A connection may have something to send: let it stand in line. */
  private wake(c: number): void {
    const trafficClass = this.classOfConnection[c];
    this.turns.join(trafficClass, c);
    if (this.waiting[trafficClass] === 0) this.refill(trafficClass);
  }

  /** Puts the next data frame of a class into the NIC, if any connection has one. */
  private refill(trafficClass: number): void {
    const { turns, senders } = this;
    for (let c = turns.take(trafficClass); c >= 0; c = turns.take(trafficClass)) {
      const ready = senders.readiness(this.firstSend + c);
      if (ready === READY) {
        this.queuePacket(c, trafficClass);
        return;
      }
      if (ready === LATER) this.wakeLater(c, senders.retryAt);
    }
  }

  private queuePacket(c: number, trafficClass: number): void {
    const { pool, senders } = this;
    const send = this.firstSend + c;
    const idle = senders.deadline(send) === Infinity;
    const frame = senders.build(send, pool);
    if (senders.isReliable(send)) this.watch(c, idle);
    this.turns.join(trafficClass, c);
    this.waiting[trafficClass] = 1;
    this.queueFrame(frame, trafficClass);
  }

  private queueFrame(frame: number, trafficClass: number): void {
    const { words } = this.pool;
    words[frame + STORED] = words[frame + LENGTH];
    words[frame + PORT] = this.device.firstPort;
    const { place, firstPort } = this.device;
    this.counters.made(firstPort, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
    this.outlet.enqueue(place, firstPort, trafficClass, frame);
  }

  /** Sees to it that silence will be noticed. */
  private watch(c: number, idle: boolean): void {
    if (idle) this.senders.extendDeadline(this.firstSend + c);
    this.armDeadline(c);
  }

  private checkDeadline(c: number): void {
    const { senders } = this;
    const send = this.firstSend + c;
    senders.deadlineArmed[send] = 0;
    if (senders.deadline(send) <= this.clock.now) {
      senders.timeOut(send);
      this.wake(c);
    }
    this.armDeadline(c);
  }

  /** One timer per connection, set again when it expires if the deadline has moved. */
  private armDeadline(c: number): void {
    const { senders } = this;
    const send = this.firstSend + c;
    const deadline = senders.deadline(send);
    if (senders.deadlineArmed[send] !== 0 || deadline === Infinity) return;
    senders.deadlineArmed[send] = 1;
    this.device.schedule(deadline, KIND_DEADLINE, c, 0);
  }

  private wakeLater(c: number, time: number): void {
    if (time >= this.wakeAt[c]) return;
    this.wakeAt[c] = time;
    this.device.schedule(time, KIND_WAKE, c, 0);
  }

  private acknowledged(c: number, expected: number, goBack: boolean): void {
    if (this.senders.acknowledge(this.firstSend + c, expected, goBack)) this.wake(c);
  }

  private takePacket(c: number, frame: number): void {
    const { receivers, pool } = this;
    const say = receivers.take(this.firstReceive + c, pool, frame);
    if (receivers.messageDone) this.messageArrived(c, pool.born(frame));
    if (say === SAY_NOTHING) return;
    const answer = receivers.answer(this.firstReceive + c, say, pool);
    this.queueFrame(answer, this.classOf[pool.words[answer + CLASS] & PRIORITY_MASK]);
  }

  private messageArrived(c: number, born: number): void {
    const { receivers, completions } = this;
    const spec = this.spec.receives[c];
    const { now } = this.clock;
    const message = receivers.get(this.firstReceive + c, MESSAGES) - 1;
    completions.add(spec.flow, message, spec.reliable ? born : spec.startPs, now);
    this.device.probe?.messageDelivered(this.device.place, now, spec.flow, message);
    for (const dependant of this.dependants[c]) this.releaseDependant(dependant);
  }

  /** Message m may go once every prerequisite has delivered m + 1 - lead messages. */
  private releaseDependant(c: number): void {
    const spec = this.spec.sends[c];
    if (this.clock.now < spec.startPs) return;
    let messages = Infinity;
    for (const { receive, lead } of spec.after) {
      messages = Math.min(
        messages,
        this.receivers.get(this.firstReceive + receive, MESSAGES) + lead,
      );
    }
    if (this.senders.releaseMessages(this.firstSend + c, messages)) this.wake(c);
  }
}

function dependantsOf(spec: HostSpec): number[][] {
  const dependants: number[][] = spec.receives.map(() => []);
  spec.sends.forEach((send, c) => {
    for (const { receive } of send.after) dependants[receive].push(c);
  });
  return dependants;
}
