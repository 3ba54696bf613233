import { field } from '../../kernel/fields.js';
import { DUE } from '../../kernel/kinds.js';
import { PS_PER_NS } from '../../units/time.js';
import { DROP } from '../../contract/probe.js';
import type { HostCarrier, HostRole } from '../../contract/slice.js';
import { EARLIER, MESSAGE_DONE, NOTIFY, SAY_NOTHING, trackRows } from '../../contract/transport.js';
import type { HostSpec, RegisterChange, TransportSpec } from '../../contract/spec.js';
import {
  CARRIES_FLAG,
  CLASS,
  CONNECTION,
  ECHO_FLAG,
  GROUP_FLAG,
  isAnswer,
  KIND_DATA,
  KIND_MASK,
  KIND_NOTICE,
  LENGTH,
  PRIORITY_MASK,
  REMAINING,
  SEQUENCE,
  TARGET,
} from '../../frame/frame-pool.js';
import type { Nic82599 } from '../../nic-82599/nic.js';
import type { Operations } from '../../operations/operations.js';
import type { RandomStream } from '../../kernel/random.js';
import { keyId, keyKind } from '../../kernel/timer-queue.js';
import type { SampledMessage } from '../../notices/sampled-message.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import type { Ets, EtsTable } from '../../wire/lldp/dcbx-ieee.js';
import { encodeBlankTelemetry } from '../../wire/telemetry.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Device } from '../device.js';
import { KIND_DEVICE, KIND_LATE, KIND_RATE } from '../device.js';
import { makeAdapters } from '../nic-82599/adapters.js';
import { KIND_ADAPTER } from '../nic/kinds.js';
import { KEPT_NS } from '../nic-82599/receive-side.js';
import { makeTurns } from '../nic/turns.js';
import type { MechanismSet } from '../mechanisms.js';
import type { Starting } from '../starting.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import { Completions } from './completions.js';
import { type CongestionNotifications, makeNotifications } from './notifications.js';
import { KIND_PACE, makePacing } from './pacing.js';
import { type LiveFrames, makeLiveFrames } from './live-frames.js';
import type { Rates } from './rates.js';
import { KIND_RANK, makeHostOperations } from './host-operations.js';
import { KIND_APPLICATION, makeReceiveMemory } from './receive-memory.js';
import type { Receivers } from './receivers.js';
import { MESSAGES, NOT_COMPLETE } from './receivers.js';
import { LATER, READY, type Senders } from './senders.js';
import type { FrameRef, Priority, TrafficClass } from '../../units/indices.js';

/** Notices that wait at a paused host, at most. */
const WAITING_MOST = 64;
/** Telemetry header of packets whose senders request it. */
const blankTelemetry = encodeBlankTelemetry();

/** Kinds of timer queue entries of a host; the id is a connection. */
const KIND_START = KIND_DEVICE;
const KIND_WAKE = KIND_DEVICE + 1;
const KIND_DEADLINE = KIND_DEVICE + 2;

/**
 * Hosts with their NICs, one actor each: flows are counts and not frames. A plain NIC has one frame
 * ready per traffic class and takes the next one from the connections in turn. So a paused priority
 * blocks its flows at the source, and nothing is lost for want of NIC memory. Frames are received
 * at line rate, unless a fault slows the application down. Where there is an 82599, `adapters` does
 * all that.
 */
