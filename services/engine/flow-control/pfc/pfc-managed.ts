import type { ManagedValue } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import type { PauseResponder } from '../../quanta/pause-responder.js';
import type { PfcWatchdog } from './pfc-watchdog.js';

/** Ranges and defaults of the settings of a port (802.1Qbb; 802.3 31D). */
export const PFC_QUANTA = { least: 1, most: 65_535, default: 65_535 } as const;
export const PFC_REFRESH_FRACTION = { default: 0.5 } as const;

/**
 * Defaults of switches: a priority that is paused for a fifth of a second is not merely congested.
 */
export const PFC_WATCHDOG = {
  detection: { default: '200ms' },
  restoration: { default: '200ms' },
  action: { default: 'drop' },
} as const;

/** Counters of IEEE8021-PFC-MIB. */
export class PfcCounters {
  /** By port and priority. */
  private readonly requests: Float64Array;
  private readonly indications: Float64Array;

  constructor(tables: Tables) {
    this.requests = tables.float64('port', 8);
    this.indications = tables.float64('port', 8);
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

export function pfcManagedValues(
  port: number,
  spec: PortSpec,
  counters: PfcCounters,
  responder: PauseResponder,
  watchdog: PfcWatchdog,
  now: number,
): ManagedValue[] {
  const values: ManagedValue[] = [];
  for (let priority = 0; priority < 8; priority++) {
    if (((spec.pfc?.priorities ?? 0) & (1 << priority)) === 0) continue;
    const show = (name: string, value: number): number => values.push({ name, priority, value });
    show('ieee8021PfcRequests', counters.requestsOf(port, priority));
    show('ieee8021PfcIndications', counters.indicationsOf(port, priority));
    show('pausedTimePs', responder.heldPs(port, priority, now));
    show('pausedCount', responder.holdCount(port, priority));
    if (!watchdog.watches(port, priority)) continue;
    show('watchdogStorms', watchdog.stormsOf(port, priority));
    show('watchdogStormTimePs', watchdog.stormPs(port, priority, now));
    show('watchdogDroppedFrames', watchdog.droppedOf(port, priority));
  }
  return values;
}
