import { UNKNOWN } from '../../engine/kernel/kinds.js';
import { VID_MASK } from '../../engine/units/ethernet.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  GROUP_FLAG,
  HASH,
  KIND_MASK,
  KIND_NAK,
  RECORD_WORDS,
  SOURCE,
  TARGET,
} from '../../engine/frame/frame-pool.js';
import type { SampledFrame } from '../../engine/notices/sampled-frame.js';
import { sampleFrame } from '../../engine/notices/sampled-frame.js';
import { fillEnvelope, messageTags } from '../../engine/notices/notice-envelope.js';
import { LINK_PARTNER } from '../../engine/notices/sampled-message.js';
import { Stations } from '../../engine/notices/stations.js';
import { readU16 } from '../../engine/wire/big-endian.js';
import { blankCim, decodeCim, encodeCim } from '../../engine/wire/cim.js';
import {
  blankEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  envelopeOctets,
  UDP_PORT_CIM,
} from '../../engine/wire/congestion-message.js';
import { ETHERTYPE_IPV4 } from '../../engine/wire/ethernet.js';
import { firstBroken } from '../../engine/contract/broken.js';
import type {
  DevicePlace,
  EnqueueObserver,
  FlowIsolation,
  NoticeFilter,
  SwitchCarrier,
  SwitchRole,
} from '../../engine/contract/slice.js';
import type { CiGate } from './carrier.js';
import * as invariants from './invariants.js';
import type { CiSwitchSpec } from './spec.js';
import { flowKey, FOUND_HERE, isOutlived, mayTransmitCim, FROM_CIM } from './machine.js';
import { CI_DSCP, CI_HEADER_OCTETS, CiCounters } from './managed.js';
import {
  CiStreamTable,
  STREAM_AHEAD,
  STREAM_CIMS,
  STREAM_INSIDE,
  STREAM_LEAVING,
  STREAM_MASK,
  STREAM_PORT,
  STREAM_TAGS,
  STREAM_VIA,
} from './stream-table.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** In the octets that a CIM quotes, behind the EtherType and an IPv4 header. */
const UDP_SOURCE_AT = 22;

// One message is composed or parsed at a time.
const pdu = blankCim();
const envelope = blankEnvelope();
const octets = new Uint8Array(1024);
const sample: SampledFrame = { destination: 0, source: 0, vlan: 0, msduOctets: 0 };

/** A CI point: the procedures of 802.1Qcz 49.4.2, by their names. */
export class CiPoint implements SwitchRole, EnqueueObserver, FlowIsolation, NoticeFilter {
  static readonly kinds = UNKNOWN;

  readonly #spec: CiSwitchSpec;
  readonly #carrier: SwitchCarrier;
  readonly #gate: CiGate;
  readonly #pool: FramePool;
  readonly counters = new CiCounters();
  readonly table: CiStreamTable;
  /** By entry, the frame that messages quote. */
  private readonly quoted: Int32Array;
  /** By port: since when its congesting queue has been uncongested; Infinity while it is. */
  private readonly uncongestedPs: Float64Array;
  /** By port: monitored queues that were paused since they were last short, one bit each. */
  private readonly paused: Uint8Array;
  private cleanupArmed = false;
  readonly #firstPort: number;
  readonly #macs: readonly number[];
  readonly #stations: Stations;
  readonly #own: Stations;
  readonly #peers: Stations;
  readonly #positionOf: ReadonlyMap<number, number>;

  constructor(
    spec: CiSwitchSpec,
    { firstPort, ports }: DevicePlace,
    carrier: SwitchCarrier,
    gate: CiGate,
    pool: FramePool,
  ) {
    this.#spec = spec;
    this.#carrier = carrier;
    this.#gate = gate;
    this.#pool = pool;
    this.#firstPort = firstPort;
    this.#macs = ports.map(({ mac }) => mac);
    this.#stations = new Stations(spec.stations);
    this.#own = new Stations(spec.address);
    this.#peers = new Stations(spec.peers);
    this.#positionOf = positionsOf(this.#stations, spec.hosts);
    this.table = new CiStreamTable(spec.maxStreams);
    this.quoted = new Int32Array(spec.maxStreams * RECORD_WORDS);
    this.uncongestedPs = new Float64Array(ports.length);
    this.paused = new Uint8Array(ports.length);
  }

  get priority(): number {
    return this.#spec.priority;
  }

  isPeer(port: PortRow): boolean {
    return this.#spec.ports[port - this.#firstPort].isPeer;
  }

