import type { Engine } from '../device/engine.js';
import { MOST_REMAINING } from '../device/host/senders.js';
import {
  ARRIVAL,
  CLASS,
  CONNECTION,
  FOLLOWED_FLAG,
  HASH,
  isAnswer,
  LENGTH,
  PORT,
  REMAINING,
  SEQUENCE,
  SOURCE,
  STORED,
  TARGET,
  VLAN,
} from '../frame/frame-pool.js';
import { countdown, DUE, sequence, SHAPE, STAMP, UNKNOWN } from '../kernel/kinds.js';
import type { FrameRef } from '../units/indices.js';
import { readU16 } from '../wire/big-endian.js';
import { ETHERTYPE_MAC_CONTROL } from '../wire/ethernet.js';
import type { Connections } from './connections.js';
import type { Holder, Visitor } from './objects.js';

const PACKET = sequence();
const LEFT = countdown(MOST_REMAINING, MOST_REMAINING);
const ETHERTYPE_AT = 12;

/** Shows frames, and octets that are under way. */
export interface Frames {
  /** In flight it has the time of an arrival where it has its place in a device else. */
  show(frame: FrameRef, isInFlight: boolean, to: Visitor): void;
  octets(slot: number, to: Visitor): void;
}

export function makeFrames(engine: Engine, connections: Connections): Frames {
  const { pool, octets: store } = engine.shared;
  const { words, ends, times, births } = pool;

  function show(frame: FrameRef, isInFlight: boolean, to: Visitor): void {
    const frameClass = words[frame + CLASS];
    const connection = connections.ofFrame(frame);
    to.shape(words[frame + LENGTH], 'frame.length');
    to.shape(frameClass & ~FOLLOWED_FLAG, 'frame.class');
    to.shape(words[frame + HASH], 'frame.hash');
    to.shape(words[frame + TARGET], 'frame.target');
    const packet = connection < 0 ? SHAPE : PACKET;
    to.cell(cells(words), frame + SEQUENCE, packet, 'frame.sequence', connection);
    if (isInFlight) {
      to.cell(cells(times), (frame >> 1) + ARRIVAL, DUE, 'frame.arrival', -1);
    } else {
      to.shape(words[frame + STORED], 'frame.stored');
      to.shape(words[frame + PORT], 'frame.port');
    }
    to.shape(ends[frame + SOURCE], 'frame.source');
    to.shape(ends[frame + CONNECTION], 'frame.connection');
    // What an answer says there is how long its packet was kept, and which others have come.
    const counts = connection >= 0 && !isAnswer(frameClass);
    to.cell(cells(ends), frame + REMAINING, counts ? LEFT : SHAPE, 'frame.remaining', connection);
    const born = isAnswer(frameClass) ? SHAPE : STAMP;
    to.cell(cells(births), pool.bornAt(frame), born, 'frame.born', -1);
    to.shape(ends[frame + VLAN], 'frame.vlan');
    to.shape(pool.cameTagged(frame), 'frame.tag');
    to.shape(pool.flowId(frame), 'frame.flow');
    to.shape(pool.slot(frame), 'frame.slot');
    // In flight it is a number of a link layer.
    if (isInFlight) to.shape(pool.linkNumber(frame), 'frame.link-number');
    else octets(pool.carried(frame), to);
  }

  /** Pauses say how long, and no more; other messages may say a number or a time of their own. */
  function octets(slot: number, to: Visitor): void {
    if (slot < 0) {
      to.shape(-1, 'octets.length');
      return;
    }
    const [own, length] = [store.get(slot), store.length(slot)];
    to.shape(length, 'octets.length');
    if (readU16(own, ETHERTYPE_AT) !== ETHERTYPE_MAC_CONTROL) {
      to.cell({ octets: NaN }, 'octets', UNKNOWN, 'octets', -1);
      return;
    }
    for (let i = 0; i < length; i++) to.shape(own[i], 'octets');
  }

  return { show, octets };
}

const cells = (numbers: Int32Array | Float64Array): Holder => numbers as unknown as Holder;
