import { NO_NUMBER } from '../contract/link-layer.js';
import type { FramePool } from '../frame/frame-pool.js';
import { CLASS, FOLLOWS_FLAG } from '../frame/frame-pool.js';
import { unknown } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { FrameRef, PortRow } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import { fields } from '../kernel/fields.js';

// Words of a port: the last number that it sent, and the last that came in.

const SENT = 0;
const RECEIVED = 1;
const STRIDE = 2;
const NUMBERS = fields(STRIDE, { sent: [SENT, unknown(0)], received: [RECEIVED, unknown(0)] });

/**
 * Numbers that link layers give frames in flight. A link delivers in order and most frames follow
 * the one before, so these only have a flag that says so: the record with the rest of a frame,
 * which no device in the middle of a path reads, has the number of the others.
 */
export type LinkNumbers = ReturnType<typeof makeLinkNumbers>;

export function makeLinkNumbers(tables: Tables, pool: FramePool) {
  const { words } = pool;
  const rows = tables.int32('port', NUMBERS);

  /** A frame is on its way with a number. */
  function send(port: PortRow, frame: FrameRef, number: number): void {
    const at = port * STRIDE + SENT;
    assert(number >= 0, 'link-number.of-sent-frame');
    if (number === rows[at] + 1) words[frame + CLASS] |= FOLLOWS_FLAG;
    else pool.setLinkNumber(frame, number);
    rows[at] = number;
  }

  function has(frame: FrameRef): boolean {
    return (words[frame + CLASS] & FOLLOWS_FLAG) !== 0 || pool.linkNumber(frame) !== NO_NUMBER;
  }

  /** Number of the next frame that comes in, which has it no longer; or NO_NUMBER. */
  function take(port: PortRow, frame: FrameRef): number {
    const frameClass = words[frame + CLASS];
    if ((frameClass & FOLLOWS_FLAG) === 0) return takeOwn(port, frame);
    words[frame + CLASS] = frameClass & ~FOLLOWS_FLAG;
    return ++rows[port * STRIDE + RECEIVED];
  }

  function takeOwn(port: PortRow, frame: FrameRef): number {
    const number = pool.linkNumber(frame);
    if (number === NO_NUMBER) return NO_NUMBER;
    pool.setLinkNumber(frame, NO_NUMBER);
    rows[port * STRIDE + RECEIVED] = number;
    return number;
  }

  /** Of a frame in flight behind one with the number `last`; or NO_NUMBER. */
  function behind(last: number, frame: FrameRef): number {
    return (words[frame + CLASS] & FOLLOWS_FLAG) !== 0 ? last + 1 : pool.linkNumber(frame);
  }

  /** The last number that came in at a port. */
  function received(port: PortRow): number {
    return rows[port * STRIDE + RECEIVED];
  }

  return { send, has, take, behind, received };
}
