import { HEADROOM, POOL_USED, RESERVED } from '../../buffer/shared-buffer.js';
import { hasSharedBuffer } from '../../contract/spec.js';
import type { Mechanism } from '../../contract/flow-control.js';
import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import type { Backlog } from './backlog.js';
import type { HoldBook } from './hold-book.js';
import type { StopBook } from './stop-book.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import { RecordTable } from '../record-table.js';
import { sourceIsJammed } from './slot-waits.js';
import type { JamRecord } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

// Numbers of a record.

const PORT = 0;
const GROUP = 1;
const EGRESS = 2;
const PRIORITY = 3;
const START = 4;
const END = 5;
/** Not 0 where the account waits for several egresses, any of which would let it resume. */
const IS_ANY = 6;
const WIDTH = 7;

/**
 * Paused accounts that a blocked egress keeps at XOFF: their octets there are too many for XON,
 * so they resume after it at the earliest. Accounts of grants wait for all egresses that have
 * frames of theirs, and resume after the first. These are the edges of the wait-for graph; a cycle
 * is a deadlock.
 */
export class JamBook {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly #backlog: Backlog;
  readonly #holds: HoldBook;
  readonly #stops: StopBook;
  readonly table = new RecordTable(WIDTH);

  readonly #rulers: readonly Mechanism[];
  /** Its groups are in pools of their own. */
  readonly #hasPools: boolean;

  constructor(engine: Engine, device: Device, backlog: Backlog, holds: HoldBook, stops: StopBook) {
    this.#engine = engine;
    this.#device = device;
    this.#backlog = backlog;
    this.#holds = holds;
    this.#stops = stops;
    const { spec } = device;
    this.#hasPools = spec.kind === 'switch' && hasSharedBuffer(spec) && spec.buffer.pools !== null;
    this.#rulers = engine.mechanisms.filter(({ exhaustedGroups }) => exhaustedGroups !== undefined);
  }

  /** Further priorities of an egress are blocked. */
  blocked(egress: number, priorities: number, now: number): void {
    const stops = this.#stops;
    for (let port = 0; port < stops.mask.length; port++) {
      if (stops.waiting(port) === 0) continue;
      for (let priority = 0; priority < 8; priority++) {
        if ((priorities & (1 << priority)) !== 0) this.observe(port, egress, priority, now);
      }
    }
  }

  /** A further account is paused, or has nothing left to grant. */
  paused(port: number, group: number, now: number): void {
    const { mask } = this.#holds;
    const { groupOf } = this.#device.spec.ports[port];
    for (let egress = 0; egress < mask.length; egress++) {
      if (mask[egress] === 0) continue;
      for (let priority = 0; priority < 8; priority++) {
        if (groupOf[priority] === group) this.observe(port, egress, priority, now);
      }
    }
  }

