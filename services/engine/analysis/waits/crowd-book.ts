import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { forEachQueuedAt } from '../../device/queued-frames.js';
import { CLASS, PORT, PRIORITY_MASK, STORED } from '../../frame/frame-pool.js';
import { ACCOUNT } from '../../kernel/tables.js';
import type { Backlog } from './backlog.js';
import type { HoldBook } from './hold-book.js';
import type { QueueBook } from './queue-book.js';
import { type Standing, StopLog } from './stop-log.js';

/** What it reads. */
interface CrowdParts {
  readonly backlog: Backlog;
  readonly holds: HoldBook;
  readonly queues: QueueBook | null;
}

/**
 * Accounts of grants whose buffer is crowded: what is left of it is less than their link takes in a
 * round trip, so the link partner lacks grants because of the frames that are stored. An account
 * is crowded until it stores half as much.
 */
export class CrowdBook extends StopLog {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly #backlog: Backlog;
  readonly #firstRow: number;
  readonly #mechanism: number;
  /** By account: units from which on it is crowded. */
  readonly #from: Float64Array;
  /** By account: 1 while it is crowded. */
  private readonly crowded: Uint8Array;

  constructor(engine: Engine, device: Device, { backlog, holds, queues }: CrowdParts) {
    super(engine, device, holds, queues);
    this.#engine = engine;
    this.#device = device;
    this.#backlog = backlog;
    this.#mechanism = engine.bookkeeper;
    const { first, count } = device.rows[ACCOUNT];
    this.#firstRow = first;
    this.crowded = new Uint8Array(count);
    this.#from = Float64Array.from({ length: count }, (_, i) =>
      engine.books.receiver.crowdedFrom(first + i),
    );
  }

  /** What an account stores may have changed. */
  look(row: number, now: number): void {
    const at = row - this.#firstRow;
    const from = this.#from[at];
    const stored = this.#engine.books.receiver.occupied(row);
    if (this.crowded[at] === 0 ? stored < from : stored > from / 2) return;
    const { accounts } = this.#engine.books;
    const port = accounts.port(row) - this.#device.firstPort;
    const group = this.#device.spec.ports[port].groupOf[accounts.priority(row)];
    const channel = accounts.channel(row);
    this.crowded[at] ^= 1;
    if (this.crowded[at] === 0) this.noteEnd(port, group, channel, now);
    else {
      const stopper = { port, group, channel, mechanism: this.#mechanism };
      this.note(stopper, this.fullest(row, port, group), now);
    }
  }

  private fullest(row: number, port: number, group: number): Standing | null {
    if (this.#device.spec.kind === 'host') return null;
    const { grants } = this.#device.spec.ports[port];
    if (grants?.channels.length === 1) return this.#backlog.fullest(group, port);
    const { pool } = this.#engine.shared;
    const from = this.#device.firstPort + port;
    const priority = this.#engine.books.accounts.priority(row);
    let best: Standing | null = null;
    let most = 0;
    this.#device.spec.ports.forEach((_, egress) => {
      let octets = 0;
      let isShared = false;
      forEachQueuedAt(this.#engine.shared, this.#device, egress, (frame) => {
        // Others have no account, or another one.
        const isAlike = (pool.words[frame + CLASS] & PRIORITY_MASK) === priority;
        if (pool.words[frame + PORT] !== from) isShared = true;
        else if (isAlike && this.#engine.books.rowOf(from, frame) === row)
          octets += pool.words[frame + STORED];
      });
      if (octets <= most) return;
      most = octets;
      best = { egress, isShared };
    });
    return best;
  }
}
