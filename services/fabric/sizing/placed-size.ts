import type { MemorySize, SizeTerm } from '../../mechanisms/mechanism-slice.js';

/** Buffer that flow control needs behind a port for one priority, term by term. */
export interface PortSize extends Omit<MemorySize, 'port' | 'priority'> {
  /** Its purpose: a mechanism by its name. */
  readonly kind: string;
  /** Priorities that share it. */
  readonly priorities: readonly number[];
  /** Those of the terms that 802.1Q Annex N has, together; null where it does not apply. */
  readonly annexNOctets: number | null;
}

/** A size, and its location. */
export interface PlacedSize extends PortSize {
  readonly device: number;
  readonly port: number;
}

export function termOf(octets: number, term: string, meaning: string, octetPs: number): SizeTerm {
  return { term, meaning, ps: octets * octetPs, octets };
}
