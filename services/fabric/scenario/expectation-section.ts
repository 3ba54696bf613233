/** What must hold at the end of a run. */

import type { MechanismMetric } from '../../mechanisms/registry.js';

export type Metric =
  | 'drops'
  | 'lossless-drops'
  | 'completed'
  | 'completion.p50'
  | 'completion.p99'
  | 'completion.p99.9'
  | 'completion.max'
  | 'slowdown.p50'
  | 'slowdown.p99'
  | 'throughput'
  | 'goodput'
  | 'share'
  | 'latency.mean'
  | 'latency.max'
  | 'pause.time'
  | 'pause.frames'
  | 'marked'
  | 'notifications'
  | 'peak.ingress'
  | 'peak.egress'
  | 'headroom.used'
  | 'convergence'
  | 'mismatches'
  | 'exposed'
  | 'lldpdus'
  | 'stalled-flows'
  | 'starved-flows'
  | 'deadlocks'
  | 'storms'
  | 'unreachable'
  | 'watchdog.drops'
  | 'fault-drops'
  | 'iteration'
  | 'job.exposed'
  | 'busbw'
  | 'straggler'
  | MechanismMetric
  | 'digest';

export interface Expectation {
  readonly metric: Metric;
  /** Filters; null: all. */
  readonly priority: number | null;
  readonly load: string | null;
  readonly flow: string | null;
  readonly device: string | null;
  readonly port: string | null;
  /** In base units (ps, octets, bit/s, share 0..1, plain counts); `completed` is a share. */
  readonly min: number | null;
  readonly max: number | null;
  /** Digest, as hexadecimal text; other metrics: a number. */
  readonly equals: number | string | null;
}
