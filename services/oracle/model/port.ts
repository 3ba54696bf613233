import type { DeviceConfiguration, PortConfiguration } from '../configuration.js';
import type { WireFrame } from '../record.js';

/** A frame on its way to a port. */
export interface Flight {
  readonly frame: WireFrame;
  readonly startPs: number;
  /** When the device has it; grows by a tag that is announced behind its start. */
  duePs: number;
  /** Of link-level retry. */
  number: number | null;
}

/** A control frame on its way. */
export interface ControlFlight {
  readonly octets: Uint8Array;
  readonly duePs: number;
}

/** A frame that came in, and has not joined a queue. */
export interface Pending {
  readonly frame: WireFrame;
  readonly atPs: number;
  readonly ingress: Port;
  /** Queues that it has joined: several where it is replicated. */
  copies: Queued[];
  /** A copy of it was dropped. */
  isDropped: boolean;
  /** What is stored of it until its last copy has left. */
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

/** A frame in an egress queue. */
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

/** A port as it is rebuilt from the wire. */
export class Port {
  readonly name: string;
  readonly index: number;
  /** When the link is free for the next frame. */
  freePs = 0;
  readonly flights: Flight[] = [];
  readonly controls: ControlFlight[] = [];
  /** By traffic class. */
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

  get isBacklogged(): boolean {
    return this.queues.some((queue) => queue.length > 0);
  }

  join(queued: Queued): void {
    this.queues[queued.trafficClass]!.push(queued);
    this.queueOctets[queued.trafficClass]! += queued.octets;
  }

  /** Removes a frame that is known to wait here. */
  leave(queued: Queued): void {
    const queue = this.queues[queued.trafficClass]!;
    queue.splice(queue.indexOf(queued), 1);
    this.queueOctets[queued.trafficClass]! -= queued.octets;
  }
}

export class Device {
  readonly name: string;
  readonly index: number;
  readonly ports: readonly Port[];
  readonly pending: Pending[] = [];
  /** Frames that left a queue without a start, and may be moved or dropped next. */
  readonly discarded: Queued[] = [];

  constructor(readonly configuration: DeviceConfiguration) {
    this.name = configuration.name;
    this.index = configuration.device;
    this.ports = configuration.ports.map((port) => new Port(this, port));
  }

  get isHost(): boolean {
    return this.configuration.isHost;
  }

  /** Octets of the shared buffer that a frame takes. */
  stored(octets: number): number {
    if (this.isHost || this.configuration.ownMemory !== null) return octets;
    const cell = this.configuration.settings.switch.buffer.cellBytes;
    return Math.ceil(octets / cell) * cell;
  }
}

/** The fields by which a frame is the same on every hop, whatever switches may write into it. */
export function isSameFrame(a: WireFrame, b: WireFrame): boolean {
  return (
    a.sequence === b.sequence &&
    a.kind === b.kind &&
    a.source === b.source &&
    a.target === b.target &&
    a.connection === b.connection &&
    a.remaining === b.remaining &&
    a.hash === b.hash &&
    a.bornPs === b.bornPs &&
    a.dscp === b.dscp &&
    a.dei === b.dei &&
    a.isGroup === b.isGroup
  );
}
