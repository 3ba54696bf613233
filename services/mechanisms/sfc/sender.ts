import { TRAFFIC_CLASSES, VID_MASK } from '../../engine/units/ethernet.js';
import type { SfcPortSpec, SfcSwitchSpec } from './spec.js';
import {
  CLASS,
  dscpOf,
  HASH,
  KIND_MASK,
  KIND_NAK,
  PRIORITY_MASK,
  RECORD_WORDS,
  SOURCE,
  STORED,
} from '../../engine/frame/frame-pool.js';
import { RandomStream } from '../../engine/kernel/random.js';
import type { SampledFrame } from '../../engine/notices/sampled-frame.js';
import { sampleFrame } from '../../engine/notices/sampled-frame.js';
import { fillEnvelope, messageTags } from '../../engine/notices/notice-envelope.js';
import { Stations } from '../../engine/notices/stations.js';
import {
  blankEnvelope,
  encodeEnvelope,
  envelopeOctets,
  UDP_PORT_SFCM,
} from '../../engine/wire/congestion-message.js';
import { blankSfcm, encodeSfcm, SFCM_PAUSE, SFCM_RESUME } from '../../engine/wire/sfcm.js';
import type { DequeueObserver, DevicePlace, EnqueueObserver } from '../../engine/contract/slice.js';
import type { SfcBridgeParts } from './carrier.js';
import { CLEANUP_TIMER } from './carrier.js';
import type { DrainSample, GrowthSample, QueueView } from './machine.js';
import {
  beginDrain,
  congestionProbability,
  drainOctetPs,
  intervalIsOver,
  leastWatched,
  pauseTimeNs,
  sampleDrain,
  sampleGrowth,
  sourceKey,
} from './machine.js';
import { SFC_DSCP } from './managed.js';
import {
  ENTRY_PRIORITY,
  ENTRY_QUEUE_CLASS,
  ENTRY_QUEUE_PORT,
  ENTRY_SEQUENCE,
  ENTRY_SOURCE,
  ENTRY_VIA,
  SfcSourceTable,
} from './source-table.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** State of a monitored queue. */
interface QueueMemory extends GrowthSample {
  /** A pause was requested since it was last at its target. */
  isSignalled: boolean;
  /** Its last message. */
  sentPs: number;
  readonly drain: DrainSample;
}

const UNIT_OCTETS = 64;
const U16_MAX = 0xffff;

// One message is composed at a time, by whichever sender.
const pdu = blankSfcm();
const envelope = blankEnvelope();
const octets = new Uint8Array(1024);
const sample: SampledFrame = { destination: 0, source: 0, vlan: 0, msduOctets: 0 };

/** The sender side of an SFC bridge: the procedures of P802.1Qdw 52.5.2, by their names. */
export class SfcSender implements EnqueueObserver, DequeueObserver {
  readonly #spec: SfcSwitchSpec;
  readonly #parts: SfcBridgeParts;
  table: SfcSourceTable;
  /** By entry, its last frame; empty unless sources are to be resumed. */
  private readonly lastFrames: Int32Array;
  /** By port of the switch and traffic class. */
  private readonly queues: readonly QueueMemory[];
  private readonly random: RandomStream;
  readonly #view: QueueView = { octets: 0, growth: 0, freeOctets: 0 };
  private cleanupArmed = false;
  /** The queue that is being measured is paused itself. */
  private isPaused = false;

  readonly #firstPort: number;
  readonly #macs: readonly number[];
  readonly #stations: Stations;
  readonly #own: Stations;

  constructor(
    spec: SfcSwitchSpec,
    { firstPort, ports, name, seed }: DevicePlace,
    parts: SfcBridgeParts,
  ) {
    this.#spec = spec;
    this.#parts = parts;
    this.#firstPort = firstPort;
    this.#macs = ports.map(({ mac }) => mac);
    this.#stations = new Stations(spec.stations);
    this.#own = new Stations(spec.address);
    this.random = new RandomStream(seed, `${name}/sfc`);
    this.queues = Array.from({ length: ports.length * TRAFFIC_CLASSES }, newQueue);
    this.lastFrames = new Int32Array(spec.resume ? spec.maxSources * RECORD_WORDS : 0);
    this.table = this.sfcInitialize();
  }

