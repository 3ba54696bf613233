import { GRANT_STEP, NullProbe } from '../../contract/probe.js';
import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, PORT, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { Plain } from '../../kernel/snapshot.js';
import { restore, save } from '../../kernel/snapshot.js';
import { PRIORITIES } from '../../units/ethernet.js';
import { Backlog } from './backlog.js';
import { HoldBook } from './hold-book.js';
import { KeptBook } from './kept-book.js';
import { CrowdBook } from './crowd-book.js';
import { JamBook } from './jam-book.js';
import { NoticeLog } from './notice-log.js';
import { QueueBook } from './queue-book.js';
import { movesFrames } from './slot-waits.js';
import { StopBook } from './stop-book.js';
import type { DeviceWaits, HoldTime, JamRecord } from './wait-records.js';

/** The records of one device. */
class Books {
  readonly #backlog: Backlog;
  readonly holds: HoldBook;
  readonly stops: StopBook;
  readonly jams: JamBook;
  readonly crowds: CrowdBook | null;
  readonly queues: QueueBook | null;
  readonly notices: NoticeLog | null;
  readonly kept: KeptBook | null;

  /** `isWhole`: also what a wait-for graph does not need, but its causes do. */
  constructor(engine: Engine, device: Device, backlog: Backlog, isWhole: boolean) {
    this.#backlog = backlog;
    const holds = new HoldBook(engine, device);
    const isSwitch = device.spec.kind === 'switch';
    const queues = isWhole && isSwitch ? new QueueBook(engine, device, holds) : null;
    const parts = { backlog, holds, queues };
    this.holds = holds;
    this.queues = queues;
    this.stops = new StopBook(engine, device, parts);
    this.notices = isWhole ? new NoticeLog() : null;
    // A plain NIC has one port.
    const isPlain = device.spec.kind === 'host' && device.spec.nic === null;
    this.kept = isWhole && isPlain ? new KeptBook(engine, device, holds) : null;
    this.crowds = isWhole ? new CrowdBook(engine, device, parts) : null;
    this.jams = new JamBook(engine, device, backlog, this.holds, this.stops);
  }

  get backlog(): Backlog {
    return this.#backlog;
  }
}

/** A run may go on with other records than it was saved with: what both have goes on. */
function sharedBooks(books: Books, saved: Plain): Plain {
  const before = saved as Readonly<Record<string, Plain>>;
  const present = Object.entries(books) as [string, object | null][];
  return Object.fromEntries(
    present.map(([name, book]) => {
      const goesOn = book === null ? null : (before[name] ?? save(book));
      return [name, goesOn];
    }),
  );
}

/** Share of the buffer from which on an account of grants counts as nearly exhausted. */
const FULL_SHARE = 0.5;

/**
 * Records the wait-for graph, device by device. It never changes a run, and traces frames only
 * while a link partner is paused, where a port is blocked or has a long queue that caused it:
 * other data it reads from the queues. Accounts of grants are traced all the time.
 */
export class WaitRecorder extends NullProbe {
  private readonly books: Books[];
  private readonly isSwitch: readonly boolean[];
  /** By device: it has accounts of grants. */
  private readonly hasAccounts: boolean[];
  /**
   * By port and group: units from which on accounts of grants count as full; else Infinity.
   */
  private readonly fullAt: Float64Array;
  private readonly firstPort: Int32Array;
  /** By device: frames may wait in queues of other priorities than theirs. */
  private readonly movesFrames: readonly boolean[];
  /** By port: not 0 where frames are traced for this recorder. */
  private readonly follows: Uint8Array;
  /** Places of mechanisms in the list of the engine; by port and group, of what stops the peer. */
  private readonly stopper: Uint8Array;
  /** By port and group: its accounts of grants. */
  private readonly rowsOf: readonly (readonly number[])[];

  /** `isWhole`: causes are recorded, too, beside what waits for what. */
  constructor(
    private readonly engine: Engine,
    private readonly isWhole: boolean,
  ) {
    super();
    const { devices } = engine;
    const { count } = engine.shared.ports;
    this.fullAt = new Float64Array(count * 8).fill(Infinity);
    this.follows = new Uint8Array(count);
    this.firstPort = Int32Array.from(devices, (device) => device.firstPort);
    this.isSwitch = devices.map(({ spec }) => spec.kind === 'switch');
    this.stopper = Uint8Array.from({ length: count * 8 }, (_, at) =>
      Math.max(
        0,
        engine.mechanisms.findIndex((m) => m.rulesGroup?.(at >> 3, at & 7) === true),
      ),
    );
    this.movesFrames = devices.map((device) => movesFrames(engine, device));
    this.rowsOf = accountsByGroup(engine);
    this.hasAccounts = devices.map((device) => this.configure(device));
    this.books = devices.map((device) => this.blank(device));
    devices.forEach((_, d) => {
      this.follow(d);
    });
  }

