/**
 * Congestion isolation of switches: the flow of a frame that joins a monitored queue which is
 * congested waits in a queue of its own from its next frame on, and CIMs, at most so many, tell the
 * upstream bridge. It returns when that queue is uncongested, no CIM from downstream names it, and
 * its last frame there has left (802.1Qcz 49.4.2, by the names of its procedures).
 */

import { congestionPduOf } from '../../../oracle/messages.js';
import { u16 } from '../../../oracle/ethernet.js';
import type {
  Device,
  Model,
  Observer,
  Port,
  Queued,
  Start,
  WireFrame,
} from '../../../oracle/model/model.js';
import { hasLinkRetry } from '../../../oracle/model/links.js';
import { kept, reasonOf, restarts } from '../../../oracle/model/port.js';
import type { CiSettings } from '../../../oracle/model/settings.js';
import { PauseResponders } from '../../../oracle/rules/pause-responders.js';

/** An entry of the stream table (49.3.7). */
interface Stream {
  readonly key: string;
  readonly out: Port;
  /** Congestion was found here; a CIM named it. */
  isFound: boolean;
  isNamed: boolean;
  cims: number;
  via: Port;
  /** It ends with its last frame in the queue. */
  isLeaving: boolean;
  seenPs: number;
}

interface Egress {
  /** Its congesting queue is uncongested since; Infinity: it is not. */
  uncongestedPs: number;
  /** Monitored queues that were paused since they were last short. */
  paused: Set<number>;
}

interface Point {
  readonly streams: Map<string, Stream>;
  readonly settings: CiSettings;
  readonly watched: readonly number[];
  cleanupPs: number;
}

/** CIMs that are due and not sent (above 0), or sent and not due, of one port, flow and moment. */
interface Balance {
  count: number;
  readonly out: Port;
  readonly atPs: number;
}

const [CIM_SUBTYPE, HEADER_OCTETS_LEAST, THRESHOLD_PS, LOW_FRAMES] = [0, 24, 4e6, 2];
/** In the octets that a CIM quotes: behind an EtherType and an IPv4 header. */
const UDP_SOURCE_AT = 22;
const [LINK_PARTNER, ENTROPY] = [-1, 0x3fff];

export class CongestionIsolation implements Observer {
  private readonly points = new Map<Device, Point>();
  private readonly egresses = new Map<Port, Egress>();
  private readonly balances = new Map<string, Balance>();
  private readonly stations: ReadonlyMap<number, number>;
  private readonly responders: PauseResponders;

  constructor(
    private readonly model: Pick<Model, 'configuration' | 'devices' | 'verdict'>,
    observers: readonly Observer[],
  ) {
    this.responders = observers.find((one) => one instanceof PauseResponders)!;
    const { specs } = model.configuration.fabric;
    const hosts = specs.filter(({ kind }) => kind === 'host');
    this.stations = new Map(hosts.map(({ ports }, index) => [ports[0]!.mac, index]));
    for (const device of model.devices.filter(({ configuration }) => configuration.isolates)) {
      if (!model.verdict.knows('messages', whyUnknown(model, device))) continue;
      const settings = device.keysOf('ci') as CiSettings;
      const watched = watchedOf(device);
      this.points.set(device, { streams: new Map(), settings, watched, cleanupPs: Infinity });
      device.classOf = (out, frame, atPs) => this.queueFor(out, frame, atPs);
    }
  }

  /** A frame joins a queue: CIP congestion detection. */
  joining(out: Port, { frame, storage, trafficClass, octets }: Queued, atPs: number): void {
    const point = this.points.get(out.device);
    if (point === undefined) return;
    const cim = storage.ingress === out ? this.cimOf(frame) : null;
    if (cim !== null) this.count(out, cim.isAdd, cim.key, atPs, -1);
    const { priority } = point.settings;
    const isMonitored = point.watched.includes(trafficClass);
    if (!isIdentified(frame) || (trafficClass !== priority && !isMonitored)) return;
    const length = out.queueOctets[trafficClass]! + octets;
    const threshold = thresholdOf(out, point);
    const isCongested = length >= threshold;
    const stream = streamOf(point, out, frame);
    if (trafficClass === priority) {
      if (stream === undefined) return;
      if (length > this.lowOf(point)) this.egress(out).uncongestedPs = Infinity;
      if (isCongested && isolates(out)) this.condTransmitAdd(point, stream, storage.ingress, atPs);
    } else if (length >= Math.floor(threshold / 2) && isolates(out)) {
      if (this.wasPaused(out, trafficClass, isCongested, atPs) || !isCongested) return;
      const known = point.streams.get(keyOf(frame));
      const found = known ?? this.add(point, out, keyOf(frame), { isFound: true, atPs });
      if (found?.out === out) this.condTransmitAdd(point, found, storage.ingress, atPs);
    }
  }

