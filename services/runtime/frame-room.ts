import { totalmem } from 'node:os';
import type { HostSpec, SwitchSpec } from '../engine/contract/spec.js';
import { FRAME_RECORD_OCTETS, LEAST_FRAMES, MOST_FRAMES } from '../engine/frame/frame-pool.js';
import { FRAME_OCTETS_MIN, WIRE_OCTETS_MIN } from '../engine/units/ethernet.js';

type DeviceSpec = HostSpec | SwitchSpec;

/** Of a memory, frames may use so much: tables, results and the program need the rest. */
const SHARE_OF_MEMORY = 0.75;

/** Frames of a port outside of links and shared buffers: in NICs, FIFOs and waiting lines. */
const FRAMES_PER_PORT = 4096;

/**
 * Frames for which the engine of these devices reserves room: as many of the shortest as links and
 * buffers can hold, if the memory of this process can hold them. A page that no frame ever uses
 * costs nothing, so this is what can be under way at once, and not what is likely to be.
 */
export function frameRoom(specs: readonly DeviceSpec[]): number {
  const held = specs.reduce((sum, spec) => sum + inLinks(spec) + inBuffers(spec), 0);
  const affordable = (SHARE_OF_MEMORY * memoryOctets()) / FRAME_RECORD_OCTETS;
  const room = Math.max(LEAST_FRAMES, Math.min(held, affordable, MOST_FRAMES));
  return Math.ceil(room);
}

/** The limit of the container, where there is one, or the memory of the machine. */
export function memoryOctets(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function inLinks({ ports }: DeviceSpec): number {
  return ports.reduce(
    (sum, { latencyPs, octetPs }) => sum + latencyPs / (WIRE_OCTETS_MIN * octetPs),
    0,
  );
}

function inBuffers(spec: DeviceSpec): number {
  const own = spec.kind === 'switch' ? spec.buffer : spec.receiveMemory;
  const stored = ((own?.sizeOctets ?? 0) + addedBySettings(spec)) * copiesOf(spec);
  const retried = spec.ports.reduce((sum, { retry }) => sum + (retry?.mostOctets ?? 0), 0);
  return (stored + retried) / FRAME_OCTETS_MIN + spec.ports.length * FRAMES_PER_PORT;
}

/** Buffer that a switch comes to have when it is configured anew. */
function addedBySettings({ ports }: DeviceSpec): number {
  return ports
    .flatMap(({ faults }) => faults)
    .reduce((sum, { effect }) => {
      return effect.kind === 'set' ? sum + Math.max(0, effect.change.sharedOctets) : sum;
    }, 0);
}

/** A frame that leaves by several ports is stored once, and has a record for each of them. */
function copiesOf(spec: DeviceSpec): number {
  if (spec.kind === 'host') return 1;
  const { forwarding, ports } = spec;
  const copies = forwarding.kind === 'bridged' || forwarding.routes.groupPorts.length > 0;
  return copies ? ports.length : 1;
}
