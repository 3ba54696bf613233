import { pauseAilmentOf } from '../../engine/analysis/recovery/link-health.js';
import type { Engine } from '../../engine/device/engine.js';
import { formatPs } from '../../engine/units/time.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Breach } from './breach.js';
import { countsAilmentOf } from './link-ailment.js';
import { promisedBy, RecoveryTimes } from './recovery-times.js';
import { PAUSE_OCTETS_MAX } from '../../engine/units/ethernet.js';

/** A fault with a required recovery time, at a port. */
interface Watched {
  readonly fault: number;
  readonly port: number;
  readonly withinPs: number;
}

/** Checks the links of faults that are over, when their recovery times have passed. */
export class RecoveryCheck {
  private watched: readonly Watched[] = [];
  private times = new RecoveryTimes([]);

  constructor(
    private fabric: Fabric,
    private readonly engine: Engine,
    /** What was due by then has been checked. */
    private checkedPs = 0,
  ) {
    this.adopt(fabric);
  }

  /** Faults may be injected during the run. */
  adopt(fabric: Fabric): void {
    const { engine } = this;
    const { faults } = fabric.scenario;
    const watched: Watched[] = [];
    for (let port = 0; port < engine.shared.ports.count; port++) {
      if (this.losesFrames(fabric, port)) continue;
      const own = new Set(engine.faults.counts(port, 0).map(({ fault }) => fault));
      for (const fault of own) {
        const withinPs = faults[fault]!.recoverPs;
        if (withinPs !== null) watched.push({ fault, port, withinPs });
      }
    }
    this.fabric = fabric;
    this.watched = watched;
    this.times = new RecoveryTimes(promisedBy(fabric));
  }

  /** Whether a link loses frames by its settings: grants are lost and repaired all the time. */
  private losesFrames({ specs, linkEnds }: Fabric, port: number): boolean {
    const device = this.engine.shared.ports.owner(port);
    const own = port - this.engine.devices[device]!.firstPort;
    const end = linkEnds[device]![own];
    if (end === undefined) return false;
    const ends = [specs[device]!.ports[own]!, specs[end.peerDevice]!.ports[end.peerPort]!];
    return end.link.errors !== undefined || ends.some(({ retry }) => retry?.givesUp === true);
  }

  /** Time of the next check; Infinity if there is none. */
  dueAt(): number {
    return this.times.after(this.checkedPs);
  }

  /** The run continues from there. */
  restored(boundPs: number): void {
    this.checkedPs = boundPs;
  }

  /** Everything before `now` has been executed, and nothing from it on. */
  check(now: number): Breach | null {
    const sincePs = this.checkedPs;
    this.checkedPs = now;
    for (const entry of this.watched) {
      const over = this.overSince(entry, now);
      if (over === null) continue;
      const due = over + entry.withinPs;
      if (due <= sincePs || due > now) continue;
      const { ports } = this.engine.shared;
      const ends = [entry.port, ports.peer(entry.port)];
      for (const port of ends) {
        const ailment = this.ailmentOf(entry, port, now);
        if (ailment !== null) return this.breach(entry, over, port, now, ailment);
      }
    }
    return null;
  }

  private ailmentOf(entry: Watched, port: number, now: number): string | null {
    const { engine } = this;
    const ofCounts = countsAilmentOf(engine, port);
    if (ofCounts !== null || this.mayBeSpoofed(entry, port, now)) return ofCounts;
    return pauseAilmentOf(engine, port);
  }

  /**
   * Whether a pause of this port may come from another fault that sends, changes or delays control
   * frames: it lasts as long as its frame says, whatever else of the link has recovered.
   */
  private mayBeSpoofed({ fault }: Watched, port: number, now: number): boolean {
    const { faults, shared } = this.engine;
    const { ports } = shared;
    const lastsPs = PAUSE_OCTETS_MAX * ports.octetPs(port) + ports.controlDelayPs(port);
    return [port, ports.peer(port)].some((end) => {
      const sincePs = now - lastsPs - ports.latencyPs(end);
      return faults.spoofedSince(end, fault, sincePs);
    });
  }

  /**
   * Null while any fault of this name is active at the port, or has not been active yet. A link
   * that is down meanwhile, by whatever fault, begins to recover when it is up again; one whose
   * ends negotiate again, when they have done so.
   */
  private overSince({ fault, port }: Watched, now: number): number | null {
    let latest: number | null = null;
    for (const counts of this.engine.faults.counts(port, now)) {
      if (counts.fault !== fault) continue;
      if (counts.overSincePs === null) return null;
      latest = Math.max(latest ?? 0, counts.overSincePs);
    }
    if (latest === null) return null;
    return Math.max(latest, this.upSince(port), this.settledSince(port));
  }

  private settledSince(port: number): number {
    const { discovery, shared } = this.engine;
    const peer = shared.ports.peer(port);
    return Math.max(discovery.settledPs(port), peer < 0 ? 0 : discovery.settledPs(peer));
  }

  /** Infinity while the link is down. */
  private upSince(port: number): number {
    const { faults, shared } = this.engine;
    const peer = shared.ports.peer(port);
    return Math.max(faults.upSincePs(port), peer < 0 ? 0 : faults.upSincePs(peer));
  }

  private breach(
    { fault, withinPs }: Watched,
    overPs: number,
    port: number,
    timePs: number,
    ailment: string,
  ): Breach {
    const { name } = this.fabric.scenario.faults[fault]!;
    const device = this.engine.shared.ports.owner(port);
    const promise = `${name} was over at ${formatPs(overPs)}, and ${formatPs(withinPs)} later`;
    return {
      reason: `no recovery in time: ${promise} ${ailment}`,
      timePs,
      device,
      port: port - this.engine.devices[device]!.firstPort,
      priority: null,
    };
  }
}
