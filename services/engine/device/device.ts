import { makeArbiter } from '../arbiter/make-arbiter.js';
import type { Arbiter, ArbiterKind } from '../contract/arbiter.js';
import type { ListenersByPoint } from '../contract/probe.js';
import { noListeners } from '../contract/probe.js';
import type { HostSpec, SwitchSpec } from '../contract/spec.js';
import type { Clock } from '../kernel/clock.js';
import type { ValueOrder } from '../kernel/timer-queue.js';
import { TimerQueue, timerQueueKey } from '../kernel/timer-queue.js';
import type { Rows } from '../kernel/tables.js';
import { SLOTS_MOST } from '../port/ports.js';

export type DeviceSpec = HostSpec | SwitchSpec;

/**
 * Kinds of timer queue entries: control frames take effect, then timers of mechanisms, of devices.
 */
export const KIND_CONTROL = 0;
/** An ordered set takes effect; the value is the set itself, packed. */
export const KIND_SET = 1;
export const KIND_MECHANISM = 2;
/** Timers 0 to 3 of rate controls; the id is a connection. */
export const KIND_RATE = KIND_MECHANISM + SLOTS_MOST;
export const KIND_DEVICE = KIND_RATE + 4;
/** A message that a fault delayed arrives; the value is the slot of its octets. */
export const KIND_LATE = 127;

/** A mechanism's timer is named by the device's port and a number below 64. */
export const TIMER_BITS = 6;

/** What is mixed into the digest beside the port. */
export const DID_ARRIVE = 0x0000;
export const DID_SEND = 0x1000;
export const DID_SEND_CONTROL = 0x2000;
export const DID_TAKE_CONTROL = 0x3000;
export const DID_DROP = 0x4000;
export const DID_FAULT = 0x5000;
export const DID_WATCHDOG = 0x6000;
export const DID_FAILOVER = 0x7000;
/** A frame is read from host memory, or written there; a register is written. */
export const DID_READ = 0x8000;
export const DID_WRITE = 0x9000;
export const DID_SET_REGISTER = 0xa000;
export const DID_SEND_AGAIN = 0xb000;
export const DID_LOOP = 0xc000;
/** An operation of a rank is done. */
export const DID_OPERATION = 0xd000;

/** State of an actor that is not in the shared tables. */
export class Device {
  readonly timerQueue: TimerQueue;
  /** Messages that faults delay at a port, in no order: frames that carry octets. */
  readonly late: number[] = [];
  /** By port of the device. */
  readonly arbiters: readonly Arbiter[];
  readonly listeners: ListenersByPoint = noListeners();
  /** Its index in the service. */
  readonly place: number;
  /** Number in the service of its first port. */
  readonly firstPort: number;

  constructor(
    readonly spec: DeviceSpec,
    readonly rows: Rows,
    order: ValueOrder,
    outside: { readonly clock: Clock; readonly kinds: readonly ArbiterKind[] },
  ) {
    this.timerQueue = new TimerQueue(order);
    this.place = rows.device.first;
    this.firstPort = rows.port.first;
    this.arbiters = spec.ports.map((port) =>
      makeArbiter(port.arbiter, { ...outside, port, seed: spec.seed }),
    );
  }

  /** What a checkpoint has of it whole. */
  get state(): object {
    const { timerQueue, arbiters } = this;
    return { timerQueue, arbiters };
  }

  /** By port. */
  macs(): readonly number[] {
    return this.spec.ports.map(({ mac }) => mac);
  }

  schedule(time: number, kind: number, id: number, value: number): void {
    this.timerQueue.push(time, timerQueueKey(kind, id), value);
  }

  /** The same of what a link partner has sent: it is due in a later window. */
  post(time: number, kind: number, id: number, value: number): void {
    this.timerQueue.post(time, timerQueueKey(kind, id), value);
  }

  /** A timer that was scheduled will do nothing. */
  cancel(time: number, kind: number, id: number): void {
    this.timerQueue.remove(time, timerQueueKey(kind, id));
  }
}
