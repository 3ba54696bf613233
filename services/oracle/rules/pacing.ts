/**
 * Senders: a packet of a connection is ready no sooner than rate and window allow after the one
 * before, and where nothing else keeps it back, no later. Both follow from the notifications,
 * acknowledgements and telemetry that came in.
 */

import { lineOctets, PRIORITIES, showPs } from '../ethernet.js';
import { type Cnm, cnmOf, queuePairOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import type { Device, Model, Observer, Port, Queued, Start, WireFrame } from '../model/model.js';
import { hopsFrom, reasonOf } from '../model/port.js';
import { Dcqcn, type RateModel, ReactionPoint, Timely } from '../model/rate-controls.js';
import type * as Keys from '../model/settings.js';
import { Hpcc, Swift } from '../model/window-controls.js';
import { sfcOf } from './pause-responders.js';

type Spec = Model['configuration']['fabric']['specs'][number];
type Send = Extract<Spec, { kind: 'host' }>['sends'][number];

/**
 * A sender that goes back to the oldest packet that is not acknowledged, after a NAK for it or when
 * nothing was acknowledged for a time; that time doubles, up to a bound, until something is.
 */
class GoBackN {
  next = 0;
  unacked = 0;
  private deadlinePs = Infinity;
  private stalledAt = -1;
  private backedOffPs = 0;

  constructor(private readonly send: Send) {}

  made(sequence: number, atPs: number): void {
    if (this.unacked >= this.next) this.deadlinePs = atPs + this.timeoutPs;
    this.next = sequence + 1;
  }

  acknowledged(expected: number, isNak: boolean, atPs: number): void {
    const isProgress = expected > this.unacked;
    if (isProgress) {
      this.unacked = expected;
      this.deadlinePs = atPs + this.send.timeoutPs;
    }
    const isBehind = this.next < expected;
    if (isBehind || (isNak && expected === this.unacked)) this.next = expected;
  }

  /** When its timer expired before a time (or at it, where that is wanted); null: it did not. */
  timeout(atPs: number, isAt: boolean): number | null {
    const { deadlinePs } = this;
    if (this.send.transport === null || this.unacked >= this.next) return null;
    if (deadlinePs > atPs || (deadlinePs === atPs && !isAt)) return null;
    this.next = this.unacked;
    this.backedOffPs = Math.min(2 * this.timeoutPs, this.send.maxTimeoutPs);
    this.stalledAt = this.unacked;
    return deadlinePs;
  }

  private get timeoutPs(): number {
    return this.stalledAt === this.unacked ? this.backedOffPs : this.send.timeoutPs;
  }
}

const BLANK = {
  /** The last packet: when it was ready, and its octets on the link; null: none was. */
  last: null as { readonly atPs: number; readonly octets: number } | null,
  /** The packet whose round trip is measured, and since when. */
  timed: null as { readonly sequence: number; readonly atPs: number } | null,
  /** Packets that were acknowledged at the last measurement. */
  measuredTo: 0,
  /** When the next packet will be made, as things were at a time; Infinity: not before an event. */
  ...{ duePs: Infinity, sincePs: 0 },
};

type Connection = typeof BLANK & {
  readonly model: RateModel;
  readonly send: Send;
  readonly line: number;
  readonly transport: GoBackN;
  /** Only one of its host: connections of a class take turns. */
  readonly isAlone: boolean;
};

/** The one transport whose packet numbers are judged. */
const GO_BACK_N = 'go-back-n';
/** 8 bits in picoseconds at 1 bit/s. */
const OCTET_PS = 8e12;
/** An acknowledgement states the time in the receiving station in nanoseconds. */
const NS = 1000;
/** Rounding of windows that are whole packets but for the last bits of a computation. */
const NEARLY = 1e-6;

export class Pacing implements Observer {
  /** By host, then by connection; null: its rate is not judged. */
  private readonly connections: (Connection | null)[][];

  constructor(private readonly model: Model) {
    this.connections = model.devices.map((device) => this.connectionsOf(device));
  }

  /** A host makes a packet when it joins the queue of its port. */
  joining(out: Port, { frame }: Queued, atPs: number): void {
    const own = this.ownerOf(out, frame);
    if (own === null) return;
    const { model, transport } = own;
    const before = this.reach(out, own, atPs, frame.sequence !== transport.next);
    this.compareNumber(out, own, frame, atPs);
    const ready = Math.min(before, readyPs(own));
    if (own.last !== null) this.model.verdict.judge('rates');
    if (own.last !== null && atPs < ready) {
      this.broken(out, own, atPs, `a packet is ready before ${showPs(ready)}, at ${rateOf(own)}`);
    }
    own.last = { atPs, octets: lineOctets(frame.octets) };
    transport.made(frame.sequence, atPs);
    own.timed ??= { sequence: frame.sequence, atPs };
    model.sent?.(frame.octets);
    own.duePs = Infinity;
  }

  /** Its NIC makes the next packet when the one before leaves. */
  started(port: Port, { atPs, frame }: Start): void {
    const own = this.ownerOf(port, frame);
    if (own === null) return;
    own.model.advance?.(atPs);
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
    this.reach(port, own, atPs, false);
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
    const what = `packet ${sequence} is sent`;
    if (sequence !== next) this.broken(out, own, atPs, `${what}, expected ${next}`);
    const packets = Math.min(send.windowPackets, model.window?.(NEARLY) ?? Infinity);
    if (send.transport === null || sequence < unacked + packets) return;
    this.broken(out, own, atPs, `${what}, with ${unacked} acknowledged and a window of ${packets}`);
  }

  /** Timers up to a time, before which no packet was due; when one was ready before. */
  private reach(out: Port, own: Connection, atPs: number, isAt: boolean): number {
    expire(own, out, atPs, isAt);
    // What is due at this very moment may come before or after a packet.
    own.model.advance?.(atPs - 1);
    this.checkLate(out, own, atPs);
    const before = readyPs(own);
    own.model.advance?.(atPs);
    return before;
  }

  private checkLate(out: Port, own: Connection, atPs: number): void {
    const { model, send, duePs, sincePs } = own;
    if (duePs === Infinity) return;
    // A rate that a timer raises may make a packet ready at once.
    const { changedPs = 0 } = model;
    const due = changedPs > sincePs ? Math.max(readyPs(own), changedPs) : duePs;
    if (due >= atPs || due >= send.endPs) return;
    const what = `a packet is ready at ${showPs(due)}, at ${rateOf(own)}, and late`;
    this.broken(out, own, atPs, what);
  }

  private broken(port: Port, { send }: Connection, atPs: number, what: string): void {
    const place = port.at(atPs, priorityOf(send));
    this.model.verdict.broken('rates', place, `${send.name}: ${what}`);
  }

  private connectionsOf(device: Device): (Connection | null)[] {
    const spec = this.model.configuration.fabric.specs[device.index]!;
    if (spec.kind !== 'host') return [];
    const line = OCTET_PS / device.ports[0]!.octetPs;
    const isAlone = spec.sends.length === 1;
    return spec.sends.map((send): Connection | null => {
      const model = this.modelOf(device, send, line);
      return model && { ...BLANK, model, send, line, transport: new GoBackN(send), isAlone };
    });
  }

  private modelOf(device: Device, send: Send, line: number): RateModel | null {
    if (send.rate === null) return null;
    const { kind } = send.rate;
    const { verdict, configuration } = this.model;
    const { rateControls, seed } = configuration.scenario;
    const packetOctets = lineOctets(send.fullFrameOctets);
    const own = rateControls[kind];
    if (!verdict.knows('rates', whyUnknown(device))) return null;
    if ((send.transport?.kind ?? GO_BACK_N) !== GO_BACK_N) {
      verdict.decline('rates', `${send.transport!.kind} repeat is not modelled`);
      return null;
    }
    const to = this.model.devices[send.target]!;
    const hops = hopsFrom(device, () => false).get(to)! - 1;
    const draws = new Draws(seed, `${send.name}/rate`);
    switch (kind) {
      case 'dcqcn':
        return new Dcqcn(own as Keys.DcqcnSettings, line);
      case 'timely':
        return new Timely(own as Keys.TimelySettings, line);
      case 'hpcc':
        return new Hpcc(own as Keys.HpccSettings, line, packetOctets);
      case 'swift':
        return new Swift(own as Keys.SwiftSettings, line, { packetOctets, hops });
      case 'qcn':
        return new ReactionPoint(own as Keys.QcnSettings, line, draws);
      default:
        verdict.decline('rates', `${kind} is not modelled`);
        return null;
    }
  }
}

function numberOf(all: readonly (Connection | null)[], frame: WireFrame, cnm: Cnm | null): number {
  const { payload } = frame;
  if (payload === null) return -1;
  // Queue pairs 0 and 1 are for management (IBA 3.5.1).
  if (cnm === null) return (queuePairOf(payload) ?? -1) - 2;
  if (cnm.flowId !== 0) return cnm.flowId - 1;
  // Without a Flow ID it is for the first reaction point of its priority (802.1Q 32.14).
  return all.findIndex(
    (own) => own?.send.rate?.kind === 'qcn' && priorityOf(own.send) === cnm.priority,
  );
}

function acknowledged(own: Connection, frame: WireFrame, atPs: number): void {
  const { kind, sequence, remaining, payload } = frame;
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
  own.model.advance?.(expiredPs);
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
  const isLast = transport.next >= send.packetsPerMessage * send.messages;
  if (!isAlone || last === null || isLast) return false;
  if (send.release.kind !== 'backlog' || send.after.length > 0) return false;
  const isWaiting = port.queues.some((queue) =>
    queue.some(({ frame: { kind } }) => kind === 'data' || kind === 'raw'),
  );
  const packets = Math.min(send.windowPackets, model.window?.(-NEARLY) ?? Infinity);
  return !isWaiting && (send.transport === null || transport.next < transport.unacked + packets);
}

function isOf({ send }: Connection, frame: WireFrame): boolean {
  const { remote, target, hash } = send;
  const isSame = remote === frame.connection && target === frame.target && hash === frame.hash;
  return isSame && priorityOf(send) === frame.priority;
}

const priorityOf = ({ frameClass }: Send): number => frameClass & (PRIORITIES.length - 1);

const rateOf = ({ model }: Connection): string => `${Math.round(model.rate / 1e6)} Mb/s`;

/** From when on the rate allows the next packet. */
function readyPs({ last, model, line, send }: Connection): number {
  if (last === null) return 0;
  const pace = model.rate < line ? OCTET_PS / model.rate : 0;
  return last.atPs + Math.round(last.octets * Math.max(pace, send.pacePsPerOctet));
}

function whyUnknown(device: Device): string | null {
  const { receive, scope } = sfcOf(device);
  return reasonOf({
    'the rate limiters of an 82599': device.configuration.ownMemory === 'nic',
    'flows that source flow control stops': receive && scope === 'flow',
    'a fault at the port': device.ports.some((port) => port.configuration.faults.size > 0),
  });
}
