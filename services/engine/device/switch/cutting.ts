import { DROP } from '../../contract/probe.js';
import type { FrameCutter } from '../../contract/slice.js';
import {
  CLASS,
  isCut,
  ISOLATED_FLAG,
  ISOLATING_FLAG,
  LENGTH,
  PRIORITY_MASK,
} from '../../frame/frame-pool.js';
import type { FrameRef } from '../../units/indices.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';

const NO_HEADERS = -1;

/**
 * A frame came in by `port` and is not admitted to a queue of `out`: drops it. Returns a frame with
 * its headers, which is counted as made at that port and may be admitted in its place; or -1.
 */
type Cuts = (
  d: number,
  port: number,
  out: number,
  frame: FrameRef,
  verdict: number,
  group: number,
) => FrameRef;

export function makeCutting(
  { pool, counters }: Shared,
  egressPath: EgressPath,
  cutterOf: (d: number) => FrameCutter | null,
): Cuts {
  return (d, port, out, frame, verdict, group) => {
    const { words } = pool;
    const cutter = cutterOf(d);
    const frameClass = words[frame + CLASS];
    const isWhole = (frameClass & (ISOLATED_FLAG | ISOLATING_FLAG)) === 0;
    const headers = cutter !== null && isWhole ? cutter.headersOf(out, frame) : NO_HEADERS;
    egressPath.drop(d, port, frame, headers < 0 ? verdict : DROP.TRIMMED, group);
    if (isCut(frameClass)) cutter?.lost(out);
    if (headers >= 0) {
      counters.made(port, words[headers + CLASS] & PRIORITY_MASK, words[headers + LENGTH]);
    }
    return headers;
  };
}
