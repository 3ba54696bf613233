import { USED } from '../../buffer/shared-buffer.js';
import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import type { HoldBook } from './hold-book.js';
import { LEAST_OCTETS } from './queue-book.js';
import { FRAME_TIME, StopLog } from './stop-log.js';
import { WHOLE } from './wait-records.js';

const GROUPS = 8;
const NO_MECHANISM = -1;

/**
 * Frames that a host has received and does not read: sources that wait for acknowledgements of them
 * wait for the host, whether its link partner is paused or not.
 */
export class KeptBook extends StopLog {
  readonly #engine: Engine;
  readonly #device: Device;
  /** By priority group: the row while frames are kept, else -1; their number, and since when. */
  private readonly rows = new Int32Array(GROUPS).fill(-1);
  private readonly frames = new Int32Array(GROUPS);
  private readonly countedPs = new Float64Array(GROUPS);

  constructor(engine: Engine, device: Device, holds: HoldBook) {
    super(engine, device, holds, null);
    this.#engine = engine;
    this.#device = device;
  }

  /** A frame of a group has come into the buffer of a port (1), or was read (-1). */
  changed(port: number, group: number, sign: 1 | -1, now: number): void {
    const octets = this.#engine.shared.buffer.get(this.#device.firstPort + port, group, USED);
    const row = this.rows[group];
    if (row >= 0) this.count(group, now);
    this.frames[group] += sign;
    if (row < 0 && octets >= LEAST_OCTETS) {
      this.rows[group] = this.note(
        { port, group, channel: WHOLE, mechanism: NO_MECHANISM },
        null,
        now,
      );
      this.countedPs[group] = now;
    } else if (row >= 0 && octets <= LEAST_OCTETS / 2) {
      this.noteEnd(port, group, WHOLE, now);
      this.rows[group] = -1;
    }
  }

  /** Takes down the frame-times of what is kept now. */
  settle(now: number): void {
    for (let group = 0; group < GROUPS; group++) if (this.rows[group] >= 0) this.count(group, now);
  }

  private count(group: number, now: number): void {
    const passedPs = now - this.countedPs[group];
    this.table.values[this.rows[group] + FRAME_TIME] += this.frames[group] * passedPs;
    this.countedPs[group] = now;
  }
}
