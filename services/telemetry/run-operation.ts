/** Something that the runtime of a run in services did, in wall-clock time. */
export interface RunOperation {
  readonly kind: 'round' | 'checkpoint' | 'recovery';
  /** In ms of Unix time. */
  readonly startMs: number;
  readonly endMs: number;
  readonly epoch: number;
  /** Virtual time at its beginning and its end. */
  readonly fromPs: number;
  readonly toPs: number;
  /** Of a round, the service that reported last; else -1. */
  readonly service: number;
  /** Why it failed, or why all services began again; empty for neither. */
  readonly reason: string;
}
