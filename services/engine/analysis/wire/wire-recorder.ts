import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CARRIES_FLAG,
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  KIND_ACK,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../frame/frame-pool.js';
import { SENT } from '../../frame/trace-mask.js';
import { LogRecorder } from '../log-recorder.js';

const WORDS = 2;
const HIGH_SCALE = 2 ** -32;

/** Bits of CLASS that a receiver reads in the frame: priority, DEI, DSCP, mark, kind, group. */
const ON_WIRE_MASK = 2 * GROUP_FLAG - 1;

/** Kinds of transmissions, so that no two of them hash alike. */
const FRAME = 1;
const CONTROL = 2;
const TAG = 3;

/** By port of one device: a running 64-bit hash over what it transmitted, in its order. */
export class WireLog {
  private readonly words: Int32Array;

  constructor(ports: number) {
    this.words = new Int32Array(WORDS * ports).fill(0x243f6a88);
  }

  mix(port: number, value: number): void {
    const { words } = this;
    const at = WORDS * port;
    const a = Math.imul(((words[at] << 15) | (words[at] >>> 17)) ^ value, 0x9e3779b1);
    const b = Math.imul((words[at + 1] << 13) | (words[at + 1] >>> 19), 0x85ebca6b) + a;
    words[at] = Math.imul(a ^ (a >>> 15), 0xc2b2ae35) + b;
    words[at + 1] = b;
  }

  hex(port: number): string {
    const word = (i: number): string =>
      (this.words[WORDS * port + i] >>> 0).toString(16).padStart(8, '0');
    return word(0) + word(1);
  }
}

/**
 * Hashes, for each port, the start, length and fields of every transmitted frame. Nothing internal
 * to a device counts: not its queues, its buffers, nor the order of its events.
 */
export class WireRecorder extends LogRecorder<WireLog> {
  constructor(engine: Engine) {
    super(engine, (ports) => new WireLog(ports));
    for (const { place, spec } of engine.devices) {
      spec.ports.forEach((_, port) => {
        engine.follow(place, port, SENT, true);
      });
    }
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const { words, ends } = pool;
    const log = this.log(device);
    mixStart(log, port, now, FRAME, words[frame + LENGTH]);
    log.mix(port, words[frame + CLASS] & ON_WIRE_MASK);
    log.mix(port, ends[frame + SOURCE]);
    log.mix(port, words[frame + TARGET]);
    log.mix(port, ends[frame + CONNECTION]);
    log.mix(port, words[frame + SEQUENCE]);
    log.mix(port, ends[frame + VLAN]);
    log.mix(port, pool.flowId(frame));
    mixSaid(log, port, pool, frame);
    if ((words[frame + CLASS] & CARRIES_FLAG) === 0) return;
    mixOctets(log, port, this.engine.controlPayloads.octets(frame));
  }

  override controlSent(device: number, port: number, now: number, octets: Uint8Array): void {
    const log = this.log(device);
    mixStart(log, port, now, CONTROL, octets.length);
    mixOctets(log, port, octets);
  }

  override tagSent(device: number, port: number, now: number, octets: Uint8Array): void {
    const log = this.log(device);
    mixStart(log, port, now, TAG, octets.length);
    mixOctets(log, port, octets);
  }
}

function mixStart(log: WireLog, port: number, now: number, what: number, octets: number): void {
  log.mix(port, now | 0);
  log.mix(port, (now * HIGH_SCALE) | 0);
  log.mix(port, what);
  log.mix(port, octets);
}

/** What an answer says beside the next number expected. */
function mixSaid(log: WireLog, port: number, pool: FramePool, frame: number): void {
  const kind = pool.words[frame + CLASS] & KIND_MASK;
  const said = kind === KIND_ACK || kind === KIND_NAK ? pool.said(frame) : 0;
  if (said === 0) return;
  log.mix(port, said | 0);
  log.mix(port, (said * HIGH_SCALE) | 0);
}

function mixOctets(log: WireLog, port: number, octets: Uint8Array): void {
  for (let i = 0; i < octets.length; i++) log.mix(port, octets[i]);
}
