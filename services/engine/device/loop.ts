import {
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  PREAMBLE_OCTETS,
  WIRE_OVERHEAD_OCTETS,
} from '../units/ethernet.js';
import type { Mechanism } from '../contract/flow-control.js';
import { DROP } from '../contract/probe.js';
import {
  CARRIES_FLAG,
  CLASS,
  CONNECTION,
  COPY_FLAG,
  FOLLOWED_FLAG,
  LENGTH,
  NEXT,
  PORT,
  PRIORITY_MASK,
  SEQUENCE,
} from '../frame/frame-pool.js';
import { LATE, SILENT } from '../frame/trace-mask.js';
import { keyId, keyKind } from '../kernel/timer-queue.js';
import { assert } from '../kernel/assert.js';
import { wordCell } from '../kernel/cells.js';
import { ETHERTYPE_MAC_CONTROL } from '../wire/ethernet.js';
import { readU16 } from '../wire/big-endian.js';
import { CE_TAG_OCTETS, isCeTagged } from '../wire/ce-tag.js';
import { isCbfc } from '../wire/mac-control/cbfc-frame.js';
import { isCreditExchange } from '../wire/mac-control/ce-frame.js';
import { isLinkState } from '../wire/link-state.js';
import { ETHERTYPE_LLDP, LLDP_FRAME_MOST } from '../wire/lldp/lldpdu.js';
import type { ControlPayloads } from './control-payloads.js';
import type { Device } from './device.js';
import {
  DID_ARRIVE,
  DID_SEND,
  DID_SEND_CONTROL,
  DID_TAKE_CONTROL,
  KIND_CONTROL,
  KIND_LATE,
  KIND_MECHANISM,
  KIND_RATE,
  TIMER_BITS,
} from './device.js';
import {
  CONTROL_LATER,
  CONTROL_LOST,
  CONTROL_TWICE,
  CUT,
  MEDDLED,
} from '../faults/fault-mechanism.js';
import { messageOf } from '../faults/control-frames.js';
import { UNHURT } from '../faults/frame-errors.js';
import type { Hosting } from './host/hosting.js';
import type { MechanismSet } from './mechanisms.js';
import type { CreditGating } from './credit-gating.js';
import type { EgressPath } from './egress-path.js';
import type { Shared } from './shared.js';
import type { Switching } from './switch/switching.js';

/** No frame is longer. */
const LONGEST_OCTETS = 65_536;
/** Offset of a frame's EtherType. */
const TYPE_AT = 12;

/** In the id of a control frame that faults have dealt with. */
const DEALT_WITH = 1 << 20;

/** Of a frame that comes in: not yet. */
const LATER = -2;

/** So many frames and more are not all in the nearest cache. */
const COLD_FRAMES = 4096;
/** About as many frames of full length as pass a port in a window of usual length. */
const WARM_DEPTH = 8;
/** So many hosts, as a power of two, are warmed together. */
const HOSTS_SHIFT = 4;

/** Executes events: of one actor, in the order (time; timer queue, arrivals, transmitters; lot). */
export interface Loop {
  /** Executes every event before `bound` and reports the time of the next one. */
  run(device: number, bound: number): void;
}

/**
 * The loop is a function over the shared tables and not a method of each device: what it closes
 * over is constant, so the compiler turns the tables into addresses, and a frame costs half.
 */
