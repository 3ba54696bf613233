/**
 * Rates of senders: a packet of a connection is ready no sooner than its rate allows after the one
 * before, and where nothing else keeps it back, no later. The rate follows from the notifications
 * and acknowledgements that came in.
 */

import type { Configuration } from '../configuration.js';
import { lineOctets, showPs, u16 } from '../ethernet.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import { Dcqcn, type DcqcnSettings, Timely, type TimelySettings } from '../model/rate-controls.js';
import type { RateModel } from '../model/rate-controls.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

type Send = Extract<Configuration['fabric']['specs'][number], { kind: 'host' }>['sends'][number];

interface Connection {
  readonly model: RateModel;
  readonly send: Send;
  readonly line: number;
  /** The last packet: when it was ready, and its octets on the link; null: none was. */
  last: { readonly atPs: number; readonly octets: number } | null;
  next: number;
  unacked: number;
  /** The packet whose round trip is measured, and since when. */
  timed: { readonly sequence: number; readonly atPs: number } | null;
  /** When an acknowledgement or notification came last. */
  heardPs: number;
}

/** 8 bits in picoseconds at 1 bit/s. */
const OCTET_PS = 8e12;
const ROCE_PORT = 4791;
const CNP_OPCODE = 0x81;
const IPV4 = 0x0800;
const C_TAG = 0x8100;
const S_TAG = 0x88a8;

export class Pacing implements Observer {
  /** By host, then by connection; null: its rate is not judged. */
  private readonly connections: (Connection | null)[][];
  /** By host: when a frame of each class last left it. */
  private readonly busyPs: Float64Array[];

  constructor(
    private readonly configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    this.connections = devices.map((device) => this.connectionsOf(device));
    this.busyPs = devices.map(() => new Float64Array(8));
  }

  /** A host makes a packet when it joins the queue of its port. */
  joining(out: Port, { frame, trafficClass }: Queued, atPs: number): void {
    const { device } = out;
    if (!device.isHost || (frame.kind !== 'data' && frame.kind !== 'raw')) return;
    const own = this.connections[device.index]!.find(
      (one) => one !== null && one.send.target === frame.target && isOf(one, frame),
    );
    if (own === null || own === undefined) return;
    const { last, model } = own;
    // What is due at this very moment may come before or after the packet.
    model.advance(atPs - 1);
    const before = readyPs(own);
    model.advance(atPs);
    const ready = Math.min(before, readyPs(own));
    if (last !== null) this.compare(out, own, { ready, atPs, trafficClass });
    own.last = { atPs, octets: lineOctets(frame.octets) };
    own.next = frame.sequence + 1;
    own.timed ??= { sequence: frame.sequence, atPs };
    model.sent?.(frame.octets);
  }

  started(port: Port, { atPs, queued }: { atPs: number; queued: Queued }): void {
    if (port.device.isHost) this.busyPs[port.device.index]![queued.trafficClass] = atPs;
  }

  arrived({ device }: Port, frame: WireFrame, atPs: number): void {
    if (!device.isHost || frame.target !== device.index) return;
    const all = this.connections[device.index]!;
    if (frame.kind === 'notice') {
      const own = all[connectionOf(frame.payload) ?? -1] ?? null;
      if (own === null) return;
      own.model.advance(atPs);
      own.heardPs = atPs;
      own.model.notified?.(atPs);
    } else if (frame.kind === 'ack' || frame.kind === 'nak') {
      const own = all[frame.connection] ?? null;
      if (own !== null) this.acknowledged(own, frame, atPs);
    }
  }

  private acknowledged(own: Connection, { kind, sequence }: WireFrame, atPs: number): void {
    own.heardPs = atPs;
    own.unacked = Math.max(own.unacked, sequence);
    const { timed } = own;
    if (kind === 'nak') {
      // Packets are sent again, and cannot be timed.
      own.timed = null;
    } else if (timed !== null && sequence > timed.sequence) {
      own.model.measured?.(atPs - timed.atPs);
      own.timed = null;
    }
  }

