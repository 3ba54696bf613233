import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { RecordTable } from '../record-table.js';
import type { HoldTime } from './wait-records.js';
import { ALONG, WHOLE } from './wait-records.js';

// Numbers of a record.

const PORT = 0;
const PRIORITY = 1;
const CHANNEL = 2;
const MECHANISM = 3;
const START = 4;
const END = 5;
export const HOLD_WIDTH = 6;

/** Which priorities of a device's ports may not send, and since when. */
export class HoldLog {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly table: RecordTable;
  /** By port: priorities that are blocked as a whole, at the last change. */
  private readonly whole: Uint8Array;

  constructor(engine: Engine, device: Device, width = HOLD_WIDTH) {
    this.#engine = engine;
    this.#device = device;
    this.table = new RecordTable(width);
    this.whole = new Uint8Array(device.spec.ports.length);
  }

  /** The priorities that a port holds as a whole have changed. */
  change(port: number, now: number, priorities: number): void {
    let changed = this.whole[port] ^ priorities;
    this.whole[port] = priorities;
    for (; changed !== 0; changed &= changed - 1) {
      const p = 31 - Math.clz32(changed & -changed);
      if ((priorities & (1 << p)) !== 0) this.begin(port, p, WHOLE, now, this.ruler(port, p));
      else this.end(port, p, WHOLE, now);
    }
  }

  /** An account does not cover its first frame, or does again. */
  changeAccount(
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    if (short) this.begin(port, priority, channel, now, this.#engine.bookkeeper);
    else this.end(port, priority, channel, now);
  }

  all(): HoldTime[] {
    return this.table.map((row) => this.timeAt(row));
  }

  /** `mechanism`: its index among those of the engine. Returns the row, -1 if there is none. */
  protected begin(
    port: number,
    priority: number,
    channel: number,
    now: number,
    mechanism: number,
  ): number {
    const row = this.table.begin();
    if (row < 0) return row;
    const { values } = this.table;
    values[row + PORT] = port;
    values[row + PRIORITY] = priority;
    values[row + CHANNEL] = channel;
    values[row + MECHANISM] = mechanism;
    values[row + START] = now;
    values[row + END] = Infinity;
    return row;
  }

  protected end(port: number, priority: number, channel: number, now: number): void {
    this.endRow(this.standingRow(port, priority, channel), now);
  }

  /** -1: it was not stored. */
  protected endRow(row: number, now: number): void {
    if (row < 0) return;
    this.table.values[row + END] = now;
    this.table.close(row);
  }

  /** A present hold of a priority, of one account or (null) of any; -1 if there is none. */
  protected standingRow(port: number, priority: number, channel: number | null): number {
    const { values, open } = this.table;
    for (const row of open) {
      if (values[row + PORT] !== port || values[row + PRIORITY] !== priority) continue;
      if (channel === null || values[row + CHANNEL] === channel) return row;
    }
    return -1;
  }

  protected timeAt(row: number): HoldTime {
    const { values } = this.table;
    return {
      port: values[row + PORT] | 0,
      priority: values[row + PRIORITY] | 0,
      channel: values[row + CHANNEL] | 0,
      mechanism: this.#engine.mechanisms[values[row + MECHANISM] | 0]?.name ?? ALONG,
      startPs: values[row + START],
      endPs: values[row + END],
    };
  }

  private ruler(port: number, priority: number): number {
    const number = this.#device.firstPort + port;
    const { mechanisms, discovery } = this.#engine;
    if (mechanisms.some((own) => own.awaitsAgreement?.(number, priority) === true)) {
      return mechanisms.indexOf(discovery);
    }
    for (let m = 0; m < mechanisms.length; m++) {
      if ((mechanisms[m].holdReason?.(number, priority) ?? null) !== null) return m;
    }
    return -1;
  }

  protected get engine(): Engine {
    return this.#engine;
  }

  protected get device(): Device {
    return this.#device;
  }
}