  /** Checks whether the account of a priority at a port has to wait for an egress now. */
  observe(port: number, egress: number, priority: number, now: number): void {
    const group = this.#device.spec.ports[port].groupOf[priority];
    if ((this.#stops.waiting(port) & (1 << group)) === 0) return;
    if ((this.#holds.mask[egress] & (1 << priority)) === 0) return;
    if (this.#engine.books.isOperational(this.#device.firstPort + port, priority)) {
      if ((this.#stops.exhausted[port] & (1 << group)) !== 0) {
        this.lookAtGrants(port, group, priority, now);
      }
      return;
    }
    const number = this.#device.firstPort + port;
    const ruler = this.#rulers.find((mechanism) => mechanism.rulesGroup?.(number, group) === true);
    if (ruler !== undefined) {
      if ((ruler.exhaustedGroups!(number) & (1 << group)) !== 0) {
        this.lookAtGrants(port, group, priority, now);
      }
      return;
    }
    if (this.isOpen(port, group, egress)) return;
    const own = this.#engine.shared.chips[this.#device.place];
    if (own === undefined) {
      if (!this.isJammed(port, group, egress)) return;
    } else {
      const blocked = this.#device.spec.ports.flatMap((_, p) =>
        this.#holds.mask[p] === 0 ? [] : p,
      );
      if (!sourceIsJammed(this.#engine, own, { source: port, egress, blocked })) return;
    }
    this.open(port, group, egress, priority, now);
  }

  /**
   * An account of grants that cannot grant a frame does so as soon as any of those that it stores
   * leaves: it waits if each egress that has some is blocked, for all of them together.
   */
  private lookAtGrants(port: number, group: number, priority: number, now: number): void {
    const backlog = this.#backlog;
    const { mask } = this.#holds;
    let octets = 0;
    let egresses = 0;
    for (let egress = 0; egress < mask.length; egress++) {
      if ((mask[egress] & (1 << priority)) === 0) continue;
      const there = backlog.get(group, port, egress);
      octets += there;
      if (there > 0) egresses++;
    }
    if (octets === 0 || octets < backlog.total(group, port)) {
      this.released(port, group, now);
      return;
    }
    for (let egress = 0; egress < mask.length; egress++) {
      if ((mask[egress] & (1 << priority)) === 0) continue;
      if (backlog.get(group, port, egress) === 0 || this.isOpen(port, group, egress)) continue;
      this.open(port, group, egress, priority, now);
    }
    if (egresses > 1) this.markAny(port, group);
  }

  letGo(egress: number, now: number): void {
    const blocked = this.#holds.mask[egress];
    const { values, open } = this.table;
    for (let i = open.length - 1; i >= 0; i--) {
      const row = open[i];
      const isOver =
        values[row + EGRESS] === egress && (blocked & (1 << values[row + PRIORITY])) === 0;
      if (!isOver) continue;
      if (values[row + IS_ANY] === 0) this.close(row, now);
      else this.released(values[row + PORT], values[row + GROUP], now);
      // Several may have been closed.
      i = open.length;
    }
  }

  released(port: number, group: number, now: number): void {
    const { values, open } = this.table;
    for (let i = open.length - 1; i >= 0; i--) {
      const row = open[i];
      if (values[row + PORT] === port && values[row + GROUP] === group) this.close(row, now);
    }
  }

  /** Whether an account waits for any egress. */
  has(port: number, group: number): boolean {
    const { values, open } = this.table;
    return open.some((row) => values[row + PORT] === port && values[row + GROUP] === group);
  }

  all(): JamRecord[] {
    return this.table.map((row) => this.read(row));
  }

  /** Keeps jams that have not ended, and of the rest those that are still requested. */
  forgetPast(isKept: (startPs: number, endPs: number) => boolean): void {
    const { values } = this.table;
    this.table.forgetClosed((row) => isKept(values[row + START], values[row + END]));
  }

  /** Jams that have not ended. */
  standing(): JamRecord[] {
    return this.table.open.map((row) => this.read(row));
  }

  private read(row: number): JamRecord {
    const { values } = this.table;
    return {
      port: values[row + PORT] | 0,
      group: values[row + GROUP] | 0,
      egress: values[row + EGRESS] | 0,
      priority: values[row + PRIORITY] | 0,
      startPs: values[row + START],
      endPs: values[row + END],
      isAny: values[row + IS_ANY] !== 0,
    };
  }

  private open(port: number, group: number, egress: number, priority: number, now: number): void {
    const row = this.table.begin();
    if (row < 0) return;
    const { values } = this.table;
    values[row + PORT] = port;
    values[row + GROUP] = group;
    values[row + EGRESS] = egress;
    values[row + PRIORITY] = this.waiting(port, egress, priority);
    values[row + START] = now;
    values[row + END] = Infinity;
    values[row + IS_ANY] = 0;
  }

  /** PAUSE holds all priorities of an account: that one, or else one with frames at the egress. */
  private waiting(port: number, egress: number, priority: number): number {
    const { ports, queues } = this.#engine.shared;
    const { groupOf } = this.#device.spec.ports[port];
    const number = this.#device.firstPort + egress;
    const blocked = this.#holds.mask[egress];
    for (let i = 0, other = priority; i < 8; i++, other = (priority + i) & 7) {
      if (groupOf[other] !== groupOf[priority] || (blocked & (1 << other)) === 0) continue;
      if (queues.get(number, ports.classOf(number, other), QUEUE_FRAMES) > 0) return other;
    }
    return priority;
  }

  private markAny(port: number, group: number): void {
    const { values, open } = this.table;
    for (const row of open) {
      if (values[row + PORT] === port && values[row + GROUP] === group) values[row + IS_ANY] = 1;
    }
  }

  private isOpen(port: number, group: number, egress: number): boolean {
    const { values, open } = this.table;
    for (const row of open) {
      const isAccount = values[row + PORT] === port && values[row + GROUP] === group;
      if (isAccount && values[row + EGRESS] === egress) return true;
    }
    return false;
  }

  private close(row: number, now: number): void {
    assert(now >= this.table.values[row + START], 'jams.end-after-they-began');
    this.table.values[row + END] = now;
    this.table.close(row);
  }

  /** Even if everything that may leave has left, there is no XON. */
  private isJammed(port: number, group: number, egress: number): boolean {
    const number = this.#device.firstPort + port;
    const backlog = this.#backlog;
    const { buffer } = this.#engine.shared;
    const most = buffer.xonLimit(number, group, 0);
    const octets = backlog.upTo(group, port, egress, most);
    if (octets === 0 || octets > most) return octets > 0;
    // No more is stuck than is used: mostly that answers it.
    const used = buffer.memoryOfDevice(this.#device.place, POOL_USED);
    if (!this.#hasPools && octets <= buffer.xonLimit(number, group, used)) return false;
    return octets > buffer.xonLimit(number, group, this.stuckInPool());
  }

  /** Octets of the shared pool that are taken by frames which wait for blocked egresses. */
  private stuckInPool(): number {
    const { buffer } = this.#engine.shared;
    const { firstPort, spec } = this.#device;
    let sum = 0;
    spec.ports.forEach(({ groupOf }, port) => {
      for (let group = 0; group < 8; group++) {
        let stuck = 0;
        spec.ports.forEach((_, egress) => {
          const blocked = this.#holds.mask[egress];
          const isBlocked = groupOf.some((g, p) => g === group && (blocked & (1 << p)) !== 0);
          if (isBlocked) stuck += this.#backlog.get(group, port, egress);
        });
        const apart = (word: number): number => buffer.get(firstPort + port, group, word);
        if (stuck > 0) sum += Math.max(0, stuck - apart(RESERVED) - apart(HEADROOM));
      }
    });
    return sum;
  }
}
