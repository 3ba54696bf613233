/**
 * The way of frames through devices: a frame that came in joins the queue of each port that it
 * leaves by, or is dropped, and starts there when it is the first of its class. So every frame
 * leaves once, in order and as it came.
 */

import { SHORTEST, showPs } from '../ethernet.js';
import type { EventOf, WireFrame } from '../record.js';
import type { RuleName, Verdict } from '../verdict.js';
import { hasLinkRetry, type Links } from './links.js';
import type { Observer } from './observer.js';
import { type Device, isSameFrame, type Pending, type Port, type Queued } from './port.js';

export class Passage {
  constructor(
    private readonly links: Links,
    private readonly observers: readonly Observer[],
    private readonly verdict: Verdict,
  ) {}

  arrival(port: Port, { frame, atPs }: EventOf<'arrival'>): void {
    const flight = this.links.frameArrives(port, frame, atPs);
    const { device } = port;
    this.expire(device, atPs);
    for (const observer of this.observers) observer.arrived?.(port, frame, atPs, flight);
    if (device.isHost) return;
    const storage = { ingress: port, copies: 0, octets: 0, group: -1 };
    device.pending.push({ frame, atPs, ingress: port, copies: [], isDropped: false, storage });
  }

  rejected(port: Port, { frame, atPs, reason }: EventOf<'rejected'>): void {
    const flight = this.links.frameArrives(port, frame, atPs);
    for (const observer of this.observers) observer.rejected?.(port, reason, atPs, flight);
  }

  queued(out: Port, ingress: Port, { frame, atPs }: EventOf<'queued'>): void {
    const { device } = out;
    const trafficClass = device.classOf(out, frame, atPs);
    const moved = device.discarded.find(
      (own) => own.storage.ingress === ingress && isSameFrame(own.frame, frame),
    );
    if (moved !== undefined) {
      device.discarded.splice(device.discarded.indexOf(moved), 1);
      this.join(out, { ...moved, out, frame, atPs, trafficClass, isMoved: true });
      return;
    }
    const isIts = (own: WireFrame): boolean => isSameFrame(own, frame, 'kind dscp');
    const isMade = device.isHost || (frame.kind === 'cut' && device.trimmed.some(isIts));
    const pending = isMade ? undefined : pendingFor(out, ingress, frame, atPs);
    if (pending === undefined && !isMade && (out !== ingress || frame.kind !== 'notice')) {
      this.broken('conservation', out, atPs, 'a frame is queued that has not come in', frame);
      return;
    }
    const storage = pending?.storage ?? { ingress, copies: 0, octets: 0, group: -1 };
    if (pending !== undefined) this.checkEntry(out, pending, frame, atPs);
    if (storage.copies++ === 0 && (pending === undefined || pending.copies.length === 0)) {
      for (const observer of this.observers) observer.admitted?.(storage, frame, out, atPs);
    }
    const queued: Queued = {
      ...{ out, frame, atPs, storage, trafficClass, isMoved: false },
      cameEcn: pending?.frame.ecn ?? frame.ecn,
      octets: device.stored(frame.octets),
    };
    pending?.copies.push(queued);
    if (pending !== undefined) settle(device, pending);
    this.join(out, queued);
  }

  private join(out: Port, queued: Queued): void {
    for (const observer of this.observers) observer.joining?.(out, queued, queued.atPs);
    out.join(queued);
    for (const observer of this.observers) observer.joined?.(out, queued, queued.atPs);
  }

