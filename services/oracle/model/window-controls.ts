/** Windows of senders: HPCC by telemetry, Swift by delays. Rates in bit/s, times in ps. */

import type { HpccSettings, SwiftSettings } from './settings.js';
import { LINE_RATES, u16 } from '../ethernet.js';
import type { RateModel, RoundTrip } from './rate-controls.js';

/** Telemetry is a shim behind the addresses, under an extended EtherType (802 9.2.4). */
const [TELEMETRY_AT, TELEMETRY_HOP] = [19, 8];
const [SENT_UNIT, QUEUE_UNIT] = [128, 80];

type Telemetry = ReturnType<typeof hopsOf>;

/** What switches wrote about the links that a packet left by (HPCC, figure 7). */
function hopsOf(octets: Uint8Array) {
  const header = u16(octets, TELEMETRY_AT);
  const hops = Array.from({ length: header >> 12 }, (_, i) => {
    const at = TELEMETRY_AT + 2 + i * TELEMETRY_HOP;
    return {
      rate: LINE_RATES[octets[at]! >> 4]!,
      ns: ((octets[at]! & 15) << 20) | (u16(octets, at + 1) << 4) | (octets[at + 3]! >> 4),
      sentOctets: (((octets[at + 3]! & 15) << 16) | u16(octets, at + 4)) * SENT_UNIT,
      queueOctets: u16(octets, at + 6) * QUEUE_UNIT,
    };
  });
  return { path: header & 0xfff, hops };
}

/** HPCC (Li et al., SIGCOMM 2019), algorithm 1, by its names. */
export class Hpcc implements RateModel {
  rate: number;
  private W: number;
  private Wc: number;
  private U = 0;
  private incStage = 0;
  private lastUpdateSeq = 0;
  private L: Telemetry | null = null;

  constructor(
    private readonly settings: HpccSettings,
    private readonly line: number,
    private readonly packetOctets: number,
  ) {
    this.rate = line;
    this.W = this.bdp(line);
    this.Wc = this.W;
  }

  window(slack: number): number {
    return Math.max(1, Math.ceil(this.W / this.packetOctets + slack));
  }

  /** NewAck: of all packets before `sequence`, the last one carried this; `next` is sent next. */
  observed(octets: Uint8Array, sequence: number, next: number): void {
    const ack = hopsOf(octets);
    const { L } = this;
    this.L = ack;
    // Links of another path tell nothing about this one.
    if (L === null || L.path !== ack.path || L.hops.length !== ack.hops.length) return;
    const { minRate, roundTrip } = this.settings;
    this.measureInflight(L.hops, ack.hops);
    const updateWc = sequence > this.lastUpdateSeq;
    this.computeWind(updateWc);
    if (updateWc) this.lastUpdateSeq = next;
    const least = Math.min(minRate, this.line);
    this.rate = Math.min(this.line, Math.max(least, (8e12 * this.W) / roundTrip));
  }

  private measureInflight(before: Telemetry['hops'], after: Telemetry['hops']): void {
    const tripNs = this.settings.roundTrip / 1000;
    let u = 0;
    let tau = 0;
    after.forEach((ack, i) => {
      const old = before[i]!;
      const ns = cyclic(ack.ns - old.ns, 2 ** 24);
      if (ns === 0) return;
      const txRate = (8e9 * cyclic(ack.sentOctets - old.sentOctets, 2 ** 20 * SENT_UNIT)) / ns;
      const queue = Math.min(ack.queueOctets, old.queueOctets);
      const use = queue / this.bdp(ack.rate) + txRate / ack.rate;
      if (use <= u) return;
      u = use;
      tau = ns;
    });
    const weight = Math.min(tau, tripNs) / tripNs;
    this.U = (1 - weight) * this.U + weight * u;
  }

  private computeWind(updateWc: boolean): void {
    const { utilisation: eta, stages: maxStage, increase: wAi, minRate } = this.settings;
    const multiplies = this.U >= eta || this.incStage >= maxStage;
    const W = (multiplies ? this.Wc / (this.U / eta) : this.Wc) + wAi;
    this.W = Math.min(this.bdp(this.line), Math.max(this.bdp(Math.min(minRate, this.line)), W));
    if (!updateWc) return;
    this.incStage = multiplies ? 0 : this.incStage + 1;
    this.Wc = this.W;
  }

