import { deserialize, serialize } from 'node:v8';
import { CaptureLog } from '../../engine/analysis/capture/capture-log.js';
import { EventLog } from '../../engine/analysis/events/event-recorder.js';
import type { Plain } from '../../engine/kernel/snapshot.js';
import { restore, save } from '../../engine/kernel/snapshot.js';

/** What devices wrote down in numbers, for which JSON would be the wrong form. */
export interface Logs {
  readonly captures: readonly CaptureLog[] | null;
  readonly events: readonly EventLog[] | null;
}

type Packed = Readonly<Record<keyof Logs, readonly Plain[] | null>>;

export function packLogs({ captures, events }: Logs): Uint8Array {
  const packed: Packed = {
    captures: captures && captures.map((log) => save(log)),
    events: events && events.map((log) => save(log)),
  };
  return serialize(packed);
}

export function unpackLogs(octets: Uint8Array): Logs {
  const { captures, events } = deserialize(octets) as Packed;
  return {
    captures: captures && captures.map((saved) => revived(new CaptureLog(0), saved)),
    events: events && events.map((saved) => revived(new EventLog(0), saved)),
  };
}

function revived<Log extends object>(log: Log, saved: Plain): Log {
  restore(log, saved);
  return log;
}
