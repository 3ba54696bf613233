import { makeArbiter } from '../arbiter/make-arbiter.js';
import type { Arbiter } from '../contract/arbiter.js';
import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { Probe } from '../contract/probe.js';
import type { PortSpec } from '../contract/spec.js';
import type { FramePool } from '../frame/frame-pool.js';
import { LENGTH, CLASS, PRIORITY_MASK, SEQUENCE } from '../frame/frame-pool.js';
import { OctetStore } from '../frame/octet-store.js';
import { Agenda, agendaKey, keyId, keyKind } from '../kernel/agenda.js';
import { Digest } from '../kernel/digest.js';
import { Slots } from '../kernel/slots.js';
import { Counters } from '../port/counters.js';
import { Holds } from '../port/holds.js';
import { Lanes } from '../port/lanes.js';
import { Queues } from '../port/queues.js';

const PREAMBLE_OCTETS = 8;
const LEAST_FRAME_OCTETS = 64;
const WIRE_OVERHEAD_OCTETS = 20;

/** Kinds of agenda entries: a control frame takes effect, then timers of mechanisms, of devices. */
const KIND_CONTROL = 0;
const KIND_MECHANISM = 1;
export const KIND_DEVICE = 16;


/** What is mixed into the digest beside the port. */
const DID_ARRIVE = 0x000;
const DID_SEND = 0x1000;
const DID_SEND_CONTROL = 0x2000;
const DID_TAKE_CONTROL = 0x3000;
const DID_DROP = 0x4000;

/** Where a port's frames go: the device at the other end of the link, here or in another process. */
export interface Wire {
  /** `firstBit`: when the first bit after the preamble reaches the peer's MAC. */
  accept(frame: number, firstBit: number): void;
  acceptControl(octets: Uint8Array, length: number, lastBit: number): void;
}

/** Least time of the next event of every actor of a service. */
export type Horizon = Float64Array;

/**
 * An actor: ports with queues and lanes, mechanisms, and the loop that executes its events in
 * the order (time, agenda before arrivals before transmitters, port). Arrivals of one instant
 * take turns. What a device does with a frame is its subclass's business.
 */
export abstract class Device implements MechanismHost {
  readonly octets = new OctetStore();
  readonly agenda = new Agenda();
  readonly digest = new Digest();
  /** By port: when its lane's head arrives, and when its transmitter acts next. */
  private readonly arrivals: Slots;
  private readonly transmits: Slots;
  readonly lanes: Lanes;
  readonly queues: Queues;
  readonly holds: Holds;
  readonly counters: Counters;
  readonly arbiters: Arbiter[];
  /** By port: when the wire is free for the next frame, gap included. */
  readonly freeAt: Float64Array;
  /** By port: mechanisms that have a control frame to send, one bit each. */
  private readonly controlDue: Uint8Array;
  /** Set by the device that is composed. */
  readonly mechanisms: Mechanism[] = [];
  /** Events executed so far. */
  events = 0;

  readonly wires: Wire[] = [];
  probe: Probe | null = null;
  private horizon: Horizon = new Float64Array(1);
  private place = 0;
  protected readonly octetPs: Int32Array;
  private readonly latencyPs: Float64Array;
  private readonly controlDelayPs: Float64Array;
  /** By port: classes and priorities are the same numbers, so a held priority is a held class. */
  private readonly identity: Uint8Array;
  private readonly scratch = new Uint8Array(LEAST_FRAME_OCTETS);

  static readonly wiring: readonly string[] = [
    'pool',
    'wires',
    'probe',
    'horizon',
    'place',
    'ports',
    'scratch',
  ];

  /** `ingressPs`: from the last bit received (cutting through: the 64th octet) to `receive`. */
  constructor(
    readonly pool: FramePool,
    readonly index: number,
    protected readonly ports: readonly PortSpec[],
    private readonly ingressPs: number,
    private readonly cutThrough: boolean,
  ) {
    const count = ports.length;
    this.arrivals = new Slots(count);
    this.transmits = new Slots(count);
    this.lanes = new Lanes(count, this.pool);
    this.queues = new Queues(count, this.pool);
    this.counters = new Counters(count);
    this.arbiters = ports.map((port) => makeArbiter(port.arbiter));
    this.freeAt = new Float64Array(count);
    this.controlDue = new Uint8Array(count);
    this.holds = new Holds(count, 2);
    this.octetPs = Int32Array.from(ports, (port) => port.octetPs);
    this.latencyPs = Float64Array.from(ports, (port) => port.latencyPs);
    this.controlDelayPs = Float64Array.from(
      ports,
      (port) => port.pfc?.responseDelayPs ?? port.pause?.responseDelayPs ?? 0,
    );
    this.identity = Uint8Array.from(ports, (port) =>
      port.classOf.every((tc, priority) => tc === priority) ? 1 : 0,
    );
  }
  /** A frame has come in and its `ingressPs` is over; the device owns it now. */
  protected abstract receive(port: number, frame: number, now: number): void;
  /** A queued frame starts on the wire: free its memory, mark it, queue what comes after it. */
  protected abstract departing(port: number, trafficClass: number, frame: number, now: number): void;
  /** A timer of the device itself. */
  protected abstract onTimer(kind: number, id: number, value: number, now: number): void;

