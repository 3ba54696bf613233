import { CaptureLog } from '../../engine/analysis/capture/capture-log.js';
import { EventLog } from '../../engine/analysis/events/event-recorder.js';
import type { SeenHops } from '../../engine/analysis/trace/hop-recorder.js';
import type { Plain } from '../../engine/kernel/snapshot.js';
import { restore, save } from '../../engine/kernel/snapshot.js';
import { packPlain, unpackPlain } from './plain-octets.js';

/** Records of devices that are numbers, for which JSON would be inefficient. */
interface Logs {
  readonly hops: SeenHops | null;
  readonly captures: readonly CaptureLog[] | null;
  readonly events: readonly EventLog[] | null;
}

type Packed = Readonly<Record<'captures' | 'events', readonly Plain[] | null>> & Pick<Logs, 'hops'>;

export function packLogs({ hops, captures, events }: Logs): Uint8Array {
  const packed: Packed = {
    hops,
    captures: captures?.map((log) => save(log)) ?? null,
    events: events?.map((log) => save(log)) ?? null,
  };
  return packPlain(packed);
}

export function unpackLogs(octets: Uint8Array): Logs {
  const { hops, captures, events } = unpackPlain(octets) as Packed;
  return {
    hops,
    captures: captures?.map((saved) => revived(new CaptureLog(0), saved)) ?? null,
    events: events?.map((saved) => revived(new EventLog(0), saved)) ?? null,
  };
}

function revived<Log extends object>(log: Log, saved: Plain): Log {
  restore(log, saved);
  return log;
}
