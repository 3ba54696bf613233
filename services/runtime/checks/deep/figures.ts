/**
 * Figures of results against what was on the wires: frames, octets and drops of ports, frames of
 * flows, messages of mechanisms, notifications of senders. They are counted from the record of
 * `--check=deep`, so a counter that misses an event, or a table that reads another counter, is a
 * difference. What a run does not record, as marks and waits, is for the oracle and for the checks
 * of records.
 */

import type { Fabric } from '../../../fabric/assembly/fabric.js';
import {
  bitsOf,
  ETHERTYPE,
  etherTypeOf,
  OPCODE,
  opcodeOf,
  ORDERED_SET,
  PRIORITIES,
  pauseOpcodeOf,
  u16,
} from '../../../oracle/ethernet.js';
import { cnmOf, congestionPduOf, queuePairOf, sfcmOf } from '../../../oracle/messages.js';
import type { Observer, Port, Queued } from '../../../oracle/model/model.js';
import type { WireEvent, WireFrame } from '../../../oracle/record.js';
import type { MessageCount } from '../../../mechanisms/mechanism-slice.js';
import { MECHANISMS } from '../../../mechanisms/registry.js';
import type { PortResult, RunResults } from '../../results/results.js';
import type { Breach } from '../breach.js';
import type { Oracle } from '../../../oracle/oracle.js';
import type { SharedMemory } from '../../../oracle/model/accounts.js';
import { Buffers } from '../../../oracle/rules/buffers.js';

type Compared = readonly [what: string, expected: number, actual: number];
type Way = MessageCount['way'];

interface Group {
  readonly of: string;
  readonly place: Pick<Breach, 'device' | 'port'>;
  readonly figures: Iterable<Compared>;
}

/** The vector of priorities that a frame pauses (802.1Q 36.1.3). */
const ENABLE_AT = 16;
/** Of a PDU of congestion messages (802.1Qcz 49.4.3). */
const CIM_SUBTYPE = 0;

class Counts {
  private readonly counts = new Map<string, number>();

  add(key: string, many = 1): void {
    this.counts.set(key, this.of(key) + many);
  }

  peak(key: string, value: number): void {
    this.counts.set(key, Math.max(this.of(key), value));
  }

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}

export class Figures implements Observer {
  /** By device, then by port. */
  private readonly ports: readonly (readonly Counts[])[];
  private readonly devices: readonly Counts[];
  private readonly flows = new Counts();

  constructor(private readonly fabric: Fabric) {
    this.devices = fabric.specs.map(() => new Counts());
    this.ports = fabric.specs.map(({ ports }) => ports.map(() => new Counts()));
  }

  take(event: WireEvent): void {
    const { kind, device } = event;
    const counts = this.ports[device]![event.port]!;
    if (kind === 'start' || kind === 'again') {
      addFrame(counts, 'tx', event.frame);
    } else if (kind === 'arrival') {
      addFrame(counts, 'rx', event.frame);
      this.addFlow(device, cameAs(event.frame), event.frame);
      if (event.frame.target === device) this.addMessage(device, 'received', event.frame);
    } else if (kind === 'rejected') {
      addFrame(counts, 'rx', event.frame);
      counts.add(`rejected ${event.frame.priority}`);
    } else if (kind === 'dropped') {
      counts.add(`dropped ${event.frame.priority} ${event.reason}`);
      this.addFlow(device, cameAs(event.frame), event.frame, -1);
    } else if (kind === 'queued') {
      if (event.ingress === event.port) this.addMessage(device, 'sent', event.frame);
      this.addFlow(device, 'sent', event.frame);
    } else if (kind === 'control') addControl(counts, 'sent', event.octets);
    else if (kind === 'effect') addControl(counts, 'received', event.octets);
  }

  joined(out: Port, { trafficClass }: Queued): void {
    const octets = out.queueOctets[trafficClass]!;
    this.ports[out.device.index]![out.index]!.peak(`queue ${trafficClass}`, octets);
  }

  /** The first figure that is another; null: all are as counted. */
  compare(results: RunResults, oracle: Oracle): Breach | null {
    for (const { of, place, figures } of this.groups(results, oracle)) {
      for (const [what, expected, actual] of figures) {
        if (expected === actual) continue;
        const reason = `deep check, figures: ${what} of ${of}: ${actual}, counted ${expected}`;
        return { reason, timePs: results.virtualPs, ...place, priority: null };
      }
    }
    return null;
  }

