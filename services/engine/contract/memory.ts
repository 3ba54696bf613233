/** An ingress buffer account: one per port and priority group. */
export interface AccountSpec {
  /** At XOFF the link partner is paused; nothing is dropped. */
  readonly lossless: boolean;
  readonly reservedOctets: number;
  /** Dynamic threshold as a multiple of the free shared pool. */
  readonly alpha: number;
  /** Fixed XOFF threshold on the whole account; Infinity: the dynamic threshold alone. */
  readonly xoffOctets: number;
  readonly xonGapOctets: number;
  readonly headroomOctets: number;
}

export interface BufferSpec {
  readonly sizeOctets: number;
  readonly cellOctets: number;
  readonly egressReservedOctets: number;
  readonly egressAlpha: number;
  /** By port, then by group. */
  readonly accounts: readonly (readonly AccountSpec[])[];
}
