import type { selvage } from '#contracts';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import { heardColumns, joinedColumns, portsOfParts } from '../runtime/port-columns.js';
import type { PortColumns, PortSample } from '../runtime/port-sample.js';

/** Wall-clock time between two samples. */
const SAMPLE_MS = 150;

/** Has services tell what their ports have counted, while somebody listens. */
export class Sampling {
  private readonly listeners = new Set<(sample: PortSample) => void>();
  /** By service: its ports, by their place in the fabric. */
  private readonly ports: readonly (readonly number[])[];
  private heard: (PortColumns | null)[] = [];
  private sampledAt = -Infinity;

  constructor(plans: readonly PartPlan[], portCounts: readonly number[]) {
    this.ports = portsOfParts(
      plans.map(({ devices }) => devices),
      portCounts,
    );
  }

  listen(hear: (sample: PortSample) => void): () => void {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }

  /** Whether the next round shall count ports; `now`: whatever the wall clock says. */
  begin(now: boolean): boolean {
    const isDue = now || performance.now() - this.sampledAt > SAMPLE_MS;
    if (this.listeners.size === 0 || !isDue) return false;
    this.sampledAt = performance.now();
    this.heard = this.ports.map(() => null);
    return true;
  }

  take(service: number, columns: selvage.v1.PortColumns.$Properties | null | undefined): void {
    if (columns) this.heard[service] = heardColumns(columns);
  }

  /** Everybody has reported of a round that ended at a time. */
  finish(timePs: number): void {
    const parts = this.heard.flatMap((columns) => columns ?? []);
    this.heard = [];
    if (parts.length !== this.ports.length) return;
    const sample = { timePs, columns: joinedColumns(parts, this.ports) };
    for (const hear of this.listeners) hear(sample);
  }
}