  starting(port: Port, { frame, queued, trafficClass, atPs }: Start): void {
    const point = this.points.get(port.device);
    if (point === undefined) return;
    this.model.verdict.judge('messages');
    const isIsolated = queued.trafficClass !== port.configuration.classOf[frame.priority];
    if (trafficClass !== queued.trafficClass) {
      const what = `a frame waited in class ${trafficClass}, expected ${queued.trafficClass}`;
      this.broken(port, atPs, what);
    } else if (frame.isIsolated !== (isIsolated && isPeer(port.peer.device))) {
      const what = `a frame is ${frame.isIsolated ? '' : 'not '}marked as one of an isolated flow`;
      this.broken(port, atPs, what);
    }
  }

  started(port: Port, { queued: { frame, trafficClass }, atPs }: Start): void {
    const point = this.points.get(port.device);
    if (point === undefined || trafficClass !== point.settings.priority) return;
    if (point.streams.size === 0 || !isIdentified(frame)) return;
    const stream = streamOf(point, port, frame);
    const isLast = stream !== undefined && insideOf(point, stream) === 0;
    if (isLast && stream.isLeaving) point.streams.delete(stream.key);
    const threshold = thresholdOf(port, point);
    if (port.queueOctets[trafficClass]! > this.lowOf(point)) return;
    if (point.watched.some((tc) => port.queueOctets[tc]! >= threshold)) return;
    this.becameUncongested(point, port, atPs);
  }

  /** A CIM from the downstream bridge: processCim. */
  arrived(port: Port, frame: WireFrame, atPs: number): void {
    const point = this.points.get(port.device);
    if (point === undefined) return;
    this.cleanUp(point, atPs);
    const cim = frame.target === LINK_PARTNER ? this.cimOf(frame) : null;
    const key = cim?.key ?? null;
    if (cim === null || key === null || !isPeer(port.peer.device)) return;
    const known = point.streams.get(key);
    if (known !== undefined && known.out !== port) return;
    if (!cim.isAdd) {
      if (known === undefined) return;
      known.isNamed = false;
      if (!known.isFound) this.release(point, known, atPs);
      return;
    }
    const stream = known ?? this.add(point, port, key, { isFound: false, atPs });
    if (stream !== null) [stream.isNamed, stream.isLeaving] = [true, false];
  }

  /** What a frame that found no room had done before is not on the wire. */
  refused({ device }: Port): void {
    this.giveUp(device, 'frames of isolated flows are dropped');
  }

  discarded({ device }: Port): void {
    this.giveUp(device, 'frames of isolated flows are discarded');
  }

  watchdog({ device }: Port): void {
    this.giveUp(device, 'a watchdog discards frames of isolated flows');
  }

  reached(atPs: number): void {
    for (const point of this.points.values()) this.cleanUp(point, atPs);
    for (const [key, { count, out, atPs: sentPs }] of this.balances) {
      if (sentPs >= atPs) continue;
      this.balances.delete(key);
      if (!this.points.has(out.device)) continue;
      this.broken(out, sentPs, count > 0 ? 'no CIM is sent that is due' : 'a CIM is not due');
    }
  }

  /** The class that a frame joins. */
  private queueFor(out: Port, frame: WireFrame, atPs: number): number {
    const point = this.points.get(out.device);
    const usual = out.configuration.classOf[frame.priority]!;
    if (point === undefined || !isIdentified(frame)) return usual;
    this.cleanUp(point, atPs);
    const stream = point.watched.includes(usual) ? streamOf(point, out, frame) : undefined;
    if (stream === undefined) return usual;
    if ((stream.isLeaving || !isolates(out)) && insideOf(point, stream) === 0) {
      this.release(point, stream, atPs);
      return usual;
    }
    stream.seenPs = atPs;
    return point.settings.priority;
  }

  /** A queue that was paused since it was short is long for that reason. */
  private wasPaused(out: Port, tc: number, isCongested: boolean, atPs: number): boolean {
    const { paused } = this.egress(out);
    if (this.responders.pausedUntil(out, tc) > atPs) paused.add(tc);
    else if (!isCongested) paused.delete(tc);
    return paused.has(tc);
  }

  private add(
    point: Point,
    out: Port,
    key: string,
    { isFound, atPs }: { isFound: boolean; atPs: number },
  ): Stream | null {
    const { streams, flowLife, idle } = point.settings;
    if (point.streams.size >= streams) return null;
    const blank = { cims: 0, via: out, isLeaving: false, seenPs: atPs };
    const stream: Stream = { key, out, isFound, isNamed: !isFound, ...blank };
    point.streams.set(key, stream);
    this.egress(out).uncongestedPs = Infinity;
    if (point.cleanupPs === Infinity) point.cleanupPs = atPs + Math.min(idle, flowLife);
    return stream;
  }

  private condTransmitAdd({ settings }: Point, stream: Stream, via: Port, atPs: number): void {
    if (!isPeer(via.peer.device) || stream.cims >= settings.messages) return;
    stream.cims++;
    stream.via = via;
    this.count(via, true, stream.key, atPs, 1);
  }

  private becameUncongested(point: Point, port: Port, atPs: number): void {
    const egress = this.egress(port);
    if (egress.uncongestedPs !== Infinity) return;
    egress.uncongestedPs = atPs;
    for (const stream of [...point.streams.values()]) {
      if (stream.out !== port) continue;
      stream.isFound = false;
      if (!stream.isNamed) this.release(point, stream, atPs);
    }
  }

