/** Every metric that `expect` knows, by its name. */

import { JOB_METRICS } from '../../jobs/job-metrics.js';
import { CORE_METRICS, DIGEST } from '../../measures/metrics.js';
import type { Metric } from '../../mechanisms/metric.js';
import { MECHANISM_METRICS } from '../../mechanisms/registry.js';

/** Each reads what it needs of the results of a run. */
export const METRICS: Readonly<Record<string, Metric<never>>> = {
  ...CORE_METRICS,
  ...JOB_METRICS,
  ...MECHANISM_METRICS,
  ...DIGEST,
};
