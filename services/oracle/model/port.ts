import type { DeviceConfiguration, FaultName, PortConfiguration } from '../configuration.js';
import type { WireFrame } from '../record.js';
import type { Place } from '../verdict.js';

export interface Flight {
  readonly frame: WireFrame;
  readonly startPs: number;
  /** When the device has it; grows by a tag that is announced behind its start. */
  duePs: number;
  number: number | null;
}

/** A frame that came in, and has not joined a queue. */
export interface Pending {
  readonly frame: WireFrame;
  readonly atPs: number;
  readonly ingress: Port;
  copies: Queued[];
  isDropped: boolean;
  readonly storage: Storage;
}

/**
 * A frame in the buffer of a switch, charged to its ingress once, however many ports it leaves by.
 */
export interface Storage {
  readonly ingress: Port;
  /** Copies that have neither left nor been dropped. */
  copies: number;
  /** Octets that are charged, 0 before and after. */
  octets: number;
  group: number;
}

export interface Queued {
  readonly out: Port;
  readonly frame: WireFrame;
  readonly atPs: number;
  readonly trafficClass: number;
  /** Octets of the queue that it takes. */
  readonly octets: number;
  readonly storage: Storage;
  /** The ECN field with which it came in. */
  readonly cameEcn: number;
  /** It was moved here from a port that is down. */
  readonly isMoved: boolean;
}

export class Port {
  readonly name: string;
  readonly index: number;
  /** When the link is free for the next frame. */
  freePs = 0;
  readonly flights: Flight[] = [];
  readonly controls: { readonly octets: Uint8Array; readonly duePs: number }[] = [];
  readonly queues: Queued[][] = Array.from({ length: 8 }, () => []);
  readonly queueOctets = new Float64Array(8);
  peer!: Port;

  constructor(
    readonly device: Device,
    readonly configuration: PortConfiguration,
  ) {
    this.name = configuration.name;
    this.index = configuration.port;
  }

  get octetPs(): number {
    return this.configuration.octetPs;
  }

  /** Propagation, and half of the interface delay of each station. */
  get wirePs(): number {
    return this.configuration.propagationPs + this.configuration.interfaceDelayPs;
  }

  get methods(): readonly string[] {
    return this.configuration.methods;
  }

  /** Frames start with what the link partner has granted. */
  get isGranted(): boolean {
    return this.methods.some((own) => ['credit', 'cbfc', 'either'].includes(own));
  }

  get ends(): readonly [Port, Port] {
    return [this, this.peer];
  }

  get isBacklogged(): boolean {
    return this.queues.some((queue) => queue.length > 0);
  }

  hasFault(...kinds: readonly FaultName[]): boolean {
    return kinds.some((kind) => this.configuration.faults.has(kind));
  }

  at(atPs: number, priority?: number): Place {
    const place = { device: this.device.index, port: this.index, atPs };
    return priority === undefined ? place : { ...place, priority };
  }

  join(queued: Queued): void {
    this.queues[queued.trafficClass]!.push(queued);
    this.queueOctets[queued.trafficClass]! += queued.octets;
  }

  leave(queued: Queued): void {
    const queue = this.queues[queued.trafficClass]!;
    queue.splice(queue.indexOf(queued), 1);
    this.queueOctets[queued.trafficClass]! -= queued.octets;
  }
}

export class Device {
  readonly name: string;
  readonly index: number;
  readonly isHost: boolean;
  readonly ports: readonly Port[];
  readonly pending: Pending[] = [];
  /** Frames that left a queue without a start, and may be moved or dropped next. */
  readonly discarded: Queued[] = [];
  /** The packet that was dropped last, whose headers may be queued in its place. */
  readonly trimmed: WireFrame[] = [];

  constructor(readonly configuration: DeviceConfiguration) {
    this.name = configuration.name;
    this.index = configuration.device;
    this.isHost = configuration.isHost;
    this.ports = configuration.ports.map((port) => new Port(this, port));
  }

  /** The traffic class that a frame joins. */
  classOf = (out: Port, { priority }: WireFrame, _atPs: number): number =>
    out.configuration.classOf[priority]!;

  /** Keys of a mechanism, as the scenario resolves them for this device. */
  keysOf(mechanism: string): unknown {
    return this.configuration.settings.mechanisms[mechanism];
  }

  hasFault(...kinds: readonly FaultName[]): boolean {
    return this.ports.some((port) => port.hasFault(...kinds));
  }

  /** Octets of the shared buffer that a frame takes. */
  stored(octets: number): number {
    if (this.isHost || this.configuration.ownMemory !== null) return octets;
    const cell = this.configuration.settings.switch.buffer.cellBytes;
    return Math.ceil(octets / cell) * cell;
  }
}

/** What a map has at a key, made where it has nothing. */
export function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

/** Hops of devices from one, but for links that are left out; hosts forward nothing. */
export function hopsFrom(start: Device, isLeftOut: (port: Port) => boolean): Map<Device, number> {
  const hops = new Map([[start, 0]]);
  for (const [device, own] of hops) {
    if (device.isHost && device !== start) continue;
    for (const port of device.ports) {
      if (!hops.has(port.peer.device) && !isLeftOut(port)) hops.set(port.peer.device, own + 1);
    }
  }
  return hops;
}

/** The first of these that is so; null: none is. */
export const reasonOf = (reasons: Readonly<Record<string, boolean>>): string | null =>
  Object.keys(reasons).find((why) => reasons[why]) ?? null;

/** A device that restarts forgets what it knew: at either end of a link. */
export const restarts = (port: Port): boolean =>
  port.ends.some(({ device }) => device.hasFault('flush'));

/** By which a frame is the same on every hop, whatever switches may write into it. */
const SAME = [
  ...(['sequence', 'kind', 'source', 'target', 'connection', 'remaining', 'hash'] as const),
  ...(['bornPs', 'dscp', 'dei', 'isGroup'] as const),
];

export const isSameFrame = (a: WireFrame, b: WireFrame, but = ''): boolean =>
  SAME.every((key) => but.includes(key) || a[key] === b[key]);
