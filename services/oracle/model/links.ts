/**
 * Links: a frame takes preamble, octets and gap at the rate of its port (802.3 3.1.1, 4.4.2), no
 * two overlap, and its last bit is in after the propagation and half of the interface delay of each
 * station. A switch that stores has it after its pipeline; one that cuts through counts from the
 * 64th octet.
 */

import {
  ETHERTYPE,
  etherTypeOf,
  lineOf,
  lineOctets,
  ORDERED_SET,
  opcodeOf,
  PREAMBLE,
  SHORTEST,
  showPs,
} from '../ethernet.js';
import type { WireFrame } from '../record.js';
import type { Place, Verdict } from '../verdict.js';
import { isSameFrame, type Device, type Flight, type Port } from './port.js';

const CE_TAG = 8;
/** D1 of the ordered sets of link-level retry. */
const LLR_SETS = new Set([1, 2, 3, 4]);
/** MAC control of credit, by opcode, keeps its order with frames. */
const COUNTING = new Set([0x0110, 0x0111, 0xfffe]);

/** Times on the direction out of a port are known: no fault slows or delays it. */
const isTimed = (port: Port): boolean => !port.hasFault('slow', 'delay', 'link');

export class Links {
  constructor(private readonly verdict: Verdict) {}

  frameStarts(port: Port, frame: WireFrame, atPs: number): void {
    this.occupy(port, lineOctets(frame.octets), port.at(atPs, frame.priority));
    const duePs = atPs + frameDelayPs(port, frame);
    port.peer.flights.push({ frame, startPs: atPs, duePs, number: null });
  }

  /** The tag of the frame that has just started makes it longer; it is read behind the pipeline. */
  tagStarts(port: Port, octets: Uint8Array): void {
    port.freePs += CE_TAG * port.octetPs;
    const flight = port.peer.flights.at(-1);
    if (flight === undefined) return;
    flight.duePs += CE_TAG * port.octetPs;
    const restPs = hasLinkRetry(port) ? port.peer.device.configuration.pipelinePs : 0;
    port.peer.controls.push({ octets, duePs: flight.duePs + restPs });
  }

  controlStarts(port: Port, octets: Uint8Array, atPs: number): void {
    const line = lineOf(octets);
    this.occupy(port, line, port.at(atPs));
    const onWire = octets.length === ORDERED_SET ? line : line - lineOctets(0) + PREAMBLE;
    const duePs = atPs + onWire * port.octetPs + port.wirePs + controlDelayPs(port, octets);
    port.peer.controls.push({ octets, duePs });
  }

  private occupy(port: Port, octets: number, place: Place): void {
    this.verdict.judge('wire');
    if (place.atPs < port.freePs) {
      const what = 'a frame starts while the one before, with its gap, takes the link until';
      this.verdict.broken('wire', place, `${what} ${showPs(port.freePs)} (802.3 4.4.2)`);
    }
    port.freePs = place.atPs + octets * port.octetPs;
    if (!isTimed(port)) this.verdict.decline('wire', 'a fault slows or delays the link');
  }

  /** The frame that comes in is the next one on the link, at the time at which it is due. */
  frameArrives(port: Port, frame: WireFrame, atPs: number): Flight | null {
    const [flight] = port.flights;
    const place = port.at(atPs, frame.priority);
    if (flight === undefined || !isSameFrame(flight.frame, frame)) {
      // A fault may repeat or delay messages that cross the fabric.
      if (port.hasFault('control') && frame.kind === 'notice') return null;
      const came = `frame ${frame.sequence} of source ${frame.source} comes in`;
      const next = flight && `${flight.frame.sequence} of source ${flight.frame.source}`;
      const isUnsent = 'that the link partner has not sent';
      const why = next === undefined ? isUnsent : `where ${next} is next on the link`;
      this.verdict.broken('conservation', place, `${came} ${why}`);
      return null;
    }
    port.flights.shift();
    for (const key of ['octets', 'priority', 'ecn', 'vlan', 'flowId', 'isIsolated'] as const) {
      if (flight.frame[key] === frame[key]) continue;
      const what = `a frame left with ${key} ${flight.frame[key]} and comes in with ${frame[key]}`;
      this.verdict.broken('conservation', place, what);
    }
    this.verdict.judge('wire');
    if (flight.duePs !== atPs && isTimed(port.peer)) {
      const what = `a frame of ${frame.octets} bytes starts at ${showPs(flight.startPs)} and is in`;
      const when = `at ${showPs(flight.duePs)}, not at ${showPs(atPs)} (802.3 3.1, 4.4.2)`;
      this.verdict.broken('wire', place, `${what} ${when}`);
    }
    return flight;
  }

