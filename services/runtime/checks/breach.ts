/** A violated check, and its place: devices as the engine counts them. */
export interface Breach {
  readonly reason: string;
  readonly timePs: number;
  readonly device: number;
  readonly port: number;
  /** Null where it concerns no single priority. */
  readonly priority: number | null;
}
