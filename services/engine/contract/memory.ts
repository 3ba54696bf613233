/** An ingress account: one per port and priority group. */
export interface AccountSpec {
  /** A full account stops the neighbour instead of dropping. */
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
