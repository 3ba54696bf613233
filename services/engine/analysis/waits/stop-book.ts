import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import type { Backlog } from './backlog.js';
import type { HoldBook } from './hold-book.js';
import type { QueueBook } from './queue-book.js';
import { StopLog } from './stop-log.js';
import { WHOLE } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

/** Which ingress buffers of a device pause their link partners now. */
export class StopBook extends StopLog {
  readonly #backlog: Backlog;
  /** By port: groups that are paused, one bit each. */
  readonly mask: Uint8Array;
  /** By port: groups with an account that has less left to grant than a frame may take. */
  readonly exhausted: Uint8Array;
  /** By port and group: their total of granted units. */
  readonly granted: Float64Array;
  /** Number of paused accounts. */
  count = 0;

  constructor(
    engine: Engine,
    device: Device,
    {
      backlog,
      holds,
      queues,
    }: {
      readonly backlog: Backlog;
      readonly holds: HoldBook;
      readonly queues: QueueBook | null;
    },
  ) {
    super(engine, device, holds, queues);
    this.#backlog = backlog;
    this.mask = new Uint8Array(device.spec.ports.length);
    this.exhausted = new Uint8Array(device.spec.ports.length);
    this.granted = new Float64Array(device.spec.ports.length * 8);
  }

  /** `mechanism`: its index among those of the engine. */
  begin(port: number, group: number, mechanism: number, now: number): void {
    if ((this.mask[port] & (1 << group)) === 0) this.count++;
    this.mask[port] |= 1 << group;
    const standing = this.#backlog.fullest(group, port);
    this.note({ port, group, channel: WHOLE, mechanism }, standing, now);
  }

  /** Groups of a port whose link partner is paused, or cannot be granted a frame; one bit each. */
  waiting(port: number): number {
    return this.mask[port] | this.exhausted[port];
  }

  end(port: number, group: number, now: number): void {
    if ((this.mask[port] & (1 << group)) !== 0) this.count--;
    assert(this.count >= 0, 'stops.count');
    this.mask[port] &= ~(1 << group);
    this.noteEnd(port, group, WHOLE, now);
  }
}