export interface Hosting {
  configure(device: Device, spec: HostSpec): void;
  /** A frame has come in. */
  receive(d: number, port: number, frame: FrameRef): void;
  /** The NIC's frame of a class starts on the link: the next one takes its place. */
  departing(d: number, trafficClass: TrafficClass, frame: FrameRef): void;
  onTimer(d: number, kind: number, connection: number): void;
  /** A message outside of connections; false where too many frames of its class wait. */
  sendMessage(d: number, message: SampledMessage, octets: Uint8Array): boolean;
  readonly sendLive: LiveFrames['send'];
  /** Software writes a register of the device's 82599 now. */
  writeRegister(d: number, change: RegisterChange): void;
  /** Writes an ETS table to the device's 82599; false where that has no such classes. */
  operate(d: number, ets: Ets): boolean;
  /** Classes and shares as the registers of the device's NIC have them; null without any. */
  tableInHardware(d: number): EtsTable | null;
  /** Priorities of the device's 82599 were mapped to other classes. */
  reclassified(d: number): void;
  /** The device's NIC pauses classes by this table of a fault; null: by its own. */
  misdirect(d: number, table: number | null): void;
  /** That table while the fault lasts; null: there is none. */
  wrongMap(d: number): number | null;
  /** The application of a host reads at this rate from now on; 0: at once. */
  read(d: number, octetPs: number): void;
  /** The link of a device went up or down. */
  carrier(d: number, up: boolean): void;
  /** Receive descriptors of a queue: free now, and the fewest so far. */
  ring(d: number, queue: number): { readonly free: number; readonly fewest: number };
  /** By device: the one with the other port of its NIC, or -1. */
  readonly partners: Int32Array;
  /** Of two such devices that have an event at one instant: this one goes first. */
  goesFirst(d: number, other: number): boolean;
  /** What a device has planned as a host: a frame to send, or one to send again. */
  planned(d: number): number;
  /** State of a host that is not in the tables. */
  parts(d: number): HostParts;
  readonly notifications: CongestionNotifications;
}

interface HostParts {
  readonly completions: Completions;
  /** Of ranks of jobs; null: there are none. */
  readonly operations: Operations | null;
  /** By name: its roles of registered mechanisms. */
  readonly roles: Readonly<Record<string, HostRole>>;
  /** Null where the NIC is a plain one. */
  readonly nic: Nic82599 | null;
  readonly streams: readonly RandomStream[];
}

interface HostingParts {
  readonly set: MechanismSet;
  readonly starting: Starting;
  readonly controlPayloads: ControlPayloads;
  readonly egressPath: EgressPath;
  readonly senders: Senders;
  readonly receivers: Receivers;
  readonly rates: Rates;
}

