/** What `expect` demands of jobs; `load` chooses some of them. */

import type { ChosenRows, Metric } from '../mechanisms/metric.js';
import type { JobResult, OperationResult } from './job-rows.js';
import { stragglers } from './stragglers.js';

interface Measured {
  readonly jobs: readonly JobResult[];
  readonly operations: readonly OperationResult[];
}

type Read = (job: JobResult, results: Measured) => number | null;

export const JOB_METRICS: Readonly<Record<string, Metric<Measured>>> = {
  iteration: {
    unit: 'time',
    meaning: 'time of a job until its last rank is done, the longest',
    measure: ofJobs(most, ({ iterationPs }) => iterationPs),
  },
  'jct-ratio': {
    unit: 'ratio',
    meaning: 'iteration of a job over what no network can beat (its roofline), the largest',
    measure: ofJobs(most, ({ iterationPs, rooflinePs }) =>
      iterationPs === null || rooflinePs === null || rooflinePs === 0
        ? null
        : iterationPs / rooflinePs,
    ),
  },
  'job.exposed': {
    unit: 'time',
    meaning: 'time in which a rank of a job does not compute, the longest',
    measure: ofJobs(most, ({ exposed }) => exposed?.maxPs ?? null),
  },
  busbw: {
    unit: 'rate',
    meaning: 'bandwidth of the bus (nccl-tests) of the slowest collective',
    measure: ofJobs(least, ({ collectives }) =>
      least(collectives.flatMap((own) => (own.vectorOctets > 0 ? [own.busBps] : []))),
    ),
  },
  straggler: {
    unit: 'time',
    meaning: 'what a rank took longer by itself than the median, between collectives, the longest',
    measure: ofJobs(most, ({ job, startPs, iterationPs }, { operations }) => {
      const own = operations.filter((one) => one.job === job);
      const [worst] = stragglers(own, startPs);
      return iterationPs === null ? null : (worst?.ownPs ?? 0);
    }),
  },
};

type Values = readonly (number | null)[];

/** Null: there is no such job, or one of them is not done. */
function ofJobs(pick: (values: Values) => number | null, read: Read) {
  return (results: Measured, at: ChosenRows): number | null =>
    pick(results.jobs.filter(({ job }) => at.job(job)).map((job) => read(job, results)));
}

/** Of values all of which are known; null: one is not, or there is none. */
function most(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : Math.max(...known);
}

function least(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : Math.min(...known);
}
