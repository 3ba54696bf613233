import type { ManagedValue } from '../../engine/contract/flow-control.js';
import { COUNTER } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PfcWatchdog } from './watchdog.js';

/** Counters of IEEE8021-PFC-MIB. */
export class PfcCounters {
  /** By port and priority. */
  private readonly requests: Float64Array;
  private readonly indications: Float64Array;

  constructor(tables: Tables) {
    this.requests = tables.float64('port', field('pfc requests', COUNTER, 8));
    this.indications = tables.float64('port', field('pfc indications', COUNTER, 8));
  }

  sent(port: number, enable: number): void {
    count(this.requests, port, enable);
  }

  received(port: number, enable: number): void {
    count(this.indications, port, enable);
  }

  requestsOf(port: number, priority: number): number {
    return this.requests[(port << 3) | priority];
  }

  indicationsOf(port: number, priority: number): number {
    return this.indications[(port << 3) | priority];
  }
}

function count(table: Float64Array, port: number, enable: number): void {
  for (let p = 0; p < 8; p++) if ((enable & (1 << p)) !== 0) table[(port << 3) | p]++;
}

/** What PFC counts, by port and priority. */
interface PfcState {
  readonly counters: PfcCounters;
  readonly responder: PauseResponder;
  readonly watchdog: PfcWatchdog;
}

/** Of these priorities of a port, one bit each. */
export function pfcManagedValues(
  { counters, responder, watchdog }: PfcState,
  port: number,
  priorities: number,
  now: number,
): ManagedValue[] {
  const values: ManagedValue[] = [];
  for (let priority = 0; priority < 8; priority++) {
    if ((priorities & (1 << priority)) === 0) continue;
    const show = (name: string, value: number): number => values.push({ name, priority, value });
    show('ieee8021PfcRequests', counters.requestsOf(port, priority));
    show('ieee8021PfcIndications', counters.indicationsOf(port, priority));
    show('pausedTimePs', responder.blockedPs(port, priority, now));
    show('pausedCount', responder.holdCount(port, priority));
    if (!watchdog.watches(port, priority)) continue;
    show('watchdogStorms', watchdog.stormsOf(port, priority));
    show('watchdogStormTimePs', watchdog.stormPs(port, priority, now));
    show('watchdogDroppedFrames', watchdog.droppedOf(port, priority));
  }
  return values;
}