  private *groups(results: RunResults, { devices, observers }: Oracle): Generator<Group> {
    const buffers = observers.find((rule) => rule instanceof Buffers);
    const counted = MECHANISMS.flatMap(({ results: own }) => own.messageCounts?.(results) ?? []);
    const messagesAt = (name: string): MessageCount[] => counted.filter(({ at }) => at === name);
    const rows = new Map(results.ports.map((row) => [row.port, row]));
    // What a fault forges is on the wire, and nobody's.
    const isSound = this.fabric.specs.every((spec) =>
      spec.ports.every(({ faults }) => faults.length === 0),
    );
    for (const device of devices) {
      const { name, index, ports } = device;
      const memory = buffers?.memoryOf(device) ?? null;
      for (const port of ports) {
        const row = rows.get(port.name);
        if (row === undefined) continue;
        const counts = this.ports[index]![port.index]!;
        const own = { of: port.name, place: { device: index, port: port.index } };
        yield { ...own, figures: ofFrames(counts, row) };
        yield { ...own, figures: ofQueues(counts, row, port) };
        if (memory !== null) yield { ...own, figures: ofMemory(memory, row, port) };
        if (port.configuration.faults.size > 0) continue;
        yield { ...own, figures: ofControl(counts, row) };
        yield { ...own, figures: ofMessages(counts, messagesAt(port.name)) };
      }
      const own = { of: name, place: { device: index, port: -1 } };
      if (memory !== null) yield { ...own, figures: ofPool(memory, name, results) };
      if (!isSound) continue;
      const counts = this.devices[index]!;
      yield { ...own, figures: ofMessages(counts, messagesAt(name)) };
      yield { ...own, figures: ofNotified(counts, name, results) };
    }
    yield { of: 'a flow', place: { device: 0, port: -1 }, figures: this.ofFlows(results) };
  }

  private *ofFlows({ flows }: RunResults): Generator<Compared> {
    // Copies for a group have the group's number in place of a host's, and have no host here.
    const hosts = new Map(this.fabric.specs.map((spec) => [spec.name, spec]));
    for (const { flow, name, sentFrames, frames, trimmedFrames, transport, ...ends } of flows) {
      const [source, destination] = [hosts.get(ends.source), hosts.get(ends.destination)];
      if (source?.kind !== 'host' || destination?.kind !== 'host') continue;
      // Frames may wait inside a NIC with buffers of its own, or be dropped there.
      if (source.nic === null) {
        yield [`frames sent of ${name}`, this.flows.of(`sent ${flow}`), sentFrames];
      }
      if (destination.nic !== null) continue;
      yield [`trimmed frames of ${name}`, this.flows.of(`trimmed ${flow}`), trimmedFrames];
      if (transport !== 'raw') continue;
      yield [`frames of ${name}`, this.flows.of(`received ${flow}`), frames];
    }
  }

  private addFlow(
    device: number,
    what: 'sent' | 'received' | 'trimmed',
    frame: WireFrame,
    many = 1,
  ): void {
    const { kind, target, connection } = frame;
    const to = this.fabric.specs[target];
    if (!['raw', 'data', 'cut'].includes(kind) || to?.kind !== 'host' || frame.isGroup) return;
    // A sender may state another's address.
    const isMeant =
      what === 'sent' ? this.fabric.specs[device]!.kind === 'host' : target === device;
    if (!isMeant) return;
    const flow = to.receives[connection]?.flow;
    this.flows.add(`${what} ${flow}`, many);
  }

  private addMessage(device: number, what: 'sent' | 'received', frame: WireFrame): void {
    if (frame.kind !== 'notice' || frame.payload === null) return;
    this.devices[device]!.add(`${what} ${messageName(frame.payload)}`);
  }
}

const cameAs = ({ kind }: WireFrame): 'trimmed' | 'received' =>
  kind === 'cut' ? 'trimmed' : 'received';

function messageName(octets: Uint8Array): string {
  if (cnmOf(octets) !== null) return 'CNM';
  if (queuePairOf(octets) !== null) return 'CNP';
  const sfcm = sfcmOf(octets);
  if (sfcm !== null) return sfcm.isPause ? 'SFCM' : 'SFCM resume';
  const pdu = congestionPduOf(octets);
  if (pdu === null || octets[pdu] !== CIM_SUBTYPE) return 'other';
  return (octets[pdu + 1]! & 1) !== 0 ? 'CIM add' : 'CIM delete';
}