  joinsFrom(port: PortRow, trafficClass: TrafficClass): number | null {
    const { monitorQueues, priority, ports } = this.#spec;
    if (trafficClass === priority) return 0;
    if ((monitorQueues & (1 << trafficClass)) === 0) return null;
    // Well before it is congested, so that pauses of it meanwhile are known.
    return Math.floor(ports[port - this.#firstPort].thresholdOctets / 2);
  }

  /** The queue for a frame: the congesting one if its flow is isolated here. */
  queueFor(out: number, trafficClass: TrafficClass, frame: FrameRef): number {
    const { table, spec } = this;
    if (table.ages.count === 0 || (spec.monitorQueues & (1 << trafficClass)) === 0) {
      return trafficClass;
    }
    const slot = this.find(frame, out);
    if (slot < 0) return trafficClass;
    const isOver = table.get(slot, STREAM_LEAVING) !== 0 || !this.isolates(out);
    if (isOver && table.get(slot, STREAM_INSIDE) === 0) {
      this.release(slot);
      return trafficClass;
    }
    table.ages.touch(slot, this.#carrier.clock.now);
    return spec.priority;
  }

  /** A frame joins a queue, which then holds `queueOctets`: CIP congestion detection. */
  joined(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    const { spec } = this;
    const { thresholdOctets } = spec.ports[out - this.#firstPort];
    if (!this.concerns(trafficClass, frame)) return;
    // The link partner may have ceased to be a peer, with frames of the flow in this queue.
    const isolates = this.isolates(out);
    const congested = queueOctets >= thresholdOctets;
    if (trafficClass === spec.priority) {
      const slot = this.find(frame, out);
      // The frame may be one that others put into this queue: it belongs to no stream.
      if (slot < 0) return;
      this.joinCongesting(out, slot, queueOctets);
      if (congested && isolates) this.condTransmitCimAddPdu(slot, via, frame);
    } else if (isolates && !this.wasPaused(out, trafficClass, congested) && congested) {
      this.causeCongestion(via, out, frame);
    }
  }

  departed(out: number, trafficClass: TrafficClass, frame: FrameRef, queueOctets: number): void {
    const { table, spec } = this;
    if (table.ages.count === 0 || !this.concerns(trafficClass, frame)) return;
    const slot = this.find(frame, out);
    if (trafficClass !== spec.priority) {
      if (slot < 0 || table.get(slot, STREAM_AHEAD) === 0) return;
      if (table.add(slot, STREAM_AHEAD, -1) === 0) this.holdForHead(out);
      return;
    }
    const isLast = slot >= 0 && table.add(slot, STREAM_INSIDE, -1) === 0;
    if (isLast && table.get(slot, STREAM_LEAVING) !== 0) this.delCongestingFlow(slot);
    this.holdForHead(out);
    if (this.isUncongested(out, queueOctets)) this.becameUncongested(out);
  }

  /** Adds a flow to the table; -1 if there is no room. */
  addCongestingFlow(frame: FrameRef, out: number, mask: number): number {
    return this.addEntry(this.keyOf(frame), out, mask);
  }

  /** 49.4.2: sends a CIM to the upstream link partner of the flow, cipMaxCIM times at most. */
  condTransmitCimAddPdu(slot: number, via: number, frame: FrameRef): void {
    const { table, spec } = this;
    const local = via - this.#firstPort;
    if (!this.#gate.isPeer(via) || !mayTransmitCim(table.get(slot, STREAM_CIMS), spec.maxCim)) {
      return;
    }
    const out = table.get(slot, STREAM_PORT) + this.#firstPort;
    table.add(slot, STREAM_CIMS, 1);
    table.set(slot, STREAM_VIA, local);
    table.set(slot, STREAM_TAGS, this.#carrier.answerTags(out, frame));
    this.#pool.readInto(frame, this.quoted, slot * RECORD_WORDS);
    this.counters.ciCimAddsTransmitted++;
    this.buildAndSendCim(true, slot, frame);
  }

  /** Sends a CIM upstream, once, that the flow congests no longer. */
  transmitCimDelPdu(slot: number): void {
    const pool = this.#pool;
    const { table } = this;
    if (table.get(slot, STREAM_CIMS) === 0) return;
    table.set(slot, STREAM_CIMS, 0);
    const { ciCimDelsTransmitted, ciCimAddsTransmitted } = this.counters;
    assert(ciCimDelsTransmitted < ciCimAddsTransmitted, 'ci.adds-first');
    this.counters.ciCimDelsTransmitted++;
    const frame = pool.write(this.quoted, slot * RECORD_WORDS);
    this.buildAndSendCim(false, slot, frame);
    pool.release(frame);
  }

  takes(port: PortRow, message: Uint8Array): boolean {
    this.processCim(port, message);
    return true;
  }

  limit(entries: number): void {
    this.table.ages.limit(entries);
  }

  broken(): string | null {
    return firstBroken('ci', invariants, this.state());
  }

  /** What invariants compare; counted anew. */
  private state(): invariants.CiState {
    const { counters, table, spec } = this;
    return {
      ...{ counters, table, isCleanupDue: this.cleanupArmed, ports: this.#macs.length },
      maxCim: spec.maxCim,
      queued: (slot) => {
        const out = table.get(slot, STREAM_PORT) + this.#firstPort;
        const congesting = this.waiting(table.ages.keyOf(slot), out, 1 << spec.priority);
        return [this.waiting(table.ages.keyOf(slot), out, spec.monitorQueues), congesting];
      },
      held: (port) => {
        const out = port + this.#firstPort;
        return [this.#gate.isHolding(out, spec.priority), this.isHeadBehind(out)];
      },
    };
  }

  /** A CIM was received by a port: its flow is isolated at the egress there, or no longer. */
  processCim(port: PortRow, message: Uint8Array): void {
    const { counters, table } = this;
    counters.ciCimsReceived++;
    const outer = decodeEnvelope(message, 0, envelope);
    const outcome =
      outer === 'ok' ? decodeCim(message, envelope.pduAt, envelope.pduEnd, pdu) : outer;
    if (outcome !== 'ok' || pdu.msduOctets < CI_HEADER_OCTETS.least) {
      counters.ciCimsMalformed++;
      return;
    }
    const key = this.keyOfPdu();
    const known = key < 0 ? -1 : table.ages.find(key);
    const isElsewhere = known >= 0 && table.get(known, STREAM_PORT) !== port - this.#firstPort;
    if (key < 0 || isElsewhere || !this.#gate.isPeer(port)) {
      counters.ciCimsRefused++;
      return;
    }
    if (pdu.add) this.addFromCim(key, known, port);
    else if (known >= 0) this.removeFromCim(known);
  }

  periodicTableCleanup(): void {
    const carrier = this.#carrier;
    const { table, spec } = this;
    const { now } = carrier.clock;
    this.cleanupArmed = false;
    for (let slot = table.ages.oldest; slot >= 0;) {
      const next = table.ages.after(slot);
      const entry = {
        mask: table.get(slot, STREAM_MASK),
        seenPs: table.ages.seenAt(slot),
        uncongestedPs: this.uncongestedPs[table.get(slot, STREAM_PORT)],
      };
      if (isOutlived(entry, now, spec.idlePs, spec.maxFlowLifePs)) this.release(slot);
      slot = next;
    }
    if (table.ages.count > 0) this.armCleanup();
  }

  /** A frame of an isolated flow. */
  private joinCongesting(out: number, slot: number, queueOctets: number): void {
    const carrier = this.#carrier;
    const { table, spec } = this;
    const local = out - this.#firstPort;
    table.add(slot, STREAM_INSIDE, 1);
    this.counters.ciFramesIsolated++;
    if (queueOctets > spec.ports[local].lowOctets) this.uncongestedPs[local] = Infinity;
    if (carrier.head(out, spec.priority) < 0) {
      this.#gate.holdCongesting(out, spec.priority, table.get(slot, STREAM_AHEAD) > 0);
    }
  }

  /** A frame makes a monitored queue too long: its flow is isolated from the next one on. */
  private causeCongestion(via: number, out: number, frame: FrameRef): void {
    const { table } = this;
    const known = table.ages.find(this.keyOf(frame));
    const slot = known >= 0 ? known : this.addCongestingFlow(frame, out, FOUND_HERE);
    if (slot < 0 || table.get(slot, STREAM_PORT) !== out - this.#firstPort) return;
    // It still joins the monitored queue, behind those before it.
    if (known < 0) table.add(slot, STREAM_AHEAD, 1);
    this.condTransmitCimAddPdu(slot, via, frame);
  }

  /** The entry of a flow that is isolated at an egress, -1 if it is not. */
  private find(frame: FrameRef, out: number): number {
    if (!this.isIdentified(frame)) return -1;
    const slot = this.table.ages.find(this.keyOf(frame));
    if (slot < 0 || this.table.get(slot, STREAM_PORT) !== out - this.#firstPort) return -1;
    return slot;
  }

  /** A bridge without isolation would pause the wrong queue for frames of the other. */
  private isolates(out: number): boolean {
    const { isolates, isPeer } = this.#spec.ports[out - this.#firstPort];
    return isolates && (!isPeer || this.#gate.isPeer(out));
  }

  private concerns(trafficClass: TrafficClass, frame: FrameRef): boolean {
    const { monitorQueues, priority } = this.#spec;
    const isOurs = trafficClass === priority || (monitorQueues & (1 << trafficClass)) !== 0;
    return isOurs && this.isIdentified(frame);
  }

  /**
   * A queue that was paused since it was last short is long for that reason: its flows congest
   * another queue, or none.
   */
  private wasPaused(out: number, trafficClass: TrafficClass, congested: boolean): boolean {
    const bit = 1 << trafficClass;
    const local = out - this.#firstPort;
    if ((this.#carrier.blockedPriorities(out) & bit) !== 0) this.paused[local] |= bit;
    else if (!congested) this.paused[local] &= ~bit;
    return (this.paused[local] & bit) !== 0;
  }

  /** Data and acknowledgements of one source for one destination. */
  private isIdentified(frame: FrameRef): boolean {
    const frameClass = this.#pool.words[frame + CLASS];
    return (frameClass & KIND_MASK) <= KIND_NAK && (frameClass & GROUP_FLAG) === 0;
  }

  private keyOf(frame: FrameRef): number {
    const { words, ends } = this.#pool;
    return flowKey(ends[frame + SOURCE], words[frame + TARGET], words[frame + HASH]);
  }

  /** -1 if the message names no flow that could be here. */
  private keyOfPdu(): number {
    const source = this.#positionOf.get(pdu.source);
    const target = this.#positionOf.get(pdu.destination);
    if (source === undefined || target === undefined) return -1;
    if (readU16(pdu.msdu, 0) !== ETHERTYPE_IPV4) return -1;
    return flowKey(source, target, readU16(pdu.msdu, UDP_SOURCE_AT));
  }

  private addFromCim(key: number, known: number, port: PortRow): void {
    const slot = known >= 0 ? known : this.addEntry(key, port, FROM_CIM);
    if (slot < 0) return;
    this.table.set(slot, STREAM_MASK, this.table.get(slot, STREAM_MASK) | FROM_CIM);
    this.table.set(slot, STREAM_LEAVING, 0);
  }

  private removeFromCim(slot: number): void {
    const mask = this.table.get(slot, STREAM_MASK) & ~FROM_CIM;
    this.table.set(slot, STREAM_MASK, mask);
    if (mask === 0) this.release(slot);
  }

  private addEntry(key: number, out: number, mask: number): number {
    const carrier = this.#carrier;
    const { table, counters } = this;
    const slot = table.ages.add(key, carrier.clock.now);
    if (slot < 0) {
      counters.ciTableFull++;
      return slot;
    }
    if (table.ages.count === 1) this.setActive(true);
    if (mask === FOUND_HERE) counters.ciFlowsFound++;
    else counters.ciFlowsByCim++;
    table.clear(slot);
    table.set(slot, STREAM_PORT, out - this.#firstPort);
    table.set(slot, STREAM_MASK, mask);
    table.set(slot, STREAM_AHEAD, this.waiting(key, out, this.#spec.monitorQueues));
    this.uncongestedPs[out - this.#firstPort] = Infinity;
    assert(table.ages.count <= this.#spec.maxStreams, 'ci.streams-of-table');
    this.armCleanup();
    return slot;
  }

  /** Frames of a flow in some queues of an egress. */
  private waiting(key: number, out: number, classes: number): number {
    let count = 0;
    this.#carrier.forEachQueued(out, (frame, trafficClass) => {
      if ((classes & (1 << trafficClass)) === 0) return;
      if (this.isIdentified(frame) && this.keyOf(frame) === key) count++;
    });
    return count;
  }

  /** The congesting queue waits while frames of its first flow are in the monitored queue. */
  private holdForHead(out: number): void {
    this.#gate.holdCongesting(out, this.#spec.priority, this.isHeadBehind(out));
  }

  /** The first frame may be of no isolated flow: it waits for no frame of the monitored queues. */
  private isHeadBehind(out: number): boolean {
    const head = this.#carrier.head(out, this.#spec.priority);
    const slot = head < 0 ? -1 : this.find(head, out);
    return slot >= 0 && this.table.get(slot, STREAM_AHEAD) > 0;
  }

  /** The congesting queue is short, and the monitored ones are not long. */
  private isUncongested(out: number, queueOctets: number): boolean {
    const { monitorQueues, ports } = this.#spec;
    const { lowOctets, thresholdOctets } = ports[out - this.#firstPort];
    if (queueOctets > lowOctets) return false;
    for (let tc = 0; tc < 8; tc++) {
      if ((monitorQueues & (1 << tc)) === 0) continue;
      if (this.#carrier.queueOctets(out, tc) >= thresholdOctets) return false;
    }
    return true;
  }

  private becameUncongested(out: number): void {
    const { table } = this;
    const local = out - this.#firstPort;
    if (this.uncongestedPs[local] !== Infinity) return;
    this.uncongestedPs[local] = this.#carrier.clock.now;
    for (let slot = table.ages.oldest; slot >= 0;) {
      const next = table.ages.after(slot);
      if (table.get(slot, STREAM_PORT) === local) this.endFinding(slot);
      slot = next;
    }
  }

  /**
   * The flow no longer congests here; it is isolated as long as a downstream bridge requests it.
   */
  private endFinding(slot: number): void {
    const mask = this.table.get(slot, STREAM_MASK) & ~FOUND_HERE;
    this.table.set(slot, STREAM_MASK, mask);
    if (mask === 0) this.release(slot);
  }

  /** An entry is removed when its frames have left, so that none is overtaken. */
  private release(slot: number): void {
    this.transmitCimDelPdu(slot);
    if (this.table.get(slot, STREAM_INSIDE) === 0) this.delCongestingFlow(slot);
    else this.table.set(slot, STREAM_LEAVING, 1);
  }

  private delCongestingFlow(slot: number): void {
    this.counters.ciFlowsReturned++;
    this.table.ages.remove(slot);
    if (this.table.ages.count === 0) this.setActive(false);
  }

  private setActive(active: boolean): void {
    this.#carrier.setIsolating(this.#firstPort, this.#macs.length, active);
  }

  private buildAndSendCim(add: boolean, slot: number, frame: FrameRef): void {
    const carrier = this.#carrier;
    const pool = this.#pool;
    const { spec, table } = this;
    const via = table.get(slot, STREAM_VIA);
    const tags = messageTags(table.get(slot, STREAM_TAGS), spec.encapsulation);
    sampleFrame(pool, frame, this.#stations, spec.minHeaderOctets, pdu.msdu, sample);
    pdu.add = add;
    pdu.destination = sample.destination;
    pdu.source = sample.source;
    pdu.vlan = tags & VID_MASK;
    pdu.msduOctets = sample.msduOctets;
    this.fillEnvelope(via, tags);
    const at = envelopeOctets(envelope);
    const length = encodeEnvelope(octets, 0, envelope, encodeCim(octets, at, pdu) - at);
    const bornPs = carrier.clock.now;
    const around = { priority: spec.txPriority, target: LINK_PARTNER, hash: 0, vlan: tags, bornPs };
    carrier.sendMessage(via + this.#firstPort, around, octets, length);
  }

  private fillEnvelope(via: number, tags: number): void {
    const own = this.#own;
    const peers = this.#peers;
    const { spec } = this;
    fillEnvelope(envelope, {
      encapsulation: spec.encapsulation,
      priority: spec.txPriority,
      dscp: CI_DSCP,
      tags,
      mac: this.#macs[via],
      own,
      stations: peers,
      position: via,
      sourcePort: UDP_PORT_CIM,
      destinationPort: UDP_PORT_CIM,
    });
  }

  private armCleanup(): void {
    if (this.cleanupArmed) return;
    this.cleanupArmed = true;
    const carrier = this.#carrier;
    const gate = this.#gate;
    const { spec } = this;
    const waitPs = Math.min(spec.idlePs, spec.maxFlowLifePs);
    gate.armCleanup(this.#firstPort, carrier.clock.now + waitPs);
  }

  get onEnqueue(): EnqueueObserver {
    return this;
  }

  get isolation(): FlowIsolation {
    return this;
  }

  get ownNotices(): NoticeFilter {
    return this;
  }

  get spec(): CiSwitchSpec {
    return this.#spec;
  }
}

function positionsOf(stations: Stations, hosts: number): ReadonlyMap<number, number> {
  return new Map(
    Array.from({ length: hosts }, (_, position) => [stations.mac(position), position]),
  );
}
