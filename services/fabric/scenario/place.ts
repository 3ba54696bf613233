import type { PlaceInput } from './schema-place.js';

/** Ports that match all of this; null: any. */
export interface Place {
  /** Name or pattern of the port's device, or of the port itself. */
  readonly device: string | null;
  readonly port: string | null;
  readonly kind: 'host' | 'switch' | null;
  readonly tier: string | null;
  /** Name or pattern of the device at the other end. */
  readonly peer: string | null;
  /** Ends of a link: a device or a port, or a pattern of either, at each end. */
  readonly link: readonly [string, string] | null;
}

export function placeFrom(where: PlaceInput): Place {
  return {
    device: where.device ?? null,
    port: where.port ?? null,
    kind: where.kind ?? null,
    tier: where.tier ?? null,
    peer: where.peer ?? null,
    link: where.link === undefined ? null : endsOf(where.link),
  };
}

/** The schema has checked that there are two. */
function endsOf(link: string): readonly [string, string] {
  const [a, b] = link.split(' ') as [string, string];
  return [a, b];
}
