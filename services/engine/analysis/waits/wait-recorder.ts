import { DeafProbe } from '../../contract/probe.js';
import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, PORT, PRIORITY_MASK, STORED } from '../../frame/frame-pool.js';
import type { Plain } from '../../kernel/snapshot.js';
import { restore, save } from '../../kernel/snapshot.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import type { BacklogMatrix } from './backlog-matrix.js';
import { backlogOf } from './backlog-matrix.js';
import { HoldBook } from './hold-book.js';
import { JamBook } from './jam-book.js';
import { queueClass } from './slot-waits.js';
import { StopBook } from './stop-book.js';
import type { DeviceWaits, JamRecord } from './wait-records.js';

type Discarded = Parameters<DeafProbe['frameDiscarded']>;

/** The books of one device. */
class Books {
  readonly holds: HoldBook;
  readonly stops: StopBook;
  readonly jams: JamBook;

  constructor(
    engine: Engine,
    device: Device,
    readonly backlog: BacklogMatrix,
  ) {
    this.holds = new HoldBook(engine, device);
    this.stops = new StopBook(engine, device, backlog, this.holds);
    this.jams = new JamBook(engine, device, backlog, this.holds, this.stops);
  }
}

/** An account of credit exchange that its neighbour will soon have none left for. */
const CREDIT_SHARE = 0.5;

/** Writes down who waits for whom, device by device. It never changes a run. */
export class WaitRecorder extends DeafProbe {
  private readonly books: Books[];
  /** By port and group: a switch keeps the account lossless. */
  private readonly lossless: Uint8Array;
  /** By port and group: octets from which on a credited account counts as full; else Infinity. */
  private readonly fullAt: Float64Array;
  private readonly firstPort: Int32Array;
  /** Places of mechanisms in the engine's list. */
  private readonly pause: number;
  private readonly pfc: number;
  private readonly credit: number;

  constructor(private readonly engine: Engine) {
    super();
    const rows = engine.shared.ports.count * 8;
    this.lossless = new Uint8Array(rows);
    this.fullAt = new Float64Array(rows).fill(Infinity);
    this.firstPort = Int32Array.from(engine.devices, (device) => device.firstPort);
    const placeOf = (name: string): number => engine.mechanisms.findIndex((m) => m.name === name);
    this.pause = placeOf('pause');
    this.pfc = placeOf('pfc');
    this.credit = placeOf('credit');
    for (const device of engine.devices) this.configure(device);
    this.books = engine.devices.map((device, d) => new Books(engine, device, backlogOf(engine, d)));
  }

  waits(device: number, now: number): DeviceWaits {
    const { holds, stops, jams } = this.books[device];
    const omitted = holds.table.omitted + stops.table.omitted + jams.table.omitted;
    return { holds: holds.all(now), stops: stops.all(), jams: jams.all(), omitted };
  }

  /** What is over is not kept any longer, for those who look at the present alone. */
  forgetPast(device: number): void {
    const { holds, stops, jams } = this.books[device];
    for (const { table } of [holds, stops, jams]) table.forgetClosed();
  }

  /** What waits for what at this moment. */
  standingJams(device: number): JamRecord[] {
    return this.books[device].jams.standing();
  }

  save(device: number): Plain {
    return save(this.books[device]);
  }

  /** Goes on from what was saved; null: from what stands in the queues now. */
  restore(device: number, saved: Plain | null): void {
    const { engine } = this;
    const books = new Books(engine, engine.devices[device], backlogOf(engine, device));
    if (saved !== null) restore(books, saved);
    this.books[device] = books;
  }