  /** Tells where the actor reports its next event; called once, before the first run. */
  attach(horizon: Horizon, place: number): void {
    this.horizon = horizon;
    this.place = place;
    this.run(-Infinity);
  }

  /** Executes every event before `bound` and reports the time of the next one. */
  run(bound: number): void {
    const { agenda, arrivals, transmits } = this;
    for (;;) {
      const timer = agenda.time;
      const arrival = arrivals.time;
      const transmit = transmits.time;
      if (timer <= arrival && timer <= transmit) {
        if (timer >= bound) return this.report(timer);
        this.runAgenda(timer);
      } else if (arrival <= transmit) {
        if (arrival >= bound) return this.report(arrival);
        this.arrive(arrivals.first, arrival);
      } else {
        if (transmit >= bound) return this.report(transmit);
        this.transmit(transmits.first, transmit);
      }
      this.events++;
    }
  }

  private report(next: number): void {
    this.horizon[this.place] = next;
  }

  accept(port: number, frame: number, firstBit: number): void {
    const { pool } = this;
    const length = pool.words[frame + LENGTH];
    const octets = this.cutThrough ? LEAST_FRAME_OCTETS : length;
    const at = firstBit + octets * this.octetPs[port] + this.ingressPs;
    pool.setArrival(frame, at);
    if (!this.lanes.push(port, frame)) return;
    this.arrivals.set(port, at);
    if (at < this.horizon[this.place]) this.horizon[this.place] = at;
  }

  acceptControl(port: number, octets: Uint8Array, length: number, lastBit: number): void {
    const at = lastBit + this.controlDelayPs[port];
    this.schedule(at, KIND_CONTROL, port, this.octets.put(octets, length));
    if (at < this.horizon[this.place]) this.horizon[this.place] = at;
  }

  hold(gate: number, port: number, priorities: number, now: number): void {
    if (!this.holds.set(gate, port, priorities)) return;
    this.probe?.heldChanged(this.index, port, now, this.holds.held[port]);
    this.kick(port, now);
  }

  requestControl(source: number, port: number, now: number): void {
    this.controlDue[port] |= 1 << source;
    this.kick(port, now);
  }

  arm(client: number, id: number, time: number): void {
    this.schedule(time, KIND_MECHANISM + client, id, 0);
  }

  announceStop(port: number, group: number, stop: boolean, now: number): void {
    this.probe?.stopAsked(this.index, port, now, group, stop);
  }

  protected schedule(time: number, kind: number, id: number, value: number): void {
    this.agenda.push(time, agendaKey(kind, id), value);
  }

  /** Queues a frame and wakes the transmitter if it sleeps. */
  protected enqueue(port: number, trafficClass: number, frame: number, now: number): void {
    this.queues.push(port, trafficClass, frame);
    this.kick(port, now);
  }

