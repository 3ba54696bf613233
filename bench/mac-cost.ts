import { MAC_OCTETS, MacKey } from '../services/runtime/keys/mac.js';
import { encodeMessage } from '../services/runtime/partition/messages.js';
import { cpuSeconds } from './measure.js';

const FRAMES = 16;
/** Of a frame that is like the one before it of its flow, as nearly all are. */
const FRAME_OCTETS = 16;
const TIME_OCTETS = 8;
const TURNS = 20_000;

/** CPU microseconds of the MAC of a message of 16 frames, at both of its ends. */
export function macUs(): number {
  const key = new MacKey(Uint8Array.of(1, 2, 3, 4));
  const message = Buffer.from(
    encodeMessage(
      { sequence: 1, frames: new Uint8Array(TIME_OCTETS + FRAMES * FRAME_OCTETS) },
      key,
    ),
  );
  const end = message.length - MAC_OCTETS;
  const turns = (): void => {
    for (let i = 0; i < TURNS; i++) {
      key.sign(message, end, end);
      if (!key.verify(message, end, end)) throw new Error('a MAC is not its own');
    }
  };
  turns();
  const before = cpuSeconds();
  turns();
  return ((cpuSeconds() - before) * 1e6) / TURNS;
}
