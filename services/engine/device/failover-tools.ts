import {
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  PREAMBLE_OCTETS,
  TRAFFIC_CLASSES,
} from '../units/ethernet.js';
import { DROP } from '../contract/probe.js';
import type { FailoverTools } from '../failover/failover-mechanism.js';
import { CLASS, PORT, PRIORITY_MASK, STORED } from '../frame/frame-pool.js';
import type { Device } from './device.js';
import { DID_FAILOVER, DID_SEND_CONTROL, KIND_CONTROL } from './device.js';
import type { DeviceParts } from './parts.js';
import type { Shared } from './shared.js';
import type { FrameRef, TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Effects of failover on a switch. */
export function makeFailoverTools(
  shared: Shared,
  devices: readonly Device[],
  { starting, egressPath, switching }: DeviceParts,
): FailoverTools {
  const { clock, pool, ports, queues, octets: store, horizon, digests } = shared;
  const { buffer } = shared;

  /** It takes no bandwidth: a routing protocol would retransmit what is lost. */
  function advertise(port: number, octets: Uint8Array, length: number): void {
    const peer = ports.peer(port);
    const onWire = PREAMBLE_OCTETS + Math.max(FRAME_OCTETS_MIN, length + FCS_OCTETS);
    const wayPs = onWire * ports.octetPs(port) + ports.latencyPs(port) + ports.ingressPs(peer);
    assert(peer >= 0 && wayPs > 0, 'failover.advertised-over-a-link');
    const at = clock.now + wayPs;
    const slot = store.put(octets, length);
    const [from, to] = [devices[ports.owner(port)], devices[ports.owner(peer)]];
    digests.mix(from.place, DID_SEND_CONTROL | (port - from.firstPort), store.hash(slot));
    to.schedule(at, KIND_CONTROL, peer - to.firstPort, slot);
    if (at < horizon[to.place]) horizon[to.place] = at;
  }

  function clear(port: number, moves: boolean): void {
    const d = ports.owner(port);
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) clearQueue(d, port, tc, moves);
    starting.reconsider(port);
  }

  function clearQueue(d: number, port: number, trafficClass: TrafficClass, moves: boolean): void {
    for (const frame of takeAll(port, trafficClass)) {
      const out = moves ? switching.detourOf(d, frame) : -1;
      if (out === port) starting.enqueue(port, trafficClass, frame);
      else leave(d, port, trafficClass, frame, out);
    }
  }

  /** Frames of a class, in order. */
  function takeAll(port: number, trafficClass: TrafficClass): number[] {
    const frames: number[] = [];
    starting.collect(port, trafficClass);
    while (queues.head(port, trafficClass) >= 0) frames.push(queues.shift(port, trafficClass));
    return frames;
  }

  /** The buffer of a frame that is moved stays charged to its ingress. */
  function leave(
    d: number,
    port: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    out: number,
  ): void {
    const { firstPort, listeners } = devices[d];
    const { words } = pool;
    listeners.frameDiscarded?.frameDiscarded(d, port - firstPort, clock.now, pool, frame);
    if (out >= 0) {
      const joined = ports.classOf(out, words[frame + CLASS] & PRIORITY_MASK);
      buffer.requeued(port, trafficClass, words[frame + STORED]);
      buffer.requeued(out, joined, -words[frame + STORED]);
      egressPath.enqueue(d, out, joined, frame);
      return;
    }
    assert(ports.owner(words[frame + PORT]) === d, 'failover.frame-of-device');
    switching.free(port, trafficClass, frame);
    egressPath.lose(d, words[frame + PORT], frame, DROP.PORT_DOWN);
  }

  function note(port: number, down: boolean): void {
    const d = ports.owner(port);
    digests.mix(d, DID_FAILOVER | (port - devices[d].firstPort), down ? 1 : 0);
  }

  return {
    advertise,
    reroute: (d, routes, uses) => {
      switching.parts(d).forwarding.reroute(routes, uses);
    },
    clear,
    note,
  };
}
