export interface CoordinatorOptions {
  readonly run: string;
  readonly version: string;
  readonly check: boolean;
  /** Wall-clock time between checkpoints. */
  readonly checkpointMs: number;
  /** Lookaheads of every round, to compare with what adapts; null to adapt. */
  readonly roundLength: number | null;
  /** For how long a lost service is waited for. */
  readonly patienceMs: number;
  /** Virtual times at which to wait for somebody to say that the run goes on. */
  readonly haltsPs?: readonly number[];
  /** Nothing is executed before somebody says so. */
  readonly paused?: boolean;
  /** Called with what a person should know, though the run goes on. */
  readonly warn?: (text: string) => void;
}
