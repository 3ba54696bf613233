import type { LiveFrame } from '../../contract/live.js';
import { CLASS, ECT_0, GROUP_FLAG, isMarked } from '../../frame/frame-pool.js';
import type { LivePorts } from '../../live/live-ports.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { FrameRef, PortRow, TrafficClass } from '../../units/indices.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';

/** Frames of real hosts, which cross the fabric with their octets. */
export interface LiveFrames {
  /** A frame of the real host; false where its class has no room for it. */
  readonly send: (
    port: PortRow,
    frame: LiveFrame,
    octets: Uint8Array,
    mostOctets: number,
  ) => boolean;
  /** A frame with these octets is for the real host; false: none is behind the port. */
  readonly takes: (port: PortRow, frame: FrameRef, octets: Uint8Array) => boolean;
}

export function makeLiveFrames(
  { clock, pool, ports, queues }: Shared,
  devices: readonly Device[],
  live: LivePorts,
  controlPayloads: ControlPayloads,
  queue: (d: number, frame: FrameRef, trafficClass: TrafficClass) => void,
): LiveFrames {
  const { words } = pool;

  function send(
    port: PortRow,
    { priority, target, isGroup, isCapable, hash, vlan }: LiveFrame,
    octets: Uint8Array,
    mostOctets: number,
  ): boolean {
    const trafficClass = ports.classOf(port, priority);
    if (queues.get(port, trafficClass, QUEUE_OCTETS) + octets.length > mostOctets) return false;
    const message = { priority, target, hash, vlan, bornPs: clock.now };
    const frame = controlPayloads.make(message, octets, octets.length);
    words[frame + CLASS] |= (isGroup ? GROUP_FLAG : 0) | (isCapable ? ECT_0 : 0);
    queue(ports.owner(port), frame, trafficClass);
    return true;
  }

  function takes(port: PortRow, frame: FrameRef, octets: Uint8Array): boolean {
    if (live.isLive[port] === 0) return false;
    live.leaves(port);
    const { place, firstPort, listeners } = devices[ports.owner(port)];
    const marked = isMarked(words[frame + CLASS]);
    listeners.liveSent?.liveSent(place, port - firstPort, clock.now, octets, marked);
    return true;
  }

  return { send, takes };
}
