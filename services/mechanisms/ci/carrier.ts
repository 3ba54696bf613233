/** What a CI point uses of its mechanism. */
export interface CiGate {
  /** Holds the congesting queue of a port, or releases it. */
  holdCongesting(port: number, priority: number, held: boolean): void;
  /** The link partner is known to process CIMs. */
  isPeer(port: number): boolean;
  armCleanup(port: number, timePs: number): void;
}
