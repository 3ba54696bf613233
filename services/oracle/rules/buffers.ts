/**
 * Switches with a shared buffer: which frames are admitted, and which accounts they are charged to.
 */

import { SharedMemory } from '../model/accounts.js';
import { PRIORITIES } from '../ethernet.js';
import { exchangeUnits } from '../model/credit-terms.js';
import type { Device, Model, Observer, Port, Storage, WireFrame } from '../model/model.js';
import { reasonOf } from '../model/port.js';

/** What a full buffer is called; by faults and watchdogs it has other names. */
const OVERFLOWS = [
  ...['headroom-exhausted', 'overflow-by-fault', 'overflow-by-watchdog', 'overflow-by-host'],
  'not-granted',
];
const BY_THRESHOLD = ['ingress-threshold', 'egress-threshold', 'buffer-full'];

export class Buffers implements Observer {
  private readonly memories = new Map<Device, SharedMemory>();

  constructor(private readonly model: Model) {
    const { devices, negotiation, verdict } = model;
    for (const device of devices) {
      // Slots have a rule of their own.
      if (device.isHost || device.configuration.ownMemory !== null) continue;
      const negotiated = device.ports.map((port) => negotiation.whyUnknown(port));
      const why = negotiated.find((own) => own !== null) ?? whyUnknown(device);
      if (!verdict.knows('buffers', why)) continue;
      this.memories.set(device, new SharedMemory(device));
    }
    negotiation.listeners.push(this);
  }

  memoryOf(device: Device): SharedMemory | null {
    return this.memories.get(device) ?? null;
  }

  /** An account is lossless while its senders can be paused. */
  pfcChanged(port: Port, enabled: number): void {
    const memory = this.memoryOf(port.device);
    const { groupOf } = port.configuration;
    const pausable = PRIORITIES.filter((p) => port.methods[p] === 'pfc');
    for (const priority of memory === null ? [] : pausable) {
      const group = groupOf[priority]!;
      memory!.at(port, group).isLossless = pausable.some(
        (other) => groupOf[other] === group && (enabled & (1 << other)) !== 0,
      );
    }
  }

  admitted(storage: Storage, frame: WireFrame, out: Port, atPs: number): void {
    const { ingress } = storage;
    const { device } = ingress;
    const memory = this.memoryOf(device);
    if (memory === null) return;
    const { verdict } = this.model;
    if (frame.isGroup && (device.configuration.cutsThrough || storage.copies > 0)) {
      this.memories.delete(device);
      verdict.decline('buffers', 'copies of multicast frames join queues at different times');
      return;
    }
    storage.group = storage.ingress.configuration.groupOf[frame.priority]!;
    storage.octets = device.stored(frame.octets);
    const account = memory.at(ingress, storage.group);
    // Of a multicast frame each copy is measured against its own queue.
    const queueOctets = frame.isGroup ? -storage.octets : queueAt(out, frame);
    const refusal = memory.refusal(account, storage.octets, queueOctets);
    verdict.judge('buffers');
    if (refusal !== null) {
      const what = `a frame is admitted: expected ${refusal}`;
      const limit = `${account.used} bytes used, ${memory.free} free`;
      verdict.broken('buffers', ingress.at(atPs, frame.priority), `${what} (${limit})`);
    }
    memory.charge(account, storage.octets);
  }

  released({ ingress, octets, group }: Storage): void {
    const memory = this.memoryOf(ingress.device);
    if (octets > 0 && memory !== null) memory.release(memory.at(ingress, group), octets);
  }

  refused(port: Port, frame: WireFrame, reason: string, atPs: number): void {
    const { device } = port;
    const memory = this.memoryOf(device);
    const isOverflow = OVERFLOWS.includes(reason);
    if (memory === null || frame.isGroup) return;
    if (!isOverflow && !BY_THRESHOLD.includes(reason)) return;
    const account = memory.at(port, port.configuration.groupOf[frame.priority]!);
    const octets = device.stored(frame.octets);
    this.model.verdict.judge('buffers');
    // The port that the frame would have left by is not on the wire: any queue may have been full.
    const refusals = device.ports.map((out) =>
      memory.refusal(account, octets, queueAt(out, frame)),
    );
    if (refusals.includes(isOverflow ? 'headroom-exhausted' : reason)) return;
    const limit = `${account.used} bytes used, ${memory.free} free`;
    const what = `a frame is dropped (${reason}) that fits: ${limit}`;
    this.model.verdict.broken('buffers', port.at(atPs, frame.priority), what);
  }
}

const queueAt = (out: Port, { priority }: WireFrame): number =>
  out.queueOctets[out.configuration.classOf[priority]!]!;

function whyUnknown(device: Device): string | null {
  const { priorities } = device.configuration.settings;
  const isShaped = device.ports.some(
    (port) => port.methods.includes('credit') && exchangeUnits(port, 0) === null,
  );
  return reasonOf({
    'isolated flows have accounts of their own': !device.configuration.hasPlainClasses,
    'queues that are trimmed': priorities.some(({ mechanisms }) => mechanisms['trim'] !== 'off'),
    'floods and tags of bridges': device.configuration.isBridge,
    'pools and profiles of a chip': device.configuration.hasPools,
    'accounts that back credit which is shaped': isShaped,
    'a fault changes the memory': device.hasFault('flush', 'shrink', 'set'),
  });
}