  controlTakesEffect(port: Port, octets: Uint8Array, atPs: number): void {
    const { controls } = port;
    const onTime = controls.findIndex((own) => own.duePs === atPs && isAlike(own.octets, octets));
    this.verdict.judge('wire');
    if (onTime >= 0) {
      controls.splice(onTime, 1);
      return;
    }
    // Faults delay, change and repeat them.
    if (port.hasFault('control') || !isTimed(port.peer)) return;
    const other = controls.find((own) => isAlike(own.octets, octets));
    const what = 'a control frame takes effect';
    if (other === undefined) {
      const why = `${what} that the link partner has not sent`;
      this.verdict.broken('conservation', port.at(atPs), why);
    } else {
      const when = `at ${showPs(other.duePs)}, not at ${showPs(atPs)}`;
      const clauses = '(802.1Q 36.1.3.3, 802.3 31B.3.7)';
      this.verdict.broken('wire', port.at(atPs), `${what} ${when} ${clauses}`);
    }
  }

  /** What takes no effect when it is due was lost, which takes a fault. */
  reached(devices: readonly Device[], atPs: number): void {
    for (const port of devices.flatMap(({ ports }) => [...ports])) {
      const { controls } = port;
      if (controls.length === 0) continue;
      const lost = controls.find(({ octets, duePs }) => duePs < atPs && !isUnseen(octets));
      const kept = controls.filter(({ duePs }) => duePs >= atPs);
      controls.splice(0, controls.length, ...kept);
      if (lost === undefined || port.configuration.faults.size > 0 || !isTimed(port.peer)) continue;
      const due = `a control frame is due at ${showPs(lost.duePs)}`;
      this.verdict.broken('conservation', port.at(lost.duePs), `${due}, and takes no effect`);
    }
  }
}

function frameDelayPs(port: Port, { octets }: WireFrame): number {
  const { pipelinePs, cutsThrough } = port.peer.device.configuration;
  const isLayered = hasLinkRetry(port);
  const counted = cutsThrough && !isLayered ? SHORTEST : octets;
  const insidePs = isLayered ? 0 : pipelinePs;
  return (PREAMBLE + counted) * port.octetPs + port.wirePs + insidePs;
}

/** What keeps its order with frames passes the pipeline; other MAC control is responded to. */
function controlDelayPs({ peer }: Port, octets: Uint8Array): number {
  const { pipelinePs } = peer.device.configuration;
  if (octets.length === ORDERED_SET) return LLR_SETS.has(octets[1]!) ? 0 : pipelinePs;
  const passes = etherTypeOf(octets) !== ETHERTYPE.macControl || COUNTING.has(opcodeOf(octets));
  return passes ? pipelinePs : (responseDelayPs(peer) ?? pipelinePs);
}

/** Link states of failover are read before anything that observes control frames. */
const isUnseen = (octets: Uint8Array): boolean =>
  octets.length !== ORDERED_SET && etherTypeOf(octets) === ETHERTYPE.linkState;

/** Both ends run link-level retry: frames are checked when their last bit is in. */
export function hasLinkRetry(port: Port): boolean {
  return port.ends.every(({ device }) => {
    const { enabled } = device.keysOf('llr') as { readonly enabled: boolean };
    return enabled && (device.isHost || device.configuration.ownMemory === null);
  });
}

/** From the last bit of a pause frame to its effect; null: the port responds to none. */
function responseDelayPs({ configuration: { methods, priorities, pause } }: Port): number | null {
  if (pause !== null) return pause.pausing.responseDelay;
  const pausable = methods.findIndex((own) => own === 'pfc' || own === 'either');
  return pausable < 0 ? null : priorities[pausable]!.pausing.responseDelay;
}

const isAlike = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((octet, i) => octet === b[i]);
