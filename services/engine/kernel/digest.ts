import type { Clock } from './clock.js';
import type { Tables } from './tables.js';

const WORDS = 2;
const HIGH_SCALE = 2 ** -32;

/**
 * A running 64-bit hash over the events of each device. Not cryptographic: it detects that two runs
 * differ, for a few nanoseconds per event.
 */
export type Digests = ReturnType<typeof makeDigests>;

export function makeDigests(tables: Tables, clock: Clock) {
  const words = tables.int32('device', WORDS);
  /** By device: when it last did, or was done, anything that a counter or a time shows. */
  const actedAt = tables.float64('device', 1);
  for (let at = 0; at < words.length; at += WORDS) {
    words[at] = 0x243f6a88;
    words[at + 1] = 0x85a308d3;
  }

  /** Mixes in the present time and two words that identify the event. */
  function mix(device: number, what: number, detail: number): void {
    const time = clock.now;
    actedAt[device] = time;
    const at = device * WORDS;
    let a = words[at] ^ (time | 0) ^ Math.imul((time * HIGH_SCALE) | 0, 0x2545f491);
    a = Math.imul((a << 15) | (a >>> 17), 0x9e3779b1) ^ what;
    let b = words[at + 1] ^ detail;
    b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) + a;
    words[at] = Math.imul(a ^ (a >>> 15), 0xc2b2ae35) + b;
    words[at + 1] = b;
  }

  /** What happens now changes the results of a run, and no digest. */
  function touch(device: number): void {
    actedAt[device] = clock.now;
  }

  function hex(device: number): string {
    const word = (i: number): string =>
      (words[device * WORDS + i] >>> 0).toString(16).padStart(8, '0');
    return word(0) + word(1);
  }

  return { actedAt, mix, touch, hex };
}
