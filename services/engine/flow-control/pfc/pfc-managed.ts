import type { ManagedValue } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { StopObeyer } from '../../quanta/stop-obeyer.js';

/** Ranges and defaults of what a port is told (802.1Qbb; 802.3 31D). */
export const PFC_QUANTA = { least: 1, most: 65_535, default: 65_535 } as const;
export const PFC_REFRESH_FRACTION = { default: 0.5 } as const;

/** What IEEE8021-PFC-MIB counts. */
export class PfcCounters {
  /** By port and priority. */
  readonly requests: Float64Array;
  readonly indications: Float64Array;

  constructor(ports: number) {
    this.requests = new Float64Array(ports * 8);
    this.indications = new Float64Array(ports * 8);
  }

  sent(port: number, enable: number): void {
    count(this.requests, port, enable);
  }

  received(port: number, enable: number): void {
    count(this.indications, port, enable);
  }
}

function count(table: Float64Array, port: number, enable: number): void {
  for (let p = 0; p < 8; p++) if ((enable & (1 << p)) !== 0) table[(port << 3) | p]++;
}

export function pfcManagedValues(
  ports: readonly PortSpec[],
  counters: PfcCounters,
  obeyer: StopObeyer,
  now: number,
): ManagedValue[] {
  const values: ManagedValue[] = [];
  ports.forEach((spec, port) => {
    for (let priority = 0; priority < 8; priority++) {
      if (((spec.pfc?.priorities ?? 0) & (1 << priority)) === 0) continue;
      const at = (port << 3) | priority;
      const value = (name: string, v: number): number =>
        values.push({ name, port, priority, value: v });
      value('ieee8021PfcRequests', counters.requests[at]);
      value('ieee8021PfcIndications', counters.indications[at]);
      value('pausedTimePs', obeyer.heldPs(port, priority, now));
      value('pausedCount', obeyer.holdCount(port, priority));
    }
  });
  return values;
}
