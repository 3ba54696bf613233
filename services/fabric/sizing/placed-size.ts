import type { MemorySize, SizeTerm } from '../../mechanisms/mechanism-slice.js';

/** What flow control asks of the memory behind a port for one priority, term by term. */
export interface PortSize extends Omit<MemorySize, 'port' | 'priority'> {
  /** What it is for: a mechanism by its name. */
  readonly kind: string;
  /** Priorities that share it. */
  readonly priorities: readonly number[];
  /** Those of the terms that 802.1Q Annex N has, together; null where it does not apply. */
  readonly annexNOctets: number | null;
}

/** A size, and where it is. */
export interface PlacedSize extends PortSize {
  readonly device: number;
  readonly port: number;
}

export function termOf(octets: number, term: string, meaning: string, octetPs: number): SizeTerm {
  return { term, meaning, ps: octets * octetPs, octets };
}
