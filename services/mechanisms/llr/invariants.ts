import type { ReplayBuffers } from '../../engine/port/replay-buffers.js';
import type { LlrWords } from './machine.js';
import {
  outstanding,
  TX_ADVANCE,
  TX_AGAIN,
  TX_NEXT,
  TX_OLDEST,
  TX_REPLAY,
  TX_STATE,
} from './machine.js';
import type { LlrPortSpec } from './spec.js';
import type { PortRow } from '../../engine/units/indices.js';

/** A port, as its invariants see it. */
export interface LlrPortView {
  readonly port: PortRow;
  readonly words: LlrWords;
  readonly at: number;
  readonly spec: LlrPortSpec;
  readonly buffers: ReplayBuffers;
}

export function bufferHoldsWhatIsOutstanding({ port, words, at, buffers }: LlrPortView): boolean {
  return buffers.frames(port) === outstanding(words, at);
}

/** One frame more may have started before the limit of octets was reached. */
export function limitsAreKept({ port, words, at, spec, buffers }: LlrPortView): boolean {
  return (
    outstanding(words, at) <= spec.frames &&
    buffers.octets(port) <= spec.octets + spec.longestOctets
  );
}

export function nothingIsOutstandingUnlessRunning({ words, at }: LlrPortView): boolean {
  const state = words[at + TX_STATE];
  return state === TX_ADVANCE || state === TX_REPLAY || outstanding(words, at) === 0;
}

/** What is sent again next lies among what is outstanding. */
export function replayIsAmongOutstanding({ words, at }: LlrPortView): boolean {
  if (words[at + TX_STATE] !== TX_REPLAY) return true;
  const mask = 0xfffff;
  const place = (words[at + TX_AGAIN] - words[at + TX_OLDEST]) & mask;
  return place < ((words[at + TX_NEXT] - words[at + TX_OLDEST]) & mask);
}
