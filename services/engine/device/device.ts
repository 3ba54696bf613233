import { makeArbiter } from '../arbiter/make-arbiter.js';
import type { Arbiter } from '../contract/arbiter.js';
import type { Probe } from '../contract/probe.js';
import type { PortSpec } from '../contract/spec.js';
import type { FramePool } from '../frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK, SEQUENCE } from '../frame/frame-pool.js';
import { OctetStore } from '../frame/octet-store.js';
import { Agenda, agendaKey, keyId, keyKind } from '../kernel/agenda.js';
import type { Clock } from '../kernel/clock.js';
import { Digest } from '../kernel/digest.js';
import { Slots } from '../kernel/slots.js';
import type { Rows } from '../kernel/tables.js';
import type { Counters } from '../port/counters.js';
import type { Lanes } from '../port/lanes.js';
import type { Ports } from '../port/ports.js';
import {
  CONTROL_DELAY_PS,
  CONTROL_DUE,
  FREE_AT,
  HELD,
  IDENTITY,
  LATENCY_PS,
  OCTET_PS,
  PORT_DOUBLES,
  PORT_WORDS,
  READY,
} from '../port/ports.js';
import type { Queues } from '../port/queues.js';
import type { Shared } from './shared.js';

const PREAMBLE_OCTETS = 8;
const LEAST_FRAME_OCTETS = 64;
const WIRE_OVERHEAD_OCTETS = 20;

/** Kinds of agenda entries: a control frame takes effect, then timers of mechanisms, of devices. */
const KIND_CONTROL = 0;
const KIND_MECHANISM = 1;
export const KIND_DEVICE = 16;

/** A mechanism's timer is named by the device's port and a number below 64. */
const TIMER_BITS = 6;

/** What is mixed into the digest beside the port. */
const DID_ARRIVE = 0x0000;
const DID_SEND = 0x1000;
const DID_SEND_CONTROL = 0x2000;
const DID_TAKE_CONTROL = 0x3000;
const DID_DROP = 0x4000;

/** Where a port's frames go: the device at the other end, in this service or in another. */
export interface Wire {
  /** Takes the frame over; its arrival time says when its first bit is at the peer. */
  accept(frame: number): void;
  acceptControl(octets: Uint8Array, length: number, lastBit: number): void;
}

/** What makes a device a host or a switch. Ports are numbered through the service. */
export interface Behaviour {
  /** A frame has come in and its `ingressPs` is over; the behaviour owns it now. */
  receive(port: number, frame: number): void;
  /** A queued frame starts on the wire: free its memory, mark it, queue what comes after it. */
  departing(port: number, trafficClass: number, frame: number): void;
  /** A timer of the device itself. */
  onTimer(kind: number, id: number, value: number): void;
}

export interface DeviceTiming {
  /** From the last bit received (cutting through: the 64th octet) to `receive`. */
  readonly ingressPs: number;
  readonly cutThrough: boolean;
}

/**
 * An actor: ports with queues and lanes, and the loop that executes its events in the order
 * (time, agenda before arrivals before transmitters, lot). What it does with a frame is its
 * behaviour's business.
 */
export class Device {
  readonly agenda = new Agenda();
  readonly octets = new OctetStore();
  readonly digest: Digest;
  private readonly clock: Clock;
  /** Events executed so far. */
  events = 0;
  readonly arbiters: readonly Arbiter[];
  private readonly arrivals: Slots;
  private readonly transmits: Slots;

  /** By port of the device. */
  readonly wires: Wire[] = [];
  probe: Probe | null = null;
  private readonly pool: FramePool;
  private readonly ports: Ports;
  private readonly queues: Queues;
  private readonly counters: Counters;
  private readonly lanes: Lanes;
  private readonly horizon: Float64Array;
  private readonly scratch = new Uint8Array(LEAST_FRAME_OCTETS);
  private readonly ingressPs: number;
  private readonly cutThrough: boolean;
  readonly behaviour: Behaviour;
  /** Number in the service of the device's first port. */
  readonly firstPort: number;
  /** Its place in the service. */
  readonly place: number;

  static readonly wiring: readonly string[] = [
    ...['wires', 'probe', 'clock', 'pool', 'ports', 'queues', 'counters', 'lanes', 'horizon', 'scratch'],
    ...['firstPort', 'place', 'shared', 'rows', 'portSpecs'],
  ];

  constructor(
    readonly shared: Shared,
    readonly rows: Rows,
    readonly portSpecs: readonly PortSpec[],
    timing: DeviceTiming,
    makeBehaviour: (device: Device) => Behaviour,
  ) {
    this.ingressPs = timing.ingressPs;
    this.cutThrough = timing.cutThrough;
    this.clock = shared.clock;
    this.digest = new Digest(shared.clock);
    this.pool = shared.pool;
    this.ports = shared.ports;
    this.queues = shared.queues;
    this.counters = shared.counters;
    this.lanes = shared.lanes;
    this.horizon = shared.horizon;
    const { first, count } = rows.port;
    this.firstPort = first;
    this.place = rows.device.first;
    this.arrivals = new Slots(shared.arrivalAt, first, count, shared.firstArrival, this.place);
    this.transmits = new Slots(shared.transmitAt, first, count, shared.firstTransmit, this.place);
    this.arbiters = portSpecs.map((port) => makeArbiter(port.arbiter));
    portSpecs.forEach((spec, port) => {
      this.configurePort(first + port, spec);
    });
    this.behaviour = makeBehaviour(this);
  }

