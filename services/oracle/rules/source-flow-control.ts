/**
 * Source flow control of switches: a frame that joins a monitored queue which is congested causes
 * an SFCM to its source, by the port that it came in by, unless the last one to that source, or of
 * that queue, is too recent. It states for how long the surplus of the queue takes to drain
 * (P802.1Qdw 52.5.2: sfcCongestionDetect, condTransmitSfcmPdu, buildAndSendSfcm).
 */

import type { Configuration } from '../configuration.js';
import { lineOctets, SHORTEST } from '../ethernet.js';
import { type Sfcm, sfcmOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';
import type { Buffers } from './buffers.js';
import type { PauseResponders } from './pause-responders.js';
import { monitored, sfcOf } from './station-pauses.js';

/** A monitored queue, as it is measured when frames join it. */
interface Queue {
  readonly detects: (octets: number) => number;
  /** It is not measured while it is shorter. */
  readonly least: number;
  readonly target: number;
  /** Growth, in octets a picosecond, from a sample on. */
  growth: number;
  sampleOctets: number;
  samplePs: number;
  /** How long an octet takes to drain, 0: not known; what joined and drained since a time. */
  octetPs: number;
  fromPs: number;
  fromOctets: number;
  joinedOctets: number;
  lastPs: number;
  lastOctets: number;
  sentPs: number;
}

interface Message {
  readonly via: Port;
  readonly sfcm: Pick<Sfcm, 'priority' | 'pauseNs' | 'port' | 'units'>;
  readonly target: number;
}

/** Growth is measured over so long, and drain over so many octets at line rate. */
const GROWTH_LEAST_PS = 250_000;
const GROWTH_MOST_PS = 1_000_000;
const DRAIN_OCTETS = 32 * lineOctets(1518);
/** An SFCM on IPv4 with 34 octets of the frame. */
const MESSAGE_OCTETS = 118;
const UNIT = 64;
const UNITS_MOST = 0xffff;
const NS = 1000;

interface Context {
  readonly configuration: Configuration;
  readonly buffers: Buffers;
  readonly responders: PauseResponders;
}

export class SourceFlowControl implements Observer {
  private readonly draws: (Draws | null)[];
  private readonly queues = new Map<string, Queue>();
  /** By switch, source and priority: when the last message was sent. */
  private readonly sentPs = new Map<string, number>();
  /** By switch: a message that has just been sent; null: one found no room. */
  private readonly seen = new Map<Device, Message | null>();
  private readonly loops = new Map<Device, Map<Device, number>>();

  constructor(
    private readonly devices: readonly Device[],
    private readonly context: Context,
    private readonly verdict: Verdict,
  ) {
    this.draws = devices.map((device) => {
      if (monitored(device).length === 0) return null;
      const why = whyUnknown(device, context);
      if (why !== null) verdict.decline('messages', why);
      const { seed } = context.configuration.scenario;
      return why === null ? new Draws(seed, `${device.name}/sfc`) : null;
    });
  }

  /** A message precedes the frame that causes it. */
  joining(out: Port, { frame, storage }: Queued, atPs: number): void {
    const sfcm = frame.payload === null || storage.ingress !== out ? null : sfcmOf(frame.payload);
    if (sfcm === null) return;
    const { target } = frame;
    if (sfcm.isPause) this.seen.set(out.device, { via: out, sfcm, target });
    // One that resumes its source begins sfcmMinInterval anew.
    else this.sentPs.set(`${out.device.index} ${target} ${sfcm.priority}`, atPs);
  }

  refused(port: Port, { kind }: WireFrame): void {
    if (kind === 'notice') this.seen.set(port.device, null);
  }

  joined(out: Port, queued: Queued, atPs: number): void {
    const { device } = out;
    const { frame } = queued;
    const draws = this.draws[device.index] ?? null;
    if (draws === null || frame.kind === 'notice') return;
    if (queued.isMoved) {
      this.draws[device.index] = null;
      this.verdict.decline('messages', 'frames move from a port that goes down');
      return;
    }
    const due = this.due(out, queued, { atPs, draws });
    const seen = this.seen.get(device);
    this.seen.delete(device);
    if (seen === null || (due === null && seen === undefined)) return;
    this.verdict.judge('messages');
    const place = { device: device.index, port: out.index, atPs, priority: frame.priority };
    const about = `a frame of station ${frame.source} joins ${out.name}`;
    if (due === null || seen === undefined) {
      const what = due === null ? 'an SFCM is sent that is not due' : 'no SFCM is sent';
      this.verdict.broken('messages', place, `${about}, and ${what} (P802.1Qdw 52.5.2)`);
      return;
    }
    const isRight = seen.via === due.via && seen.target === due.target;
    const keys = ['priority', 'pauseNs', 'port', 'units'] as const;
    const wrong = keys.find((key) => seen.sfcm[key] !== due.sfcm[key]);
    if (isRight && wrong === undefined) return;
    const what =
      wrong === undefined
        ? 'the SFCM is sent elsewhere than to it, by the port that the frame came in by'
        : `the SFCM states ${wrong} ${seen.sfcm[wrong]}, expected ${due.sfcm[wrong]}`;
    this.verdict.broken('messages', place, `${about}, and ${what} (P802.1Qdw 52.5.2)`);
  }

  private due(
    out: Port,
    { frame, storage, trafficClass, octets }: Queued,
    { atPs, draws }: { atPs: number; draws: Draws },
  ): Message | null {
    const { device } = out;
    const { classOf } = device.configuration;
    if (!monitored(device).some((own) => classOf[own] === trafficClass)) return null;
    const queue = this.queueOf(out, trafficClass);
    const length = out.queueOctets[trafficClass]!;
    if (length < queue.least) return null;
    const { whilePaused, minInterval, queueInterval } = sfcOf(device);
    const isPaused = this.context.responders.pausedUntil(out, frame.priority) > atPs;
    measureGrowth(queue, length, atPs);
    measureDrain(queue, { length, octets, atPs, octetPs: out.octetPs });
    if (isPaused) beginDrain(queue, length, atPs);
    if (isPaused && whilePaused === 'silent') return null;
    const chance = queue.detects(length);
    if (chance === 0 || (chance < 1 && draws.uniform() >= chance)) return null;
    const { ingress } = storage;
    const key = `${device.index} ${frame.source} ${frame.priority}`;
    const isProxied = actsFor(ingress);
    if (atPs - (this.sentPs.get(key) ?? -Infinity) < minInterval) return null;
    if (!isProxied && atPs - queue.sentPs < queueInterval) return null;
    this.sentPs.set(key, atPs);
    queue.sentPs = atPs;
    // The source hangs on this switch, which pauses it by PFC.
    if (isProxied) return null;
    const pauseNs = this.pauseNs(out, queue, { frame, length, isPaused });
    const units = Math.min(UNITS_MOST, Math.floor(length / UNIT));
    const sfcm = { priority: frame.priority, pauseNs, port: out.index + 1, units };
    return { via: ingress, target: frame.source, sfcm };
  }

  /** For so long the surplus, with what still arrives, takes to drain. */
  private pauseNs(
    { device, octetPs }: Port,
    queue: Queue,
    { frame, length, isPaused }: { frame: WireFrame; length: number; isPaused: boolean },
  ): number {
    const { pause, pauseMin, pauseMax } = sfcOf(device);
    if (pause !== 'auto') return Math.ceil(pause / NS);
    const most = Math.ceil(pauseMax / NS);
    if (isPaused) return most;
    const loopPs = this.loopsOf(device).get(this.devices[frame.source]!) ?? 0;
    const surplus = length + queue.growth * loopPs - queue.target;
    const drainNs = Math.ceil((surplus * Math.max(queue.octetPs, octetPs)) / NS);
    return Math.min(most, Math.max(Math.ceil(pauseMin / NS), drainNs));
  }

  private queueOf(out: Port, trafficClass: number): Queue {
    const key = `${out.name} ${trafficClass}`;
    const known = this.queues.get(key);
    if (known !== undefined) return known;
    const queue = { ...this.thresholds(out), ...BLANK };
    this.queues.set(key, queue);
    return queue;
  }

  /** Automatic ones are by the longest loop, and below XOFF by what arrives in one. */
  private thresholds(out: Port): Pick<Queue, 'detects' | 'least' | 'target'> {
    const { device, octetPs } = out;
    const { detect, target } = sfcOf(device);
    const watched = monitored(device);
    const { longestOctets } = this.context.configuration;
    const longest = Math.max(SHORTEST, ...watched.map((own) => longestOctets[own]!));
    const loopPs = Math.max(0, ...this.loopsOf(device).values());
    const loop = Math.ceil(loopPs / octetPs);
    const memory = this.context.buffers.memories[device.index] ?? null;
    const rooms = device.ports.flatMap((port) =>
      watched.map((priority) => {
        const account = memory?.at(port, port.configuration.groupOf[priority]!);
        if (memory === null || account?.isLossless !== true) return Infinity;
        const xoff = Math.min(
          account.xoff,
          Math.floor(account.reserved + account.alpha * memory.pool),
        );
        return xoff - Math.ceil(loopPs / port.octetPs);
      }),
    );
    const usual = Math.max(Math.min(2 * loop, ...rooms), 4 * longest);
    const detector = detect === 'auto' ? usual : detect;
    const isRising = typeof detector === 'object' && 'min' in detector;
    const full = isRising ? detector.max : typeof detector === 'object' ? Infinity : detector;
    const aim = Math.min(Math.max(loop, 2 * longest), Math.floor(full / 2));
    const from = isRising ? detector.min : full;
    return {
      target: target === 'auto' ? aim : target,
      least: Math.floor(from / 4),
      detects: (octets) => {
        if (octets >= full) return 1;
        if (!isRising || octets <= from) return 0;
        return (detector.probability * (octets - from)) / (full - from);
      },
    };
  }

  /** By host: a message to it, and the longest frame back, over idle links. */
  private loopsOf(device: Device): Map<Device, number> {
    const known = this.loops.get(device);
    if (known !== undefined) return known;
    const frame = Math.max(...this.context.configuration.longestOctets);
    const octets = lineOctets(frame) + lineOctets(MESSAGE_OCTETS);
    const loops = new Map([[device, 0]]);
    for (const [here, loopPs] of loops) {
      if (here.isHost) continue;
      const pipelines = here.configuration.pipelinePs * (here === device ? 1 : 2);
      for (const { peer, octetPs, configuration } of here.ports) {
        if (loops.has(peer.device)) continue;
        const linkPs = configuration.propagationPs + configuration.interfaceDelayPs;
        loops.set(peer.device, loopPs + pipelines + 2 * linkPs + octets * octetPs);
      }
    }
    const ofHosts = new Map([...loops].filter(([{ isHost }]) => isHost));
    this.loops.set(device, ofHosts);
    return ofHosts;
  }
}

const BLANK = {
  ...{ growth: 0, sampleOctets: 0, samplePs: 0, octetPs: 0, fromPs: 0, fromOctets: 0 },
  ...{ joinedOctets: 0, lastPs: -Infinity, lastOctets: 0, sentPs: -Infinity },
};

/** A switch is the proxy of a station on its link, if that does not respond itself. */
function actsFor({ device, peer }: Port): boolean {
  const { proxy } = sfcOf(device);
  if (!peer.device.isHost) return false;
  return proxy === 'on' || (proxy === 'auto' && !sfcOf(peer.device).receive);
}

function measureGrowth(queue: Queue, length: number, atPs: number): void {
  const age = atPs - queue.samplePs;
  if (age < GROWTH_LEAST_PS) return;
  if (age < GROWTH_MOST_PS) queue.growth = Math.max(0, (length - queue.sampleOctets) / age);
  queue.sampleOctets = length;
  queue.samplePs = atPs;
}

/** What joined, less the growth of the queue; anew when it may have been too short meanwhile. */
function measureDrain(
  queue: Queue,
  now: { length: number; octets: number; atPs: number; octetPs: number },
): void {
  const { length, octets, atPs, octetPs } = now;
  if (queue.lastOctets - (atPs - queue.lastPs) / octetPs < queue.least) {
    queue.octetPs = 0;
    beginDrain(queue, length, atPs);
  } else queue.joinedOctets += octets;
  queue.lastPs = atPs;
  queue.lastOctets = length;
  const age = atPs - queue.fromPs;
  if (age < DRAIN_OCTETS * octetPs) return;
  queue.octetPs = age / Math.max(0, queue.joinedOctets - (length - queue.fromOctets));
  beginDrain(queue, length, atPs);
}

function beginDrain(queue: Queue, length: number, atPs: number): void {
  queue.fromPs = atPs;
  queue.fromOctets = length;
  queue.joinedOctets = 0;
}

function whyUnknown(device: Device, { responders, buffers }: Context): string | null {
  const { detect, target } = sfcOf(device);
  const { hasPlainClasses, settings, isBridge } = device.configuration;
  if (!hasPlainClasses) return 'queues that are not known';
  if (device.ports.some((port) => !responders.isKnown(port))) return 'pauses that are not known';
  const isGranted = device.ports.some(({ configuration: { methods } }) =>
    methods.some((own) => own === 'credit' || own === 'cbfc' || own === 'either'),
  );
  if (isGranted) return 'queues that wait for credit';
  if (typeof detect === 'object' && !('min' in detect)) return 'a detector by memory or growth';
  const isAuto = detect === 'auto' || target === 'auto';
  if (isAuto && (isBridge || buffers.memories[device.index] === null)) return 'XOFF is not known';
  const isMarking = settings.priorities.some(({ mechanisms }) => mechanisms['ecn'] !== 'off');
  return isMarking ? 'queues that are measured for ECN, too' : null;
}
