/** Schema of a job: ranks, where they are, and what they do. */

import type { z } from 'zod';
import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import { aboveZero, rate, size, time } from '../../settings/quantities.js';
import {
  choice,
  flag,
  integer,
  keyed,
  list,
  mapping,
  NAME,
  positive,
  quantity,
  text,
} from '../../settings/parts.js';

const RANKS_MOST = 1 << 20;

/** Algorithms of any collective; which has which is checked when the step is known. */
const ALGORITHMS = [
  ...new Set(Object.values(COLLECTIVES).flatMap(({ algorithms }) => Object.keys(algorithms))),
];

const rankNumber = () => integer(0, RANKS_MOST - 1);

const sizes = Object.entries(COLLECTIVES).filter(([kind]) => kind !== 'barrier');

const volumes = Object.fromEntries(
  sizes.map(([kind, { help }]) => [kind, quantity(aboveZero(size)).describe(help).exactOptional()]),
);

const stepSchema = mapping({
  compute: quantity(time).describe('All ranks compute for so long.').exactOptional(),
  ...volumes,
  barrier: flag().describe(COLLECTIVES['barrier']!.help).exactOptional(),
  in: text('a group', NAME, 'the name of one of its groups')
    .describe('Groups in which it happens, each for itself. Default: all ranks are one group.')
    .exactOptional(),
  algorithm: choice(ALGORITHMS)
    .describe('In which order a collective sends. Default: the first of its kind.')
    .exactOptional(),
  chunks: integer(1, 65536)
    .describe('Vectors into which a collective is cut: they follow each other.')
    .prefault(1),
});

export const jobSchema = mapping({
  hosts: text('a selection of hosts', /./, 'a host, a pattern such as h*, a range, or all')
    .or(list(text('a host', /./, 'a host, a pattern or a range'), 'hosts').min(1))
    .describe('Hosts of its ranks, in their order.')
    .prefault('all'),
  goal: text('a file name', /./, 'a file name')
    .describe('Operations of all ranks in GOAL, relative to the scenario file.')
    .exactOptional(),
  chakra: text('a name', /./, 'the name of NAME.0.et, or a list of files')
    .or(list(text('a file name', /./, 'a file name'), 'files, one for each rank').min(1))
    .describe(
      'Execution traces of Chakra: NAME of NAME.0.et, NAME.1.et and so on, or a file for each ' +
        'rank, relative to the scenario file; protobuf, gzipped or JSON.',
    )
    .exactOptional(),
  simai: text('a file name', /./, 'a file name')
    .describe('A workload of SimAI, relative to the scenario file; `repeat` is its passes.')
    .exactOptional(),
  msccl: text('a file name', /./, 'a file name')
    .describe('An algorithm of MSCCL in XML, relative to the scenario file.')
    .exactOptional(),
  vector: quantity(aboveZero(size))
    .describe('Vector of an algorithm of MSCCL, at each rank.')
    .exactOptional(),
  htsim: text('a file name', /./, 'a file name')
    .describe('A connection matrix of htsim, relative to the scenario file.')
    .exactOptional(),
  startUnit: choice(['us', 'ps'])
    .describe(
      'Unit of its starts, which the file does not say: us for htsim_uec, htsim_eqds and ' +
        'htsim_swift, ps for htsim_roce, htsim_ndp and htsim_hpcc.',
    )
    .prefault('us'),
  edges: choice(['data', 'data+control'])
    .describe('Dependencies of Chakra that count: those of data, or of control as well.')
    .prefault('data'),
  steps: list(stepSchema, 'steps such as { compute: 10us }, { all-reduce: 4MiB }')
    .min(1, { error: 'an empty list; write at least one step' })
    .describe('What each rank does, one after the other.')
    .exactOptional(),
  repeat: integer(1, 1_000_000)
    .describe('How often the steps are done, or the passes of a workload of SimAI.')
    .prefault(1),
  ranks: integer(1, RANKS_MOST)
    .describe('How many ranks do the steps. Default: as many as its hosts have room for.')
    .exactOptional(),
  ranksPerHost: integer(1, 1024).describe('Ranks that a host has room for.').prefault(1),
  placement: choice(['packed', 'spread'])
    .describe('packed: a host is filled before the next; spread: the next rank on the next host.')
    .prefault('packed'),
  sends: choice(['handed', 'acknowledged'])
    .describe(
      'When a send is done: the NIC has taken its last frame (handed), or its receiver has ' +
        'acknowledged all of it.',
    )
    .prefault('handed'),
  groups: keyed(
    { pattern: NAME, allowed: 'a name of letters, digits, _ and -' },
    list(list(rankNumber(), 'ranks').min(1), 'lists of ranks'),
  )
    .describe('Groups of ranks for steps: lists of ranks, in none of which one is twice.')
    .prefault({}),
  stragglers: keyed({ pattern: /^\d{1,7}$/, allowed: 'the number of a rank' }, positive())
    .describe('Ranks whose computations take so many times as long.')
    .prefault({}),
  box: mapping({
    rate: quantity(aboveZero(rate))
      .describe('Rate at which a rank sends to ranks of its host.')
      .prefault('900G'),
    latency: quantity(time).describe('Time of such a message beside its octets.').prefault('1us'),
  })
    .describe('Messages within a host, which no NIC sees.')
    .prefault({}),
}).describe('Ranks that compute, send and receive, each when what it depends on is done.');

export type JobInput = z.output<typeof jobSchema>;
