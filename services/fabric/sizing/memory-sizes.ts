import type { Fabric } from '../assembly/fabric.js';
import type { PlacedSize, PortSize } from './placed-size.js';

/** One end of a link, where frames of its link partner are stored. */
export interface PortSizes {
  readonly port: string;
  readonly partner: string;
  readonly rateBps: number;
  readonly propagationPs: number;
  readonly sizes: readonly PortSize[];
}

/** Of both ends of every link. */
export function memorySizes({ linkEnds, mechanisms, sizes }: Fabric): PortSizes[] {
  const placed = [
    ...sizes(),
    ...mechanisms.flatMap(({ slice, plan }) =>
      linkEnds.flatMap((_, device) =>
        (slice.sizes?.(plan, device) ?? []).map(({ priority, ...size }): PlacedSize => ({
          ...{ ...size, device, kind: slice.name, priorities: [priority] },
          annexNOctets: null,
        })),
      ),
    ),
  ];
  const byPort = new Map<string, PortSize[]>();
  for (const { device, port, ...size } of placed) {
    const { name } = linkEnds[device]![port]!;
    byPort.set(name, [...(byPort.get(name) ?? []), size]);
  }
  return linkEnds.flat().map(({ name, peerDevice, peerPort, link }) => ({
    port: name,
    partner: linkEnds[peerDevice]![peerPort]!.name,
    rateBps: link.rateBps,
    propagationPs: link.propagationPs,
    sizes: byPort.get(name) ?? [],
  }));
}