  private release(point: Point, stream: Stream, atPs: number): void {
    if (stream.cims > 0) this.count(stream.via, false, stream.key, atPs, 1);
    stream.cims = 0;
    if (insideOf(point, stream) === 0) point.streams.delete(stream.key);
    else stream.isLeaving = true;
  }

  private cleanUp(point: Point, atPs: number): void {
    const { idle, flowLife } = point.settings;
    // The end of everything is behind each cleanup.
    while (point.cleanupPs < atPs && atPs < Infinity) {
      const now = point.cleanupPs;
      for (const stream of [...point.streams.values()]) {
        const since = this.egress(stream.out).uncongestedPs;
        const isOver = stream.isNamed && now - since >= flowLife;
        if (isOver || now - stream.seenPs >= idle) this.release(point, stream, now);
      }
      point.cleanupPs = point.streams.size > 0 ? now + Math.min(idle, flowLife) : Infinity;
    }
  }

  private count(out: Port, isAdd: boolean, key: string | null, atPs: number, by: number): void {
    this.model.verdict.judge('messages');
    const name = `${atPs} ${out.name} ${isAdd} ${key}`;
    const balance = kept(this.balances, name, () => ({ count: 0, out, atPs }));
    balance.count += by;
    if (balance.count === 0) this.balances.delete(name);
  }

  /** What a CIM states; its flow is null where none like it can be here. */
  private cimOf({ payload }: WireFrame) {
    const pdu = payload === null ? null : congestionPduOf(payload);
    if (payload === null || pdu === null || payload[pdu] !== CIM_SUBTYPE) return null;
    const [target, source] = [pdu + 2, pdu + 8].map((at) => {
      const octets = payload.subarray(at, at + 6);
      return this.stations.get(octets.reduce((mac, octet) => mac * 256 + octet, 0));
    });
    const isQuoted = u16(payload, pdu + 16) >= HEADER_OCTETS_LEAST;
    const entropy = u16(payload, pdu + 18 + UDP_SOURCE_AT) & ENTROPY;
    const isKnown = isQuoted && target !== undefined && source !== undefined;
    const key = isKnown ? `${source} ${target} ${entropy}` : null;
    return { isAdd: (payload[pdu + 1]! & 1) !== 0, key };
  }

  private egress(port: Port): Egress {
    return kept(this.egresses, port, () => ({ uncongestedPs: Infinity, paused: new Set() }));
  }

  private lowOf({ settings: { low } }: Point): number {
    return low === 'auto' ? LOW_FRAMES * Math.max(...this.model.configuration.longestOctets) : low;
  }

  private giveUp(device: Device, why: string): void {
    if (this.points.delete(device)) this.model.verdict.decline('messages', why);
  }

  private broken(port: Port, atPs: number, what: string): void {
    this.model.verdict.broken('messages', port.at(atPs), `${what} (802.1Qcz 49.4.2)`);
  }
}

/** Data and acknowledgements of one source for one destination. */
const isIdentified = ({ kind, isGroup }: WireFrame): boolean =>
  !isGroup && ['raw', 'data', 'ack', 'nak'].includes(kind);

const keyOf = ({ source, target, hash }: WireFrame): string =>
  `${source} ${target} ${hash & ENTROPY}`;

function streamOf({ streams }: Point, out: Port, frame: WireFrame): Stream | undefined {
  const stream = streams.get(keyOf(frame));
  return stream?.out === out ? stream : undefined;
}

/** Frames of a flow in its own queue. */
const insideOf = ({ settings }: Point, { out, key }: Stream): number =>
  out.queues[settings.priority]!.filter(({ frame }) => isIdentified(frame) && keyOf(frame) === key)
    .length;

function thresholdOf({ octetPs }: Port, { settings: { detect } }: Point): number {
  return detect === 'auto' ? Math.ceil(THRESHOLD_PS / octetPs) : detect;
}

function watchedOf({ isHost, configuration: { settings } }: Device): number[] {
  if (isHost) return [];
  const own = settings.priorities.filter(({ mechanisms }) => mechanisms['ci'] === true);
  return own.map(({ priority }) => priority);
}

const isPeer = (device: Device): boolean =>
  (device.keysOf('ci') as CiSettings).enable && watchedOf(device).length > 0;

/** A bridge without isolation would pause the wrong queue for frames of the other. */
const isolates = ({ peer: { device } }: Port): boolean => device.isHost || isPeer(device);

function whyUnknown(
  { configuration }: Pick<Model, 'configuration'>,
  { ports, configuration: own }: Device,
) {
  const ends = ports.flatMap((port) => port.ends);
  return reasonOf({
    'whether link partners isolate flows is negotiated': configuration.negotiates,
    'congestion isolation behind a fault': ends.some((end) => end.configuration.faults.size > 0),
    'isolated flows that cut through': own.cutsThrough,
    'isolated flows in floods of bridges': own.isBridge,
    'isolated flows behind link-level retry': ports.some(hasLinkRetry) || ports.some(restarts),
  });
}
