import { NO_NEGOTIATION } from '../../engine/contract/grant-negotiation.js';
import { GRANTING } from '../../mechanisms/registry.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import {
  type DiscoveryHost,
  DiscoveryMechanism,
} from '../../engine/discovery/discovery-mechanism.js';
import { OctetStore } from '../../engine/frame/octet-store.js';
import { TimerQueue, timerQueueKey, keyId, keyKind } from '../../engine/kernel/timer-queue.js';
import { Clock } from '../../engine/kernel/clock.js';
import { Tables } from '../../engine/kernel/tables.js';
import {
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  GAP_OCTETS,
  wireOctets,
} from '../../engine/units/ethernet.js';
import { LLDP_FRAME_MOST } from '../../engine/wire/lldp/lldpdu.js';
import { makeCounters } from '../../engine/port/counters.js';
import type { LinkEnd } from './link-ends.js';
import { TIMER_BITS } from '../../engine/device/device.js';

/** After so many ticks the exchange is regarded as endless. */
const TICKS_MOST = 256;

/** Kinds of entries of the timer queue. */
const TIMER = 0;
const ARRIVAL = 1;

/**
 * The exchange of LLDPDUs in a fabric without load: the machines of a run and their octets, over
 * its links. It computes the final result of negotiation, and its time.
 */
export class DiscoveryExchange implements DiscoveryHost {
  readonly clock = new Clock();
  readonly mechanism: DiscoveryMechanism;
  private readonly timerQueue = new TimerQueue();
  /** Ports that have a frame to send, in the order of their requests. */
  private readonly due: number[] = [];
  private readonly octets = new Uint8Array(LLDP_FRAME_MOST);
  /** LLDPDUs in flight. */
  private readonly flying = new OctetStore();
  private underway = 0;
  private readonly ports: readonly PortSpec[];
  private readonly peers: readonly number[];
  /** By port: when the link is free. */
  private readonly freeAtPs: Float64Array;
  /** By port: from the last bit received to the device. */
  private readonly ingressPs: readonly number[];
  private readonly firstPort: readonly number[];
  private readonly tickPs: number;
  private readonly lastChangePs: number;

  constructor(specs: readonly DeviceSpec[], linkEnds: readonly (readonly LinkEnd[])[]) {
    const ports = specs.flatMap((spec) => spec.ports);
    this.ports = ports;
    this.freeAtPs = new Float64Array(ports.length);
    this.ingressPs = specs.flatMap((spec) =>
      spec.ports.map(() => (spec.kind === 'switch' ? spec.pipelinePs : 0)),
    );
    const counters = makeCounters(new Tables({ port: ports.length, device: specs.length }));
    this.mechanism = new DiscoveryMechanism(
      this,
      counters,
      0,
      GRANTING?.negotiation ?? NO_NEGOTIATION,
    );
    this.firstPort = firstPorts(specs);
    this.peers = linkEnds.flatMap((ends) =>
      ends.map(({ peerDevice, peerPort }) => this.firstPort[peerDevice]! + peerPort),
    );
    this.tickPs = Math.max(1, ...ports.map(({ discovery }) => discovery?.tickPs ?? 0));
    const stages = ports.flatMap(({ discovery }) => discovery?.stages ?? []);
    this.lastChangePs = Math.max(0, ...stages.map(({ fromPs }) => fromPs));
    ports.forEach((spec, port) => {
      this.mechanism.configurePort(port, spec);
    });
  }

  /** Runs until no port has anything new to send, or until a time. */
  settle(untilPs = Infinity): void {
    const { timerQueue } = this;
    const endPs = Math.min(untilPs, this.lastChangePs + TICKS_MOST * this.tickPs);
    while (timerQueue.time <= endPs && (timerQueue.time === 0 || this.isSettling())) {
      this.clock.now = timerQueue.time;
      const [key, value] = [timerQueue.nextKey(), timerQueue.nextValue()];
      timerQueue.pop();
      const id = keyId(key);
      if (keyKind(key) === ARRIVAL) this.arrive(id, value);
      else this.mechanism.onTimer(id >> TIMER_BITS, id & ((1 << TIMER_BITS) - 1));
      this.sendAll();
    }
  }

  /** Number of a port through the fabric. */
  numberOf(device: number, port: number): number {
    return this.firstPort[device]! + port;
  }

  /** By destination: the last LLDPDU that the only neighbor of a port sent. */
  learnedAt(device: number, port: number): (Uint8Array | null)[] {
    const { agents } = this.mechanism.ports[this.numberOf(device, port)]!;
    return agents.map(({ rx }) => rx.neighbors[0]?.octets ?? null);
  }

  requestControl(_source: number, port: number): void {
    if (!this.due.includes(port)) this.due.push(port);
  }

  arm(_client: number, port: number, timer: number, time: number): void {
    this.timerQueue.push(time, timerQueueKey(TIMER, (port << TIMER_BITS) | timer), 0);
  }

  hold(): void {
    return;
  }

  private isSettling(): boolean {
    return (
      this.underway > 0 || this.mechanism.ports.some((_, port) => this.mechanism.isSettling(port))
    );
  }

  private arrive(port: number, slot: number): void {
    const { flying } = this;
    this.underway--;
    this.mechanism.receiveControl(port, flying.get(slot), flying.length(slot));
    flying.giveBack(slot);
  }

  private sendAll(): void {
    const { mechanism, octets, clock, timerQueue, flying } = this;
    for (let port = this.due.shift(); port !== undefined; port = this.due.shift()) {
      const length = mechanism.compose(port, 0, octets);
      const peer = this.peers[port]!;
      const { octetPs, latencyPs } = this.ports[port]!;
      const lastsPs = wireOctets(Math.max(FRAME_OCTETS_MIN, length + FCS_OCTETS)) * octetPs;
      const startPs = Math.max(clock.now, this.freeAtPs[port]!);
      this.freeAtPs[port] = startPs + lastsPs;
      const lastBitPs = startPs + lastsPs - GAP_OCTETS * octetPs;
      const atPs = lastBitPs + latencyPs + this.ingressPs[peer]!;
      timerQueue.push(atPs, timerQueueKey(ARRIVAL, peer), flying.put(octets, length));
      this.underway++;
    }
  }
}

function firstPorts(specs: readonly DeviceSpec[]): number[] {
  let next = 0;
  return specs.map(({ ports }) => {
    const first = next;
    next += ports.length;
    return first;
  });
}
