/**
 * Source flow control of switches: a frame that joins a monitored queue which is congested causes
 * an SFCM to its source, by the port that it came in by, unless the last one to that source, or of
 * that queue, is too recent. It states for how long the surplus of the queue takes to drain
 * (P802.1Qdw 52.5.2: sfcCongestionDetect, condTransmitSfcmPdu, buildAndSendSfcm).
 */

import { lineOctets, SHORTEST } from '../ethernet.js';
import { type Sfcm, sfcmOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import type { Device, Model, Observer, Port, Queued, WireFrame } from '../model/model.js';
import { kept, reasonOf } from '../model/port.js';
import type { Buffers } from './buffers.js';
import { monitored, type PauseResponders, sfcOf } from './pause-responders.js';

/** A monitored queue, as it is measured when frames join it. */
const BLANK = {
  /** Growth, in octets a picosecond, from a sample on. */
  ...{ growth: 0, sampleOctets: 0, samplePs: 0 },
  /** How long an octet takes to drain, 0: not known; what joined and drained since a time. */
  ...{ octetPs: 0, fromPs: 0, fromOctets: 0, joinedOctets: 0 },
  ...{ lastPs: -Infinity, lastOctets: 0, sentPs: -Infinity },
};

type Queue = typeof BLANK & {
  readonly detects: (octets: number) => number;
  /** It is not measured while it is shorter. */
  readonly least: number;
  readonly target: number;
};

interface Message {
  readonly via: Port;
  readonly sfcm: Pick<Sfcm, 'priority' | 'pauseNs' | 'port' | 'units'>;
  readonly target: number;
}

/** Growth is measured over so long, and drain over so many octets at line rate. */
const [GROWTH_LEAST_PS, GROWTH_MOST_PS] = [250_000, 1_000_000];
const DRAIN_OCTETS = 32 * lineOctets(1518);
/** An SFCM on IPv4 with 34 octets of the frame. */
const MESSAGE_OCTETS = 118;
const [UNIT, UNITS_MOST, NS] = [64, 0xffff, 1000];

export class SourceFlowControl implements Observer {
  private readonly draws = new Map<Device, Draws>();
  private readonly queues = new Map<string, Queue>();
  private readonly sentPs = new Map<string, number>();
  /** By switch: a message that has just been sent; null: one found no room. */
  private readonly seen = new Map<Device, Message | null>();
  private readonly loops = new Map<Device, Map<Device, number>>();

  constructor(
    private readonly model: Model,
    private readonly buffers: Buffers,
    private readonly responders: PauseResponders,
  ) {
    const { seed } = model.configuration.scenario;
    for (const device of model.devices) {
      if (monitored(device).length === 0) continue;
      if (!model.verdict.knows('messages', this.whyUnknown(device))) continue;
      this.draws.set(device, new Draws(seed, `${device.name}/sfc`));
    }
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
    const { verdict } = this.model;
    const draws = this.draws.get(device);
    if (draws === undefined || frame.kind === 'notice') return;
    if (queued.isMoved) {
      this.draws.delete(device);
      verdict.decline('messages', 'frames move from a port that goes down');
      return;
    }
    const due = this.due(out, queued, { atPs, draws });
    const seen = this.seen.get(device);
    this.seen.delete(device);
    if (seen === null || (due === null && seen === undefined)) return;
    verdict.judge('messages');
    const what = difference(due, seen);
    if (what === null) return;
    const about = `a frame of station ${frame.source} joins ${out.name}, and ${what}`;
    verdict.broken('messages', out.at(atPs, frame.priority), `${about} (P802.1Qdw 52.5.2)`);
  }

  private due(
    out: Port,
    { frame, storage, trafficClass, octets }: Queued,
    { atPs, draws }: { atPs: number; draws: Draws },
  ): Message | null {
    const { device } = out;
    const { classOf } = device.configuration;
    if (!monitored(device).some((own) => classOf[own] === trafficClass)) return null;
    const made = (): Queue => ({ ...this.thresholds(out), ...BLANK });
    const queue = kept(this.queues, `${out.name} ${trafficClass}`, made);
    const length = out.queueOctets[trafficClass]!;
    if (length < queue.least) return null;
    const { whilePaused, minInterval, queueInterval } = sfcOf(device);
    const isPaused = this.responders.pausedUntil(out, frame.priority) > atPs;
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
    const loopPs = this.loopsOf(device).get(this.model.devices[frame.source]!) ?? 0;
    const surplus = length + queue.growth * loopPs - queue.target;
    const drainNs = Math.ceil((surplus * Math.max(queue.octetPs, octetPs)) / NS);
    return Math.min(most, Math.max(Math.ceil(pauseMin / NS), drainNs));
  }

  /** Automatic ones are by the longest loop, and below XOFF by what arrives in one. */
  private thresholds(out: Port): Pick<Queue, 'detects' | 'least' | 'target'> {
    const { device, octetPs } = out;
    const { detect, target } = sfcOf(device);
    const watched = monitored(device);
    const { longestOctets } = this.model.configuration;
    const longest = Math.max(SHORTEST, ...watched.map((own) => longestOctets[own]!));
    const loopPs = Math.max(0, ...this.loopsOf(device).values());
    const loop = Math.ceil(loopPs / octetPs);
    const memory = this.buffers.memoryOf(device);
    const rooms = device.ports.flatMap((port) =>
      watched.map((priority) => {
        const account = memory?.at(port, port.configuration.groupOf[priority]!);
        if (memory === null || account?.isLossless !== true) return Infinity;
        const { reserved, alpha, xoff } = account;
        const most = Math.min(xoff, Math.floor(reserved + alpha * memory.pool));
        return most - Math.ceil(loopPs / port.octetPs);
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
    return kept(this.loops, device, () => this.loopsFrom(device));
  }

  private loopsFrom(device: Device): Map<Device, number> {
    const frame = Math.max(...this.model.configuration.longestOctets);
    const octets = lineOctets(frame) + lineOctets(MESSAGE_OCTETS);
    const loops = new Map([[device, 0]]);
    for (const [here, loopPs] of loops) {
      if (here.isHost) continue;
      const pipelines = here.configuration.pipelinePs * (here === device ? 1 : 2);
      for (const { peer, octetPs, wirePs } of here.ports) {
        if (loops.has(peer.device)) continue;
        loops.set(peer.device, loopPs + pipelines + 2 * wirePs + octets * octetPs);
      }
    }
    return new Map([...loops].filter(([{ isHost }]) => isHost));
  }

  private whyUnknown(device: Device): string | null {
    const { detect, target } = sfcOf(device);
    const { hasPlainClasses, settings, isBridge } = device.configuration;
    const isAuto = detect === 'auto' || target === 'auto';
    return reasonOf({
      'queues that are not known': !hasPlainClasses,
      'pauses that are not known': device.ports.some((port) => !this.responders.isKnown(port)),
      'queues that wait for credit': device.ports.some(({ isGranted }) => isGranted),
      'a detector by memory or growth': typeof detect === 'object' && !('min' in detect),
      'XOFF is not known': isAuto && (isBridge || this.buffers.memoryOf(device) === null),
      'queues that are measured for ECN, too': settings.priorities.some(
        ({ mechanisms }) => mechanisms['ecn'] !== 'off',
      ),
    });
  }
}

function difference(due: Message | null, seen: Message | undefined): string | null {
  if (due === null) return 'an SFCM is sent that is not due';
  if (seen === undefined) return 'no SFCM is sent';
  const keys = ['priority', 'pauseNs', 'port', 'units'] as const;
  const wrong = keys.find((key) => seen.sfcm[key] !== due.sfcm[key]);
  if (wrong !== undefined) {
    return `the SFCM states ${wrong} ${seen.sfcm[wrong]}, expected ${due.sfcm[wrong]}`;
  }
  const isRight = seen.via === due.via && seen.target === due.target;
  return isRight ? null : 'the SFCM is sent elsewhere than to it, by the port that it came in by';
}

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
  [queue.sampleOctets, queue.samplePs] = [length, atPs];
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
  [queue.lastPs, queue.lastOctets] = [atPs, length];
  const age = atPs - queue.fromPs;
  if (age < DRAIN_OCTETS * octetPs) return;
  queue.octetPs = age / Math.max(0, queue.joinedOctets - (length - queue.fromOctets));
  beginDrain(queue, length, atPs);
}

function beginDrain(queue: Queue, length: number, atPs: number): void {
  [queue.fromPs, queue.fromOctets, queue.joinedOctets] = [atPs, length, 0];
}
