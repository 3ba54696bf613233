/** What was found to be wrong, and where: devices as the engine counts them. */
export interface Breach {
  readonly reason: string;
  readonly timePs: number;
  readonly device: number;
  readonly port: number;
  /** Null where it concerns none in particular. */
  readonly priority: number | null;
}
