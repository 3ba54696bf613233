import type { SlotsSpec } from '../../services/engine/contract/spec.js';
import { brokenInvariants } from '../../services/engine/mvtx2802/invariants.js';
import { Mvtx2802 } from '../../services/engine/mvtx2802/mechanism.js';
import { NO_SLOT } from '../../services/engine/mvtx2802/slots.js';
import { Clock } from '../../services/engine/kernel/clock.js';

const KIB = 1024;

/** A part with little memory and nothing turned on; tests say what differs. */
export function chipSpec(changes: Partial<SlotsSpec> = {}): SlotsSpec {
  return {
    sharedSlots: 0,
    classSlots: [0, 0, 0, 0, 0, 0, 0, 0],
    sourceSlots: 4,
    xoffSlots: [3, 3, 3, 3],
    flowControl: [false, false, false, false],
    fixed: [null, null, null, null],
    normalQos: false,
    allocationOrder: 'shared-first',
    multicast: { kind: 'off' },
    wred: {
      sum: 'delay-bound',
      levelOctets: [240 * KIB, 280 * KIB, 320 * KIB],
      thresholdOctets: [0, 0, 0, 0, 0, 0, 0, 0],
      firstHigh: 0.25,
      secondHigh: 0.5,
      secondLow: 0.25,
      spared: 0,
    },
    temporarySlots: Infinity,
    shapers: [null, null, null, null],
    cpuPort: -1,
    ...changes,
  };
}

export function flowControlOn(...ports: readonly number[]): boolean[] {
  return [0, 1, 2, 3].map((port) => ports.includes(port));
}

export interface Arrival {
  readonly from: number;
  readonly to: number | readonly number[];
  readonly trafficClass?: number;
  readonly highPrecedence?: boolean;
  readonly vlan?: number;
}

/** One part with queues set by a test, and a link partner on each port that records pauses. */
export class ChipBench {
  readonly chip: Mvtx2802;
  /** Frames in the lowest queue of each port. */
  readonly lowest = [0, 0, 0, 0];
  /** By port, then class. */
  readonly octets = Array.from({ length: 4 }, () => [0, 0, 0, 0, 0, 0, 0, 0]);
  private heard: string[] = [];

  constructor(readonly spec: SlotsSpec) {
    const listener = {
      filled: (port: number): void => {
        this.tell(port, true);
      },
      emptied: (port: number): void => {
        this.tell(port, false);
      },
    };
    const view = {
      octets: (port: number, tc: number): number => this.octets[port]![tc]!,
      frames: (port: number): number => this.lowest[port]!,
    };
    const surroundings = {
      queues: view,
      listener,
      clock: new Clock(),
      inFlight: () => {
        // Nothing is coming in.
      },
    };
    this.chip = new Mvtx2802(spec, surroundings, 1, 's1');
  }

  /** The slot of a frame, NO_SLOT if it had to be dropped. */
  arrive({ from, to, trafficClass = 7, highPrecedence = false, vlan = 0 }: Arrival): number {
    const ports = typeof to === 'number' ? [to] : to;
    const fanOut = ports.reduce((set, port) => set | (1 << port), 0);
    const isMulticast = typeof to !== 'number';
    if (isMulticast) this.chip.multicastArrived(from, fanOut, vlan);
    const takers = this.chip.passing(from, trafficClass, highPrecedence, fanOut);
    if (takers === 0) return NO_SLOT;
    const copies = ports.filter((port) => (takers & (1 << port)) !== 0).length;
    return this.chip.admit(from, trafficClass, copies, isMulticast);
  }

  /** A lowest queue has become so long, by frames that came or left. */
  queue(port: number, frames: number): void {
    const falls = frames < this.lowest[port]!;
    this.lowest[port] = frames;
    if (falls) this.chip.lowestQueueFell();
  }

  /** Xoff and Xon sent since the last time. */
  told(): string[] {
    const told = this.heard;
    this.heard = [];
    return told;
  }

  region(slot: number): number {
    return this.chip.memory.region[slot]!;
  }

  broken(): string[] {
    return brokenInvariants(this.spec, this.chip);
  }

  private tell(port: number, stop: boolean): void {
    this.chip.setPaused(port, 0, stop);
    this.heard.push(`${stop ? 'Xoff' : 'Xon'} ${port}`);
  }
}