function* ofFrames(counts: Counts, row: PortResult): Generator<Compared> {
  for (const own of row.priorities) {
    const { priority } = own;
    const at = `of priority ${priority}`;
    yield [`frames sent ${at}`, counts.of(`tx ${priority}`), own.txFrames];
    yield [`bytes sent ${at}`, counts.of(`tx ${priority} octets`), own.txOctets];
    yield [`frames received ${at}`, counts.of(`rx ${priority}`), own.rxFrames];
    yield [`bytes received ${at}`, counts.of(`rx ${priority} octets`), own.rxOctets];
    yield [`frames rejected ${at}`, counts.of(`rejected ${priority}`), own.rejectedFrames];
    for (const [reason, frames] of Object.entries(own.drops)) {
      yield [`drops (${reason}) ${at}`, counts.of(`dropped ${priority} ${reason}`), frames];
    }
  }
}

/** Where classes follow from priorities, and queues are those of its wires. */
function* ofQueues(counts: Counts, row: PortResult, { device }: Port): Generator<Compared> {
  const { isHost, isBridge, hasPools, hasPlainClasses, classOf } = device.configuration;
  // Chips with pools have cells of their own.
  if (isHost || isBridge || hasPools || !hasPlainClasses) return;
  for (const { priority, peakQueueOctets } of row.priorities) {
    const at = `of priority ${priority}`;
    yield [`longest queue ${at}`, counts.of(`queue ${classOf[priority]}`), peakQueueOctets];
  }
}

function* ofMemory(memory: SharedMemory, row: PortResult, port: Port): Generator<Compared> {
  for (const { priority, peakIngressOctets } of row.priorities) {
    const { peak } = memory.at(port, port.configuration.groupOf[priority]!);
    yield [`fullest buffer of priority ${priority}`, peak, peakIngressOctets];
  }
}

function* ofPool(
  { poolPeak }: SharedMemory,
  name: string,
  { buffers }: RunResults,
): Generator<Compared> {
  const row = buffers.find(({ device }) => device === name);
  if (row !== undefined) yield ['fullest pool', poolPeak, row.peakPoolOctets];
}

function* ofControl(counts: Counts, row: PortResult): Generator<Compared> {
  yield ['control frames sent', counts.of('control sent'), row.controlSent];
  yield ['control frames received', counts.of('control received'), row.controlReceived];
  for (const { priority, stopsSent, stopsReceived } of row.priorities) {
    // Those that end a pause, too; PAUSE is of all priorities.
    const [sent, received] = ['sent', 'received'].map((way) =>
      counts.of(`${way} pause ${priority}`),
    );
    yield [`pause frames sent of priority ${priority}`, sent!, stopsSent];
    yield [`pause frames received of priority ${priority}`, received!, stopsReceived];
  }
}

function* ofMessages(counts: Counts, messages: readonly MessageCount[]): Generator<Compared> {
  for (const { way, message, count } of messages) {
    yield [`${message} ${way}`, counts.of(`${way} ${message}`), count];
  }
}

function* ofNotified(counts: Counts, name: string, results: RunResults): Generator<Compared> {
  const { rates, flows } = results;
  for (const [control, message] of [
    ['qcn', 'CNM'],
    ['dcqcn', 'CNP'],
  ] as const) {
    const own = rates.filter(
      (rate) => rate.control === control && flows[rate.flow]?.source === name,
    );
    if (own.length === 0) continue;
    const notified = own.reduce((sum, { notifications }) => sum + notifications, 0);
    yield [`${message}s received`, counts.of(`received ${message}`), notified];
  }
}

function addFrame(counts: Counts, way: 'tx' | 'rx', { priority, octets }: WireFrame): void {
  counts.add(`${way} ${priority}`);
  counts.add(`${way} ${priority} octets`, octets);
}

function addControl(counts: Counts, way: Way, octets: Uint8Array): void {
  const isSet = octets.length === ORDERED_SET;
  if (!isSet && etherTypeOf(octets) !== ETHERTYPE.macControl) return;
  counts.add(`control ${way}`);
  counts.add(`${way} ${isSet ? `set ${octets[1]}` : `opcode ${opcodeOf(octets)}`}`);
  const pause = pauseOpcodeOf(octets);
  if (pause === null) return;
  const named = pause === OPCODE.pause ? PRIORITIES : bitsOf(u16(octets, ENABLE_AT));
  for (const priority of named) counts.add(`${way} pause ${priority}`);
}
