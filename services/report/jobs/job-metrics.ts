import { matchesGlob } from '../../fabric/scenario/selector.js';
import type { RunResults } from '../../runtime/results/results.js';
import { stragglers } from './stragglers.js';

/** What `expect` demands of jobs; `load` chooses some of them. */
type JobMetric = 'iteration' | 'job.exposed' | 'busbw' | 'straggler';

export const JOB_METRICS = {
  iteration: { unit: 'time', meaning: 'time of a job until its last rank is done, the longest' },
  'job.exposed': {
    unit: 'time',
    meaning: 'time in which a rank of a job does not compute, the longest',
  },
  busbw: { unit: 'rate', meaning: 'bandwidth of the bus (nccl-tests) of the slowest collective' },
  straggler: {
    unit: 'time',
    meaning: 'what a rank took longer by itself than the median, between collectives, the longest',
  },
} as const satisfies Readonly<
  Record<JobMetric, { readonly unit: string; readonly meaning: string }>
>;

export function isJobMetric(metric: string): metric is JobMetric {
  return metric in JOB_METRICS;
}

/** Null: there is no such job, or it is not done. */
export function measureJobs(
  metric: JobMetric,
  { jobs, operations }: RunResults,
  load: string | null,
): number | null {
  const chosen = jobs.filter(({ job }) => load === null || matchesGlob(load, job));
  const values = chosen.map((job) => {
    switch (metric) {
      case 'iteration':
        return job.iterationPs;
      case 'job.exposed':
        return job.exposed?.maxPs ?? null;
      case 'busbw':
        return least(
          job.collectives
            .filter(({ vectorOctets }) => vectorOctets > 0)
            .map(({ busBps }) => busBps),
        );
      case 'straggler': {
        const own = operations.filter((one) => one.job === job.job);
        const [worst] = stragglers(own, job.startPs);
        return job.iterationPs === null ? null : (worst?.ownPs ?? 0);
      }
    }
  });
  return metric === 'busbw' ? least(values) : most(values);
}

/** Of values all of which are known; null: one is not, or there is none. */
function most(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : Math.max(...known);
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : Math.min(...known);
}
