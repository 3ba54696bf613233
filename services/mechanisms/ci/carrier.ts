/** What a CI point asks of its mechanism. */
export interface CiGate {
  /** Holds the congesting queue of a port, or lets it go. */
  holdCongesting(port: number, priority: number, held: boolean): void;
  /** The neighbour is known to take CIMs. */
  isPeer(port: number): boolean;
  armCleanup(port: number, timePs: number): void;
}