  /** The moment at which a frame joins a queue, and that it is as it came in. */
  private checkEntry(out: Port, pending: Pending, frame: WireFrame, atPs: number): void {
    const { ownMemory, isBridge } = out.device.configuration;
    this.verdict.judge('conservation');
    const duePs = pending.atPs + restPs(pending, out);
    if (ownMemory === null && duePs !== atPs) {
      const what = `a frame that is in at ${showPs(pending.atPs)} is queued at`;
      this.broken('wire', out, atPs, `${what} ${showPs(duePs)}, not at ${showPs(atPs)}`, frame);
    }
    if (isBridge) return;
    const came = pending.frame;
    for (const key of ['octets', 'vlan', 'ecn'] as const) {
      if (came[key] === frame[key] || mayChange(out, key)) continue;
      // A switch may mark a frame when it joins a queue.
      if (key === 'ecn' && came.ecn !== 0 && frame.ecn === 3) continue;
      const what = `a frame came in with ${key} ${came[key]} and is queued with ${frame[key]}`;
      this.broken('conservation', out, atPs, what, frame);
    }
  }

  dropped(port: Port, { frame, atPs, reason }: EventOf<'dropped'>): void {
    const { device } = port;
    const left = device.discarded.findIndex(
      (own) => [own.storage.ingress, own.out].includes(port) && isSameFrame(own.frame, frame),
    );
    if (left >= 0) {
      const [queued] = device.discarded.splice(left, 1);
      this.release(queued!, atPs);
      return;
    }
    const pending = device.isHost ? undefined : pendingOf(device, port, frame, atPs);
    for (const observer of this.observers) observer.refused?.(port, frame, reason, atPs);
    if (pending === undefined) return;
    pending.isDropped = true;
    if (reason === 'trimmed') device.trimmed[0] = frame;
    settle(device, pending);
  }

  discarded(port: Port, { frame, atPs }: EventOf<'discarded'>): void {
    const queued = port.queues.flat().find((own) => isSameFrame(own.frame, frame));
    if (queued === undefined) {
      this.broken('conservation', port, atPs, 'a frame is discarded that does not wait', frame);
      return;
    }
    port.leave(queued);
    for (const observer of this.observers) observer.discarded?.(port, queued, atPs);
    if (port.device.isHost) this.release(queued, atPs);
    else port.device.discarded.push(queued);
  }

  start(port: Port, { frame, atPs, trafficClass, eligible }: EventOf<'start'>): void {
    // Normally it is the first of its class.
    const heads = port.queues.flatMap((queue) => queue.slice(0, 1));
    const queued = [...heads, ...port.queues.flat()].find((own) => isSameFrame(own.frame, frame));
    const name = `frame ${frame.sequence} of source ${frame.source}`;
    if (queued === undefined) {
      const what = `${name} starts, and does not wait here`;
      this.broken('conservation', port, atPs, what, frame);
      this.links.frameStarts(port, frame, atPs);
      return;
    }
    this.verdict.judge('conservation');
    const first = firstInOrder(port, queued);
    if (first !== queued) {
      const other = `${first.frame.sequence} of source ${first.frame.source} in its queue`;
      this.broken('conservation', port, atPs, `${name} overtakes ${other}`, frame);
    }
    this.compare(port, queued, frame, atPs);
    const start = { atPs, trafficClass, eligible, queued, frame };
    for (const observer of this.observers) observer.starting?.(port, start);
    port.leave(queued);
    this.links.frameStarts(port, frame, atPs);
    for (const observer of this.observers) observer.started?.(port, start);
    this.release(queued, atPs);
  }

  /** Switches may mark a frame, and write telemetry into it; all else is as it was queued. */
  private compare(port: Port, queued: Queued, after: WireFrame, atPs: number): void {
    const { frame: before, octets } = queued;
    for (const key of ['octets', 'vlan', 'flowId', 'priority'] as const) {
      if (before[key] === after[key] || mayChange(port, key)) continue;
      if (octets !== before.octets && key !== 'priority') continue;
      const what = `a frame was queued with ${key} ${before[key]} and starts with ${after[key]}`;
      this.broken('conservation', port, atPs, what, after);
    }
    if (before.ecn === after.ecn || after.ecn === 3) return;
    const what = `the ECN field changes from ${before.ecn} to ${after.ecn} (RFC 3168 5)`;
    this.broken('conservation', port, atPs, what, after);
  }