  waits(device: number, now: number): DeviceWaits {
    const { holds, stops, jams, crowds, queues, notices, kept } = this.books[device];
    const tables = [holds, stops, jams, crowds, queues, notices, kept].map((book) => book?.table);
    kept?.settle(now);
    return {
      ...{ holds: holds.records(now), stops: stops.all(), jams: jams.all() },
      ...{ crowds: crowds?.all() ?? [], queues: queues?.records(now) ?? [] },
      ...{ notices: notices?.all() ?? [], kept: kept?.all() ?? [] },
      omitted: tables.reduce((sum, table) => sum + (table?.omitted ?? 0), 0),
    };
  }

  /** When ports could not send, without frame-times. */
  holdTimes(device: number): HoldTime[] {
    return this.books[device].holds.all();
  }

  /** Removes what has ended, except jams that are still requested. */
  forgetPast(device: number, isKept: (startPs: number, endPs: number) => boolean): void {
    const { holds, stops, jams } = this.books[device];
    holds.forgetPast();
    stops.table.forgetClosed();
    jams.forgetPast(isKept);
  }

  /** Records the present state of a device, of a run without probes. */
  takeDown(device: number, now: number): void {
    const { engine, books } = this;
    const { firstPort, spec } = engine.devices[device];
    spec.ports.forEach((_, port) => {
      const number = firstPort + port;
      for (const mechanism of engine.mechanisms) {
        let stops = mechanism.pausedGroups?.(number) ?? 0;
        for (; stops !== 0; stops &= stops - 1) {
          this.stopAsked(device, port, now, 31 - Math.clz32(stops & -stops), true);
        }
      }
      for (let priority = 0; this.isSwitch[device] && priority < 8; priority++) {
        this.lookAtGrants(device, number, priority, 0);
      }
    });
    spec.ports.forEach((_, port) => {
      const number = firstPort + port;
      const blocked = engine.shared.ports.blocked(number);
      if (blocked !== books[device].holds.mask[port])
        this.blockedChanged(device, port, now, blocked);
      engine.books.accounts.forEach(number, (row) => {
        const { accounts, sender } = engine.books;
        const sincePs = sender.blockedSincePs(row);
        if (sincePs === null) return;
        this.grantShort(device, port, sincePs, accounts.priority(row), accounts.channel(row), true);
      });
    });
  }

  /** Ends all tracing at a device. */
  close(device: number): void {
    this.books[device].backlog.close();
  }

  /** Which accounts waited for which egresses, as far as it is stored. */
  jams(device: number): JamRecord[] {
    return this.books[device].jams.all();
  }

  /** Which accounts wait for which egresses at this moment. */
  standingJams(device: number): JamRecord[] {
    return this.books[device].jams.standing();
  }

  save(device: number): Plain {
    this.books[device].holds.settleAll(false);
    this.books[device].queues?.settle();
    return save(this.books[device]);
  }

  /** Continues from saved records; null: from the present state of the queues. */
  restore(device: number, saved: Plain | null): void {
    this.books[device].backlog.close();
    this.books[device].holds.settleAll(true);
    const books = this.blank(this.engine.devices[device]);
    if (saved !== null) restore(books, sharedBooks(books, saved));
    books.holds.resumeAll();
    this.books[device] = books;
    this.follow(device);
  }

