/**
 * A bench for one switch: frames come in at its ports, one by one, as from a tester that responds
 * to no pause, and nothing leaves until the transmitter of their egress is let go. What is counted
 * are frames that the emulated switch has taken, paused for and lost; no formula is evaluated.
 */

import { HEADROOM, USED } from '../engine/buffer/shared-buffer.js';
import { NullProbe } from '../engine/contract/probe.js';
import type { Device } from '../engine/device/device.js';
import type { Engine } from '../engine/device/engine.js';
import { CLASS, HASH, KIND_DATA, LENGTH, packClass, TARGET } from '../engine/frame/frame-pool.js';
import { FRAME_OCTETS_MIN, wireOctets } from '../engine/units/ethernet.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { wholeEngine } from '../runtime/whole-engine.js';

/** A port of the switch (from 0), and the priority of its frames. */
export interface Source {
  readonly port: number;
  readonly priority: number;
}

/** Frames of one group: until it pauses its sender, and until one is lost. */
interface Filled {
  /** The frame that had PFC sent; null: the group never did. */
  readonly pfc: number | null;
  /** The first that was lost. */
  readonly drop: number;
}

export class Bench {
  private readonly engine: Engine;
  private readonly device: Device;
  private readonly pauses = new Pauses();
  /** By port: the host behind it. */
  private readonly hostAt: readonly number[];

  constructor(
    fabric: Fabric,
    name: string,
    private readonly octets = FRAME_OCTETS_MIN,
  ) {
    const index = fabric.topology.devices.findIndex((device) => device.name === name);
    const hosts = fabric.topology.devices.flatMap(({ kind }, i) => (kind === 'host' ? [i] : []));
    this.engine = wholeEngine(fabric);
    this.device = this.engine.devices[index]!;
    this.hostAt = fabric.linkEnds[index]!.map(({ peerDevice }) => hosts.indexOf(peerDevice));
    this.engine.listen(this.pauses, [index], false);
  }

  /** One frame; false: it was lost. */
  send({ port, priority }: Source, to: number): boolean {
    const { pool, counters, buffer, ports } = this.engine.shared;
    const row = this.device.firstPort + port;
    const group = ports.groupOf(row, priority);
    const before = buffer.get(row, group, USED);
    const frame = pool.allocate();
    const flags = { dei: false, dscp: 0, ect: true, kind: KIND_DATA, group: false };
    pool.words[frame + LENGTH] = this.octets;
    pool.words[frame + CLASS] = packClass({ priority, ...flags });
    pool.words[frame + HASH] = port;
    pool.words[frame + TARGET] = this.hostAt[to]!;
    counters.received(row, priority, this.octets);
    this.engine.switching.receive(this.device.place, row, frame);
    return buffer.get(row, group, USED) > before;
  }

  /** Whether the switch pauses the sender. */
  isPaused({ port, priority }: Source): boolean {
    const group = this.engine.shared.ports.groupOf(this.device.firstPort + port, priority);
    return this.pauses.has(port, group);
  }

  /** Sends until PFC; the number of frames, or null if one was lost first. */
  untilPfc(source: Source, to: number): number | null {
    for (let frames = 1; ; frames++) {
      if (!this.send(source, to)) return null;
      if (this.isPaused(source)) return frames;
    }
  }

  /** Sends until a frame is lost; how many were stored before. */
  untilDrop(source: Source, to: number): number {
    for (let frames = 0; ; frames++) if (!this.send(source, to)) return frames;
  }

  fill(source: Source, to: number): Filled {
    let pfc: number | null = null;
    for (let frames = 1; ; frames++) {
      const isStored = this.send(source, to);
      if (pfc === null && this.isPaused(source)) pfc = frames;
      if (!isStored) return { pfc, drop: frames };
    }
  }

  /** Lets the egress go until the sender may go on: how many frames have left by then. */
  untilXon(source: Source, to: number): number {
    const { buffer, ports } = this.engine.shared;
    const { place, firstPort } = this.device;
    const row = firstPort + source.port;
    const group = ports.groupOf(row, source.priority);
    const each = buffer.storedOctets(row, this.octets);
    const framePs = wireOctets(this.octets) * ports.octetPs(firstPort + to);
    const before = buffer.get(row, group, USED);
    let untilPs = 0;
    while (this.isPaused(source) && buffer.get(row, group, USED) > 0) {
      this.engine.run(place, (untilPs += framePs));
    }
    return (before - buffer.get(row, group, USED)) / each;
  }

  /** Frames of the group that are in its headroom. */
  inHeadroom({ port, priority }: Source): number {
    const { buffer, ports } = this.engine.shared;
    const row = this.device.firstPort + port;
    const octets = buffer.get(row, ports.groupOf(row, priority), HEADROOM);
    return octets / buffer.storedOctets(row, this.octets);
  }
}

/** Groups whose link partner is paused. */
class Pauses extends NullProbe {
  private readonly paused = new Set<number>();

  has(port: number, group: number): boolean {
    return this.paused.has(port * 8 + group);
  }

  override stopAsked(_d: number, port: number, _now: number, group: number, stop: boolean): void {
    if (stop) this.paused.add(port * 8 + group);
    else this.paused.delete(port * 8 + group);
  }
}
