import { PREAMBLE_OCTETS, WIRE_OVERHEAD_OCTETS } from '../units/ethernet.js';
import type { LinkLayer } from '../contract/link-layer.js';
import { NO_NUMBER } from '../contract/link-layer.js';
import { DROP } from '../contract/probe.js';
import type { SliceMechanism } from '../contract/slice.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import { CARRIES_FLAG, CLASS, LENGTH, PRIORITY_MASK } from '../frame/frame-pool.js';
import { LATE } from '../frame/trace-mask.js';
import { assert } from '../kernel/assert.js';
import type { ControlPayloads } from './control-payloads.js';
import type { Device } from './device.js';
import { DID_DROP, DID_SEND_AGAIN } from './device.js';
import type { EgressPath } from './egress-path.js';
import type { OrderedSets } from './ordered-sets.js';
import type { Shared } from './shared.js';
import type { FrameRef } from '../units/indices.js';

/** Frames between ports and the link layer that some of them have. */
interface LinkLayering {
  /** The transmitter of a port acts: true if it sends what its link layer owes by now. */
  answers(d: number, device: Device, port: number): boolean;
  /** A transmitter with nothing to send acts when its link layer owes something, or never. */
  sleep(port: number): void;
  /** A new frame starts: the number that it bears, NO_NUMBER, or WITHHELD. */
  letOut(port: number, frame: FrameRef): number;
  /** It is on its way with its number. */
  started(port: number, frame: FrameRef, number: number): void;
  /** Drops a frame that the link layer does not let out; the line is free again at `free`. */
  withhold(d: number, port: number, frame: FrameRef, free: number): void;
  /** A frame came in, with an error or UNHURT: why it is dropped, or UNHURT. */
  letIn(port: number, frame: FrameRef, error: number): number;
  /** Discards it: it is sent again, and received then. */
  reject(d: number, port: number, frame: FrameRef, reason: number): void;
  /** The next frame of the replay buffer starts. */
  sendAgain(d: number, port: number): void;
}

/** What the data path does with a frame that starts. */
interface DataPath {
  accept(port: number, frame: FrameRef): void;
  sendCarried(d: number, local: number, peer: number, frame: FrameRef): void;
}

export function makeLinkLayering(
  shared: Shared,
  devices: readonly Device[],
  given: readonly SliceMechanism[],
  faults: FaultMechanism,
  egressPath: EgressPath,
  controlPayloads: ControlPayloads,
  sets: OrderedSets,
  dataPath: DataPath,
): LinkLayering {
  const { clock, pool, ports, counters, digests, transmits, traceMask } = shared;
  const { linkNumbers, replayBuffers } = shared;
  const layer = linkLayerAmong(given);
  for (let port = 0; port < ports.count; port++) {
    if (ports.hasLinkLayer(port)) traceMask.layer(port);
  }

  function answers(d: number, device: Device, port: number): boolean {
    if (layer!.owesAt(port) > clock.now) return false;
    if (ports.controlDue(port)) {
      layer!.request(port);
      return false;
    }
    sets.startPacked(d, device, port, layer!.answer(port));
    rest(d, port, ports.freeAt(port));
    return true;
  }

  function sleep(port: number): void {
    const free = ports.freeAt(port);
    const owes = layer!.owesAt(port);
    transmits.at[port] = owes > free ? owes : free;
  }

  function letOut(port: number, frame: FrameRef): number {
    return layer!.starts(port, frame);
  }

  function started(port: number, frame: FrameRef, number: number): void {
    linkNumbers.send(port, frame, number);
    layer!.started(port);
  }

  function withhold(d: number, port: number, frame: FrameRef, free: number): void {
    const { words } = pool;
    const { spec, firstPort, listeners } = devices[d];
    listeners.frameDiscarded?.frameDiscarded(d, port - firstPort, clock.now, pool, frame);
    if (spec.kind === 'host') {
      counters.consumed(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
    }
    egressPath.lose(d, port, frame, DROP.LINK_NOT_READY);
    // It takes its time on the line: a host has no end of frames to be discarded in no time.
    rest(d, port, free);
  }

  function rest(d: number, port: number, free: number): void {
    if (ports.hasWork(port)) transmits.at[port] = free;
    else sleep(port);
    transmits.turned(d, port);
  }

  function letIn(port: number, frame: FrameRef, error: number): number {
    return layer!.arrives(port, frame, linkNumbers.take(port, frame), error);
  }

  function reject(d: number, port: number, frame: FrameRef, reason: number): void {
    const { words } = pool;
    const { firstPort, listeners } = devices[d];
    const local = port - firstPort;
    counters.rejected(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
    listeners.frameRejected?.frameRejected(d, local, clock.now, pool, frame, reason);
    digests.mix(d, DID_DROP | local, reason);
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) controlPayloads.release(frame);
    pool.release(frame);
  }

  function sendAgain(d: number, port: number): void {
    const { words } = pool;
    const { firstPort, listeners } = devices[d];
    const local = port - firstPort;
    const frame = replayBuffers.repeat(port);
    const number = layer!.repeats(port, frame);
    const length = words[frame + LENGTH];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const octetPs = ports.octetPs(port);
    assert(ports.freeAt(port) <= clock.now, 'replay.line-is-free');
    assert(number !== NO_NUMBER, 'replay.frame-has-a-number');
    const wireOctets = length + WIRE_OVERHEAD_OCTETS;
    const isLate = (traceMask.wantedOfSent(port) & LATE) !== 0;
    const late = isLate ? faults.slownessPs(port, wireOctets, octetPs) : 0;
    const free = clock.now + wireOctets * octetPs + late;
    ports.setFreeAt(port, free);
    digests.mix(d, DID_SEND_AGAIN | local, number);
    // It was sent before: this is one that the port made.
    counters.made(port, priority, length);
    counters.sent(port, priority, length);
    listeners.frameSentAgain?.frameSentAgain(d, local, clock.now, pool, frame, number);
    const at = clock.now + PREAMBLE_OCTETS * octetPs + ports.latencyPs(port) + late;
    pool.setArrival(frame, isLate ? faults.arrivalOf(port, at, free - clock.now) : at);
    dataPath.accept(ports.peer(port), frame);
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      dataPath.sendCarried(d, local, ports.peer(port), frame);
    }
    linkNumbers.send(port, frame, number);
    rest(d, port, free);
  }

  return { answers, sleep, letOut, started, withhold, letIn, reject, sendAgain };
}

/** At most one mechanism is a link layer. */
export function linkLayerAmong(given: readonly SliceMechanism[]): LinkLayer | null {
  const layers = given.flatMap(({ linkLayer }) => linkLayer ?? []);
  assert(layers.length <= 1, 'engine.one-link-layer');
  return layers[0] ?? null;
}
