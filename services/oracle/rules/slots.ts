/**
 * The frame data buffer of an MVTX2802 (data sheet 7.8, 7.9): a frame takes a slot of its class, a
 * shared one, or one of its source port; frames of flow-controlled ports are downgraded, and have
 * no slots of a class. A source is paused when so many of its own slots are in use, and goes on
 * when all are free (7.9.1).
 */

import { slotsOf, slotsOfPort } from '../configuration.js';
import type { Device, Model, Observer, Port, Storage, WireFrame } from '../model/model.js';
import { isFlowControlled, type PauseInitiators } from './pause-initiators.js';

interface Region {
  readonly slots: number;
  used: number;
}

type Chip = ReturnType<typeof chipOf>;

const SLOTS = { '1MB': 682, '2MB': 1365 } as const;
/** Four ports, and the CPU. */
const SOURCES = 5;
/** P1 and P0 have no slots of their own. */
const LEAST_KEPT = 2;

export class Slots implements Observer {
  private readonly chips = new Map<Device, Chip>();
  private readonly taken = new Map<Storage, Region>();

  constructor(
    private readonly model: Model,
    private readonly initiators: PauseInitiators,
  ) {
    for (const device of model.devices) {
      if (device.configuration.ownMemory === 'slots') this.chips.set(device, chipOf(device));
    }
  }

  admitted(storage: Storage, frame: WireFrame, _out: Port, atPs: number): void {
    const { ingress } = storage;
    const chip = this.chips.get(ingress.device);
    if (chip === undefined) return;
    const region = regionFor(chip, ingress, frame);
    this.model.verdict.judge('buffers');
    if (region === null) {
      this.broken(ingress, frame, atPs, 'a frame is admitted, and no slot is free for it');
      return;
    }
    region.used++;
    this.taken.set(storage, region);
    const own = chip.sources[ingress.index]!;
    const { xoffSlots } = slotsOf(ingress.device.configuration);
    if (region !== own || xoffSlots === null || !isFlowControlled(ingress)) return;
    if (own.used < xoffSlots) return;
    const why = `${own.used} of ${own.slots} slots of the source`;
    this.initiators.state(ingress, 0, true, [atPs, why]);
  }

  released(storage: Storage, atPs: number): void {
    const region = this.taken.get(storage);
    if (region === undefined) return;
    this.taken.delete(storage);
    region.used--;
    const { ingress } = storage;
    const isOwn = this.chips.get(ingress.device)!.sources[ingress.index] === region;
    if (!isOwn || region.used > 0) return;
    this.initiators.state(ingress, 0, false, [atPs, 'no slot of the source']);
  }

  refused(port: Port, frame: WireFrame, reason: string, atPs: number): void {
    const chip = this.chips.get(port.device);
    if (chip === undefined || reason !== 'no-slot') return;
    this.model.verdict.judge('buffers');
    if (regionFor(chip, port, frame) === null) return;
    this.broken(port, frame, atPs, 'a frame is dropped for want of a slot, and there is one');
  }

  private broken(port: Port, { priority }: WireFrame, atPs: number, what: string): void {
    this.model.verdict.broken('buffers', port.at(atPs, priority), `${what} (MVTX2802, 7.8)`);
  }
}

function chipOf({ ports, configuration }: Device) {
  const { memory, temporarySlots, classes, sourceSlots } = slotsOf(configuration);
  const kept = Array.from({ length: 8 }, (_, tc) => classes[tc] ?? 0);
  const apart = kept.reduce((sum, slots) => sum + slots, temporarySlots + SOURCES * sourceSlots);
  const region = (slots: number): Region => ({ slots, used: 0 });
  const shared = region(SLOTS[memory] - apart);
  return { shared, classes: kept.map(region), sources: ports.map(() => region(sourceSlots)) };
}

/** The region that a frame takes its slot from; null: none has one. */
function regionFor(chip: Chip, port: Port, frame: WireFrame): Region | null {
  const { device, index } = port;
  const slots = slotsOf(device.configuration);
  const fixed = slotsOfPort(device.configuration, index)?.fixed ?? null;
  const trafficClass = fixed?.trafficClass ?? device.configuration.classOf[frame.priority]!;
  const isDowngraded = isFlowControlled(port) && !slots.normalQos;
  const own = chip.sources[index]!;
  const kept = !isDowngraded && trafficClass >= LEAST_KEPT ? [chip.classes[trafficClass]!] : [];
  const rest = slots.allocationOrder === 'source-first' ? [own, chip.shared] : [chip.shared, own];
  return [...kept, ...rest].find((region) => region.used < region.slots) ?? null;
}