  /** Executes every event before `bound` and reports the time of the next one. */
  run(bound: number): void {
    const { agenda, arrivals, transmits } = this;
    for (;;) {
      const timer = agenda.time;
      const arrival = arrivals.time;
      const transmit = transmits.time;
      if (timer <= arrival && timer <= transmit) {
        if (timer >= bound) {
          this.horizon[this.place] = timer;
          return;
        }
        this.clock.now = timer;
        this.runAgenda();
      } else if (arrival <= transmit) {
        if (arrival >= bound) {
          this.horizon[this.place] = arrival;
          return;
        }
        this.clock.now = arrival;
        this.arrive(this.firstPort + arrivals.first);
      } else {
        if (transmit >= bound) {
          this.horizon[this.place] = transmit;
          return;
        }
        this.clock.now = transmit;
        this.transmit(this.firstPort + transmits.first);
      }
      this.events++;
    }
  }

  /** A frame is on its way; its arrival time is that of its first bit after the preamble. */
  accept(port: number, frame: number): void {
    const { pool } = this;
    const octets = this.cutThrough ? LEAST_FRAME_OCTETS : pool.words[frame + LENGTH];
    const wait = octets * this.ports.octetPs(port) + this.ingressPs;
    pool.setArrival(frame, pool.arrival(frame) + wait);
    if (this.lanes.push(port, frame)) this.comesNext(port, frame);
  }

  /** The frame is the first in its lane. */
  private comesNext(port: number, frame: number): void {
    const at = this.pool.arrival(frame);
    this.arrivals.set(port - this.firstPort, at);
    if (at < this.horizon[this.place]) this.horizon[this.place] = at;
  }

  acceptControl(port: number, octets: Uint8Array, length: number, lastBit: number): void {
    const at = lastBit + this.ports.controlDelayPs(port);
    this.schedule(at, KIND_CONTROL, port - this.firstPort, this.octets.put(octets, length));
    if (at < this.horizon[this.place]) this.horizon[this.place] = at;
  }

  /** Arms a timer of a mechanism. */
  arm(mechanism: number, port: number, timer: number, time: number): void {
    const id = ((port - this.firstPort) << TIMER_BITS) | timer;
    this.schedule(time, KIND_MECHANISM + mechanism, id, 0);
  }

  /** Wakes a port's transmitter if it sleeps. */
  kick(port: number): void {
    const slot = port - this.firstPort;
    if (this.transmits.get(slot) !== Infinity) return;
    const free = this.ports.freeAt(port);
    const { now } = this.clock;
    this.transmits.set(slot, free > now ? free : now);
  }

  /** Puts an event of the device itself into the agenda. */
  schedule(time: number, kind: number, id: number, value: number): void {
    this.agenda.push(time, agendaKey(kind, id), value);
  }

  enqueue(port: number, trafficClass: number, frame: number): void {
    this.queues.push(port, trafficClass, frame);
    this.kick(port);
  }

  drop(port: number, frame: number, reason: number): void {
    const { words } = this.pool;
    const octets = words[frame + LENGTH];
    this.counters.dropped(port, words[frame + CLASS] & PRIORITY_MASK, octets, reason);
    const local = port - this.firstPort;
    this.probe?.frameDropped(this.place, local, this.clock.now, this.pool, frame, reason);
    this.digest.mix(DID_DROP | local, reason);
    this.pool.release(frame);
  }

  private arrive(port: number): void {
    const { pool, lanes } = this;
    const local = port - this.firstPort;
    const frame = lanes.shift(port);
    const next = lanes.head(port);
    this.shared.arrivalAt[port] = next < 0 ? Infinity : pool.arrival(next);
    this.arrivals.moved(local);
    const { words } = pool;
    const length = words[frame + LENGTH];
    this.digest.mix(DID_ARRIVE | local, words[frame + SEQUENCE] ^ (length << 20));
    this.counters.received(port, words[frame + CLASS] & PRIORITY_MASK, length);
    if (this.probe !== null) this.probe.frameReceived(this.place, local, this.clock.now, pool, frame);
    this.behaviour.receive(port, frame);
  }