export function makeLoop(
  shared: Shared,
  devices: readonly Device[],
  { all: mechanisms, atSlot, credit, faults, failover }: MechanismSet,
  creditGating: CreditGating,
  switching: Switching,
  hosting: Hosting,
  egressPath: EgressPath,
  controlPayloads: ControlPayloads,
): Loop {
  const handlers = mechanisms.filter(({ receiveControl }) => receiveControl !== undefined);
  const { flags } = faults;
  const { tagOffered } = credit.conversation;
  const { clock, pool, ports, inFlightQueues, queues, counters, digests } = shared;
  const { arrivals, transmits, horizon, events, traceMask, octets: store } = shared;
  const isHost = Uint8Array.from(devices, (device) => (device.spec.kind === 'host' ? 1 : 0));
  const cursors = new Int32Array(
    Math.max(1 << HOSTS_SHIFT, ...devices.map((device) => 2 * device.spec.ports.length)),
  );
  /** By group of hosts: the end of the window that it was warmed for. */
  const warmUntil = new Float64Array((devices.length >> HOSTS_SHIFT) + 1);
  /** Keeps the compiler from leaving out reads whose only purpose is to have been made. */
  const warmed = wordCell();
  const scratch = new Uint8Array(LLDP_FRAME_MOST);
  /** Octets in `scratch` of the tag that rides on the frame being sent. */
  let tagLength = 0;

  function run(d: number, bound: number): void {
    const device = devices[d];
    const { timerQueue } = device;
    if (pool.extent() > COLD_FRAMES) warm(d, device, bound);
    /** Of this call: a device never goes back in time. */
    let last = -Infinity;
    for (;;) {
      const timer = timerQueue.time;
      const arrival = arrivals.time[d];
      const transmission = transmits.time[d];
      if (timer <= arrival && timer <= transmission) {
        if (timer >= bound) {
          horizon[d] = timer;
          return;
        }
        assert(timer >= last, 'timer.past');
        clock.now = last = timer;
        runTimerQueue(device);
      } else if (arrival <= transmission) {
        if (arrival >= bound) {
          horizon[d] = arrival;
          return;
        }
        assert(arrival >= last, 'arrival.past');
        clock.now = last = arrival;
        arrive(d, device, arrivals.port(d));
      } else {
        if (transmission >= bound) {
          horizon[d] = transmission;
          return;
        }
        assert(transmission >= last, 'transmission.past');
        clock.now = last = transmission;
        transmit(d, device, transmits.port(d));
      }
      events[d]++;
    }
  }

  /**
   * Reads the frames of this window once, in-flight queue by in-flight queue and queue by queue.
   * Where frames outgrow the processor's cache, each would be waited for alone when its turn comes;
   * here the waits of different ports overlap. A host has one port only, so several hosts are
   * warmed together.
   */
  function warm(d: number, device: Device, bound: number): void {
    if (isHost[d] === 0) warmSwitch(device, bound);
    else if (warmUntil[d >> HOSTS_SHIFT] !== bound) {
      warmUntil[d >> HOSTS_SHIFT] = bound;
      warmHosts((d >> HOSTS_SHIFT) << HOSTS_SHIFT, bound);
    }
  }

  function warmHosts(from: number, bound: number): void {
    const { words, ends } = pool;
    const to = Math.min(from + (1 << HOSTS_SHIFT), devices.length);
    let count = 0;
    for (let d = from; d < to; d++) {
      if (isHost[d] !== 0) cursors[count++] = inFlightQueues.head(devices[d].firstPort);
    }
    let touched = 0;
    for (let depth = 0; depth < WARM_DEPTH; depth++) {
      for (let p = 0; p < count; p++) {
        const frame = cursors[p];
        if (frame < 0) continue;
        touched ^= words[frame + CLASS] ^ ends[frame + CONNECTION];
        cursors[p] = pool.arrival(frame) >= bound ? -1 : words[frame + NEXT];
      }
    }
    warmed[0] = touched;
  }

  function warmSwitch(device: Device, bound: number): void {
    const { words } = pool;
    const first = device.firstPort;
    const count = device.spec.ports.length;
    let touched = 0;
    for (let p = 0; p < count; p++) {
      cursors[p] = inFlightQueues.head(first + p);
      cursors[count + p] = queues.firstReady(first + p);
    }
    for (let depth = 0; depth < WARM_DEPTH; depth++) {
      for (let p = 0; p < 2 * count; p++) {
        const frame = cursors[p];
        if (frame < 0) continue;
        touched ^= words[frame + CLASS];
        cursors[p] = p < count && pool.arrival(frame) >= bound ? -1 : words[frame + NEXT];
      }
    }
    warmed[0] = touched;
  }

  function arrive(d: number, device: Device, port: number): void {
    const frame = inFlightQueues.shift(port);
    arrivals.at[port] = inFlightQueues.timeBehind(port, frame);
    arrivals.turned(d, port);
    if ((pool.words[frame + CLASS] & CARRIES_FLAG) !== 0) controlPayloads.board(port, frame);
    if (traceMask.mindsReceived(port, frame)) {
      attend(d, device, port, frame);
      return;
    }
    count(d, device, port, frame);
    passOn(d, port, frame);
  }

  /** Of a frame that comes in somebody wants to be told, or a fault may hit it. */
  function attend(d: number, device: Device, port: number, frame: number): void {
    const fate = traceMask.isImpaired(port) ? fateOf(device, port, frame) : UNHURT;
    if (fate !== LATER) takeFrame(d, device, port, frame, fate);
  }

  /** A frame has come in, and is lost for a reason unless it is unhurt. */
  function takeFrame(d: number, device: Device, port: number, frame: number, fate: number): void {
    count(d, device, port, frame);
    if (traceMask.hearsReceived(port, frame)) {
      const { firstPort, heardBy } = device;
      heardBy.frameReceived?.frameReceived(d, port - firstPort, clock.now, pool, frame);
    }
    if (fate === UNHURT) passOn(d, port, frame);
    else egressPath.lose(d, port, frame, fate);
  }

  function count(d: number, device: Device, port: number, frame: number): void {
    const { words } = pool;
    const length = words[frame + LENGTH];
    const local = port - device.firstPort;
    digests.mix(d, DID_ARRIVE | local, words[frame + SEQUENCE] ^ (length << 20));
    counters.received(port, words[frame + CLASS] & PRIORITY_MASK, length);
  }

  function passOn(d: number, port: number, frame: number): void {
    if (isHost[d] === 0) switching.receive(d, port, frame);
    else hosting.receive(d, port, frame);
  }

  /** Why a frame that comes in is lost; UNHURT, or LATER, if it is not. */
  function fateOf(device: Device, port: number, frame: number): number {
    if (isFrameCut(port, frame)) return DROP.LINK_DOWN;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const reason = faults.fate(port, priority, pool.words[frame + LENGTH]);
    if (reason !== UNHURT || (pool.words[frame + CLASS] & CARRIES_FLAG) === 0) return reason;
    const octets = controlPayloads.octets(frame);
    const message = octets.length === 0 ? 0 : messageOf(octets);
    return message === 0 ? UNHURT : fateOfMessage(device, port, frame, message, octets);
  }

  /**
   * Whether what takes effect now was on the wire when the carrier was lost: `octets` of it had to
   * come in, and `delayPs` passed after the last of them that counts.
   */
  function isCut(port: number, octets: number, delayPs: number): boolean {
    const octetPs = ports.octetPs(port);
    const wirePs = ports.latencyPs(ports.peer(port)) + delayPs;
    const flightPs = (PREAMBLE_OCTETS + octets) * octetPs + wirePs;
    const delaysPs = ports.ingressPs(port) + ports.controlDelayPs(port);
    return faults.isCut(port, clock.now - flightPs, LONGEST_OCTETS * octetPs + wirePs + delaysPs);
  }

  function isFrameCut(port: number, frame: number): boolean {
    if ((flags[port] & CUT) === 0) return false;
    const octets = ports.cutsThrough(port) ? FRAME_OCTETS_MIN : pool.words[frame + LENGTH];
    return isCut(port, octets, ports.ingressPs(port));
  }

  /** The same of the octets in a slot; a tag came with the frame that arrives next. */
  function isControlCut(port: number, slot: number): boolean {
    if ((flags[port] & CUT) === 0) return false;
    const octets = store.get(slot);
    const length = store.length(slot);
    if (isCeTagged(octets, length)) {
      const frame = inFlightQueues.head(port);
      return frame >= 0 && isFrameCut(port, frame);
    }
    const onWire = Math.max(FRAME_OCTETS_MIN, length + FCS_OCTETS);
    return isCut(port, onWire, controlDelay(port, octets, length));
  }

  /** A message that crosses the fabric may be lost, changed, repeated or late on a link. */
  function fateOfMessage(
    device: Device,
    port: number,
    frame: number,
    message: number,
    octets: Uint8Array,
  ): number {
    const verdict = faults.judgeMessage(port, message, octets);
    if ((verdict & CONTROL_LOST) !== 0) return DROP.LOST_ON_LINK;
    const at = clock.now + faults.delayPs;
    if ((verdict & CONTROL_TWICE) !== 0) keepBack(device, port, copyOf(port, frame), at);
    if ((verdict & CONTROL_LATER) === 0) return UNHURT;
    keepBack(device, port, frame, at);
    return LATER;
  }

  /** A copy came by no wire of its own: no credit was spent for it. */
  function copyOf(port: number, frame: number): number {
    const { words } = pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const copy = pool.copyFrom(pool, frame);
    controlPayloads.share(copy);
    counters.repeated(port, priority, words[frame + LENGTH]);
    if (ports.isCredited(port, priority)) words[copy + CLASS] |= COPY_FLAG;
    return copy;
  }

  function keepBack(device: Device, port: number, frame: number, at: number): void {
    pool.words[frame + PORT] = port;
    device.late.push(frame);
    device.schedule(at, KIND_LATE, port - device.firstPort, pool.carried(frame));
  }

  function takeLate(device: Device, local: number, slot: number): void {
    const place = device.late.findIndex((frame) => pool.carried(frame) === slot);
    assert(place >= 0, 'loop.late-frame-of-device');
    const [frame] = device.late.splice(place, 1);
    takeFrame(device.place, device, device.firstPort + local, frame, UNHURT);
  }

  function transmit(d: number, device: Device, port: number): void {
    const minded = traceMask.mindedOfSent(port);
    if ((minded & SILENT) !== 0) {
      transmits.at[port] = Infinity;
      transmits.turned(d, port);
      return;
    }
    if (ports.controlDue(port) && sendControl(d, device, port)) return;
    const eligible = queues.eligible(port);
    if (eligible === 0) {
      transmits.at[port] = Infinity;
      transmits.turned(d, port);
      return;
    }
    const local = port - device.firstPort;
    const trafficClass = device.arbiters[local].pick(eligible, queues, port);
    assert((eligible & (1 << trafficClass)) !== 0, 'arbiter.choice');
    const frame = queues.shift(port, trafficClass);
    const length = pool.words[frame + LENGTH];
    const octetPs = ports.octetPs(port);
    const { now } = clock;
    const creditGated = ports.creditGating(port);
    const tag = creditGated === 0 ? 0 : composeTag(port);
    const isCreditGated = (creditGated & (1 << trafficClass)) !== 0;
    if (isCreditGated) creditGating.spend(port, trafficClass, frame);
    const wireOctets = length + tag + WIRE_OVERHEAD_OCTETS;
    const late = (minded & LATE) === 0 ? 0 : faults.slownessPs(port, wireOctets, octetPs);
    const free = now + wireOctets * octetPs + late;
    ports.setFreeAt(port, free);
    if (isHost[d] === 0) switching.departing(port, trafficClass, frame);
    else hosting.departing(d, trafficClass, frame);
    if (isCreditGated) creditGating.next(port, trafficClass);
    const frameClass = pool.words[frame + CLASS];
    digests.mix(d, DID_SEND | local, (frameClass & ~FOLLOWED_FLAG) ^ (length << 20));
    counters.sent(port, frameClass & PRIORITY_MASK, length);
    if (traceMask.hearsSent(minded, frameClass)) tellSent(d, local, frame, trafficClass, eligible);
    const at = now + (PREAMBLE_OCTETS + tag) * octetPs + ports.latencyPs(port) + late;
    pool.setArrival(frame, (minded & LATE) === 0 ? at : faults.arrivalOf(port, at, free - now));
    accept(ports.peer(port), frame);
    if (tag !== 0) sendTag(d, local, ports.peer(port), pool.arrival(frame));
    if ((frameClass & CARRIES_FLAG) !== 0) sendCarried(d, local, ports.peer(port), frame);
    transmits.at[port] = ports.hasWork(port) ? free : Infinity;
    transmits.turned(d, port);
  }

  function tellSent(
    d: number,
    local: number,
    frame: number,
    trafficClass: number,
    eligible: number,
  ): void {
    const { heardBy } = devices[d];
    heardBy.frameSent?.frameSent(d, local, clock.now, pool, frame, trafficClass, eligible);
  }

  /** A frame is on its way; its arrival time is that of its first bit after the preamble. */
  function accept(port: number, frame: number): void {
    assert(port >= 0, 'port.unlinked');
    const octets = ports.cutsThrough(port) ? FRAME_OCTETS_MIN : pool.words[frame + LENGTH];
    const wait = octets * ports.octetPs(port) + ports.ingressPs(port);
    const at = pool.arrival(frame) + wait;
    assert(at > clock.now, 'arrival.past');
    pool.setArrival(frame, at);
    if (!inFlightQueues.push(port, frame)) return;
    const d = ports.owner(port);
    arrivals.at[port] = at;
    arrivals.joined(d, port);
    if (at < horizon[d]) horizon[d] = at;
  }

  /** Octets of a CE-Tag that a frame takes along. */
  function composeTag(port: number): number {
    if (tagOffered[port] === 0) return 0;
    tagLength = credit.composeTag(port, scratch);
    return tagLength === 0 ? 0 : CE_TAG_OCTETS;
  }

  /** A tag is read together with its frame, and before it. */
  function sendTag(d: number, local: number, peer: number, at: number): void {
    devices[d].heardBy.tagSent?.tagSent(d, local, clock.now, scratch.subarray(0, tagLength));
    deliver(d, local, peer, scratch, tagLength, at);
  }

  /** What a frame carries goes beside it, and is read before it. */
  function sendCarried(d: number, local: number, peer: number, frame: number): void {
    const octets = controlPayloads.octets(frame);
    deliver(d, local, peer, octets, octets.length, pool.arrival(frame));
    controlPayloads.unload(frame);
  }

  /** Sends the control frame of the first source that has one; false if every source declines. */
  function sendControl(d: number, device: Device, port: number): boolean {
    const leastEnd = clock.now + (PREAMBLE_OCTETS + FRAME_OCTETS_MIN) * ports.octetPs(port);
    do {
      const length = compose(atSlot[ports.takeControl(port)], port, leastEnd);
      if (length === 0) continue;
      startControl(d, device, port, length, leastEnd);
      return true;
    } while (ports.controlDue(port));
    return false;
  }

  /** The control frame in `scratch` starts on the wire; at its shortest it ends at `leastEnd`. */
  function startControl(
    d: number,
    device: Device,
    port: number,
    length: number,
    leastEnd: number,
  ): void {
    const { now } = clock;
    const local = port - device.firstPort;
    const peer = ports.peer(port);
    const octetPs = ports.octetPs(port);
    const longer = Math.max(0, length + FCS_OCTETS - FRAME_OCTETS_MIN);
    const txEnd = leastEnd + longer * octetPs;
    const wireOctets = FRAME_OCTETS_MIN + WIRE_OVERHEAD_OCTETS + longer;
    const isLate = (traceMask.mindedOfSent(port) & LATE) !== 0;
    const late = isLate ? faults.slownessPs(port, wireOctets, octetPs) : 0;
    const free = now + wireOctets * octetPs + late;
    ports.setFreeAt(port, free);
    if (readU16(scratch, TYPE_AT) === ETHERTYPE_MAC_CONTROL) counters.controlSent[port]++;
    device.heardBy.controlSent?.controlSent(d, local, now, scratch.subarray(0, length));
    const at = txEnd + ports.latencyPs(port) + late;
    const end = isLate ? lastBit(port, at, free - now) : at;
    deliver(d, local, peer, scratch, length, end + controlDelay(peer, scratch, length));
    transmits.at[port] = ports.hasWork(port) ? free : Infinity;
    transmits.turned(d, port);
  }

  /** Credit is exchanged all the time, so its code is called by name and not looked up. */
  function compose(mechanism: Mechanism, port: number, leastEnd: number): number {
    if (mechanism === credit) return credit.compose(port, leastEnd, scratch);
    return mechanism.compose!(port, leastEnd, scratch);
  }

  function expire(mechanism: Mechanism, port: number, timer: number): void {
    if (mechanism === credit) credit.onTimer(port, timer);
    else mechanism.onTimer!(port, timer);
  }

  /** Control frames keep their place among the others on a late link. */
  function lastBit(port: number, at: number, lastsPs: number): number {
    const octets = FRAME_OCTETS_MIN * ports.octetPs(port);
    return faults.arrivalOf(port, at - octets, lastsPs) + octets;
  }

  /** From the last bit of a control frame until a port acts upon it. */
  function controlDelay(port: number, octets: Uint8Array, length: number): number {
    // Credit is counted in the order of the frames, which have the pipeline to pass, as LLDP has.
    const passes =
      isCreditExchange(octets, length) ||
      isCbfc(octets, length) ||
      readU16(octets, TYPE_AT) === ETHERTYPE_LLDP;
    return passes ? ports.ingressPs(port) : ports.controlDelayPs(port);
  }

  /** Octets are sent by a device's port, and take effect at the neighbour's. */
  function deliver(
    from: number,
    local: number,
    port: number,
    octets: Uint8Array,
    length: number,
    at: number,
  ): void {
    const slot = store.put(octets, length);
    digests.mix(from, DID_SEND_CONTROL | local, store.hash(slot));
    const d = ports.owner(port);
    const device = devices[d];
    device.schedule(at, KIND_CONTROL, port - device.firstPort, slot);
    if (at < horizon[d]) horizon[d] = at;
  }

  function runTimerQueue(device: Device): void {
    const { timerQueue } = device;
    const key = timerQueue.nextKey();
    const value = timerQueue.nextValue();
    timerQueue.pop();
    const kind = keyKind(key);
    const id = keyId(key);
    if (kind === KIND_CONTROL) takeControl(device, id, value);
    else if (kind < KIND_RATE) {
      const port = device.firstPort + (id >> TIMER_BITS);
      expire(atSlot[kind - KIND_MECHANISM], port, id & ((1 << TIMER_BITS) - 1));
    } else if (kind === KIND_LATE) takeLate(device, id, value);
    else if (isHost[device.place] === 0) switching.onTimer(device.place, id, value);
    else hosting.onTimer(device.place, kind, id);
  }

  function takeControl(device: Device, id: number, slot: number): void {
    const local = id & ~DEALT_WITH;
    const port = device.firstPort + local;
    const mayBe = (flags[port] & (MEDDLED | CUT)) !== 0 && id === local;
    // What belongs to a frame shares its fate.
    if (mayBe && !controlPayloads.claims(store.get(slot)) && isMeddledWith(device, port, slot)) {
      return;
    }
    const octets = store.get(slot);
    const length = store.length(slot);
    if (readU16(octets, TYPE_AT) === ETHERTYPE_MAC_CONTROL) counters.controlReceived[port]++;
    digests.mix(device.place, DID_TAKE_CONTROL | local, store.hash(slot));
    if (isLinkState(octets)) {
      failover.receive(port, octets, length);
      store.giveBack(slot);
      return;
    }
    if (controlPayloads.claims(octets)) {
      controlPayloads.came(port, slot);
      return;
    }
    device.heardBy.controlReceived?.controlReceived(
      device.place,
      local,
      clock.now,
      octets.subarray(0, length),
    );
    if (!isClaimed(port, octets, length)) counters.controlUnclaimed[port]++;
    store.giveBack(slot);
  }

  /** Credit is exchanged all the time, so it is asked first. */
  function isClaimed(port: number, octets: Uint8Array, length: number): boolean {
    if (credit.receiveControl(port, octets, length)) return true;
    for (const mechanism of handlers) {
      if (mechanism.receiveControl!(port, octets, length)) return true;
    }
    return false;
  }

  /** True if a fault lost or keeps the control frame; it may also come twice, or changed. */
  function isMeddledWith(device: Device, port: number, slot: number): boolean {
    if (isControlCut(port, slot)) {
      store.giveBack(slot);
      return true;
    }
    const octets = store.get(slot);
    const length = store.length(slot);
    const verdict = faults.judge(port, octets, length);
    store.changed(slot);
    const id = (port - device.firstPort) | DEALT_WITH;
    if ((verdict & CONTROL_LOST) !== 0) {
      store.giveBack(slot);
      return true;
    }
    const at = clock.now + faults.delayPs;
    if ((verdict & CONTROL_TWICE) !== 0) {
      device.schedule(at, KIND_CONTROL, id, store.put(octets, length));
    }
    if ((verdict & CONTROL_LATER) === 0) return false;
    device.schedule(at, KIND_CONTROL, id, slot);
    return true;
  }

  return { run };
}
