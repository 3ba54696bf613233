/**
 * Senders: a packet of a connection is ready no sooner than rate and window allow after the one
 * before, and where nothing else keeps it back, no later. Both follow from the notifications,
 * acknowledgements and telemetry that came in.
 */

import type {
  DcqcnSettings,
  HpccSettings,
  QcnSettings,
  SwiftSettings,
  TimelySettings,
} from '../model/settings.js';
import type { Configuration } from '../configuration.js';
import { lineOctets, PRIORITIES, showPs } from '../ethernet.js';
import { type Cnm, cnmOf, queuePairOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import { GoBackN, type Send } from '../model/go-back-n.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import { Dcqcn, Timely } from '../model/rate-controls.js';
import type { RateModel } from '../model/rate-controls.js';
import { ReactionPoint } from '../model/reaction-point.js';
import { Hpcc, Swift } from '../model/window-controls.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';
import { sfcOf } from './pause-responders.js';

interface Connection {
  readonly model: RateModel;
  readonly send: Send;
  readonly line: number;
  readonly transport: GoBackN;
  /** The last packet: when it was ready, and its octets on the link; null: none was. */
  last: { readonly atPs: number; readonly octets: number } | null;
  /** The packet whose round trip is measured, and since when. */
  timed: { readonly sequence: number; readonly atPs: number } | null;
  /** Packets that were acknowledged at the last measurement. */
  measuredTo: number;
  /** Only one of its host: connections of a class take turns. */
  readonly isAlone: boolean;
  /** When the next packet will be made, as things were at a time; Infinity: not before an event. */
  duePs: number;
  sincePs: number;
}

/** 8 bits in picoseconds at 1 bit/s. */
const OCTET_PS = 8e12;
/** An acknowledgement states the time in the receiving station in nanoseconds. */
const NS = 1000;
/** Rounding of windows that are whole packets but for the last bits of a computation. */
const NEARLY = 1e-6;

export class Pacing implements Observer {
  /** By host, then by connection; null: its rate is not judged. */
  private readonly connections: (Connection | null)[][];

  constructor(
    private readonly configuration: Configuration,
    private readonly devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    this.connections = devices.map((device) => this.connectionsOf(device));
  }

  /** A host makes a packet when it joins the queue of its port. */
  joining(out: Port, { frame }: Queued, atPs: number): void {
    const own = this.ownerOf(out, frame);
    if (own === null) return;
    const { model, transport } = own;
    expire(own, out, atPs, frame.sequence !== transport.next);
    // What is due at this very moment may come before or after the packet.
    model.advance(atPs - 1);
    this.checkLate(out, own, atPs);
    const before = readyPs(own);
    model.advance(atPs);
    this.compareNumber(out, own, frame, atPs);
    this.compare(out, own, { ready: Math.min(before, readyPs(own)), atPs });
    own.last = { atPs, octets: lineOctets(frame.octets) };
    transport.made(frame.sequence, atPs);
    own.timed ??= { sequence: frame.sequence, atPs };
    model.sent?.(frame.octets);
    own.duePs = Infinity;
  }

  /** Its NIC makes the next packet when the one before leaves. */
  started(port: Port, { atPs, frame }: { atPs: number; frame: WireFrame }): void {
    const own = this.ownerOf(port, frame);
    if (own === null) return;
    own.model.advance(atPs);
    refresh(own, port, atPs);
  }

  arrived(port: Port, frame: WireFrame, atPs: number): void {
    const { device } = port;
    if (!device.isHost || frame.target !== device.index) return;
    const isAnswer = frame.kind === 'ack' || frame.kind === 'nak';
    const all = this.connections[device.index]!;
    const cnm = frame.kind === 'notice' && frame.payload !== null ? cnmOf(frame.payload) : null;
    const number = isAnswer ? frame.connection : numberOf(all, frame, cnm);
    const own = all[number] ?? null;
    if (own === null || (!isAnswer && frame.kind !== 'notice')) return;
    expire(own, port, atPs, false);
    own.model.advance(atPs - 1);
    this.checkLate(port, own, atPs);
    own.model.advance(atPs);
    if (isAnswer) acknowledged(own, frame, atPs);
    else own.model.notified?.(atPs, cnm?.feedback ?? 0);
    refresh(own, port, atPs);
  }

  private ownerOf({ device }: Port, frame: WireFrame): Connection | null {
    if (!device.isHost || (frame.kind !== 'data' && frame.kind !== 'raw')) return null;
    const all = this.connections[device.index]!;
    return all.find((one) => one !== null && isOf(one, frame)) ?? null;
  }

  /** Packets are sent in order, from the oldest on that must be sent again. */
  private compareNumber(out: Port, own: Connection, { sequence }: WireFrame, atPs: number): void {
    const { next, unacked } = own.transport;
    const { send, model } = own;
    const place = { ...placeOf(out, atPs), priority: priorityOf(send) };
    if (sequence !== next) {
      const what = `${send.name} sends packet ${sequence}, expected ${next}`;
      this.verdict.broken('rates', place, what);
    }
    const packets = Math.min(send.windowPackets, model.window?.(NEARLY) ?? Infinity);
    if (!send.reliable || sequence < unacked + packets) return;
    const what = `${send.name} sends packet ${sequence}, with ${unacked} acknowledged and a window`;
    this.verdict.broken('rates', place, `${what} of ${packets}`);
  }

  private compare(
    out: Port,
    { model, send, last }: Connection,
    { ready, atPs }: { ready: number; atPs: number },
  ): void {
    if (last === null) return;
    this.verdict.judge('rates');
    if (atPs >= ready) return;
    const place = { ...placeOf(out, atPs), priority: priorityOf(send) };
    const what = `a packet of ${send.name} is ready before ${showPs(ready)}`;
    this.verdict.broken('rates', place, `${what}, at ${showRate(model)}`);
  }

  /** A packet that was due before a time has not been made. */
  private checkLate(out: Port, own: Connection, atPs: number): void {
    const { model, send, duePs, sincePs } = own;
    if (duePs === Infinity) return;
    // A rate that a timer raises may make a packet ready at once.
    const isChanged = model.changedPs > sincePs;
    const due = isChanged ? Math.max(readyPs(own), model.changedPs) : duePs;
    if (due >= atPs || due >= send.endPs) return;
    const place = { ...placeOf(out, atPs), priority: priorityOf(send) };
    const what = `a packet of ${send.name} is ready at ${showPs(due)}, at ${showRate(model)}`;
    this.verdict.broken('rates', place, `${what}, and late`);
  }

  private connectionsOf(device: Device): (Connection | null)[] {
    const spec = this.configuration.fabric.specs[device.index]!;
    if (spec.kind !== 'host') return [];
    const line = OCTET_PS / device.ports[0]!.octetPs;
    const isAlone = spec.sends.length === 1;
    return spec.sends.map((send): Connection | null => {
      const model = this.modelOf(device, send, line);
      if (model === null) return null;
      const blank = { last: null, timed: null, measuredTo: 0, duePs: Infinity, sincePs: 0 };
      return { model, send, line, transport: new GoBackN(send), isAlone, ...blank };
    });
  }

  private modelOf(device: Device, send: Send, line: number): RateModel | null {
    if (send.rate === null) return null;
    const { kind } = send.rate;
    const { rateControls, seed } = this.configuration.scenario;
    const why = whyUnknown(device);
    const packetOctets = lineOctets(send.fullFrameOctets);
    const settings = rateControls[kind];
    switch (why === null ? kind : '') {
      case 'dcqcn':
        return new Dcqcn(settings as DcqcnSettings, line);
      case 'timely':
        return new Timely(settings as TimelySettings, line);
      case 'hpcc':
        return new Hpcc(settings as HpccSettings, line, packetOctets);
      case 'swift': {
        const hops = this.switchesBetween(device.index, send.target);
        return new Swift(settings as SwiftSettings, line, { packetOctets, hops });
      }
      case 'qcn': {
        const draws = new Draws(seed, `${send.name}/rate`);
        return new ReactionPoint(settings as QcnSettings, line, draws);
      }
      default:
        this.verdict.decline('rates', why ?? `${kind} is not modelled`);
        return null;
    }
  }

  /** Of a shortest path. */
  private switchesBetween(from: number, to: number): number {
    const reached = new Map([[from, 0]]);
    for (const [index, hops] of reached) {
      if (index === to) return hops - 1;
      const device = this.devices[index]!;
      if (device.isHost && index !== from) continue;
      for (const { peer } of device.ports) {
        if (!reached.has(peer.device.index)) reached.set(peer.device.index, hops + 1);
      }
    }
    return 0;
  }
}

/** The connection of a notification; -1: none. */
function numberOf(
  all: readonly (Connection | null)[],
  { payload }: WireFrame,
  cnm: Cnm | null,
): number {
  if (payload === null) return -1;
  if (cnm === null) return queuePairOf(payload) ?? -1;
  if (cnm.flowId !== 0) return cnm.flowId - 1;
  // Without a Flow ID it is for the first reaction point of its priority (802.1Q 32.14).
  return all.findIndex(
    (own) => own?.send.rate?.kind === 'qcn' && priorityOf(own.send) === cnm.priority,
  );
}

function acknowledged(
  own: Connection,
  { kind, sequence, remaining, payload }: WireFrame,
  atPs: number,
): void {
  const { model, timed, transport } = own;
  if (kind === 'nak') lost(own, false, atPs);
  else if (timed !== null && sequence > timed.sequence) {
    const packets = Math.max(1, sequence - own.measuredTo);
    model.measured?.(atPs - timed.atPs, { endpointPs: remaining * NS, packets, atPs });
    own.measuredTo = sequence;
    own.timed = null;
  }
  if (payload !== null) model.observed?.(payload, sequence, transport.next);
  transport.acknowledged(sequence, kind === 'nak', atPs);
}

/** Packets are sent again, and cannot be timed. */
function lost(own: Connection, timedOut: boolean, atPs: number): void {
  own.timed = null;
  own.model.lost?.(timedOut, atPs);
}

/** The retransmission timer, up to a time. */
function expire(own: Connection, port: Port, atPs: number, isAt: boolean): void {
  const expiredPs = own.transport.timeout(atPs, isAt);
  if (expiredPs === null) return;
  own.model.advance(expiredPs);
  lost(own, true, expiredPs);
  refresh(own, port, expiredPs);
}

/** Something happened: when the next packet is due now. */
function refresh(own: Connection, port: Port, atPs: number): void {
  own.sincePs = atPs;
  own.duePs = mayBeMade(own, port) ? Math.max(atPs, readyPs(own)) : Infinity;
}

/** Nothing but its rate keeps the next packet back. */
function mayBeMade({ send, last, isAlone, transport, model }: Connection, port: Port): boolean {
  // Packets of some loads are released over time, and all others when the load starts.
  if (!isAlone || last === null || send.release.kind !== 'backlog') return false;
  if (send.after.length > 0 || transport.next >= send.packetsPerMessage * send.messages) {
    return false;
  }
  const isWaiting = port.queues.some((queue) =>
    queue.some(({ frame: { kind } }) => kind === 'data' || kind === 'raw'),
  );
  const packets = Math.min(send.windowPackets, model.window?.(-NEARLY) ?? Infinity);
  return !isWaiting && (!send.reliable || transport.next < transport.unacked + packets);
}

function isOf({ send }: Connection, frame: WireFrame): boolean {
  const { remote, target, hash } = send;
  const isSame = remote === frame.connection && target === frame.target && hash === frame.hash;
  return isSame && priorityOf(send) === frame.priority;
}

function priorityOf({ frameClass }: Send): number {
  return frameClass & (PRIORITIES.length - 1);
}

function showRate({ rate }: RateModel): string {
  return `${Math.round(rate / 1e6)} Mb/s`;
}

function placeOf({ device, index }: Port, atPs: number) {
  return { device: device.index, port: index, atPs };
}

/** From when on the rate allows the next packet. */
function readyPs({ last, model, line, send }: Connection): number {
  if (last === null) return 0;
  const pace = model.rate < line ? OCTET_PS / model.rate : 0;
  return last.atPs + Math.round(last.octets * Math.max(pace, send.pacePsPerOctet));
}

function whyUnknown(device: Device): string | null {
  const { ports, configuration } = device;
  if (configuration.ownMemory === 'nic') return 'the rate limiters of an 82599';
  const { receive, scope } = sfcOf(device);
  if (receive && scope === 'flow') return 'flows that source flow control stops';
  const faults = ports.flatMap((port) => [...port.configuration.faults]);
  return faults.length > 0 ? 'a fault at the port' : null;
}
