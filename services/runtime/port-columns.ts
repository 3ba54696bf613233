import type { selvage } from '#contracts';
import type { PortColumns } from './port-sample.js';
import { blankColumns } from './port-sample.js';

/** Columns of ports as they travel between processes. */
export function spokenColumns(columns: PortColumns): selvage.v1.PortColumns.$Properties {
  const { wireOctets, heldPs, queueOctets, drops } = columns;
  return {
    wireOctets: [...wireOctets],
    heldPs: [...heldPs],
    queueOctets: [...queueOctets],
    drops: [...drops],
  };
}

export function heardColumns(columns: selvage.v1.PortColumns.$Properties | null): PortColumns {
  return {
    wireOctets: Float64Array.from(columns?.wireOctets ?? []),
    heldPs: Float64Array.from(columns?.heldPs ?? []),
    queueOctets: Float64Array.from(columns?.queueOctets ?? []),
    drops: Float64Array.from(columns?.drops ?? []),
  };
}

/** The columns of a fabric from those of its parts; `ports`: those of each part, in order. */
export function joinedColumns(
  parts: readonly PortColumns[],
  ports: readonly (readonly number[])[],
): PortColumns {
  const count = ports.reduce((sum, { length }) => sum + length, 0);
  const joined = blankColumns(count);
  parts.forEach((part, p) => {
    ports[p]!.forEach((port, i) => {
      joined.wireOctets[port] = part.wireOctets[i] ?? 0;
      joined.heldPs[port] = part.heldPs[i] ?? 0;
      joined.queueOctets[port] = part.queueOctets[i] ?? 0;
      joined.drops[port] = part.drops[i] ?? 0;
    });
  });
  return joined;
}
