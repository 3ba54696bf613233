import { createHash } from 'node:crypto';
import { checkLedger } from '../engine/analysis/ledger/ledger.js';
import { lapsedStop } from '../engine/analysis/ledger/standing-stops.js';
import { Engine } from '../engine/device/engine.js';
import { LAST_AT } from '../engine/device/host/receivers.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { matchesGlob } from '../fabric/scenario/selector.js';
import { Collector } from './collect.js';
import { Windows } from './embedded/windows.js';
import { HoldCheck } from './hold-check.js';
import type { Failure, RunResults } from './results.js';
import type { SeriesPort, SeriesRow } from './series.js';
import { Sampler, SERIES_COLUMNS } from './series.js';
import { StallWatch, framesStarted } from './stall.js';

export interface SessionOptions {
  /** Check the books and every start of a frame while running. */
  readonly check: boolean;
}

export interface Progress {
  readonly virtualPs: number;
  readonly endPs: number | null;
  /** 0..1; of the time, or of the payload where the scenario ends with its load. */
  readonly share: number;
  readonly frameHops: number;
}

export type SessionState = 'running' | 'complete' | 'failed';

/** Books are balanced so often (virtual time) in a checked run. */
const CHECK_INTERVAL_PS = 10e6;
/** How many windows between two looks at the wall clock. */
const WINDOWS_PER_LOOK = 64;

/** One run of a fabric in this process. */
export class Session {
  readonly endPs: number | null;
  readonly engine: Engine;
  private readonly windows: Windows;
  private readonly sampler: Sampler | null;
  private readonly stall: StallWatch;
  private readonly holdCheck: HoldCheck | null;
  private state: SessionState = 'running';
  private failure: Failure | null = null;
  private checkDueAt: number;

  constructor(
    private readonly fabric: Fabric,
    options: SessionOptions,
  ) {
    this.engine = new Engine(fabric.specs);
    for (const { a, b } of fabric.topology.links) {
      this.engine.connect([a.device, a.port], [b.device, b.port]);
    }
    this.windows = new Windows(this.engine, fabric.lookaheadPs);
    this.endPs = fabric.scenario.durationPs;
    this.sampler = this.makeSampler();
    this.stall = new StallWatch(this.engine);
    this.checkDueAt = options.check ? CHECK_INTERVAL_PS : Infinity;
    this.holdCheck = options.check ? new HoldCheck(this.engine) : null;
    if (this.holdCheck !== null) this.engine.listen(this.holdCheck);
  }

  /** Runs for about so many milliseconds of wall-clock time. */
  advance(wallBudgetMs: number): SessionState {
    const until = performance.now() + wallBudgetMs;
    do {
      for (let i = 0; i < WINDOWS_PER_LOOK; i++) {
        if (this.state !== 'running') return this.state;
        this.step();
      }
    } while (performance.now() < until);
    return this.state;
  }

  progress(): Progress {
    const virtualPs = this.virtualPs();
    const share = this.endPs === null ? this.deliveredShare() : virtualPs / this.endPs;
    return { virtualPs, endPs: this.endPs, share, frameHops: this.frameHops() };
  }

  series(): { columns: readonly string[]; rows: Iterable<SeriesRow> } {
    return { columns: SERIES_COLUMNS, rows: this.sampler?.rows ?? [] };
  }

  results(status: 'complete' | 'interrupted'): RunResults {
    const { fabric, engine } = this;
    const virtualPs = this.virtualPs();
    const collector = new Collector(engine, fabric, virtualPs);
    const flows = collector.flows();
    const failure = this.failure ?? this.firstLoss();
    return {
      scenario: fabric.scenario.name,
      seed: fabric.scenario.seed,
      status: failure === null ? status : 'failed',
      failure,
      virtualPs,
      durationPs: this.endPs,
      digest: this.digest(),
      deviceDigests: this.deviceDigests(),
      frameHops: this.frameHops(),
      events: engine.shared.events.reduce((total, events) => total + events, 0),
      devices: engine.devices.length,
      links: fabric.topology.links.length,
      priorities: collector.priorities(flows),
      flows,
      ports: collector.ports(),
      margins: collector.margins(),
      buffers: collector.buffers(),
    };
  }

  /** One window of virtual time, or the end. */
  private step(): void {
    const next = this.windows.nextTime();
    const stop = Math.min(
      this.endPs ?? Infinity,
      this.sampler?.dueAt ?? Infinity,
      this.checkDueAt,
      this.stall.dueAt,
    );
    if (next < stop) {
      this.windows.window(Math.min(next + this.fabric.lookaheadPs, stop));
      return;
    }
    if (stop === this.endPs && this.sampler?.dueAt === stop) this.sampler.sample();
    if (next === Infinity || stop === this.endPs) this.finish();
    else this.observe(stop);
  }