  /** An empty source table. */
  sfcInitialize(): SfcSourceTable {
    return new SfcSourceTable(this.#spec.maxSources);
  }

  /**
   * A frame from `via` joins a monitored queue, which then has `queueOctets` (P802.1Qdw 52.4:
   * frames given to SFCP congestion detection by Queuing Frames).
   */
  sfcCongestionDetect(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    const frameClass = this.#parts.pool.words[frame + CLASS];
    // Messages of bridges and notifications are not regarded as congesting.
    if ((frameClass & KIND_MASK) > KIND_NAK) return;
    const queue = this.watch(out, trafficClass, queueOctets);
    this.isPaused = this.isBlocked(out, frameClass & PRIORITY_MASK);
    this.watchDrain(queue, out, queueOctets, this.#parts.pool.words[frame + STORED]);
    if (this.isPaused && !this.#spec.sendsWhilePaused) return;
    const { detector } = this.#spec.ports[out - this.#firstPort];
    const probability = congestionProbability(detector, this.#view);
    if (probability === 0) return;
    if (probability < 1 && this.random.uniform() >= probability) return;
    this.#parts.counters.sfcCongestionDetected++;
    queue.isSignalled = true;
    const slot = this.addSfcSource(via, out, trafficClass, frame);
    if (slot < 0) this.#parts.counters.sfcSfcmsDeferred++;
    else if (this.isLimited(queue, via)) this.#parts.counters.sfcSfcmsLimited++;
    else this.condTransmitSfcmPdu(slot, frame, queue);
  }

  /** The queue may send no message yet; a PFC request at an own port is none. */
  private isLimited({ sentPs }: QueueMemory, via: number): boolean {
    const { spec } = this;
    const { timers, edges } = this.#parts;
    return !edges.actsFor(via) && !intervalIsOver(sentPs, timers.clock.now, spec.queueIntervalPs);
  }

  /** A frame has left a monitored queue. */
  sfcQueueFell(out: number, trafficClass: TrafficClass, queueOctets: number): void {
    const local = out - this.#firstPort;
    const queue = this.queues[local * TRAFFIC_CLASSES + trafficClass];
    if (!queue.isSignalled || queueOctets > this.#spec.ports[local].targetOctets) return;
    queue.isSignalled = false;
    this.#view.octets = queueOctets;
    this.resumeSources(local, trafficClass);
  }

  /**
   * The entry of a frame's source. The one unseen longest is replaced by it, but not before its
   * sfcmMinInterval is over, which is known from the entry only. -1: there is no room.
   */
  addSfcSource(via: number, out: number, trafficClass: TrafficClass, frame: FrameRef): number {
    const { table } = this;
    const { pool } = this.#parts;
    const { now } = this.#parts.timers.clock;
    const source = pool.ends[frame + SOURCE];
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const key = sourceKey(source, priority);
    let slot = table.ages.find(key);
    if (slot >= 0) table.ages.touch(slot, now);
    else {
      while (table.ages.isFull && this.mayBeSent(table.ages.oldest)) {
        table.ages.remove(table.ages.oldest);
        this.#parts.counters.sfcSourcesReplaced++;
      }
      slot = table.ages.add(key, now);
      if (slot < 0) {
        this.#parts.counters.sfcSourcesRefused++;
        return slot;
      }
      table.open(slot, source, priority);
      this.armCleanup();
    }
    table.set(slot, ENTRY_VIA, via - this.#firstPort);
    table.set(slot, ENTRY_QUEUE_PORT, out - this.#firstPort);
    table.set(slot, ENTRY_QUEUE_CLASS, trafficClass);
    if (this.#spec.resume) pool.readInto(frame, this.lastFrames, slot * RECORD_WORDS);
    return slot;
  }

  /** Whether an entry's sfcmMinInterval is over; -1 is no entry. */
  private mayBeSent(slot: number): boolean {
    const { now } = this.#parts.timers.clock;
    return slot >= 0 && intervalIsOver(this.table.lastSentPs[slot], now, this.#spec.minIntervalPs);
  }

  condTransmitSfcmPdu(slot: number, frame: FrameRef, queue: QueueMemory): void {
    if (!this.mayBeSent(slot)) {
      this.#parts.counters.sfcSfcmsDeferred++;
      return;
    }
    queue.sentPs = this.#parts.timers.clock.now;
    this.buildAndSendSfcm(SFCM_PAUSE, slot, frame);
  }

  /**
   * Sends a message to an entry's source, or pauses it by PFC if it is on a link of this bridge.
   */
  buildAndSendSfcm(type: number, slot: number, frame: FrameRef): void {
    const { table, spec } = this;
    const { carrier, counters } = this.#parts;
    const { now } = this.#parts.timers.clock;
    const pauseNs = type === SFCM_RESUME ? 0 : this.pauseNs(slot);
    const via = table.get(slot, ENTRY_VIA);
    if (pauseNs > 0) this.announceQueue(slot);
    assert(pauseNs >= 0 && pauseNs < Infinity, 'sfc.pause-time');
    assert(type === SFCM_RESUME || now > table.lastSentPs[slot], 'sfc.interval-of-source');
    table.lastSentPs[slot] = now;
    table.pausedUntilPs[slot] = now + pauseNs * 1000;
    if (this.#parts.edges.actsFor(via + this.#firstPort)) {
      const mac = this.#macs[table.get(slot, ENTRY_QUEUE_PORT)];
      this.invokePfc(via, table.get(slot, ENTRY_PRIORITY), pauseNs, mac);
      return;
    }
    if (type === SFCM_RESUME) counters.sfcResumesTransmitted++;
    else counters.sfcSfcmsTransmitted++;
    this.fillPdu(type, slot, frame, pauseNs);
    const out = table.get(slot, ENTRY_QUEUE_PORT) + this.#firstPort;
    const vlan = messageTags(carrier.answerTags(out, frame), spec.encapsulation);
    pdu.vlan = vlan & VID_MASK;
    this.fillEnvelope(via, vlan, table.get(slot, ENTRY_SOURCE));
    const at = envelopeOctets(envelope);
    const length = encodeEnvelope(octets, 0, envelope, encodeSfcm(octets, at, pdu) - at);
    carrier.sendMessage(
      via + this.#firstPort,
      {
        priority: spec.txPriority,
        target: table.get(slot, ENTRY_SOURCE),
        hash: this.#parts.pool.words[frame + HASH],
        vlan,
        bornPs: now,
      },
      octets,
      length,
    );
  }

  joinsFrom(port: PortRow, trafficClass: TrafficClass): number | null {
    return this.monitors(trafficClass) ? leastWatched(this.portSpec(port).detector) : null;
  }

  leavesFrom(_port: PortRow, trafficClass: TrafficClass): number | null {
    return this.#spec.resume && this.monitors(trafficClass) ? 0 : null;
  }

  joined(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void {
    if (!this.monitors(trafficClass)) return;
    this.sfcCongestionDetect(via, out, trafficClass, frame, queueOctets);
  }

  left(port: PortRow, trafficClass: TrafficClass, _frame: FrameRef, queueOctets: number): void {
    if (!this.#spec.resume || !this.monitors(trafficClass)) return;
    this.sfcQueueFell(port, trafficClass, queueOctets);
  }

  portSpec(port: PortRow): SfcPortSpec {
    return this.#spec.ports[port - this.#firstPort];
  }

  /** Removes sources that were not seen for sfcSourceLife, once their sfcmMinInterval is over. */
  periodicTableCleanup(): void {
    const { table, spec } = this;
    this.cleanupArmed = false;
    const oldest = this.#parts.timers.clock.now - spec.sourceLifePs;
    while (table.ages.count > 0 && table.ages.seenAt(table.ages.oldest) <= oldest) {
      if (!this.mayBeSent(table.ages.oldest)) break;
      table.ages.remove(table.ages.oldest);
      this.#parts.counters.sfcSourcesAged++;
    }
    if (table.ages.count > 0) this.armCleanup();
  }

  private monitors(trafficClass: TrafficClass): boolean {
    return (this.#spec.monitorQueues & (1 << trafficClass)) !== 0;
  }

  private invokePfc(via: number, priority: Priority, pauseNs: number, queueMac: number): void {
    const { counters } = this.#parts;
    const { pauser } = this.#parts.carrier;
    const port = via + this.#firstPort;
    if (pauser?.canStop(port, priority) !== true) {
      counters.sfcProxyNoPfc++;
      return;
    }
    if (pauseNs > 0) this.#parts.timers.announce(port, priority, queueMac);
    pauser.stopFor(port, priority, pauseNs * 1000);
    counters.sfcPfcInvoked++;
    if (pauseNs > 0) counters.reacted(0);
  }

  /** Measures a queue and its growth. */
  private watch(out: number, trafficClass: TrafficClass, queueOctets: number): QueueMemory {
    const view = this.#view;
    const { carrier } = this.#parts;
    const queue = this.queues[(out - this.#firstPort) * TRAFFIC_CLASSES + trafficClass];
    assert(this.monitors(trafficClass) && queueOctets > 0, 'sfc.monitored-queue-has-octets');
    sampleGrowth(queue, queueOctets, this.#parts.timers.clock.now);
    view.octets = queueOctets;
    view.growth = queue.growth;
    view.freeOctets = carrier.freeOctets(out);
    return queue;
  }

  private watchDrain(
    { drain }: QueueMemory,
    out: number,
    octets: number,
    frameOctets: number,
  ): void {
    const { now } = this.#parts.timers.clock;
    const { octetPs, detector } = this.portSpec(out);
    sampleDrain(drain, { now, octets, frameOctets }, octetPs, leastWatched(detector));
    if (this.isPaused) beginDrain(drain, now, octets);
  }

  /** The queue may not send now. */
  private isBlocked(out: number, priority: Priority): boolean {
    return (this.#parts.carrier.blockedPriorities(out) & (1 << priority)) !== 0;
  }

  private announceQueue(slot: number): void {
    const { table } = this;
    const port = table.get(slot, ENTRY_QUEUE_PORT) + this.#firstPort;
    const trafficClass = table.get(slot, ENTRY_QUEUE_CLASS);
    this.#parts.timers.announceQueue(port, trafficClass, table.get(slot, ENTRY_PRIORITY));
  }

  private pauseNs(slot: number): number {
    const { table, spec } = this;
    const local = table.get(slot, ENTRY_QUEUE_PORT);
    const { octetPs, targetOctets } = spec.ports[local];
    const queue = this.queues[local * TRAFFIC_CLASSES + table.get(slot, ENTRY_QUEUE_CLASS)];
    const drain = this.isPaused ? Infinity : drainOctetPs(queue.drain, octetPs);
    return pauseTimeNs(
      spec,
      this.#view,
      targetOctets,
      spec.loopPs[table.get(slot, ENTRY_SOURCE)],
      drain,
    );
  }

  private fillPdu(type: number, slot: number, frame: FrameRef, pauseNs: number): void {
    const { table, spec } = this;
    const { pool } = this.#parts;
    sampleFrame(pool, frame, this.#stations, spec.minHeaderOctets, pdu.msdu, sample);
    const out = table.get(slot, ENTRY_QUEUE_PORT);
    const sequence = table.get(slot, ENTRY_SEQUENCE) + 1;
    table.set(slot, ENTRY_SEQUENCE, sequence & U16_MAX);
    pdu.type = type;
    pdu.priority = table.get(slot, ENTRY_PRIORITY);
    pdu.dscp = dscpOf(pool.words[frame + CLASS]);
    pdu.sequence = sequence & U16_MAX;
    pdu.pauseNs = pauseNs;
    pdu.destination = sample.destination;
    pdu.source = sample.source;
    pdu.queueMac = this.#macs[out];
    pdu.queueNumber = (((out + 1) & 0xff) << 8) | pdu.priority;
    pdu.queueUnits = Math.min(U16_MAX, Math.floor(this.#view.octets / UNIT_OCTETS));
    pdu.msduOctets = sample.msduOctets;
  }

  private fillEnvelope(via: number, tags: number, position: number): void {
    const stations = this.#stations;
    const own = this.#own;
    const { spec } = this;
    fillEnvelope(envelope, {
      encapsulation: spec.encapsulation,
      priority: spec.txPriority,
      dscp: SFC_DSCP,
      tags,
      mac: this.#macs[via],
      own,
      stations,
      position,
      sourcePort: UDP_PORT_SFCM,
      destinationPort: UDP_PORT_SFCM,
    });
  }

  private resumeSources(local: number, trafficClass: TrafficClass): void {
    const { table } = this;
    const { pool } = this.#parts;
    const { now } = this.#parts.timers.clock;
    for (let slot = table.ages.oldest; slot >= 0; slot = table.ages.after(slot)) {
      const isOfQueue =
        table.get(slot, ENTRY_QUEUE_PORT) === local &&
        table.get(slot, ENTRY_QUEUE_CLASS) === trafficClass;
      if (!isOfQueue || table.pausedUntilPs[slot] <= now) continue;
      const frame = pool.write(this.lastFrames, slot * RECORD_WORDS);
      this.buildAndSendSfcm(SFCM_RESUME, slot, frame);
      pool.release(frame);
    }
  }

  private armCleanup(): void {
    if (this.cleanupArmed) return;
    this.cleanupArmed = true;
    const { spec } = this;
    const { timers } = this.#parts;
    timers.arm(this.#firstPort, CLEANUP_TIMER, timers.clock.now + spec.sourceLifePs);
  }

  get spec(): SfcSwitchSpec {
    return this.#spec;
  }
}

function newQueue(): QueueMemory {
  const last = { lastPs: -1, lastOctets: 0, octetPs: 0 };
  const drain = { fromPs: 0, fromOctets: 0, joinedOctets: 0, ...last };
  return { octets: 0, atPs: 0, growth: 0, isSignalled: false, sentPs: -Infinity, drain };
}
