import { FRAME_OCTETS_MIN } from '../../engine/units/ethernet.js';

/** The headers of a packet, in a queue. */
export interface Headers {
  readonly octets: number;
}

export function headersAreAFrame({ octets }: Headers): boolean {
  return octets >= FRAME_OCTETS_MIN;
}
