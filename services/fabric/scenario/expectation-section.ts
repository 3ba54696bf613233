/** What must hold at the end of a run. */

export interface Expectation {
  /** One of `METRICS`. */
  readonly metric: string;
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
