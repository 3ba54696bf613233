import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import type { Sampler } from './sampler.js';

type Draft = Record<string, unknown>;

/** A job on some hosts: computations and collectives, in groups and at all ranks. */
export function drawnJob(sampler: Sampler, hosts: number): Draft {
  const ranksPerHost = sampler.pick([1, 1, 2, 3]);
  const room = hosts * ranksPerHost;
  const ranks = sampler.between(Math.min(2, room), Math.min(room, 9));
  const order = sampler.some(
    Array.from({ length: ranks }, (_, rank) => rank),
    ranks,
    ranks,
  );
  const cut = sampler.between(1, ranks);
  const groups = {
    halves: [order.slice(0, cut), order.slice(cut)].filter(({ length }) => length > 0),
  };
  const steps = Array.from({ length: sampler.between(1, 4) }, () => drawnStep(sampler, ranks));
  return {
    ...{ hosts: 'all', ranks, ranksPerHost, groups, steps },
    repeat: sampler.pick([1, 1, 2, 3]),
    placement: sampler.pick(['packed', 'spread']),
    sends: sampler.pick(['handed', 'acknowledged']),
    ...(sampler.chance(0.3) && { stragglers: { [String(sampler.below(ranks))]: 1.7 } }),
    ...(sampler.chance(0.3) && {
      box: { rate: sampler.pick(['100G', '2880G']), latency: '300ns' },
    }),
  };
}

function drawnStep(sampler: Sampler, ranks: number): Draft {
  const within = sampler.chance(0.3) ? { in: 'halves' } : {};
  if (sampler.chance(0.3)) return { compute: `${sampler.spread(1, 20_000)}ns`, ...within };
  const kind = sampler.pick(Object.keys(COLLECTIVES));
  if (kind === 'barrier') {
    return { barrier: true, ...within, ...(sampler.chance(0.3) && { algorithm: 'dissemination' }) };
  }
  const isWhole = Number.isInteger(Math.log2(ranks)) && !('in' in within);
  const algorithms = Object.keys(COLLECTIVES[kind]!.algorithms).filter(
    (algorithm) => algorithm !== 'halving-doubling' || isWhole,
  );
  return {
    [kind]: `${sampler.spread(1, 200_000)}`,
    ...within,
    ...(sampler.chance(0.1) && { barrier: false }),
    algorithm: sampler.pick(algorithms),
    chunks: sampler.pick([1, 1, 2, 5]),
  };
}