  private bdp(rate: number): number {
    return (rate * (this.settings.roundTrip / 1000)) / 8e9;
  }
}

const cyclic = (difference: number, modulo: number): number =>
  difference < 0 ? difference + modulo : difference;

/** Of the connection: its full packet on the link, and the switches on its path. */
interface SwiftPath {
  readonly packetOctets: number;
  readonly hops: number;
}

/** So many timeouts in a row take the window to its least (3.6). */
const RESET_TIMEOUTS = 5;

type Trip = Pick<RoundTrip, 'packets' | 'atPs'>;

interface Window {
  packets: number;
  cutPs: number;
}

/**
 * Swift (Kumar et al., SIGCOMM 2020), algorithm 1: a window for the delay of the fabric and one for
 * that of the receiving station, of which the smaller counts.
 */
export class Swift implements RateModel {
  private readonly fabric: Window;
  private readonly endpoint: Window;
  private roundTripPs = 0;
  private timeouts = 0;

  constructor(
    private readonly settings: SwiftSettings,
    private readonly line: number,
    private readonly path: SwiftPath,
  ) {
    this.fabric = { packets: settings.initial, cutPs: -Infinity };
    this.endpoint = { packets: settings.initial, cutPs: -Infinity };
  }

  /** Windows below a packet are paced: one in so many round trips (3.4). */
  get rate(): number {
    const { packets, path, roundTripPs, line } = this;
    if (packets >= 1 || roundTripPs === 0) return line;
    return Math.min(line, (8e12 * packets * path.packetOctets) / roundTripPs);
  }

  window(slack: number): number {
    return Math.max(1, Math.floor(this.packets + slack));
  }

  measured(roundTripPs: number, { endpointPs, packets, atPs }: RoundTrip): void {
    [this.roundTripPs, this.timeouts] = [roundTripPs, 0];
    const trip = { packets, atPs };
    const fabricPs = roundTripPs - endpointPs;
    this.adjust(this.fabric, trip, [fabricPs, this.fabricTarget()]);
    this.adjust(this.endpoint, trip, [endpointPs, this.settings.endpointTarget]);
  }

  lost(timedOut: boolean, atPs: number): void {
    this.timeouts = timedOut ? this.timeouts + 1 : 0;
    if (this.timeouts >= RESET_TIMEOUTS) this.fabric.packets = this.settings.least;
    else this.cut(this.fabric, this.settings.maxDecrease, atPs);
  }

  private get packets(): number {
    return Math.min(this.fabric.packets, this.endpoint.packets);
  }

  private adjust(own: Window, trip: Trip, [delayPs, targetPs]: readonly [number, number]): void {
    const { increase, decrease, maxDecrease, most } = this.settings;
    const { packets, atPs } = trip;
    if (delayPs < targetPs) {
      const step = packets * increase;
      own.packets = Math.min(most, own.packets + (own.packets < 1 ? step : step / own.packets));
    } else {
      this.cut(own, Math.min(maxDecrease, (decrease * (delayPs - targetPs)) / delayPs), atPs);
    }
  }

  /** Once in a round trip. */
  private cut(own: Window, share: number, atPs: number): void {
    if (atPs - own.cutPs < this.roundTripPs) return;
    own.packets = Math.max(this.settings.least, own.packets * (1 - share));
    own.cutPs = atPs;
  }

  /** By hops, and by how many flows a small window tells of (3.5). */
  private fabricTarget(): number {
    const { target, hop, flowRange, flowLeast, flowMost } = this.settings;
    const alpha = flowRange / (1 / Math.sqrt(flowLeast) - 1 / Math.sqrt(flowMost));
    const beta = alpha / Math.sqrt(flowMost);
    const flows = alpha / Math.sqrt(this.fabric.packets) - beta;
    return target + this.path.hops * hop + Math.max(0, Math.min(flows, flowRange));
  }
}
