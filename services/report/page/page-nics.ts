import type { NicResult } from '../../mechanisms/registry.js';
import type { NicView } from './page-data.js';

const NICS_SHOWN = 16;

export function nicViews(nics: readonly NicResult[]): NicView[] {
  return nics.slice(0, NICS_SHOWN).map((nic) => ({
    device: nic.device,
    leds: nic.leds.map(({ source, lit, changes }) => ({ source, lit, changes })),
    classes: nic.T2.packet.map(({ tc, group, strict, refill, credit }) => {
      const latency = nic.latencies.find((row) => row.direction === 'transmit' && row.tc === tc);
      const frames = latency?.frames ?? 0;
      return { tc, group, strict, refill, credit, frames, longestPs: latency?.mostPs ?? null };
    }),
    receivePeakOctets: Math.max(
      0,
      ...nic.buffers.flatMap((row) => (row.direction === 'receive' ? [row.peakOctets] : [])),
    ),
    limited: nic.rates
      .filter(({ enabled }) => enabled)
      .map(({ queue, rateBps }) => ({ queue, rateBps })),
  }));
}
