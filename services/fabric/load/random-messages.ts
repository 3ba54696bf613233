import { RandomStream } from '../../engine/kernel/random.js';
import type { LoadSection } from '../scenario/scenario.js';
import type { LoadEntry } from './load-entry.js';
import { checkShare } from './release.js';
import { sizeCurve } from './size-distributions.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

/**
 * Messages of random sizes from every host to random others, at random times (Poisson), such that
 * they take the requested share of the host's link, headers, preambles and gaps included. Each host
 * has its own streams, so that another host does not shift its times and sizes.
 */
export function expandRandom(
  entry: LoadEntry,
  section: Extract<LoadSection, { kind: 'random' }>,
): void {
  checkShare(entry, ['share'], section.share);
  const hosts = entry.hostsAmong(section.hosts);
  const curve = sizeCurve(entry, section.sizes);
  const endPs = Math.min(section.endPs ?? Infinity, entry.context.durationPs ?? Infinity);
  if (endPs === Infinity) {
    throw entry.fail([], 'random messages never stop: give the load an end or the run a duration');
  }
  const pieces = curve.meanPieces(entry.fullPayloadBytes);
  const meanGaps = hosts.map((host) => {
    const wireBytes = curve.meanBytes() + entry.overheadBytes(host, pieces);
    return (wireBytes * OCTET_BITS_PS) / (section.share * entry.linkRateBps(host));
  });
  entry.announce(meanGaps.reduce((sum, gapPs) => sum + (endPs - section.startPs) / gapPs, 0));
  hosts.forEach((source, place) => {
    const name = `${entry.label}/${entry.nameOf(source)}`;
    const arrivals = new RandomStream(entry.context.seed, `${name}/arrivals`);
    const targets = new RandomStream(entry.context.seed, `${name}/targets`);
    let startPs = section.startPs;
    for (;;) {
      startPs += Math.round(arrivals.exponential(meanGaps[place]!));
      if (startPs >= endPs) break;
      const other = targets.below(hosts.length - 1);
      entry.announce(1);
      entry.add(source, hosts[other < place ? other : other + 1]!, {
        ...entry.volume(curve.sizeAt(arrivals.uniform())),
        startPs,
        // A released message is sent whole.
        endPs: Infinity,
      });
    }
  });
}