  override frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.follows[this.firstPort[device] + egress] === 0) return;
    const { backlog, holds, stops, jams } = this.books[device];
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const isBlocked = (holds.mask[egress] & (1 << priority)) !== 0;
    if (isBlocked) holds.joined(egress, priority, now);
    if (!this.isSwitch[device]) return;
    backlog.pass(egress, frame, 1);
    if (this.hasAccounts[device]) {
      this.lookAtGrants(device, this.firstPort[device] + ingress, priority, now);
    }
    if (isBlocked && stops.mask[ingress] !== 0) jams.observe(ingress, egress, priority, now);
  }

  override queueLong(
    ...[device, port, now, pool, frame, trafficClass]: Parameters<NullProbe['queueLong']>
  ): void {
    this.books[device].queues?.long(port, trafficClass, now, pool, frame);
  }

  /** A host that reads slowly keeps what it has received in the buffer that it granted. */
  override frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    this.lookAtHost(device, now, pool, frame, 1);
  }

  override frameTaken(device: number, now: number, pool: FramePool, frame: number): void {
    this.lookAtHost(device, now, pool, frame, -1);
  }

  override noticeActed(
    device: number,
    port: number,
    now: number,
    priority: number,
    queueMac: number,
  ): void {
    this.books[device].notices?.add(port, priority, queueMac, now);
  }

  override queueActed(
    ...[device, port, now, trafficClass, priority]: Parameters<NullProbe['queueActed']>
  ): void {
    this.books[device].queues?.observe(port, trafficClass, priority, now);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.follows[this.firstPort[device] + port] === 0 || !this.isSwitch[device]) return;
    this.books[device].backlog.pass(port, frame, -1);
    if (!this.hasAccounts[device]) return;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    this.lookAtGrants(device, pool.words[frame + PORT], priority, now);
  }

  override frameDiscarded(
    ...[device, port, now, pool, frame]: Parameters<NullProbe['frameDiscarded']>
  ): void {
    this.books[device].backlog.disturb(port);
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    if (!this.isSwitch[device]) return;
    this.lookAtGrants(device, pool.words[frame + PORT], priority, now);
  }

  override stopAsked(
    device: number,
    port: number,
    now: number,
    group: number,
    stop: boolean,
  ): void {
    const at = ((this.firstPort[device] + port) << 3) | group;
    if (stop) this.stop(device, port, group, this.stopper[at], now);
    else this.release(device, port, group, now);
  }

  override blockedChanged(device: number, port: number, now: number, priorities: number): void {
    const { holds, jams } = this.books[device];
    const blockedBefore = holds.mask[port];
    holds.change(port, now, priorities);
    this.followBlocked(device, port);
    const blocked = holds.mask[port] & ~blockedBefore;
    if (blocked !== 0) {
      jams.blocked(port, blocked, now);
      this.stopJammed(device, now);
      if (this.movesFrames[device]) this.observeOthers(device, port, blocked, now);
    }
    jams.letGo(port, now);
  }

  /** What is held to keep the order of frames waits for the other queues of its port. */
  private observeOthers(device: number, port: number, blocked: number, now: number): void {
    const { queues: book } = this.books[device];
    if (book === null) return;
    const { ports, queues } = this.engine.shared;
    const number = this.firstPort[device] + port;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const trafficClass = ports.classOf(number, priority);
      if ((blocked & (1 << priority)) !== 0 || queues.head(number, trafficClass) < 0) continue;
      book.observe(port, trafficClass, priority, now);
    }
  }

  override grantShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    const { holds, jams } = this.books[device];
    holds.changeAccount(port, now, priority, channel, short);
    this.followBlocked(device, port);
    if (!short) jams.letGo(port, now);
    else {
      jams.blocked(port, 1 << priority, now);
      this.stopJammed(device, now);
    }
  }

  /** Grants without a frame that arrives or leaves: on demand, or because some were lost. */
  override grantStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: number,
  ): void {
    if (step !== GRANT_STEP.GRANTED || this.books[device].stops.waiting(port) === 0) return;
    this.lookAtGrants(device, this.firstPort[device] + port, priority, now);
  }

  /** Ports that are traced: see `followBlocked`. */
  private follow(device: number): void {
    this.books[device].queues?.watch();
    this.engine.devices[device].spec.ports.forEach((_, port) => {
      this.followBlocked(device, port);
    });
  }

  /**
   * A port is traced where there are grants, and where it is blocked: if it has paused accounts
   * that might jam, or its frames have to be counted as they arrive.
   */
  private followBlocked(device: number, port: number): void {
    const { holds, stops, backlog } = this.books[device];
    const isBlocked = holds.mask[port] !== 0;
    const isFollowed = isBlocked && (stops.count > 0 || holds.isUncounted(port));
    if (isFollowed || this.hasAccounts[device]) backlog.keep(port);
    else backlog.letGo(port);
  }

  /** There are paused accounts now, or none any more. */
  private followAllBlocked(device: number): void {
    const { mask } = this.books[device].holds;
    for (let port = 0; port < mask.length; port++) {
      if (mask[port] !== 0) this.followBlocked(device, port);
    }
  }

  /**
   * The account that a frame of a priority was charged to, by a port of the service. Half full is
   * full for a link partner that counts what is in flight; a quarter is not.
   */
  private lookAtGrants(device: number, from: number, priority: number, now: number): void {
    const group = this.engine.shared.ports.groupOf(from, priority);
    const limit = this.fullAt[(from << 3) | group];
    if (limit === Infinity) return;
    const port = from - this.firstPort[device];
    const { stops, crowds } = this.books[device];
    const rows = this.rowsOf[(from << 3) | group];
    let units = 0;
    for (let i = 0; i < rows.length; i++) {
      units += this.engine.books.receiver.occupied(rows[i]);
      crowds?.look(rows[i], now);
    }
    const isFull = (stops.mask[port] & (1 << group)) !== 0;
    this.noteGrants(device, port, group, now);
    const isJammed = this.books[device].jams.has(port, group);
    if (!isFull && (units >= limit || isJammed))
      this.stop(device, port, group, this.engine.bookkeeper, now);
    else if (isFull && units < limit / 2 && !isJammed) this.release(device, port, group, now);
  }

  private lookAtHost(
    ...[device, now, pool, frame, sign]: [...Parameters<NullProbe['frameKept']>, 1 | -1]
  ): void {
    const { crowds, kept } = this.books[device];
    if (crowds === null) return;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const { firstPort, spec } = this.engine.devices[device];
    for (let port = 0; port < spec.ports.length; port++) {
      const group = spec.ports[port].groupOf[priority];
      for (const row of this.rowsOf[((firstPort + port) << 3) | group]) crowds.look(row, now);
    }
    kept?.changed(0, spec.ports[0].groupOf[priority], sign, now);
  }

  /** Waiting for an account of grants begins anew whenever it has granted units. */
  private noteGrants(device: number, port: number, group: number, now: number): void {
    const { stops, jams } = this.books[device];
    const bit = 1 << group;
    const at = (port << 3) | group;
    const granted = this.exhaustedAt(this.firstPort[device] + port, group);
    const wasExhausted = (stops.exhausted[port] & bit) !== 0;
    if (wasExhausted && granted !== stops.granted[at]) jams.released(port, group, now);
    if (granted < 0) {
      stops.exhausted[port] &= ~bit;
      return;
    }
    stops.exhausted[port] |= bit;
    stops.granted[at] = granted;
    jams.paused(port, group, now);
  }

  /** Accounts of grants stop their link partner, too, when nothing that they store can leave. */
  private stopJammed(device: number, now: number): void {
    if (!this.hasAccounts[device]) return;
    const { stops, jams } = this.books[device];
    for (let port = 0; port < stops.mask.length; port++) {
      for (let rest = stops.exhausted[port] & ~stops.mask[port]; rest !== 0; rest &= rest - 1) {
        const group = 31 - Math.clz32(rest & -rest);
        if (jams.has(port, group)) this.stop(device, port, group, this.engine.bookkeeper, now);
      }
    }
  }

  /**
   * Units granted in all by the accounts of a group, if one of them stores frames and has less left
   * to grant than a frame may take; else -1.
   */
  private exhaustedAt(port: number, group: number): number {
    const { receiver } = this.engine.books;
    const rows = this.rowsOf[(port << 3) | group];
    let sum = 0;
    let isExhausted = false;
    for (let i = 0; i < rows.length; i++) {
      sum += receiver.limit(rows[i]);
      if (receiver.isExhausted(rows[i])) isExhausted = true;
    }
    return isExhausted ? sum : -1;
  }

  private stop(device: number, port: number, group: number, mechanism: number, now: number): void {
    const { stops, jams } = this.books[device];
    stops.begin(port, group, mechanism, now);
    if (stops.count === 1) this.followAllBlocked(device);
    jams.paused(port, group, now);
  }

  private release(device: number, port: number, group: number, now: number): void {
    const { stops, jams } = this.books[device];
    stops.end(port, group, now);
    if (stops.count === 0) this.followAllBlocked(device);
    jams.released(port, group, now);
  }

  private blank(device: Device): Books {
    const { firstPort, spec } = device;
    const follows = this.follows.subarray(firstPort, firstPort + spec.ports.length);
    const backlog = new Backlog(this.engine, device, follows);
    return new Books(this.engine, device, backlog, this.isWhole);
  }

  /** Whether there are accounts of grants; in those of hosts nothing waits. */
  private configure({ spec, firstPort }: Device): boolean {
    if (spec.kind !== 'switch') return false;
    spec.ports.forEach(({ grants, groupOf }, port) => {
      if (grants === null) return;
      groupOf.forEach((group, priority) => {
        if ((grants.priorities & (1 << priority)) === 0) return;
        if (!spec.buffer.accounts[port][group].lossless) return;
        const { accounts, receiver } = this.engine.books;
        const at = ((firstPort + port) << 3) | group;
        const octets = FULL_SHARE * accounts.bufferOctets(firstPort + port, priority);
        this.fullAt[at] = receiver.cost(this.rowsOf[at][0], octets);
      });
    });
    return spec.ports.some(({ grants }) => grants !== null);
  }
}

/** By port and group. */
function accountsByGroup({ books: { accounts }, shared }: Engine): number[][] {
  const rows = Array.from({ length: shared.ports.count * 8 }, (): number[] => []);
  for (let port = 0; port < shared.ports.count; port++) {
    accounts.forEach(port, (row) =>
      rows[(port << 3) | shared.ports.groupOf(port, accounts.priority(row))].push(row),
    );
  }
  return rows;
}
