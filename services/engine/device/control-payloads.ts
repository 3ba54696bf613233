import { field } from '../kernel/fields.js';
import { DERIVED } from '../kernel/kinds.js';
import {
  C_TAG_MASK,
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  VID_MASK,
  VLAN_TAG_OCTETS,
} from '../units/ethernet.js';
import {
  CARRIES_FLAG,
  CLASS,
  CONNECTION,
  HASH,
  KIND_NOTICE,
  LENGTH,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../frame/frame-pool.js';
import type { SampledMessage } from '../notices/sampled-message.js';
import { writeU16 } from '../wire/big-endian.js';
import { ETHERTYPE_C_TAG, ETHERTYPE_AT } from '../wire/ethernet.js';
import { isOfLink } from '../faults/control-frames.js';
import type { Shared } from './shared.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** As a source: no station, but a bridge. */
const NO_HOST = -1;
const NOTHING = -1;

/**
 * Octets that frames carry (CARRIES_FLAG). Most frames are fields and a length; the octets of a
 * notice are read on its path. They are stored while a device has the frame, and cross a link
 * beside it: they take effect when it arrives, just before it.
 */
export interface ControlPayloads {
  /** Makes a notice from octets without FCS. */
  make(spec: SampledMessage, octets: Uint8Array, length: number): number;
  /** A frame carries these octets from now on. */
  load(frame: FrameRef, octets: Uint8Array, length: number): void;
  /** The octets of a notice in a device; a view. */
  octets(frame: FrameRef): Uint8Array;
  /** Whether octets that came in belong to a frame, and not to the link. */
  isOfFrame(octets: Uint8Array): boolean;
  /** Octets arrived whose frame is next; they are in a slot of the store. */
  arrived(port: number, slot: number): void;
  /** The slot of octets whose frame arrives next at a port; -1 if there are none. */
  waiting(port: number): number;
  /** They are in another slot from now on. */
  moved(port: number, slot: number): void;
  /** A notice has arrived: the octets that arrived before belong to it. */
  attach(port: number, frame: FrameRef): void;
  /** A notice leaves the device, or is dropped: its octets are released. */
  release(frame: FrameRef): void;
  /** A copy of a notice gets octets of its own. */
  share(copy: number): void;
  /** A C-TAG was added to a notice or removed: its length as a frame, which is padded. */
  retag(frame: FrameRef, change: number): number;
}

export function makeControlPayloads({ pool, tables, octets: store }: Shared): ControlPayloads {
  const { words, ends } = pool;
  /** By port: octets whose frame arrives next. */
  const ahead = tables.int32('port', field('octets ahead', DERIVED)).fill(NOTHING);
  /** Grows to the longest octets of a frame: real hosts send jumbo frames. */
  let scratch = new Uint8Array(2048);

  function make(spec: SampledMessage, octets: Uint8Array, length: number): number {
    const frame = pool.allocate();
    words[frame + LENGTH] = frameOctets(length);
    words[frame + CLASS] = spec.priority | KIND_NOTICE | CARRIES_FLAG;
    words[frame + HASH] = spec.hash;
    words[frame + TARGET] = spec.target;
    words[frame + SEQUENCE] = 0;
    ends[frame + SOURCE] = NO_HOST;
    ends[frame + CONNECTION] = 0;
    ends[frame + VLAN] = spec.vlan;
    ends[frame + REMAINING] = 0;
    pool.setCameTagged(frame, (spec.vlan & C_TAG_MASK) === 0 ? 0 : VLAN_TAG_OCTETS);
    pool.setFlowId(frame, 0);
    pool.setSlot(frame, 0);
    pool.setBorn(frame, spec.bornPs);
    load(frame, octets, length);
    return frame;
  }

  function load(frame: FrameRef, octets: Uint8Array, length: number): void {
    pool.setCarried(frame, store.put(octets, length));
  }

  function octets(frame: FrameRef): Uint8Array {
    const slot = pool.carried(frame);
    return slot < 0 ? scratch.subarray(0, 0) : store.get(slot).subarray(0, store.length(slot));
  }

  function isOfFrame(octets: Uint8Array): boolean {
    return !isOfLink(octets);
  }

  function arrived(port: number, slot: number): void {
    // The frame of earlier octets was lost on the link.
    if (ahead[port] >= 0) store.giveBack(ahead[port]);
    ahead[port] = slot;
  }

  function waiting(port: number): number {
    return ahead[port];
  }

  function moved(port: number, slot: number): void {
    ahead[port] = slot;
  }

  function attach(port: number, frame: FrameRef): void {
    pool.setCarried(frame, ahead[port]);
    ahead[port] = NOTHING;
  }

  function release(frame: FrameRef): void {
    const slot = pool.carried(frame);
    if (slot >= 0) store.giveBack(slot);
    pool.setCarried(frame, NOTHING);
  }

  function share(copy: number): void {
    const own = octets(copy);
    assert(own.length > 0, 'payload.shared-has-octets');
    room(own.length).set(own);
    pool.setCarried(copy, store.put(scratch, own.length));
  }

  function room(length: number): Uint8Array {
    if (scratch.length < length) scratch = new Uint8Array(length);
    return scratch;
  }

  function retag(frame: FrameRef, change: number): number {
    const own = octets(frame);
    const length = own.length + change;
    assert(length > 0, 'payload.retagged-length');
    room(length).set(own.subarray(0, ETHERTYPE_AT));
    if (change < 0) scratch.set(own.subarray(ETHERTYPE_AT + VLAN_TAG_OCTETS), ETHERTYPE_AT);
    else {
      writeU16(scratch, ETHERTYPE_AT, ETHERTYPE_C_TAG);
      const priority = words[frame + CLASS] & 7;
      writeU16(scratch, ETHERTYPE_AT + 2, (priority << 13) | (ends[frame + VLAN] & VID_MASK));
      scratch.set(own.subarray(ETHERTYPE_AT), ETHERTYPE_AT + VLAN_TAG_OCTETS);
    }
    release(frame);
    pool.setCarried(frame, store.put(scratch, length));
    return frameOctets(length);
  }

  return { make, load, octets, isOfFrame, arrived, waiting, moved, attach, release, share, retag };
}

/** Of a frame with so many octets before its FCS: shorter ones are padded (802.3 3.2.8). */
function frameOctets(octets: number): number {
  return Math.max(FRAME_OCTETS_MIN, octets + FCS_OCTETS);
}