  private release({ storage }: Queued, atPs: number): void {
    if (--storage.copies > 0) return;
    for (const observer of this.observers) observer.released?.(storage, atPs);
  }

  /** A frame neither queued nor dropped when its time is over is lost, unless it ended here. */
  private expire({ pending, configuration }: Device, atPs: number): void {
    for (let i = 0; i < pending.length;) {
      const own = pending[i]!;
      if (own.atPs + longestRestPs(own) >= atPs) {
        i++;
        continue;
      }
      pending.splice(i, 1);
      if (own.copies.length > 0 || own.isDropped || own.frame.kind === 'notice') continue;
      if (own.frame.isGroup || configuration.ownMemory !== null) continue;
      const what = `a frame that came in at ${showPs(own.atPs)} is neither queued nor dropped`;
      this.broken('conservation', own.ingress, own.atPs, what, own.frame);
    }
  }

  private broken(rule: RuleName, port: Port, atPs: number, what: string, frame: WireFrame): void {
    this.verdict.broken(rule, port.at(atPs, frame.priority), what);
  }
}

/** One that is not replicated has been decided about. */
function settle({ pending, configuration }: Device, own: Pending): void {
  if (!own.frame.isGroup && !configuration.isBridge) pending.splice(pending.indexOf(own), 1);
}

/** Of frames that look alike, as acknowledgements may, the one whose time it is. */
function pendingFor(out: Port, ingress: Port, frame: WireFrame, atPs: number): Pending | undefined {
  const onTime = out.device.pending.find(
    (own) =>
      own.ingress === ingress &&
      isSameFrame(own.frame, frame) &&
      own.atPs + restPs(own, out) === atPs,
  );
  return onTime ?? pendingOf(out.device, ingress, frame, atPs);
}

/** What came in last is decided about first, unless it waited for its end. */
function pendingOf(
  { pending }: Device,
  ingress: Port,
  frame: WireFrame,
  atPs: number,
): Pending | undefined {
  return pending.findLast(
    (own) => own.ingress === ingress && own.atPs <= atPs && isSameFrame(own.frame, frame),
  );
}

/**
 * A frame that cuts through starts no faster than it comes in, so it waits for its end before a
 * faster link; one that link-level retry has checked passes the pipeline then.
 */
function restPs({ ingress, frame }: Pending, out: Port): number {
  const { cutsThrough, pipelinePs } = out.device.configuration;
  if (hasLinkRetry(ingress)) return pipelinePs;
  const mayStart = !cutsThrough || out.octetPs >= ingress.octetPs;
  return mayStart ? 0 : (frame.octets - SHORTEST) * ingress.octetPs;
}

function longestRestPs({ ingress, frame }: Pending): number {
  const { cutsThrough, pipelinePs, ownMemory } = ingress.device.configuration;
  if (ownMemory !== null) return Infinity;
  if (hasLinkRetry(ingress)) return pipelinePs;
  return cutsThrough ? frame.octets * ingress.octetPs : 0;
}

/**
 * Frames of one class are sent in order; of those that need a grant, frames of one priority and
 * VLAN, which have a channel of their own; where classes are not known, those of one flow.
 */
function firstInOrder(
  { queues, device, isGranted }: Port,
  { frame, trafficClass }: Queued,
): Queued {
  const keys = device.configuration.hasPlainClasses
    ? (['priority', 'vlan'] as const)
    : (['source', 'connection', 'kind', 'target', 'priority'] as const);
  const isWhole = device.configuration.hasPlainClasses && !isGranted;
  return queues[trafficClass]!.find(
    ({ frame: own }) => isWhole || keys.every((key) => own[key] === frame[key]),
  )!;
}

/** At the edge of a congestion-notification domain the CN-TAG is removed (802.1Q 32.1.1). */
const mayChange = ({ device }: Port, key: keyof WireFrame): boolean =>
  device.configuration.hasDomainEdges && ['octets', 'flowId', 'priority'].includes(key);
