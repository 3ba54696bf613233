/**
 * Real hosts at the live ports of a run: their frames enter as inputs with a virtual time, and what
 * reaches a live port is sent. It relies on `executedPs`: an input never comes before it, or the
 * replay of a recording would be another run.
 */

import { NullProbe } from '../engine/contract/probe.js';
import type { Endpoint, EndpointListener } from '../endpoints/endpoint.js';
import { EndpointError } from '../endpoints/endpoint.js';
import { Refusals } from '../endpoints/refusals.js';
import { endpointKind } from '../endpoints/registry.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { HEADER_OCTETS, layersOf, padded } from '../fabric/live/frame-facts.js';
import type { LivePlan } from '../fabric/live/live-section.js';
import { complete, isUnfinished, markCongestion } from '../fabric/live/rewriting.js';
import { LiveStations } from '../fabric/live/stations.js';
import type { LiveResults } from '../runtime/results/live-results.js';
import type { Session } from '../runtime/session.js';
import type { Recording } from './recording.js';
import type { WallTime } from './wall-time.js';

const VLAN_TAG_OCTETS = 4;
/** No link carries a longer one: it is several, which a NIC was to divide. */
const SUPER_FRAME_OCTETS = 9300;

type Warn = (text: string) => void;

/** What live hosts share. */
interface LiveSite {
  readonly fabric: Fabric;
  readonly session: Session;
  readonly time: WallTime;
  readonly recording: Recording;
  readonly warn: Warn;
  /** Something has come in. */
  readonly came: () => void;
}

/** It cannot be attached; `path` is where the scenario says so. */
export class AttachError extends Error {
  constructor(
    readonly path: readonly string[],
    message: string,
  ) {
    super(message);
    this.name = 'AttachError';
  }
}

class LiveHost implements EndpointListener {
  readonly refusals: Refusals;
  endpoint: Endpoint | null = null;
  private hasUnfinished = false;
  private isHeld = false;

  constructor(
    readonly index: number,
    private readonly plan: LivePlan['hosts'][number],
    private readonly hosts: LiveHosts,
    private readonly warn: Warn,
  ) {
    const { name } = plan.section;
    this.refusals = new Refusals((text) => {
      warn(`${name}: not taken: ${text}`);
    });
  }

  get name(): string {
    return this.plan.section.name;
  }

  get position(): number {
    return this.plan.position;
  }

  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.endpoint?.hold(isHeld);
  }

  refused(reason: Parameters<Refusals['add']>[0]): void {
    this.refusals.add(reason);
  }

  frame(octets: Uint8Array): void {
    const { section } = this.plan;
    if (octets.length < HEADER_OCTETS) this.refused('short');
    else if (octets.length > SUPER_FRAME_OCTETS) this.refused('super-frame');
    else if (octets.length > this.longest(octets)) {
      this.refused('beyond-mtu');
    } else {
      const frame = padded(octets);
      if (isUnfinished(frame)) this.finish(frame, section.completes);
      this.hosts.enter(this, frame);
    }
  }

  /** Without FCS; tags do not count. */
  private longest(octets: Uint8Array): number {
    const tags = layersOf(octets).vlan === 0 ? 0 : VLAN_TAG_OCTETS;
    return this.plan.section.mtuOctets + HEADER_OCTETS + tags;
  }

  private finish(frame: Uint8Array, completes: boolean): void {
    if (!this.hasUnfinished) {
      this.hasUnfinished = true;
      const did = completes ? 'it is completed here' : 'its receiver will drop it';
      const remedy = completes ? '' : ', or write checksums: complete';
      this.warn(
        `${this.name}: the kernel left a checksum to hardware, and ${did}; ` +
          `ethtool -K DEVICE tx off gso off tso off ends that${remedy}`,
      );
    }
    if (completes) complete(frame);
  }
}

export class LiveHosts {
  /** Everything before has been executed, or is being executed. */
  executedPs = 0;
  /** By position. */
  private readonly hosts = new Map<number, LiveHost>();
  private readonly stations: LiveStations;
  private readonly waits = new PollWaits();

