import {
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  PREAMBLE_OCTETS,
  WIRE_OVERHEAD_OCTETS,
} from '../units/ethernet.js';
import { NO_NUMBER, WITHHELD } from '../contract/link-layer.js';
import { DROP } from '../contract/probe.js';
import type { Mechanism } from '../contract/flow-control.js';
import {
  CARRIES_FLAG,
  CLASS,
  COPY_FLAG,
  FOLLOWED_FLAG,
  LENGTH,
  PORT,
  POISONED_FLAG,
  PRIORITY_MASK,
  SEQUENCE,
} from '../frame/frame-pool.js';
import { LATE, SPECIAL } from '../frame/trace-mask.js';
import { keyId, keyKind } from '../kernel/timer-queue.js';
import { assert } from '../kernel/assert.js';
import { LENGTH_FACTOR } from '../kernel/digest.js';
import { ETHERTYPE_AT, ETHERTYPE_MAC_CONTROL } from '../wire/ethernet.js';
import { readU16 } from '../wire/big-endian.js';
import { CE_TAG_OCTETS, isCeTagged } from '../wire/ce-tag.js';
import { isCcUpdate } from '../wire/mac-control/cc-update.js';
import { isCeFrame } from '../wire/mac-control/ce-frame.js';
import { isLlrSet } from '../wire/llr.js';
import { ORDERED_SET_OCTETS } from '../wire/ordered-set.js';
import { isLinkState } from '../wire/link-state.js';
import { ETHERTYPE_LLDP, LLDP_FRAME_MOST } from '../wire/lldp/lldpdu.js';
import { makeArrivalErrors } from './arrival-errors.js';
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
  KIND_SET,
  TIMER_BITS,
} from './device.js';
import { CUT, MEDDLED } from '../faults/fault-flags.js';
import { CONTROL_LATER, CONTROL_LOST, CONTROL_TWICE } from '../faults/fault-mechanism.js';
import { messageOf } from '../faults/control-frames.js';
import { UNHURT } from '../faults/frame-errors.js';
import type { Hosting } from './host/hosting.js';
import { linkLayerAmong, makeLinkLayering } from './link-layering.js';
import type { MechanismSet } from './mechanisms.js';
import { makeEntering } from './entering.js';
import { makeOrderedSets } from './ordered-sets.js';
import type { Starting } from './starting.js';
import type { EgressPath } from './egress-path.js';
import type { Shared } from './shared.js';
import type { Switching } from './switch/switching.js';
import type { FrameRef, TrafficClass } from '../units/indices.js';

/** Set in the id of a control frame to which faults have been applied. */
const DEALT_WITH = 1 << 20;

/** Of an arriving frame: not yet. */
const LATER = -2;

/**
 * Executes events of one actor, in the order (time; timer queue, arrivals, transmitters; tie-break
 * hash).
 */
export interface Loop {
  /** Executes every event before `bound` and reports the time of the next one. */
  run(device: number, bound: number): void;
}

/**
 * The loop is a function over the shared tables and not a method of each device: its variables are
 * constant, so the compiler uses addresses of the tables, and a frame takes half the time.
 */
