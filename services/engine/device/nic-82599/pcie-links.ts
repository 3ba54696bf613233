import type { Device } from '../device.js';

/** Which PCIe link each 82599 has: its own, or that of the first port of its part. */
export interface PcieLinks {
  /** By device: row of the adapter whose link it is. */
  readonly links: Int32Array;
  /** By device: the one with the other port of its part; -1 where there is none. */
  readonly partners: Int32Array;
}

export function makePcieLinks(devices: readonly Device[]): PcieLinks {
  const links = Int32Array.from(devices, ({ rows }) => rows.nic.first);
  const partners = new Int32Array(devices.length).fill(-1);
  devices.forEach(({ spec }, d) => {
    const name = spec.kind === 'host' ? (spec.nic?.secondPortOf ?? null) : null;
    // Where only a proxy device of the second port is here, it executes nothing.
    const first = name === null ? -1 : devices.findIndex((other) => other.spec.name === name);
    if (first < 0) return;
    links[d] = links[first];
    partners[d] = first;
    partners[first] = d;
  });
  return { links, partners };
}
