import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { FrameTrace, TracePart } from '../telemetry/traces/frame-trace.js';

const PIECE_OCTETS = 1 << 20;

/** The frame traces of a run directory, one after the other; null where it has none. */
export function readTraces(path: string): Iterable<FrameTrace> | null {
  if (!existsSync(path)) return null;
  return {
    *[Symbol.iterator]() {
      for (const line of linesOf(path)) {
        if (line.startsWith('{')) yield traceFrom(line);
      }
    },
  };
}

/** A file that may be larger than memory holds. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const piece = Buffer.alloc(PIECE_OCTETS);
    let rest = '';
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
      const lines = `${rest}${decoder.write(piece.subarray(0, length))}`.split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(file);
  }
}

type StoredPart = Omit<TracePart, 'hold'> & Partial<NonNullable<TracePart['hold']>>;

/** A line holds one trace, and what blocked a part beside its times. */
function traceFrom(line: string): FrameTrace {
  const trace = JSON.parse(line.replace(/,$/, '')) as FrameTrace;
  const steps = trace.steps.map((step) => ({ ...step, parts: step.parts.map(partFrom) }));
  return { ...trace, steps };
}

function partFrom(stored: StoredPart): TracePart {
  const { kind, startPs, endPs, ...hold } = stored;
  return { kind, startPs, endPs, hold: 'episode' in hold ? (hold as TracePart['hold']) : null };
}
