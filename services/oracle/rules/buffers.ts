/**
 * Switches with a shared buffer: which frames are admitted, and which accounts they are charged to.
 */

import type { Configuration } from '../configuration.js';
import { SharedMemory } from '../model/accounts.js';
import { PRIORITIES } from '../ethernet.js';
import { exchangeUnits } from '../model/credit-terms.js';
import type { Negotiation } from '../model/negotiation.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Storage } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

/** What a full buffer is called; by faults and watchdogs it has other names. */
const OVERFLOWS = new Set([
  'headroom-exhausted',
  'overflow-by-fault',
  'overflow-by-watchdog',
  'not-granted',
]);
const BY_THRESHOLD = new Set(['ingress-threshold', 'egress-threshold', 'buffer-full']);

export class Buffers implements Observer {
  /** By switch; null where this rule has no opinion. */
  readonly memories: (SharedMemory | null)[];

  constructor(
    configuration: Configuration,
    devices: readonly Device[],
    negotiation: Negotiation,
    private readonly verdict: Verdict,
  ) {
    this.memories = devices.map((device) => {
      // Slots have a rule of their own.
      if (device.isHost || device.configuration.ownMemory !== null) return null;
      const negotiated = device.ports.map((port) => negotiation.whyUnknown(port));
      const why = negotiated.find((own) => own !== null) ?? whyUnknown(device);
      if (why !== null) verdict.decline('buffers', why);
      return why === null ? new SharedMemory(device, configuration) : null;
    });
    negotiation.listeners.push(this);
  }

  /** An account is lossless while its senders can be paused. */
  pfcChanged(port: Port, enabled: number): void {
    const memory = this.memories[port.device.index];
    if (memory === null || memory === undefined) return;
    const { groupOf } = port.configuration;
    const pausable = PRIORITIES.filter((p) => port.configuration.methods[p] === 'pfc');
    for (const priority of pausable) {
      const group = groupOf[priority]!;
      memory.at(port, group).isLossless = pausable.some(
        (other) => groupOf[other] === group && (enabled & (1 << other)) !== 0,
      );
    }
  }

  admitted(storage: Storage, frame: WireFrame, out: Port, atPs: number): void {
    const memory = this.memories[storage.ingress.device.index];
    if (memory === null || memory === undefined) return;
    const { device } = storage.ingress;
    if (frame.isGroup && (device.configuration.cutsThrough || storage.copies > 0)) {
      this.decline(device, 'copies of multicast frames join queues at different times');
      return;
    }
    storage.group = storage.ingress.configuration.groupOf[frame.priority]!;
    storage.octets = device.stored(frame.octets);
    const account = memory.at(storage.ingress, storage.group);
    // Of a multicast frame each copy is measured against its own queue.
    const queueOctets = frame.isGroup ? -storage.octets : queueAt(out, frame);
    const refusal = memory.refusal(account, storage.octets, queueOctets);
    this.verdict.judge('buffers');
    if (refusal !== null) {
      const { ingress } = storage;
      const place = { device: device.index, port: ingress.index, atPs, priority: frame.priority };
      const limit = `${account.used} bytes used, ${memory.free} free`;
      this.verdict.broken('buffers', place, `a frame is admitted: expected ${refusal} (${limit})`);
    }
    memory.charge(account, storage.octets);
  }

  released({ ingress, octets, group }: Storage): void {
    const memory = this.memories[ingress.device.index];
    if (octets === 0 || memory === null || memory === undefined) return;
    memory.release(memory.at(ingress, group), octets);
  }

  refused(port: Port, frame: WireFrame, reason: string, atPs: number): void {
    const memory = this.memories[port.device.index];
    if (memory === null || memory === undefined || frame.isGroup) return;
    const isOverflow = OVERFLOWS.has(reason);
    if (!isOverflow && !BY_THRESHOLD.has(reason)) return;
    const { device } = port;
    const account = memory.at(port, port.configuration.groupOf[frame.priority]!);
    const octets = device.stored(frame.octets);
    this.verdict.judge('buffers');
    // The port that the frame would have left by is not on the wire: any queue may have been full.
    const refusals = device.ports.map((out) =>
      memory.refusal(account, octets, queueAt(out, frame)),
    );
    if (refusals.some((own) => own === (isOverflow ? 'headroom-exhausted' : reason))) return;
    const place = { device: device.index, port: port.index, atPs, priority: frame.priority };
    const limit = `${account.used} bytes used, ${memory.free} free`;
    this.verdict.broken('buffers', place, `a frame is dropped (${reason}) that fits: ${limit}`);
  }

  private decline({ index }: Device, why: string): void {
    this.memories[index] = null;
    this.verdict.decline('buffers', why);
  }
}

function queueAt(out: Port, { priority }: WireFrame): number {
  return out.queueOctets[out.device.configuration.classOf[priority]!]!;
}

/** Why the accounts of a switch cannot be rebuilt; null: they can. */
function whyUnknown(device: Device): string | null {
  const { isBridge, hasPlainClasses } = device.configuration;
  const faults = new Set(device.ports.flatMap((port) => [...port.configuration.faults]));
  if (!hasPlainClasses) return 'isolated flows have accounts of their own';
  if (isBridge) return 'floods and tags of bridges';
  const isShaped = device.ports.some(
    (port) => port.configuration.methods.includes('credit') && exchangeUnits(port, 0) === null,
  );
  if (isShaped) return 'accounts that back credit which is shaped';
  if (faults.has('flush') || faults.has('shrink')) return 'a fault changes the memory';
  return null;
}
