import type { selvage } from '#contracts';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { devicesOf } from '../fabric/placement/service-plan.js';
import { receivedColumns, joinedColumns, portsOfParts } from '../runtime/port-columns.js';
import type { PortColumns, PortSample } from '../runtime/port-sample.js';

/** Wall-clock time between two samples. */
const SAMPLE_MS = 150;

/** Requests the counters of ports from services, while there are listeners. */
export class Sampling {
  private readonly listeners = new Set<(sample: PortSample) => void>();
  /** By service: its ports, by their index in the fabric. */
  private readonly ports: readonly (readonly number[])[];
  private counted: (PortColumns | null)[] = [];
  private sampledAt = -Infinity;

  constructor(plans: readonly ServicePlan[], portCounts: readonly number[]) {
    this.ports = portsOfParts(plans.map(devicesOf), portCounts);
  }

  listen(listener: (sample: PortSample) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get isWanted(): boolean {
    return this.listeners.size > 0;
  }

  isDue(): boolean {
    return this.isWanted && performance.now() - this.sampledAt > SAMPLE_MS;
  }

  /** Services are requested to count. */
  begin(): void {
    this.sampledAt = performance.now();
    this.counted = this.ports.map(() => null);
  }

  take(service: number, columns: selvage.v1.PortColumns.$Properties | null | undefined): void {
    if (columns) this.counted[service] = receivedColumns(columns);
  }

  /** All services have reported; the latest event was executed at a time. */
  finish(timePs: number): void {
    const parts = this.counted.flatMap((columns) => columns ?? []);
    this.counted = [];
    if (parts.length !== this.ports.length) return;
    const sample = { timePs, columns: joinedColumns(parts, this.ports) };
    for (const listener of this.listeners) listener(sample);
  }
}