export function makeLoop(
  shared: Shared,
  devices: readonly Device[],
  { all: mechanisms, atSlot, given, faults, failover, live }: MechanismSet,
  starting: Starting,
  switching: Switching,
  hosting: Hosting,
  egressPath: EgressPath,
  controlPayloads: ControlPayloads,
): Loop {
  const handlers = byFrequency(mechanisms);
  const layer = linkLayerAmong(given);
  const sets = makeOrderedSets(shared, devices, mechanisms, faults, layer);
  const { flags } = faults;
  const errors = makeArrivalErrors(shared, faults);
  const tagSources = given.flatMap(({ tags }) => tags ?? []);
  const { clock, pool, ports, inFlightQueues, queues, counters, digests } = shared;
  const { arrivals, transmits, horizon, events, traceMask, linkNumbers, octets: store } = shared;
  const isHost = Uint8Array.from(devices, (device) => (device.spec.kind === 'host' ? 1 : 0));
  const scratch = new Uint8Array(LLDP_FRAME_MOST);
  const entering = makeEntering(shared, devices);
  const dataPath = { accept, sendCarried };
  const layering = makeLinkLayering(
    shared,
    devices,
    given,
    faults,
    egressPath,
    controlPayloads,
    sets,
    dataPath,
  );
  /** Octets in `scratch` of the tag that rides on the frame being sent. */
  let tagLength = 0;

  function run(d: number, bound: number): void {
    const device = devices[d];
    const { timerQueue } = device;
    timerQueue.begin(bound);
    /** Of this call: time of a device never decreases. */
    let last = -Infinity;
    for (;;) {
      const timer = timerQueue.time;
      const arrival = arrivals.time[d];
      const transmission = transmits.time[d];
      if (timer <= arrival && timer <= transmission) {
        if (timer >= bound) {
          horizon[d] = timerQueue.postedTime < timer ? timerQueue.postedTime : timer;
          return;
        }
        assert(timer >= last, 'timer.past');
        clock.now = last = timer;
        runTimerQueue(device);
      } else if (arrival <= transmission) {
        if (arrival >= bound) {
          horizon[d] = timerQueue.postedTime < arrival ? timerQueue.postedTime : arrival;
          return;
        }
        assert(arrival >= last, 'arrival.past');
        clock.now = last = arrival;
        arrive(d, device, arrivals.port(d));
      } else {
        if (transmission >= bound) {
          horizon[d] = timerQueue.postedTime < transmission ? timerQueue.postedTime : transmission;
          return;
        }
        assert(transmission >= last, 'transmission.past');
        clock.now = last = transmission;
        transmit(d, device, transmits.port(d));
      }
      events[d]++;
    }
  }

  function arrive(d: number, device: Device, port: number): void {
    const frame = inFlightQueues.shift(port);
    arrivals.at[port] = inFlightQueues.timeBehind(port, frame);
    arrivals.turned(d, port);
    const isPlain = (pool.words[frame + CLASS] & (CARRIES_FLAG | POISONED_FLAG)) === 0;
    if (isPlain && traceMask.isLayeredOnly(port)) {
      const reason = layering.letIn(port, frame, UNHURT);
      count(d, device, port, frame);
      if (reason === UNHURT) toDevice(d, port, frame);
      else layering.reject(d, port, frame, reason);
    } else if (!isPlain || traceMask.matchesReceived(port, frame))
      arriveSpecial(d, device, port, frame);
    else {
      count(d, device, port, frame);
      toDevice(d, port, frame);
    }
  }

  /**
   * An arriving frame is traced or poisoned, carries octets, a fault may affect it, or a link layer
   * checks it.
   */
  function arriveSpecial(d: number, device: Device, port: number, frame: FrameRef): void {
    const isImpaired = traceMask.isImpaired(port);
    const error = errors.errorOf(port, frame, isImpaired);
    const isLayered = ports.hasLinkLayer(port);
    const isRepeated = isLayered && linkNumbers.has(frame);
    const reason = isLayered ? layering.letIn(port, frame, error) : error;
    const carries = (pool.words[frame + CLASS] & CARRIES_FLAG) !== 0;
    if (carries) controlPayloads.attach(port, frame);
    const mayBeHit = carries && isImpaired && reason === UNHURT;
    const fate = mayBeHit ? fateOfCarried(device, port, frame) : reason;
    if (reason !== UNHURT && reason !== DROP.POISONED && isRepeated) {
      count(d, device, port, frame);
      layering.reject(d, port, frame, reason);
    } else if (fate !== LATER) endArrival(d, device, port, frame, fate);
  }

  /** A frame has arrived, and is discarded for a reason unless that is UNHURT. */
  function endArrival(
    d: number,
    device: Device,
    port: number,
    frame: FrameRef,
    fate: number,
  ): void {
    count(d, device, port, frame);
    if (traceMask.wantsReceived(port, frame)) {
      const { firstPort, listeners } = device;
      listeners.frameReceived?.frameReceived(d, port - firstPort, clock.now, pool, frame);
    }
    if (fate === UNHURT) toDevice(d, port, frame);
    else egressPath.lose(d, port, frame, fate);
  }

  function count(d: number, device: Device, port: number, frame: FrameRef): void {
    const { words } = pool;
    const length = words[frame + LENGTH];
    const local = port - device.firstPort;
    const detail = (words[frame + SEQUENCE] + Math.imul(length, LENGTH_FACTOR)) | 0;
    digests.mix(d, DID_ARRIVE | local, detail);
    counters.received(port, words[frame + CLASS] & PRIORITY_MASK, length);
  }

  function toDevice(d: number, port: number, frame: FrameRef): void {
    if (entering.changes[port] !== 0) entering.classify(port, frame);
    if (isHost[d] === 0) switching.receive(d, port, frame);
    else hosting.receive(d, port, frame);
  }

  /** What becomes of a frame that carries octets; UNHURT, or LATER, if it is not lost. */
  function fateOfCarried(device: Device, port: number, frame: FrameRef): number {
    const octets = controlPayloads.octets(frame);
    const message = octets.length === 0 ? 0 : messageOf(octets);
    return message === 0 ? UNHURT : fateOfMessage(device, port, frame, message, octets);
  }

  /** The same of octets in a slot; a tag came with the frame that arrives next. */
  function isControlCut(port: number, slot: number): boolean {
    if ((flags[port] & CUT) === 0) return false;
    const octets = store.get(slot);
    const length = store.length(slot);
    if (length === ORDERED_SET_OCTETS) {
      // Without a preamble.
      return errors.isCut(port, length - PREAMBLE_OCTETS, controlDelay(port, octets, length));
    }
    if (isCeTagged(octets, length)) {
      // Its frame has been in since it entered the pipeline.
      if (ports.hasLinkLayer(port))
        return errors.isCut(port, FRAME_OCTETS_MIN, ports.pipelinePs(port));
      const frame = inFlightQueues.head(port);
      return frame >= 0 && errors.isFrameCut(port, frame);
    }
    const onWire = Math.max(FRAME_OCTETS_MIN, length + FCS_OCTETS);
    return errors.isCut(port, onWire, controlDelay(port, octets, length));
  }

  /** A message that crosses the fabric may be lost, changed, repeated or delayed on a link. */
  function fateOfMessage(
    device: Device,
    port: number,
    frame: FrameRef,
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

  /** The copy was not transmitted: no account paid for it. */
  function copyOf(port: number, frame: FrameRef): number {
    const { words } = pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const copy = pool.copyFrom(pool, frame);
    controlPayloads.share(copy);
    counters.repeated(port, priority, words[frame + LENGTH]);
    if (ports.isCharged(port, priority)) words[copy + CLASS] |= COPY_FLAG;
    return copy;
  }

  function keepBack(device: Device, port: number, frame: FrameRef, at: number): void {
    pool.words[frame + PORT] = port;
    device.late.push(frame);
    device.schedule(at, KIND_LATE, port - device.firstPort, pool.carried(frame));
  }

  function takeLate(device: Device, local: number, slot: number): void {
    const place = device.late.findIndex((frame) => pool.carried(frame) === slot);
    assert(place >= 0, 'loop.late-frame-of-device');
    const [frame] = device.late.splice(place, 1);
    endArrival(device.place, device, device.firstPort + local, frame, UNHURT);
  }

  function transmit(d: number, device: Device, port: number): void {
    const wanted = traceMask.wantedOfSent(port);
    const isSpecial = (wanted & SPECIAL) !== 0;
    if (isSpecial && faults.isSilent(port)) {
      transmits.at[port] = Infinity;
      transmits.turned(d, port);
      return;
    }
    const isLayered = isSpecial && ports.hasLinkLayer(port);
    if (isLayered && layering.answers(d, device, port)) return;
    if (ports.controlDue(port) && sendControl(d, device, port)) return;
    if (isSpecial && ports.repeats(port)) {
      layering.sendAgain(d, port);
      return;
    }
    const eligible = queues.eligible(port);
    if (eligible === 0) {
      if (isLayered) layering.sleep(port);
      else transmits.at[port] = Infinity;
      transmits.turned(d, port);
      return;
    }
    const local = port - device.firstPort;
    assert(ports.freeAt(port) <= clock.now, 'transmission.line-is-free');
    const trafficClass = device.arbiters[local].pick(eligible, queues, port);
    assert((eligible & (1 << trafficClass)) !== 0, 'arbiter.choice');
    const frame = queues.shift(port, trafficClass);
    const length = pool.words[frame + LENGTH];
    const octetPs = ports.octetPs(port);
    const { now } = clock;
    const metered = ports.metered(port);
    const tag = metered === 0 ? 0 : composeTag(port);
    const isMetered = (metered & (1 << trafficClass)) !== 0;
    if (isMetered) starting.start(port, trafficClass, frame);
    const wireOctets = length + tag + WIRE_OVERHEAD_OCTETS;
    const late = (wanted & LATE) === 0 ? 0 : faults.slownessPs(port, wireOctets, octetPs);
    const free = now + wireOctets * octetPs + late;
    ports.setFreeAt(port, free);
    if (isHost[d] === 0) switching.departing(port, trafficClass, frame);
    else hosting.departing(d, trafficClass, frame);
    if (isMetered) starting.next(port, trafficClass);
    const number = isLayered ? layering.letOut(port, frame) : NO_NUMBER;
    if (number === WITHHELD) {
      if (isMetered) starting.settle(port, trafficClass);
      layering.withhold(d, port, frame, free);
      return;
    }
    const frameClass = pool.words[frame + CLASS];
    const detail = ((frameClass & ~FOLLOWED_FLAG) + Math.imul(length, LENGTH_FACTOR)) | 0;
    digests.mix(d, DID_SEND | local, detail);
    counters.sent(port, frameClass & PRIORITY_MASK, length);
    const isWanted = traceMask.wantsSent(wanted, frameClass);
    if (isWanted) announceSent(d, local, frame, trafficClass, eligible);
    if (isMetered) starting.settle(port, trafficClass);
    const at = now + (PREAMBLE_OCTETS + tag) * octetPs + ports.latencyPs(port) + late;
    pool.setArrival(frame, (wanted & LATE) === 0 ? at : faults.arrivalOf(port, at, free - now));
    accept(ports.peer(port), frame);
    if (tag !== 0) sendTag(d, local, ports.peer(port), pool.arrival(frame));
    if ((frameClass & CARRIES_FLAG) !== 0) sendCarried(d, local, ports.peer(port), frame);
    if (number !== NO_NUMBER) layering.started(port, frame, number);
    if (ports.hasWork(port)) transmits.at[port] = free;
    else if (isLayered) layering.sleep(port);
    else transmits.at[port] = Infinity;
    transmits.turned(d, port);
  }

  function announceSent(
    d: number,
    local: number,
    frame: FrameRef,
    trafficClass: TrafficClass,
    eligible: number,
  ): void {
    const { listeners } = devices[d];
    listeners.frameSent?.frameSent(d, local, clock.now, pool, frame, trafficClass, eligible);
  }

  /** A frame is in flight; its arrival time is that of its first bit after the preamble. */
  function accept(port: number, frame: FrameRef): void {
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

  /** Composes a tag for a frame, of the first source that has one; returns its octets. */
  function composeTag(port: number): number {
    for (const source of tagSources) {
      if (source.offered[port] === 0) continue;
      tagLength = source.compose(port, scratch);
      if (tagLength !== 0) return CE_TAG_OCTETS;
    }
    return 0;
  }

  /** A tag is read together with its frame, and before it. */
  function sendTag(d: number, local: number, peer: number, at: number): void {
    devices[d].listeners.tagSent?.tagSent(d, local, clock.now, scratch.subarray(0, tagLength));
    // Frames are counted behind the pipeline, which they enter after a link layer.
    const restPs = ports.pipelinePs(peer) - ports.ingressPs(peer);
    deliver(d, local, peer, scratch, tagLength, at + restPs);
  }

  /** The payload of a frame is sent beside it, and is read before it. */
  function sendCarried(d: number, local: number, peer: number, frame: FrameRef): void {
    const octets = controlPayloads.octets(frame);
    deliver(d, local, peer, octets, octets.length, pool.arrival(frame));
    controlPayloads.release(frame);
  }

  /** Sends the control frame of the first source that has one; false if every source declines. */
  function sendControl(d: number, device: Device, port: number): boolean {
    const leastEnd = clock.now + (PREAMBLE_OCTETS + FRAME_OCTETS_MIN) * ports.octetPs(port);
    do {
      const length = atSlot[ports.takeControl(port)].compose!(port, leastEnd, scratch);
      if (length === 0) continue;
      if (length === ORDERED_SET_OCTETS) sets.start(d, device, port, scratch);
      else startControl(d, device, port, length, leastEnd);
      if (ports.hasWork(port)) transmits.at[port] = ports.freeAt(port);
      else if (ports.hasLinkLayer(port)) layering.sleep(port);
      else transmits.at[port] = Infinity;
      transmits.turned(d, port);
      return true;
    } while (ports.controlDue(port));
    return false;
  }

  /** The control frame in `scratch` starts on the link; at its shortest it ends at `leastEnd`. */
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
    assert(ports.freeAt(port) <= now, 'control.line-is-free');
    const longer = Math.max(0, length + FCS_OCTETS - FRAME_OCTETS_MIN);
    const txEnd = leastEnd + longer * octetPs;
    const wireOctets = FRAME_OCTETS_MIN + WIRE_OVERHEAD_OCTETS + longer;
    const isLate = (traceMask.wantedOfSent(port) & LATE) !== 0;
    const late = isLate ? faults.slownessPs(port, wireOctets, octetPs) : 0;
    const free = now + wireOctets * octetPs + late;
    ports.setFreeAt(port, free);
    if (readU16(scratch, ETHERTYPE_AT) === ETHERTYPE_MAC_CONTROL) counters.controlSent[port]++;
    device.listeners.controlSent?.controlSent(d, local, now, scratch.subarray(0, length));
    const at = txEnd + ports.latencyPs(port) + late;
    const lastPs = FRAME_OCTETS_MIN * octetPs;
    const end = isLate ? faults.arrivalOf(port, at - lastPs, free - now) + lastPs : at;
    deliver(d, local, peer, scratch, length, end + controlDelay(peer, scratch, length));
  }

  /** From the last bit of a control frame until the port processes it. */
  function controlDelay(port: number, octets: Uint8Array, length: number): number {
    if (isLlrSet(octets, length)) return 0;
    // Who counts does so in the order of the frames, which pass the pipeline, as LLDP does.
    const passes =
      length === ORDERED_SET_OCTETS ||
      isCeFrame(octets, length) ||
      isCcUpdate(octets, length) ||
      readU16(octets, ETHERTYPE_AT) === ETHERTYPE_LLDP;
    return passes ? ports.pipelinePs(port) : ports.controlDelayPs(port);
  }

  /** Octets are sent by a device's port, and take effect at the link partner. */
  function deliver(
    from: number,
    local: number,
    port: number,
    octets: Uint8Array,
    length: number,
    at: number,
  ): void {
    assert(at > clock.now && length > 0, 'control.arrives-later');
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
    if (kind === KIND_SET) {
      const slot = sets.arrived(device, device.firstPort + id, value);
      if (slot >= 0) takeControl(device, id, slot);
    } else if (kind === KIND_CONTROL) takeControl(device, id, value);
    else if (kind < KIND_RATE) {
      const port = device.firstPort + (id >> TIMER_BITS);
      atSlot[kind - KIND_MECHANISM].onTimer!(port, id & ((1 << TIMER_BITS) - 1));
    } else if (kind === KIND_LATE) takeLate(device, id, value);
    else if (isHost[device.place] === 0) switching.onTimer(device.place, kind, id, value);
    else hosting.onTimer(device.place, kind, id);
  }

  function takeControl(device: Device, id: number, slot: number): void {
    const local = id & ~DEALT_WITH;
    const port = device.firstPort + local;
    assert(local < device.spec.ports.length, 'control.port-of-device');
    const mayBe = (flags[port] & (MEDDLED | CUT)) !== 0 && id === local;
    const isSet = store.length(slot) === ORDERED_SET_OCTETS;
    // Octets that belong to a frame are lost with it.
    const isOfFrame = !isSet && controlPayloads.isOfFrame(store.get(slot));
    if (mayBe && !isOfFrame && isMeddledWith(device, port, slot)) return;
    const octets = store.get(slot);
    const length = store.length(slot);
    digests.mix(device.place, DID_TAKE_CONTROL | local, store.hash(slot));
    if (isSet) {
      sets.take(device, port, octets);
      store.giveBack(slot);
      return;
    }
    if (readU16(octets, ETHERTYPE_AT) === ETHERTYPE_MAC_CONTROL) counters.controlReceived[port]++;
    if (isLinkState(octets)) {
      failover.receive(port, octets, length);
      store.giveBack(slot);
      return;
    }
    if (controlPayloads.isOfFrame(octets)) {
      controlPayloads.arrived(port, slot);
      return;
    }
    const { place, listeners } = device;
    const { now } = clock;
    listeners.controlReceived?.controlReceived(place, local, now, octets.subarray(0, length));
    if (live.isLive[port] !== 0 && live.takesControl(port, octets)) {
      listeners.liveSent?.liveSent(place, local, now, octets.subarray(0, length), false);
    }
    if (live.isWire[port] === 0 && !isClaimed(port, octets, length))
      counters.controlUnclaimed[port]++;
    store.giveBack(slot);
  }

  function isClaimed(port: number, octets: Uint8Array, length: number): boolean {
    for (const mechanism of handlers) {
      if (mechanism.receiveControl!(port, octets, length)) return true;
    }
    return false;
  }

  /** True if a fault lost or delays the control frame; it may also be repeated, or changed. */
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
    assert(at >= clock.now, 'control.delayed');
    if ((verdict & CONTROL_TWICE) !== 0) {
      device.schedule(at, KIND_CONTROL, id, store.put(octets, length));
    }
    if ((verdict & CONTROL_LATER) === 0) return false;
    device.schedule(at, KIND_CONTROL, id, slot);
    return true;
  }

  return { run };
}

/** Those that count say so often: they are asked first whether a message is theirs. */
function byFrequency(mechanisms: readonly Mechanism[]): Mechanism[] {
  const handlers = mechanisms.filter(({ receiveControl }) => receiveControl !== undefined);
  const [counting, others] = [true, false].map((counts) =>
    handlers.filter(({ starts }) => (starts !== undefined) === counts),
  );
  return [...counting, ...others];
}
