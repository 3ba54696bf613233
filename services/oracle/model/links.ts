/**
 * Links: a frame takes preamble, octets and gap at the rate of its port (802.3 3.1.1, 4.4.2), no
 * two overlap, and its last bit is in after the propagation and half of the interface delay of each
 * station. A switch that stores has it after its pipeline; one that cuts through counts from the
 * 64th octet.
 */

import {
  ETHERTYPE,
  etherTypeOf,
  FCS,
  lineOctets,
  OPCODE,
  opcodeOf,
  ORDERED_SET,
  PREAMBLE,
  SHORTEST,
  showPs,
} from '../ethernet.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';
import { isSameFrame, type Device, type Flight, type Port } from './port.js';

/** A CE-Tag, behind the addresses of a frame. */
const CE_TAG = 8;
/** D1 of the ordered sets of link-level retry. */
const LLR_SETS = new Set([1, 2, 3, 4]);

export class Links {
  constructor(private readonly verdict: Verdict) {}

  /** Whether times on the direction out of a port are known: no fault slows or delays it. */
  private isTimed({ configuration: { faults } }: Port): boolean {
    return !faults.has('slow') && !faults.has('delay');
  }

  frameStarts(port: Port, frame: WireFrame, atPs: number): void {
    this.occupy(port, lineOctets(frame.octets) * port.octetPs, atPs, frame.priority);
    port.peer.flights.push({
      frame,
      startPs: atPs,
      duePs: atPs + this.frameDelayPs(port, frame),
      number: null,
    });
  }

  /**
   * The tag of the frame that has just started makes it longer, and is read behind the pipeline.
   */
  tagStarts(port: Port, octets: Uint8Array): void {
    port.freePs += CE_TAG * port.octetPs;
    const flight = port.peer.flights.at(-1);
    if (flight === undefined) return;
    flight.duePs += CE_TAG * port.octetPs;
    const restPs = hasLinkRetry(port) ? port.peer.device.configuration.pipelinePs : 0;
    port.peer.controls.push({ octets, duePs: flight.duePs + restPs });
  }

  /** From the start of a frame until the link partner has it. */
  private frameDelayPs(port: Port, { octets }: WireFrame): number {
    const { peer } = port;
    const { pipelinePs, cutsThrough } = peer.device.configuration;
    const isLayered = hasLinkRetry(port);
    const counted = cutsThrough && !isLayered ? SHORTEST : octets;
    const insidePs = isLayered ? 0 : pipelinePs;
    return (PREAMBLE + counted) * port.octetPs + wirePs(port) + insidePs;
  }

  controlStarts(port: Port, octets: Uint8Array, atPs: number): void {
    const isSet = octets.length === ORDERED_SET;
    const length = isSet ? ORDERED_SET : Math.max(SHORTEST, octets.length + FCS);
    const line = isSet ? ORDERED_SET : lineOctets(length);
    this.occupy(port, line * port.octetPs, atPs);
    const onWire = isSet ? ORDERED_SET : PREAMBLE + length;
    const duePs = atPs + onWire * port.octetPs + wirePs(port) + this.controlDelayPs(port, octets);
    port.peer.controls.push({ octets, duePs });
  }

  /** What keeps its order with frames passes the pipeline; a pause takes its response time. */
  private controlDelayPs({ peer }: Port, octets: Uint8Array): number {
    const { pipelinePs } = peer.device.configuration;
    if (octets.length === ORDERED_SET) return LLR_SETS.has(octets[1]!) ? 0 : pipelinePs;
    if (etherTypeOf(octets) !== ETHERTYPE.macControl) return pipelinePs;
    const opcode = opcodeOf(octets);
    if (opcode !== OPCODE.pfc && opcode !== OPCODE.pause) return pipelinePs;
    return responseDelayPs(peer) ?? pipelinePs;
  }

  private occupy(port: Port, linePs: number, atPs: number, priority?: number): void {
    this.verdict.judge('wire');
    if (atPs < port.freePs) {
      this.verdict.broken(
        'wire',
        {
          device: port.device.index,
          port: port.index,
          atPs,
          ...(priority !== undefined && { priority }),
        },
        `a frame starts while the one before, with its gap, takes the link until ` +
          `${showPs(port.freePs)} (802.3 4.4.2)`,
      );
    }
    port.freePs = atPs + linePs;
    if (!this.isTimed(port)) this.verdict.decline('wire', 'a fault slows or delays the link');
  }

