import type { PortValues } from '../../measures/port-measures.js';
import type { MechanismResults } from '../../mechanisms/registry.js';

/** Metrics of a port and priority; the names are those of the results. */
export interface PortMetrics {
  readonly port: string;
  readonly device: string;
  readonly priorities: readonly (PortValues & {
    readonly priority: number;
    readonly drops: Readonly<Record<string, number>>;
  })[];
}

/** A flow, and when it was complete; null: it is not. */
interface FlowMetrics {
  readonly flow: number;
  readonly load: string;
  readonly priority: number;
  readonly completionPs: number | null;
}

/** Time that a followed frame spent in a queue of a device. */
export interface QueueWait {
  readonly device: string;
  readonly priority: number;
  readonly ps: number;
}

/** A run in services, as its coordinator knows it. */
export interface RuntimeMetrics {
  readonly rounds: number;
  /** All services began again, from a checkpoint or the beginning. */
  readonly recoveries: number;
  readonly messages: number;
  readonly resentMessages: number;
  readonly checkpoints: number;
  /** Wall-clock time that the run waited for checkpoints. */
  readonly checkpointSeconds: number;
  /** Of the last checkpoint; null: there is none. */
  readonly checkpointAgeSeconds: number | null;
  /** Virtual time that passes in a time of the wall clock. */
  readonly speed: number;
  readonly services: readonly ServiceMetrics[];
}

export interface ServiceMetrics {
  readonly service: number;
  readonly host: string;
  /** Virtual time behind the service that is farthest. */
  readonly lagSeconds: number;
  /** CPU time by wall-clock time. */
  readonly cpuShare: number;
  /** A second. */
  readonly messageRate: number;
}

/** A run as it stands. */
export interface RunMetrics {
  readonly virtualPs: number;
  /** 0..1 */
  readonly share: number;
  /** Frames that started on any link. */
  readonly frameHops: number;
  readonly wallSeconds: number;
  readonly ports: readonly PortMetrics[];
  readonly flows: readonly FlowMetrics[];
  /** As far as their instruments read them. */
  readonly mechanisms: Partial<MechanismResults>;
  /** Of frames that were followed; known when the run has ended. */
  readonly waits: Iterable<QueueWait>;
  /** Absent in one process. */
  readonly runtime?: RuntimeMetrics;
}
