import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { LoadSection, RateSection } from '../scenario/scenario.js';
import type { Path } from '../topology/cabling.js';
import type { Release } from './flow.js';
import type { LoadEntry } from './load-entry.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

type StreamSection = Extract<LoadSection, { kind: 'stream' }>;

/** When the frames of a stream from this host are ready. */
export function streamRelease(entry: LoadEntry, section: StreamSection, host: number): Release {
  const { arrivals, rate, onPs, offPs, randomOnOff } = section;
  if (arrivals === 'constant') return steadyRelease(entry, rate, host);
  const gapPs = frameGapPs(entry, rate, host);
  if (arrivals === 'paced') {
    const octets = entry.fullFrameBytes(host) + WIRE_OVERHEAD_OCTETS;
    return { kind: 'backlog', pacePsPerOctet: gapPs / octets };
  }
  if (arrivals === 'poisson') return { kind: 'poisson', meanGapPs: gapPs };
  if (onPs <= 0) throw entry.fail(['onPs'], 'the time that a stream is on must be positive');
  return { kind: 'on-off', gapPs, onPs, offPs, random: randomOnOff };
}

/** Constant gaps, or at line rate whatever the link and the transport allow. */
export function steadyRelease(entry: LoadEntry, rate: RateSection, host: number): Release {
  if (rate.kind === 'line') return { kind: 'backlog' };
  return { kind: 'constant', gapPs: frameGapPs(entry, rate, host) };
}

/** Time from the start of one full frame to that of the next. */
function frameGapPs(entry: LoadEntry, rate: RateSection, host: number): number {
  switch (rate.kind) {
    case 'line':
      return entry.fullFramePs(host);
    case 'share':
      checkShare(entry, ['rate', 'share'], rate.share);
      return entry.fullFramePs(host) / rate.share;
    case 'bps': {
      const { bps } = rate;
      const link = entry.linkRateBps(host);
      if (!(bps > 0 && bps <= link)) {
        const limit = `the link of ${entry.nameOf(host)} carries ${link / 1e9} Gb/s`;
        throw entry.fail(['rate', 'bps'], `a rate of ${bps / 1e9} Gb/s is impossible: ${limit}`);
      }
      return (entry.fullFrameBytes(host) * OCTET_BITS_PS) / bps;
    }
  }
}

export function checkShare(entry: LoadEntry, path: Path, share: number): void {
  if (!(share > 0 && share <= 1)) {
    throw entry.fail(path, `a share of the link is more than 0 and at most 1, not ${share}`);
  }
}

/** Mean time between two frames that a flow has to send; 0 where it always has one. */
export function meanGapPs(release: Release): number {
  switch (release.kind) {
    case 'backlog':
      return 0;
    case 'constant':
      return release.gapPs;
    case 'poisson':
      return release.meanGapPs;
    case 'on-off':
      return (release.gapPs * (release.onPs + release.offPs)) / release.onPs;
  }
}
