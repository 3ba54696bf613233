/**
 * Measurements of a duel that results do not have: control octets, and reaction time of a source.
 */

import { CONGESTED_PS } from '../engine/analysis/waits/queue-book.js';
import { NullProbe } from '../engine/contract/probe.js';
import type { Engine } from '../engine/device/engine.js';
import {
  CARRIES_FLAG,
  CLASS,
  type FramePool,
  KIND_MASK,
  KIND_NOTICE,
  LENGTH,
  PRIORITY_MASK,
} from '../engine/frame/frame-pool.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';
import { FCS_OCTETS, FRAME_OCTETS_MIN } from '../engine/units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../engine/wire/ordered-set.js';
import { TELEMETRY_OCTETS } from '../engine/wire/telemetry.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { matchesGlob } from '../fabric/scenario/selector.js';
import { memorySizes } from '../fabric/sizing/memory-sizes.js';
import { portsOfFlow } from '../telemetry/congestion/flow-paths.js';

/** Observes a run; it changes nothing. */
export class DuelWatch extends NullProbe {
  /** Of control frames and messages on every link that they cross, and of telemetry. */
  controlOctets = 0;
  /** Headroom, or buffer behind grants, of the device with the most. */
  readonly reservedOctets: number;
  private congestedPs = Infinity;
  private reactedPs = Infinity;

  /** Ports, numbered through the engine, whose queues are observed; see `watchedPorts`. */
  private readonly watched: ReadonlySet<number>;
  /** Hosts whose flows pass them. */
  private readonly sources: ReadonlySet<number>;

  constructor(
    fabric: Fabric,
    private readonly engine: Engine,
  ) {
    super();
    this.reservedOctets = reservedOf(fabric);
    const names = watchedPorts(fabric);
    this.watched = new Set(
      fabric.linkEnds
        .flat()
        .filter(({ name }) => names.has(name))
        .map(({ device, port }) => engine.devices[device]!.firstPort + port),
    );
    this.sources = new Set(
      fabric.flows.flatMap(({ source }, flow) =>
        [...portsOfFlow(fabric, flow)].some((name) => names.has(name)) ? [source] : [],
      ),
    );
    engine.listen(this);
  }

  /**
   * From the congestion of the queue to the first pause, or rate reduction, of one of its sources;
   * null if there was none.
   */
  get reactionPs(): number | null {
    const { congestedPs, reactedPs } = this;
    return reactedPs === Infinity ? null : reactedPs - congestedPs;
  }

  override controlSent(_device: number, _port: number, _now: number, octets: Uint8Array): void {
    const isSet = octets.length === ORDERED_SET_OCTETS;
    this.controlOctets += isSet
      ? ORDERED_SET_OCTETS
      : Math.max(FRAME_OCTETS_MIN, octets.length + FCS_OCTETS);
  }

  override frameSent(
    _d: number,
    _port: number,
    _now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const frameClass = pool.words[frame + CLASS]!;
    if ((frameClass & CARRIES_FLAG) === 0) return;
    const isNotice = (frameClass & KIND_MASK) === KIND_NOTICE;
    this.controlOctets += isNotice ? pool.words[frame + LENGTH]! : TELEMETRY_OCTETS;
  }

  override frameQueued(
    device: number,
    _ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const { ports, queues } = this.engine.shared;
    const port = this.engine.devices[device]!.firstPort + egress;
    if (this.congestedPs !== Infinity || !this.watched.has(port)) return;
    const trafficClass = ports.classOf(port, pool.words[frame + CLASS]! & PRIORITY_MASK);
    const octets = queues.get(port, trafficClass, QUEUE_OCTETS);
    if (octets * ports.octetPs(port) >= CONGESTED_PS) this.congestedPs = now;
  }

  override blockedChanged(device: number, _port: number, now: number, priorities: number): void {
    if (priorities !== 0) this.react(device, now);
  }

  override grantShort(
    device: number,
    _port: number,
    now: number,
    _priority: number,
    _channel: number,
    short: boolean,
  ): void {
    if (short) this.react(device, now);
  }

  override frameReceived(
    device: number,
    _port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if ((pool.words[frame + CLASS]! & KIND_MASK) === KIND_NOTICE) this.react(device, now);
  }

  private react(device: number, now: number): void {
    if (this.congestedPs === Infinity || this.reactedPs !== Infinity) return;
    if (this.sources.has(device)) this.reactedPs = now;
  }
}

/**
 * The port that the scenario names (`observe.queue`), or else the last one before the receiver with
 * most flows: that of an incast.
 */
function watchedPorts({ scenario, flows, linkEnds, topology }: Fabric): ReadonlySet<string> {
  const { queue } = scenario.observe;
  const ends = linkEnds.flat();
  if (queue !== null) {
    return new Set(ends.map(({ name }) => name).filter((name) => matchesGlob(queue, name)));
  }
  const incasts = new Set(
    scenario.load.flatMap(({ kind }, load) => (kind === 'incast' ? [load] : [])),
  );
  const isAny = incasts.size === 0;
  const counts = new Map<number, number>();
  for (const { load, destination, group } of flows) {
    if (group || (!isAny && !incasts.has(load))) continue;
    counts.set(destination, (counts.get(destination) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  const receivers = new Set([...counts].filter(([, n]) => n === most).map(([host]) => host));
  return new Set(
    ends
      .filter(({ device, peerDevice }) => {
        return receivers.has(peerDevice) && topology.devices[device]!.kind !== 'host';
      })
      .map(({ name }) => name),
  );
}

function reservedOf(fabric: Fabric): number {
  const ofDevices = new Map<number, number>();
  const ends = fabric.linkEnds.flat();
  memorySizes(fabric).forEach(({ sizes }, end) => {
    const { device } = ends[end]!;
    const given = sizes.reduce((sum, { givenOctets }) => sum + (givenOctets ?? 0), 0);
    ofDevices.set(device, (ofDevices.get(device) ?? 0) + given);
  });
  return Math.max(0, ...ofDevices.values());
}
