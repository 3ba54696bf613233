import type { Card, CardFormat } from '../mechanism-slice.js';
import type { Nic82599Result } from './results.js';

const NICS_SHOWN = 8;

/** The latency of each class as 7.7.1 defines it, and frames that anti-spoofing discarded. */
export function nicCards(
  { nics }: { readonly nics: readonly Nic82599Result[] },
  format: CardFormat,
): Card[] {
  return [latencies(nics, format), spoofed(nics, format)];
}

function latencies(nics: readonly Nic82599Result[], { count, time }: CardFormat): Card {
  const byNic = nics.map(({ device, latencies: rows }) =>
    [...rows]
      .sort((a, b) => b.tc - a.tc)
      .map((row) => [
        device,
        String(row.tc),
        row.direction === 'transmit' ? 'tail to wire' : 'wire to descriptor',
        count(row.frames),
        ...[row.leastPs, row.meanPs, row.mostPs].map(time),
      ]),
  );
  return {
    title: 'Latency of 82599s (raw frames)',
    head: ['82599', 'tc', 'way', 'frames', 'least', 'mean', 'most'],
    rows: byNic.flat(),
    most: byNic.slice(0, NICS_SHOWN).flat().length,
  };
}

/** Frames that were discarded at their source: no port counts them. */
function spoofed(nics: readonly Nic82599Result[], { count }: CardFormat): Card {
  const discarding = nics.filter(({ spoofedFrames }) => spoofedFrames > 0);
  const more = discarding.length - NICS_SHOWN;
  const why =
    'their address or VLAN is not that of their pool: see nic.pools (antiSpoof, vlans) and vlan';
  return {
    title: 'Anti-spoofing of 82599s',
    lines:
      discarding.length === 0
        ? []
        : [
            ...discarding.slice(0, NICS_SHOWN).map(({ device, spoofedFrames }) => {
              return `${device} discarded ${count(spoofedFrames)} frames of its own`;
            }),
            ...(more > 0 ? [`and ${count(more)} more NICs`] : []),
            why,
          ],
  };
}