  private transmit(port: number): void {
    const rows = this.ports.words;
    const at = port * PORT_WORDS;
    const local = port - this.firstPort;
    if (rows[at + CONTROL_DUE] !== 0) {
      this.sendControl(port);
      return;
    }
    const held = rows[at + HELD];
    let eligible = rows[at + READY];
    if (held !== 0) {
      eligible = rows[at + IDENTITY] !== 0 ? eligible & ~held : this.eligible(port, eligible, held);
    }
    if (eligible === 0) {
      this.transmits.set(local, Infinity);
      return;
    }
    const { pool, queues } = this;
    const trafficClass = this.arbiters[local].pick(eligible, queues, port);
    const frame = queues.shift(port, trafficClass);
    const length = pool.words[frame + LENGTH];
    const octetPs = rows[at + OCTET_PS];
    const times = this.ports.doubles;
    const { now } = this.clock;
    const free = now + (length + WIRE_OVERHEAD_OCTETS) * octetPs;
    times[port * PORT_DOUBLES + FREE_AT] = free;
    this.behaviour.departing(port, trafficClass, frame);
    const frameClass = pool.words[frame + CLASS];
    this.digest.mix(DID_SEND | local, frameClass ^ (length << 20));
    this.counters.sent(port, frameClass & PRIORITY_MASK, length);
    if (this.probe !== null) this.probe.frameSent(this.place, local, now, pool, frame);
    const latency = times[port * PORT_DOUBLES + LATENCY_PS];
    pool.setArrival(frame, now + PREAMBLE_OCTETS * octetPs + latency);
    this.wires[local].accept(frame);
    const more = (rows[at + READY] | rows[at + CONTROL_DUE]) !== 0;
    this.shared.transmitAt[port] = more ? free : Infinity;
    this.transmits.moved(local);
  }

  /** With several priorities in a class, the one at the head decides for all behind it. */
  private eligible(port: number, ready: number, held: number): number {
    let eligible = 0;
    for (let tc = 0; tc < 8; tc++) {
      if ((ready & (1 << tc)) === 0) continue;
      const priority = this.pool.words[this.queues.head(port, tc) + CLASS] & PRIORITY_MASK;
      if ((held & (1 << priority)) === 0) eligible |= 1 << tc;
    }
    return eligible;
  }

  private sendControl(port: number): void {
    const { ports, scratch } = this;
    const { now } = this.clock;
    const local = port - this.firstPort;
    const mechanism = this.shared.mechanisms[ports.takeControl(port)];
    const octetPs = ports.octetPs(port);
    const txEnd = now + (PREAMBLE_OCTETS + LEAST_FRAME_OCTETS) * octetPs;
    const length = mechanism.compose(port, txEnd, scratch);
    const free = now + (LEAST_FRAME_OCTETS + WIRE_OVERHEAD_OCTETS) * octetPs;
    ports.setFreeAt(port, free);
    this.counters.controlSent[port]++;
    this.digest.mix(DID_SEND_CONTROL | local, hashOctets(scratch, length));
    this.probe?.controlSent(this.place, local, now, scratch.subarray(0, length));
    this.wires[local].acceptControl(scratch, length, txEnd + ports.latencyPs(port));
    this.transmits.set(local, ports.hasWork(port) ? free : Infinity);
  }

  private runAgenda(): void {
    const key = this.agenda.nextKey();
    const value = this.agenda.nextValue();
    this.agenda.pop();
    const kind = keyKind(key);
    const id = keyId(key);
    if (kind === KIND_CONTROL) this.takeControl(this.firstPort + id, value);
    else if (kind < KIND_DEVICE) {
      const port = this.firstPort + (id >> TIMER_BITS);
      const timer = id & ((1 << TIMER_BITS) - 1);
      this.shared.mechanisms[kind - KIND_MECHANISM].onTimer(port, timer);
    } else this.behaviour.onTimer(kind, id, value);
  }

  private takeControl(port: number, slot: number): void {
    const octets = this.octets.get(slot);
    const length = this.octets.length(slot);
    const local = port - this.firstPort;
    this.counters.controlReceived[port]++;
    this.digest.mix(DID_TAKE_CONTROL | local, hashOctets(octets, length));
    this.probe?.controlReceived(this.place, local, this.clock.now, octets.subarray(0, length));
    if (!this.shared.mechanisms.some((m) => m.receiveControl(port, octets, length))) {
      this.counters.controlUnclaimed[port]++;
    }
    this.octets.giveBack(slot);
  }

  private configurePort(port: number, spec: PortSpec): void {
    const { words, doubles } = this.ports;
    const identity = spec.classOf.every((tc, priority) => tc === priority);
    words[port * PORT_WORDS + OCTET_PS] = spec.octetPs;
    words[port * PORT_WORDS + IDENTITY] = identity ? 1 : 0;
    doubles[port * PORT_DOUBLES + LATENCY_PS] = spec.latencyPs;
    const stop = spec.pfc ?? spec.pause;
    doubles[port * PORT_DOUBLES + CONTROL_DELAY_PS] = stop?.responseDelayPs ?? 0;
    for (const mechanism of this.shared.mechanisms) mechanism.configurePort(port, spec);
  }
}

/** FNV-1a over a control frame's octets. */
function hashOctets(octets: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ octets[i], 0x01000193);
  return hash;
}