  override frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const { ports, queues } = this.engine.shared;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const books = this.books[device];
    const isHeld = (books.holds.mask[egress] & (1 << priority)) !== 0;
    if (isHeld) books.holds.count(egress, priority, now, 1);
    const first = this.firstPort[device];
    const group = ports.groupOf(first + ingress, priority);
    const row = ((first + ingress) << 3) | group;
    if (this.lossless[row] === 0) return;
    books.backlog.add(group, ingress, egress, pool.words[frame + STORED]);
    const trafficClass = queueClass(
      this.engine,
      this.engine.devices[device],
      ingress,
      egress,
      priority,
    );
    if (queues.get(first + egress, trafficClass, QUEUE_FRAMES) === 1) {
      books.stops.startBacklog(egress, trafficClass, priority, now);
    }
    if (this.fullAt[row] !== Infinity) this.lookAtCredit(device, ingress, group, now);
    if (isHeld) books.jams.look(ingress, egress, priority, now);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const { ports } = this.engine.shared;
    const from = pool.words[frame + PORT];
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const row = (from << 3) | ports.groupOf(from, priority);
    if (this.lossless[row] === 0) return;
    const ingress = from - this.firstPort[device];
    this.books[device].backlog.add(row & 7, ingress, port, -pool.words[frame + STORED]);
    if (this.fullAt[row] !== Infinity) this.lookAtCredit(device, ingress, row & 7, now);
  }

  override frameDiscarded(...[device, port, now, pool, frame]: Discarded): void {
    this.frameSent(device, port, now, pool, frame);
  }

  override stopAsked(
    device: number,
    port: number,
    now: number,
    group: number,
    stop: boolean,
  ): void {
    const { pause } = this.engine.devices[device].spec.ports[port];
    this.setStopped(device, port, group, stop, pause === null ? this.pfc : this.pause, now);
  }

  override heldChanged(device: number, port: number, now: number, priorities: number): void {
    const { holds, jams } = this.books[device];
    const held = holds.change(port, now, priorities);
    if (held !== 0) jams.held(port, held, now);
    jams.letGo(port, now);
  }

  override creditShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    const { holds, jams } = this.books[device];
    if (short) {
      holds.begin(port, priority, channel, now, this.credit);
      jams.held(port, 1 << priority, now);
    } else {
      holds.end(port, priority, channel, now);
      jams.letGo(port, now);
    }
  }

  /** Half full is full for a neighbour that counts what is under way; a quarter is not. */
  private lookAtCredit(device: number, port: number, group: number, now: number): void {
    const { stops, backlog } = this.books[device];
    const isFull = (stops.mask[port] & (1 << group)) !== 0;
    const limit = this.fullAt[((this.firstPort[device] + port) << 3) | group];
    const octets = backlog.total(group, port);
    if (!isFull && octets >= limit) this.setStopped(device, port, group, true, this.credit, now);
    else if (isFull && octets < limit / 2)
      this.setStopped(device, port, group, false, this.credit, now);
  }

  private setStopped(
    device: number,
    port: number,
    group: number,
    stop: boolean,
    mechanism: number,
    now: number,
  ): void {
    const { stops, jams } = this.books[device];
    if (stop) {
      stops.begin(port, group, mechanism, now);
      jams.stopped(port, group, now);
    } else {
      stops.end(port, group, now);
      jams.released(port, group, now);
    }
  }

  private configure({ spec, firstPort }: Device): void {
    if (spec.kind !== 'switch') return;
    spec.buffer.accounts.forEach((groups, port) => {
      groups.forEach((account, group) => {
        this.lossless[((firstPort + port) << 3) | group] = account.lossless ? 1 : 0;
      });
    });
    spec.mvtx2802?.flowControl.forEach((isStopped, port) => {
      this.lossless[(firstPort + port) << 3] = isStopped ? 1 : 0;
    });
    spec.ports.forEach(({ credit, groupOf }, port) => {
      if (credit === null) return;
      const { bufferUnits, unitOctets } = credit.granting;
      groupOf.forEach((group, priority) => {
        if ((credit.priorities & (1 << priority)) === 0) return;
        this.fullAt[((firstPort + port) << 3) | group] =
          CREDIT_SHARE * bufferUnits[priority] * unitOctets;
      });
    });
  }
}