  protected drop(port: number, frame: number, reason: number, now: number): void {
    const { words } = this.pool;
    this.counters.dropped(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH], reason);
    this.probe?.frameDropped(this.index, port, now, this.pool, frame, reason);
    this.digest.mix(now, DID_DROP | port, reason);
    this.pool.release(frame);
  }

  private kick(port: number, now: number): void {
    if (this.transmits.at[port] !== Infinity) return;
    const free = this.freeAt[port];
    this.transmits.set(port, free > now ? free : now);
  }

  private arrive(port: number, now: number): void {
    const { pool, lanes } = this;
    const frame = lanes.shift(port);
    const next = lanes.head(port);
    this.arrivals.set(port, next < 0 ? Infinity : pool.arrival(next));
    const { words } = pool;
    const length = words[frame + LENGTH];
    this.digest.mix(now, DID_ARRIVE | port, words[frame + SEQUENCE] ^ (length << 20));
    this.counters.received(port, words[frame + CLASS] & PRIORITY_MASK, length);
    if (this.probe !== null) this.probe.frameReceived(this.index, port, now, pool, frame);
    this.receive(port, frame, now);
  }

  private transmit(port: number, now: number): void {
    if (this.controlDue[port] !== 0) {
      this.sendControl(port, now);
      return;
    }
    const { pool, queues } = this;
    const eligible = this.eligible(port);
    if (eligible === 0) {
      this.transmits.set(port, Infinity);
      return;
    }
    const trafficClass = this.arbiters[port].pick(eligible, queues, port);
    const frame = queues.shift(port, trafficClass);
    const { words } = pool;
    const length = words[frame + LENGTH];
    const octetPs = this.octetPs[port];
    const free = now + (length + WIRE_OVERHEAD_OCTETS) * octetPs;
    this.freeAt[port] = free;
    this.departing(port, trafficClass, frame, now);
    this.digest.mix(now, DID_SEND | port, pool.words[frame + CLASS] ^ (length << 20));
    this.counters.sent(port, pool.words[frame + CLASS] & PRIORITY_MASK, length);
    if (this.probe !== null) this.probe.frameSent(this.index, port, now, pool, frame);
    this.wires[port].accept(frame, now + PREAMBLE_OCTETS * octetPs + this.latencyPs[port]);
    const more = (queues.ready[port] | this.controlDue[port]) !== 0;
    this.transmits.set(port, more ? free : Infinity);
  }

  /** Classes of a port that have a frame which may start now. */
  private eligible(port: number): number {
    const ready = this.queues.ready[port];
    const held = this.holds.held[port];
    if (held === 0) return ready;
    if (this.identity[port] !== 0) return ready & ~held;
    return this.eligibleByHead(port, ready, held);
  }

  /** With several priorities in a class, the one at the head decides for all behind it. */
  private eligibleByHead(port: number, ready: number, held: number): number {
    let eligible = 0;
    for (let tc = 0; tc < 8; tc++) {
      if ((ready & (1 << tc)) === 0) continue;
      const priority = this.pool.words[this.queues.head(port, tc) + CLASS] & PRIORITY_MASK;
      if ((held & (1 << priority)) === 0) eligible |= 1 << tc;
    }
    return eligible;
  }

  private sendControl(port: number, now: number): void {
    const due = this.controlDue[port];
    const source = 31 - Math.clz32(due & -due);
    this.controlDue[port] = due & ~(1 << source);
    const octetPs = this.octetPs[port];
    const txEnd = now + (PREAMBLE_OCTETS + LEAST_FRAME_OCTETS) * octetPs;
    const length = this.mechanisms[source].compose(port, now, txEnd, this.scratch);
    const free = now + (LEAST_FRAME_OCTETS + WIRE_OVERHEAD_OCTETS) * octetPs;
    this.freeAt[port] = free;
    this.counters.controlSent[port]++;
    this.digest.mix(now, DID_SEND_CONTROL | port, hashOctets(this.scratch, length));
    if (this.probe !== null) {
      this.probe.controlSent(this.index, port, now, this.scratch.subarray(0, length));
    }
    this.wires[port].acceptControl(this.scratch, length, txEnd + this.latencyPs[port]);
    const more = (this.queues.ready[port] | this.controlDue[port]) !== 0;
    this.transmits.set(port, more ? free : Infinity);
  }

  private runAgenda(now: number): void {
    const key = this.agenda.nextKey();
    const value = this.agenda.nextValue();
    this.agenda.pop();
    const kind = keyKind(key);
    const id = keyId(key);
    if (kind === KIND_CONTROL) this.takeControl(id, value, now);
    else if (kind < KIND_DEVICE) this.mechanisms[kind - KIND_MECHANISM].onTimer(id, now);
    else this.onTimer(kind, id, value, now);
  }

  private takeControl(port: number, slot: number, now: number): void {
    const octets = this.octets.get(slot);
    const length = this.octets.length(slot);
    this.counters.controlReceived[port]++;
    this.digest.mix(now, DID_TAKE_CONTROL | port, hashOctets(octets, length));
    if (this.probe !== null) {
      this.probe.controlReceived(this.index, port, now, octets.subarray(0, length));
    }
    if (!this.mechanisms.some((m) => m.receiveControl(port, octets, length, now))) {
      this.counters.controlUnclaimed[port]++;
    }
    this.octets.giveBack(slot);
  }
}

/** FNV-1a over a control frame's octets. */
function hashOctets(octets: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ octets[i], 0x01000193);
  return hash;
}