export function makeHosting(
  shared: Shared,
  devices: readonly Device[],
  { set, starting, controlPayloads, egressPath, senders, receivers, rates }: HostingParts,
): Hosting {
  const { all: mechanisms, given, live } = set;
  const { clock, pool, ports, queues, counters, tables } = shared;
  const { words, ends } = pool;
  const turns = makeTurns(tables);
  const adapters = makeAdapters(shared, devices, set, egressPath, {
    mayQueue,
    build,
    position: (d) => position[d],
    vmOf,
    take: takeKept,
  });
  rates.leaveToQueues(adapters);
  const receiveMemory = makeReceiveMemory(shared, devices, mechanisms, egressPath, takeKept);
  const notifications = makeNotifications(shared, devices, controlPayloads, rates);
  const operations = makeHostOperations(shared, devices, (d, c) => {
    if (senders.releaseMessages(firstSend[d] + c, 1)) wake(d, c);
  });
  const pacing = makePacing(devices, { pool, senders, receivers, queueAnswer });
  const liveFrames = makeLiveFrames(shared, devices, live, controlPayloads, queueFrame);
  const all: HostParts[] = [];
  /** By device: its roles in their order. */
  const takers: HostRole[][] = [];
  const specs: HostSpec[] = [];
  /** By device: its address, its port, its first rows. */
  const position = new Int32Array(devices.length);
  const nicPort = new Int32Array(devices.length);
  const firstSend = new Int32Array(devices.length);
  const firstReceive = new Int32Array(devices.length);
  /** By connection: when its wake-up is due, Infinity for none; and its traffic class and line. */
  const wakeAt = tables.float64('send', field('wake at', DUE)).fill(Infinity);
  const lineOfSend = new Int32Array(tables.count('send'));
  /** By device and priority: the line of its connections that have no other. */
  const lineOfPriority = new Int32Array(devices.length * 8);
  /** By device and receiving connection: sending connections that wait for its messages. */
  const dependants: number[][][] = [];
  const roleCarrier: HostCarrier = {
    stopConnection,
    limitRate: (port, connection, feedback) =>
      notifications.notify(ports.owner(port), connection, feedback),
  };

  function configure(device: Device, spec: HostSpec): void {
    const d = device.place;
    const { firstPort } = device;
    const roles: Record<string, HostRole> = {};
    for (const mechanism of given) {
      const own = spec.slices[mechanism.name];
      const role = mechanism.atHost?.({ ...spec, firstPort }, own, roleCarrier) ?? null;
      if (role !== null) roles[mechanism.name] = role;
    }
    if (spec.nic !== null) adapters.configure(device, spec.nic);
    if (spec.receiveMemory !== null) receiveMemory.configure(device, spec.receiveMemory);
    specs[d] = spec;
    position[d] = spec.position;
    nicPort[d] = device.firstPort;
    firstSend[d] = device.rows.send.first;
    firstReceive[d] = device.rows.receive.first;
    dependants[d] = dependantsOf(spec);
    const { classOf, discovery } = spec.ports[0];
    classOf.forEach((trafficClass, priority) => {
      // Classes that may change do not bind priorities together.
      const line = discovery?.drives === true ? priority : trafficClass;
      lineOfPriority[(d << 3) | priority] = turns.lineOfClass(d, line);
    });
    let { first: row } = device.rows.transport;
    let { first: bitmap } = device.rows.bitmap;
    const rowsFor = (transport: TransportSpec | null, end: 'sending' | 'receiving') => {
      const own = { row, bitmap };
      const { rows, bitmaps } = trackRows(transport, end);
      row += rows;
      bitmap += bitmaps;
      return own;
    };
    spec.sends.forEach((send, c) => {
      senders.configure(firstSend[d] + c, send, spec.seed, rowsFor(send.transport, 'sending'));
      const priority = send.frameClass & PRIORITY_MASK;
      const trafficClass = ports.classOf(device.firstPort, priority);
      if (spec.nic !== null) adapters.assign(d, c, send, trafficClass);
      const own = starting.lineOf(device.firstPort, priority, send.vlan);
      lineOfSend[firstSend[d] + c] =
        own < 0 ? lineOfPriority[(d << 3) | priority] : turns.lineOfAccount(own);
      device.schedule(send.startPs, KIND_START, c, 0);
    });
    takers[d] = Object.values(roles);
    if (spec.operations !== null) operations.configure(device, spec.operations);
    rates.configure(device, firstSend[d], spec.sends);
    all[d] = {
      completions: new Completions(),
      operations: operations.of(d),
      nic: adapters.parts(d),
      streams: rates.streamsOf(device),
      roles,
    };
    spec.receives.forEach((receive, c) => {
      const rows = rowsFor(receive.transport, 'receiving');
      const nic = { device: d, first: firstReceive[d], octetPs: spec.ports[0].octetPs };
      pacing.configure(d, receive.transport);
      receivers.configure(firstReceive[d] + c, receive, spec.position, rows, nic);
    });
  }

  function receive(d: number, port: number, frame: FrameRef): void {
    const frameClass = words[frame + CLASS];
    if ((frameClass & GROUP_FLAG) === 0 && words[frame + TARGET] !== position[d]) {
      egressPath.drop(d, port, frame, DROP.NOT_ADDRESSED);
      return;
    }
    if (adapters.has(d)) {
      adapters.receive(d, port, frame);
      return;
    }
    if (receiveMemory.keeps(d, frame)) {
      receiveMemory.store(d, port, frame);
      return;
    }
    // What arrives is taken at once: its memory is free again.
    if (ports.isCharged(port, frameClass & PRIORITY_MASK)) egressPath.passed(port, frame);
    take(d, frame);
  }

  /** Software reads a frame that its NIC has stored for a while. */
  function takeKept(d: number, frame: FrameRef): void {
    devices[d].listeners.frameTaken?.frameTaken(d, clock.now, pool, frame);
    take(d, frame);
  }

  /** Software reads a frame. */
  function take(d: number, frame: FrameRef): void {
    const c = ends[frame + CONNECTION];
    const kind = words[frame + CLASS] & KIND_MASK;
    if (kind === KIND_NOTICE) takeNotice(d, nicPort[d], frame);
    else if (isAnswer(kind)) takeAnswer(d, c, frame);
    else takePacket(d, c, frame);
    pool.release(frame);
  }

  function takeAnswer(d: number, c: number, frame: FrameRef): void {
    const send = firstSend[d] + c;
    const expected = words[frame + SEQUENCE];
    rates.answered(send, expected, (words[frame + CLASS] & ECHO_FLAG) !== 0);
    if (senders.tellsLoss(send, pool, frame)) rates.lost(send, false);
    else rates.acknowledged(send, expected, ends[frame + REMAINING] * PS_PER_NS);
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      rates.observed(send, expected, controlPayloads.octets(frame));
      controlPayloads.release(frame);
    }
    if (!senders.answered(send, pool, frame)) return;
    wake(d, c);
    armDeadline(d, c);
    if (operations.of(d) !== null && senders.remaining(send) === 0) operations.acknowledged(d, c);
  }

  /** A message; a station that does not know its kind ignores it. */
  function takeNotice(d: number, port: number, frame: FrameRef): void {
    const { mac } = specs[d].ports[port - nicPort[d]];
    const octets = controlPayloads.octets(frame);
    if (!liveFrames.takes(port, frame, octets) && !notifications.take(d, octets)) {
      const bornPs = pool.born(frame);
      takers[d].some((role) => role.takes(port, mac, octets, bornPs));
    }
    controlPayloads.release(frame);
  }

  function stopConnection(
    port: number,
    c: number,
    priority: Priority,
    durationPs: number,
  ): boolean {
    const d = ports.owner(port);
    const { frameClass } = specs[d].sends[c];
    if ((frameClass & PRIORITY_MASK) !== priority) return false;
    senders.stopFor(firstSend[d] + c, durationPs);
    wake(d, c);
    return true;
  }

  function departing(d: number, trafficClass: TrafficClass, frame: FrameRef): void {
    if (adapters.has(d)) {
      adapters.departing(d, trafficClass, frame);
      return;
    }
    if ((words[frame + CLASS] & KIND_MASK) > KIND_DATA) return;
    const own = starting.lineOfFrame(nicPort[d], frame);
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const line = own < 0 ? lineOfPriority[(d << 3) | priority] : turns.lineOfAccount(own);
    turns.setWaiting(line, false);
    refill(d, line);
  }

  function onTimer(d: number, kind: number, c: number): void {
    if (kind === KIND_PACE) pacing.onTimer(d);
    else if (kind >= KIND_RANK) operations.onTimer(d, kind, c);
    else if (kind === KIND_APPLICATION) receiveMemory.onTimer(d);
    else if (kind >= KIND_ADAPTER) adapters.onTimer(d, kind, c);
    else ownTimer(d, kind, c);
    if (adapters.has(d)) adapters.settle(d);
  }

  function ownTimer(d: number, kind: number, c: number): void {
    if (kind < KIND_DEVICE) {
      rates.onTimer(firstSend[d] + c, kind - KIND_RATE);
      // It may send earlier than planned.
      wake(d, c);
    } else if (kind === KIND_DEADLINE) checkDeadline(d, c);
    else if (kind === KIND_START) startFlow(d, c);
    else {
      wakeAt[firstSend[d] + c] = Infinity;
      wake(d, c);
    }
  }

  /**
   * A retransmission timer runs on when everything is acknowledged, and then does nothing. What is
   * retransmitted in vain for good is no plan: a run would never end.
   */
  function planned(d: number): number {
    let count = 0;
    devices[d].timerQueue.forEach((_, key) => {
      const kind = keyKind(key);
      if (kind < KIND_DEVICE || kind === KIND_LATE) return;
      const send = firstSend[d] + keyId(key);
      const isIdle = kind === KIND_DEADLINE && !senders.outstanding(send);
      const isRetry = kind === KIND_DEADLINE || kind === KIND_WAKE;
      if (!isIdle && !(isRetry && senders.isHopeless(send))) count++;
    });
    return count;
  }

  function startFlow(d: number, c: number): void {
    senders.start(firstSend[d] + c);
    if (specs[d].sends[c].after.length > 0) releaseDependant(d, c);
    wake(d, c);
  }

  /** A connection may have something to send: adds it to its line. */
  function wake(d: number, c: number): void {
    if (adapters.has(d)) {
      adapters.wake(d, c);
      return;
    }
    const send = firstSend[d] + c;
    const line = lineOfSend[send];
    turns.join(line, firstSend[d], c);
    if (!turns.isWaiting(line)) refill(d, line);
  }

  /** Puts the next data frame of a line into the NIC, if any connection has one. */
  function refill(d: number, line: number): void {
    const base = firstSend[d];
    for (let c = turns.take(line, base); c >= 0; c = turns.take(line, base)) {
      if (!mayQueue(d, c)) continue;
      const frame = build(d, c);
      turns.join(line, base, c);
      turns.setWaiting(line, true);
      queueFrame(d, frame, ports.classOf(nicPort[d], words[frame + CLASS] & PRIORITY_MASK));
      return;
    }
  }

  function mayQueue(d: number, c: number): boolean {
    const ready = senders.readiness(firstSend[d] + c);
    if (ready === LATER) wakeLater(d, c);
    return ready === READY;
  }

  /** Makes the next frame of a connection that may send. */
  function build(d: number, c: number): number {
    const send = firstSend[d] + c;
    const idle = !senders.outstanding(send);
    const frame = senders.build(send, pool);
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      controlPayloads.load(frame, blankTelemetry, blankTelemetry.length);
    }
    rates.sent(send, words[frame + SEQUENCE], words[frame + LENGTH]);
    if (ends[frame + REMAINING] === 0) operations.handed(d, c);
    if (senders.isReliable(send)) {
      if (idle) senders.extendDeadline(send);
      armDeadline(d, c);
    }
    return frame;
  }

  function queueFrame(d: number, frame: FrameRef, trafficClass: TrafficClass): void {
    const port = nicPort[d];
    counters.made(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
    egressPath.enqueueOwn(d, port, trafficClass, frame);
  }

  function checkDeadline(d: number, c: number): void {
    const send = firstSend[d] + c;
    senders.timerAt[send] = Infinity;
    if (senders.deadline(send) <= clock.now) {
      senders.timeOut(send);
      rates.lost(send, true);
      wake(d, c);
    }
    armDeadline(d, c);
  }

  /**
   * One timer per connection: where the deadline has moved back it is set again when it expires,
   * and an earlier one replaces it where progress ends a back-off.
   */
  function armDeadline(d: number, c: number): void {
    const send = firstSend[d] + c;
    const deadline = senders.deadline(send);
    const armed = senders.timerAt[send];
    if (deadline >= armed) return;
    if (armed !== Infinity) devices[d].cancel(armed, KIND_DEADLINE, c);
    senders.timerAt[send] = deadline;
    devices[d].schedule(deadline, KIND_DEADLINE, c, 0);
  }

  function wakeLater(d: number, c: number): void {
    const send = firstSend[d] + c;
    const time = senders.retryAt();
    if (time >= wakeAt[send]) return;
    if (wakeAt[send] !== Infinity) devices[d].cancel(wakeAt[send], KIND_WAKE, c);
    wakeAt[send] = time;
    devices[d].schedule(time, KIND_WAKE, c, 0);
  }

  function takePacket(d: number, c: number, frame: FrameRef): void {
    const receive = firstReceive[d] + c;
    const outcome = receivers.take(receive, pool, frame);
    if ((outcome & MESSAGE_DONE) !== 0) messagesArrived(d, c, pool.born(frame));
    if ((outcome & NOTIFY) !== 0) queueAnswer(d, c, notifications.make(specs[d].receives[c]));
    if ((outcome & EARLIER) !== 0) queueAnswer(d, c, receivers.earlierAnswer(receive, pool));
    const say = outcome & ~(MESSAGE_DONE | NOTIFY | EARLIER);
    if (say !== SAY_NOTHING)
      queueAnswer(d, c, echoing(d, frame, receivers.answer(receive, say, pool)));
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) controlPayloads.release(frame);
  }

  /** An answer carries how long its packet was stored here, and its telemetry. */
  function echoing(d: number, frame: FrameRef, answer: number): number {
    if (adapters.has(d)) ends[answer + REMAINING] = words[frame + KEPT_NS];
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      words[answer + CLASS] |= CARRIES_FLAG;
      const octets = controlPayloads.octets(frame).slice();
      controlPayloads.load(answer, octets, octets.length);
    }
    return answer;
  }

  function queueAnswer(d: number, c: number, frame: FrameRef): void {
    if (adapters.has(d)) adapters.answer(d, specs[d].receives[c].vm, frame);
    else queueFrame(d, frame, ports.classOf(nicPort[d], words[frame + CLASS] & PRIORITY_MASK));
  }

  function sendMessage(d: number, message: SampledMessage, octets: Uint8Array): boolean {
    const trafficClass = ports.classOf(nicPort[d], message.priority);
    if (waiting(d, trafficClass) >= WAITING_MOST) return false;
    const frame = controlPayloads.make(message, octets, octets.length);
    if (adapters.has(d)) {
      adapters.answer(d, 0, frame);
      // A fault of the port may send it, at a time at which the adapter has no event of its own.
      adapters.settle(d);
    } else queueFrame(d, frame, trafficClass);
    return true;
  }

  /** Frames of a class, or of the first virtual machine's answers in it. */
  function waiting(d: number, trafficClass: TrafficClass): number {
    if (adapters.has(d)) return adapters.answersWaiting(d, 0, trafficClass);
    return queues.get(nicPort[d], trafficClass, QUEUE_FRAMES);
  }

  /** Answers go to the virtual machine that sent the request; notifications to the first. */
  function vmOf(d: number, frame: FrameRef): number {
    const c = ends[frame + CONNECTION];
    const kind = words[frame + CLASS] & KIND_MASK;
    if (kind === KIND_NOTICE) return 0;
    return isAnswer(kind) ? specs[d].sends[c].vm : specs[d].receives[c].vm;
  }

  /** A packet may be the last that is missing of more than one message. */
  function messagesArrived(d: number, c: number, firstBorn: number): void {
    const receive = firstReceive[d] + c;
    for (let born = firstBorn; born !== NOT_COMPLETE; born = receivers.nextCompleted(receive)) {
      messageArrived(d, c, born);
    }
  }

  function messageArrived(d: number, c: number, born: number): void {
    const spec = specs[d].receives[c];
    const { now } = clock;
    const message = receivers.get(firstReceive[d] + c, MESSAGES) - 1;
    all[d].completions.add(spec.flow, message, spec.transport === null ? spec.startPs : born, now);
    devices[d].listeners.messageDelivered?.messageDelivered(d, now, spec.flow, message);
    for (const dependant of dependants[d][c]) releaseDependant(d, dependant);
    operations.arrived(d, c);
  }

  /** Message m is released once every prerequisite has delivered m + 1 - lead messages. */
  function releaseDependant(d: number, c: number): void {
    const spec = specs[d].sends[c];
    if (clock.now < spec.startPs) return;
    let messages = Infinity;
    for (const { receive, lead } of spec.after) {
      messages = Math.min(messages, receivers.get(firstReceive[d] + receive, MESSAGES) + lead);
    }
    if (senders.releaseMessages(firstSend[d] + c, messages)) wake(d, c);
  }

  function carrier(d: number, up: boolean): void {
    if (adapters.has(d)) adapters.carrier(d, up);
  }

  function writeRegister(d: number, change: RegisterChange): void {
    adapters.writeRegister(d, change);
    adapters.settle(d);
  }

  function operate(d: number, ets: Ets): boolean {
    const isInForce = adapters.operate(d, ets);
    adapters.settle(d);
    return isInForce;
  }

  function reclassified(d: number): void {
    adapters.reclassified(d);
    adapters.settle(d);
  }

  return {
    configure,
    receive,
    departing,
    onTimer,
    sendMessage,
    sendLive: liveFrames.send,
    writeRegister,
    operate,
    tableInHardware: (d) => adapters.tableInHardware(d),
    reclassified,
    misdirect: (d, table) => {
      adapters.misdirect(d, table);
    },
    wrongMap: (d) => adapters.wrongMap(d),
    read: (d, octetPs) => {
      receiveMemory.read(d, octetPs);
    },
    carrier,
    ring: (d, queue) => adapters.ring(d, queue),
    partners: adapters.partners,
    goesFirst: (d, other) => adapters.goesFirst(d, other),
    planned,
    parts: (d) => all[d],
    notifications,
  };
}

function dependantsOf(spec: HostSpec): number[][] {
  const dependants: number[][] = spec.receives.map(() => []);
  spec.sends.forEach((send, c) => {
    for (const { receive } of send.after) dependants[receive].push(c);
  });
  return dependants;
}