  private compare(
    out: Port,
    own: Connection,
    { ready, atPs, trafficClass }: { ready: number; atPs: number; trafficClass: number },
  ): void {
    const { device } = out;
    const place = {
      device: device.index,
      port: out.index,
      atPs,
      priority: own.send.frameClass & 7,
    };
    this.verdict.judge('rates');
    const rate = `${Math.round(own.model.rate / 1e6)} Mb/s`;
    if (atPs < ready) {
      const what = `a packet of ${own.send.name} is ready before ${showPs(ready)}, at ${rate}`;
      this.verdict.broken('rates', place, what);
      return;
    }
    const isLimited = own.model.rate < own.line;
    // Its NIC has one packet of a class at a time.
    const isEmpty = out.queues[trafficClass]!.length === 0;
    const isIdle = this.busyPs[device.index]![trafficClass]! < ready && own.heardPs < ready;
    const fits = own.next - own.unacked < own.send.windowPackets;
    // A rate that a timer raises may make a packet ready at once.
    const isOnTime = atPs <= Math.max(ready, own.model.changedPs);
    if (!isLimited || isOnTime || !isEmpty || !isIdle || !fits || !this.isAlone(device)) return;
    const what = `a packet of ${own.send.name} is ready at ${showPs(ready)}, at ${rate}, and late`;
    this.verdict.broken('rates', place, what);
  }

  /** Connections of a class take turns, where there are several. */
  private isAlone({ index }: Device): boolean {
    return this.connections[index]!.length === 1;
  }

  private connectionsOf(device: Device): (Connection | null)[] {
    const spec = this.configuration.fabric.specs[device.index]!;
    if (spec.kind !== 'host') return [];
    const line = OCTET_PS / device.ports[0]!.octetPs;
    return spec.sends.map((send): Connection | null => {
      const model = this.modelOf(device, send, line);
      if (model === null) return null;
      const blank = { last: null, next: 0, unacked: 0, timed: null, heardPs: 0 };
      return { model, send, line, ...blank };
    });
  }

  private modelOf(device: Device, send: Send, line: number): RateModel | null {
    if (send.rate === null) return null;
    const { kind } = send.rate;
    const settings = this.configuration.scenario.rateControls[kind];
    const why = whyUnknown(device, send);
    if (why === null && kind === 'dcqcn') return new Dcqcn(settings as DcqcnSettings, line);
    if (why === null && kind === 'timely') return new Timely(settings as TimelySettings, line);
    this.verdict.decline('rates', why ?? `${kind} is not modelled`);
    return null;
  }
}

function isOf({ send }: Connection, { connection, hash, priority }: WireFrame): boolean {
  return send.remote === connection && send.hash === hash && (send.frameClass & 7) === priority;
}

/** From when on the rate allows the next packet. */
function readyPs({ last, model, line, send }: Connection): number {
  if (last === null) return 0;
  const pace = model.rate < line ? OCTET_PS / model.rate : 0;
  return last.atPs + Math.round(last.octets * Math.max(pace, send.pacePsPerOctet));
}

function whyUnknown({ ports, configuration }: Device, { reliable }: Send): string | null {
  if (configuration.ownMemory === 'nic') return 'the rate limiters of an 82599';
  if (!reliable) return 'a load without acknowledgements';
  const { settings } = configuration;
  if (settings.priorities.some(({ mechanisms }) => mechanisms['sfc'] === true)) {
    return 'a station that source flow control pauses';
  }
  const faults = ports.flatMap((port) => [...port.configuration.faults]);
  return faults.length > 0 ? 'a fault at the port' : null;
}

/** The queue pair that a congestion notification packet names (Annex A17.9); null: it is none. */
function connectionOf(payload: Uint8Array | null): number | null {
  if (payload === null) return null;
  let at = 12;
  while ([C_TAG, S_TAG].includes(u16(payload, at))) at += 4;
  if (u16(payload, at) !== IPV4) return null;
  const udp = at + 2 + 4 * (payload[at + 2]! & 15);
  const bth = udp + 8;
  if (u16(payload, udp + 2) !== ROCE_PORT || payload[bth] !== CNP_OPCODE) return null;
  return (payload[bth + 5]! << 16) | u16(payload, bth + 6);
}
