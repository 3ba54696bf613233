import { deserialize, serialize } from 'node:v8';
import { CaptureLog } from '../../engine/analysis/capture/capture-log.js';
import type { Plain } from '../../engine/kernel/snapshot.js';
import { restore, save } from '../../engine/kernel/snapshot.js';

/** What devices captured, in octets; none where nothing is captured. */
export function packCaptures(logs: readonly CaptureLog[] | null): Uint8Array {
  return logs === null ? new Uint8Array(0) : serialize(logs.map((log) => save(log)));
}

export function unpackCaptures(octets: Uint8Array): CaptureLog[] | null {
  if (octets.length === 0) return null;
  return (deserialize(octets) as Plain[]).map((saved) => {
    const log = new CaptureLog(0);
    restore(log, saved);
    return log;
  });
}