  /** Everything before `now` has been executed, and nothing from it on. */
  private observe(now: number): void {
    if (this.sampler?.dueAt === now) this.sampler.sample();
    if (this.checkDueAt === now) {
      this.check(now);
      this.checkDueAt += CHECK_INTERVAL_PS;
    }
    if (this.stall.dueAt === now && this.stall.look()) {
      this.fail('nothing moves any more: every sender is held by another', now, -1, -1, null);
    }
  }

  private finish(): void {
    if (this.checkDueAt !== Infinity) this.check(this.virtualPs());
    if (this.state !== 'running') return;
    this.failure = this.firstLoss();
    this.state = this.failure === null ? 'complete' : 'failed';
  }

  private check(now: number): void {
    const [imbalance] = checkLedger(this.engine);
    if (imbalance !== undefined) {
      const { what, expected, actual, device, port, priority } = imbalance;
      this.fail(`${what}: ${expected} against ${actual}`, now, device, port, priority);
    }
    const lapsed = lapsedStop(this.engine);
    if (lapsed >= 0) {
      const { place, firstPort } = this.engine.devices[this.engine.shared.ports.owner(lapsed)]!;
      this.fail('a stop that stands is not repeated', now, place, lapsed - firstPort, null);
    }
    const breach = this.holdCheck?.breach ?? null;
    if (breach !== null) {
      const { timePs, device, port, priority } = breach;
      this.fail('a frame started while it was held', timePs, device, port, priority);
    }
  }

  private fail(
    reason: string,
    timePs: number,
    device: number,
    port: number,
    priority: number | null,
  ): void {
    this.state = 'failed';
    this.failure ??= { reason, timePs, ...this.place(device, port), priority };
  }

  /** A frame lost on a lossless priority, the first of all devices. */
  private firstLoss(): Failure | null {
    let first: Failure | null = null;
    this.engine.devices.forEach((_, d) => {
      const loss = this.engine.shared.counters.firstLoss(d);
      if (loss === null || (first !== null && first.timePs <= loss.timePs)) return;
      first = {
        reason: 'a frame of a lossless priority was dropped: its headroom was full',
        timePs: loss.timePs,
        ...this.place(d, loss.port),
        priority: loss.priority,
      };
    });
    return first;
  }

  private place(device: number, port: number): { device: string; port: string } {
    return {
      device: this.fabric.topology.devices[device]?.name ?? '',
      port: this.fabric.linkEnds[device]?.[port]?.name ?? '',
    };
  }

  private virtualPs(): number {
    const next = this.windows.nextTime();
    if (this.endPs !== null) return Math.min(next, this.endPs);
    return next === Infinity ? lastArrival(this.engine) : next;
  }

  private frameHops(): number {
    const { controlSent } = this.engine.shared.counters;
    return framesStarted(this.engine) + controlSent.reduce((total, frames) => total + frames, 0);
  }

  private deliveredShare(): number {
    let left = 0;
    let total = 0;
    this.fabric.specs.forEach((spec, d) => {
      if (spec.kind !== 'host') return;
      spec.sends.forEach((send, c) => {
        const packets = send.packetsPerMessage * send.messages;
        if (!Number.isFinite(packets)) return;
        total += packets;
        left += this.engine.senders.remaining(this.engine.devices[d]!.rows.send.first + c);
      });
    });
    return total === 0 ? 0 : 1 - left / total;
  }

  private deviceDigests(): { device: string; digest: string }[] {
    return this.fabric.topology.devices.map(({ name }, d) => ({
      device: name,
      digest: this.engine.shared.digests.hex(d),
    }));
  }

  /** One hash over all devices, by name, so that their order does not matter. */
  private digest(): string {
    const lines = this.deviceDigests().map(({ device, digest }) => `${device} ${digest}\n`);
    const hash = createHash('sha256');
    for (const line of lines.sort()) hash.update(line);
    return hash.digest('hex').slice(0, 32);
  }

  private makeSampler(): Sampler | null {
    const { seriesPs, ports } = this.fabric.scenario.observe;
    if (seriesPs === null) return null;
    const wanted: SeriesPort[] = this.fabric.linkEnds.flatMap((ends, device) =>
      ends
        .filter(({ name }) => ports.length === 0 || ports.some((glob) => matchesGlob(glob, name)))
        .map(({ port, name }) => ({ port: this.engine.devices[device]!.firstPort + port, name })),
    );
    return new Sampler(this.engine, wanted, seriesPs);
  }
}

/** When the last frame reached its flow's receiver. */
function lastArrival(engine: Engine): number {
  let last = 0;
  for (const { rows } of engine.devices) {
    const { first, count } = rows.receive;
    for (let c = first; c < first + count; c++) {
      last = Math.max(last, engine.receivers.get(c, LAST_AT));
    }
  }
  return last;
}