  /** The frame that comes in is the next one on the link, at the time at which it is due. */
  frameArrives(port: Port, frame: WireFrame, atPs: number): Flight | null {
    const [flight] = port.flights;
    const place = { device: port.device.index, port: port.index, atPs, priority: frame.priority };
    if (flight === undefined || !isSameFrame(flight.frame, frame)) {
      if (this.mayBeRepeated(port, frame)) return null;
      this.verdict.broken(
        'conservation',
        place,
        flight === undefined
          ? 'a frame comes in that the link partner has not sent'
          : `frame ${frame.sequence} of source ${frame.source} comes in where ` +
              `${flight.frame.sequence} of source ${flight.frame.source} is next on the link`,
      );
      return null;
    }
    port.flights.shift();
    this.compare(flight.frame, frame, place);
    this.verdict.judge('wire');
    if (flight.duePs !== atPs && this.isTimed(port.peer)) {
      this.verdict.broken(
        'wire',
        place,
        `a frame of ${frame.octets} bytes that starts at ${showPs(flight.startPs)} is in at ` +
          `${showPs(flight.duePs)}, not at ${showPs(atPs)} (802.3 3.1, 4.4.2)`,
      );
    }
    return flight;
  }

  /** A fault may repeat or delay messages that cross the fabric. */
  private mayBeRepeated(port: Port, frame: WireFrame): boolean {
    return port.configuration.faults.has('control') && frame.kind === 'notice';
  }

  /** A link changes nothing. */
  private compare(
    sent: WireFrame,
    received: WireFrame,
    place: { device: number; port: number; atPs: number; priority: number },
  ): void {
    for (const key of ['octets', 'priority', 'ecn', 'vlan', 'flowId', 'isIsolated'] as const) {
      if (sent[key] === received[key]) continue;
      this.verdict.broken(
        'conservation',
        place,
        `a frame left with ${key} ${sent[key]} and comes in with ${received[key]}`,
      );
    }
  }

  controlTakesEffect(port: Port, octets: Uint8Array, atPs: number): void {
    const { controls, configuration } = port;
    const isDue = (own: Port['controls'][number]): boolean =>
      own.duePs === atPs && isAlike(own.octets, octets);
    const onTime = controls.findIndex(isDue);
    this.verdict.judge('wire');
    if (onTime >= 0) {
      controls.splice(onTime, 1);
      return;
    }
    // Faults delay, change and repeat them.
    if (configuration.faults.has('control') || !this.isTimed(port.peer)) return;
    const other = controls.find((own) => isAlike(own.octets, octets));
    this.verdict.broken(
      other === undefined ? 'conservation' : 'wire',
      { device: port.device.index, port: port.index, atPs },
      other === undefined
        ? 'a control frame takes effect that the link partner has not sent'
        : `a control frame takes effect at ${showPs(other.duePs)}, not at ${showPs(atPs)} ` +
            '(802.1Q 36.1.3.3, 802.3 31B.3.7)',
    );
  }

  /** What takes no effect when it is due was lost, which takes a fault. */
  reached(devices: readonly Device[], atPs: number): void {
    for (const { ports } of devices) {
      for (const port of ports) {
        const { controls } = port;
        if (controls.length === 0) continue;
        const lost = controls.filter(({ octets, duePs }) => duePs < atPs && !isUnseen(octets));
        const kept = controls.filter(({ duePs }) => duePs >= atPs);
        controls.splice(0, controls.length, ...kept);
        if (lost.length === 0 || port.configuration.faults.size > 0) continue;
        if (!this.isTimed(port.peer)) continue;
        const place = { device: port.device.index, port: port.index, atPs: lost[0]!.duePs };
        const due = `a control frame is due at ${showPs(lost[0]!.duePs)}`;
        this.verdict.broken('conservation', place, `${due}, and takes no effect`);
      }
    }
  }
}

/** Link states of failover are read before anything that observes control frames. */
function isUnseen(octets: Uint8Array): boolean {
  return octets.length !== ORDERED_SET && etherTypeOf(octets) === ETHERTYPE.linkState;
}

function wirePs({ configuration: { propagationPs, interfaceDelayPs } }: Port): number {
  return propagationPs + interfaceDelayPs;
}

/** Both ends run link-level retry: frames are checked when their last bit is in. */
export function hasLinkRetry({ device, peer }: Port): boolean {
  return [device, peer.device].every(({ isHost, configuration: { settings, ownMemory } }) => {
    const { enabled } = settings.mechanisms['llr'] as { readonly enabled: boolean };
    return enabled && (isHost || ownMemory === null);
  });
}

/** From the last bit of a pause frame to its effect; null: the port responds to none. */
function responseDelayPs({ configuration: { methods, priorities, pause } }: Port): number | null {
  if (pause !== null) return pause.pausing.responseDelay;
  const pausable = methods.findIndex((own) => own === 'pfc' || own === 'either');
  if (pausable < 0) return null;
  return priorities[pausable]!.pausing.responseDelay;
}

function isAlike(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((octet, i) => octet === b[i]);
}