  constructor(private readonly site: LiveSite) {
    const { fabric, session, warn } = site;
    const plan = fabric.live!;
    this.stations = new LiveStations(plan);
    plan.hosts.forEach((host, index) => {
      this.hosts.set(host.position, new LiveHost(index, host, this, warn));
    });
    session.engine.listen(new Outlet(this), [...this.hosts.keys()], false);
  }

  /** Opens every endpoint, or none. */
  async open(): Promise<void> {
    const openers = new Map<string, ReturnType<ReturnType<typeof endpointKind>['makeOpener']>>();
    for (const { section, position } of this.site.fabric.live!.hosts) {
      const { kind, settings } = section.endpoint;
      const opener = openers.get(kind) ?? endpointKind(kind).makeOpener();
      openers.set(kind, opener);
      const host = this.hosts.get(position)!;
      try {
        host.endpoint = await opener.open(settings, host);
      } catch (error) {
        this.close();
        if (!(error instanceof EndpointError)) throw error;
        throw new AttachError(['live', 'hosts', section.name, kind, error.key], error.message);
      }
    }
  }

  close(): void {
    for (const host of this.hosts.values()) {
      host.endpoint?.close();
      host.endpoint = null;
    }
  }

  /** The engine begins to execute: what comes in waits. */
  busy(): void {
    this.waits.busy(performance.now());
  }

  /** What has come in is taken. */
  polls(): void {
    this.waits.polls(performance.now());
  }

  enter(host: LiveHost, octets: Uint8Array): void {
    const entering = this.stations.enter(host.position, octets);
    if (typeof entering === 'string') {
      host.refused(entering);
      return;
    }
    const { time, session, recording } = this.site;
    time.count(this.waits.waited(performance.now()));
    const atPs = Math.max(time.nowPs, this.executedPs);
    recording.add(host.index, atPs, octets);
    session.enter(host.position, 0, { atPs, octets, frame: entering.frame });
    this.site.came();
  }

  /** A frame has reached a live port; the octets are the engine's. */
  leave(position: number, atPs: number, octets: Uint8Array, isMarked: boolean): void {
    const { time } = this.site;
    time.count(-time.msUntil(atPs));
    const frame = isMarked ? octets.slice() : octets;
    if (isMarked) markCongestion(frame);
    this.hosts.get(position)!.endpoint?.send(frame);
  }

  /** Hosts whose endpoints can be pushed back stop while a class of their NIC is half full. */
  balance(): void {
    const { engine } = this.site.session;
    for (const { position, section } of this.site.fabric.live!.hosts) {
      if (!endpointKind(section.endpoint.kind).pushesBack) continue;
      const host = this.hosts.get(position)!;
      const waits = engine.liveQueue(position, 0);
      if (waits > section.mostOctets / 2) host.hold(true);
      else if (waits < section.mostOctets / 4) host.hold(false);
    }
  }

  results(counted: LiveResults, endPs: number): LiveResults {
    const refusals = [...this.hosts.values()].flatMap(({ name: host, refusals: { all } }) =>
      Object.entries(all).map(([reason, frames]) => ({ host, reason, frames })),
    );
    return { ...counted, refusals, time: this.site.time.resultAt(endPs) };
  }
}

/** Nothing within the process is nearer than a poll: frames of one batch are taken in turn. */
const BATCH_MS = 0.5;

/** How long a frame may have waited in a socket, which is all that this process can tell. */
class PollWaits {
  private busySinceMs = 0;
  private polledMs = 0;
  private batchMs = 0;
  private hasBatch = false;

  busy(nowMs: number): void {
    this.busySinceMs = nowMs;
  }

  polls(nowMs: number): void {
    this.polledMs = nowMs;
    this.hasBatch = false;
  }

  /** At most. A process that slept was woken by the frame. */
  waited(nowMs: number): number {
    if (!this.hasBatch) {
      this.hasBatch = true;
      const wasWaiting = nowMs - this.polledMs < BATCH_MS;
      this.batchMs = wasWaiting ? this.busySinceMs : nowMs;
    }
    return nowMs - this.batchMs;
  }
}

/** Observes what leaves. */
class Outlet extends NullProbe {
  constructor(private readonly hosts: LiveHosts) {
    super();
  }

  override liveSent(
    device: number,
    _port: number,
    now: number,
    octets: Uint8Array,
    isMarked: boolean,
  ): void {
    this.hosts.leave(device, now, octets, isMarked);
  }
}
