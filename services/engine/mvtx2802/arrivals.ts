import { assert } from '../kernel/assert.js';
/** A frame on its way into the part. */
interface Incoming {
  readonly port: number;
  /** Of its first bit. */
  readonly fromPs: number;
  /** When it is classified, and leaves its temporary slot. */
  readonly untilPs: number;
}

/** Enumerates the frames in flight to a port, in their order. */
export type InFlight = (port: number, visit: (fromPs: number, untilPs: number) => void) => void;

/**
 * Temporary slots: a frame has one from its first bit until it is classified, when its port and
 * class are known. A frame that begins while all are taken is lost. What happened at a first bit is
 * decided when the frame is classified: every frame that began before it is known by then.
 */
export class TemporarySlots {
  readonly #inFlight: InFlight;
  /** Ends of the frames that have a slot; those that are over are removed at the next decision. */
  private readonly taken: number[] = [];
  /** By port: first bits of frames that found no slot and have not ended yet. */
  private readonly lost: number[][];
  /** Everything that began before this time is decided; of this time, ports below `decidedPort`. */
  private decidedPs = -Infinity;
  private decidedPort = 0;
  peak = 0;

  constructor(
    private readonly slots: number,
    ports: number,
    inFlight: InFlight,
  ) {
    this.#inFlight = inFlight;
    this.lost = Array.from({ length: ports }, () => []);
  }

  /** A frame is classified; false if it found no slot when it began. */
  classified(port: number, fromPs: number, untilPs: number): boolean {
    if (this.isUndecided(port, fromPs)) this.decideUntil({ port, fromPs, untilPs });
    const lost = this.lost[port];
    while (lost.length > 0 && lost[0] < fromPs) lost.shift();
    if (lost[0] !== fromPs) return true;
    lost.shift();
    return false;
  }

  private isUndecided(port: number, fromPs: number): boolean {
    return fromPs > this.decidedPs || (fromPs === this.decidedPs && port >= this.decidedPort);
  }

  /** Decides about all frames that began before this one, in the order of their first bits. */
  private decideUntil(last: Incoming): void {
    const incoming = [last];
    for (let port = 0; port < this.lost.length; port++) {
      this.#inFlight(port, (fromPs, untilPs) => {
        const isBefore = fromPs < last.fromPs || (fromPs === last.fromPs && port < last.port);
        if (isBefore && this.isUndecided(port, fromPs)) incoming.push({ port, fromPs, untilPs });
      });
    }
    incoming.sort((a, b) => a.fromPs - b.fromPs || a.port - b.port);
    for (const frame of incoming) this.begin(frame);
    this.decidedPs = last.fromPs;
    this.decidedPort = last.port + 1;
  }

  private begin({ port, fromPs, untilPs }: Incoming): void {
    const { taken } = this;
    let left = 0;
    for (const end of taken) if (end > fromPs) taken[left++] = end;
    taken.length = left;
    if (left >= this.slots) {
      this.lost[port].push(fromPs);
      return;
    }
    assert(untilPs > fromPs, 'slots.frame-takes-time');
    taken.push(untilPs);
    if (left + 1 > this.peak) this.peak = left + 1;
  }
}
