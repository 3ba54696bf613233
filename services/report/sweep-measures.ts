import type { SliceMetric } from '../mechanisms/mechanism-slice.js';
import { MECHANISM_METRICS } from '../mechanisms/registry.js';
import type { FaultCost } from '../sweep/measure.js';
import { formatCount, formatOctets, formatRate, formatTime } from './format.js';
import type { SweepValue } from './page/page-data.js';

/** What the table, the file and the page of a sweep name and write of each run. */
export interface Measure {
  /** Of the file, with its unit. */
  readonly column: string;
  readonly label: string;
  readonly moreIsBetter: boolean;
  readonly of: (cost: FaultCost) => SweepValue;
  readonly format: (value: number) => string;
  /** What a run is that never came to it, or has not yet. */
  readonly never?: (cost: FaultCost) => string;
}

/** Of a run that has nothing of the kind. */
export const NONE = '–';

export const MEASURES: readonly Measure[] = [
  {
    ...{ column: 'goodput_bps', label: 'goodput', moreIsBetter: true },
    ...{ of: ({ goodputBps }) => goodputBps, format: formatRate },
  },
  {
    ...{ column: 'goodput_before_bps', label: 'goodput before faults', moreIsBetter: true },
    ...{ of: ({ goodputBeforeBps }) => goodputBeforeBps, format: formatRate },
  },
  {
    ...{ column: 'goodput_during_bps', label: 'goodput during faults', moreIsBetter: true },
    ...{ of: ({ goodputDuringBps }) => goodputDuringBps, format: formatRate },
  },
  {
    ...{ column: 'goodput_after_bps', label: 'goodput after faults', moreIsBetter: true },
    ...{ of: ({ goodputAfterBps }) => goodputAfterBps, format: formatRate },
  },
  {
    ...{ column: 'pause_time_ps', label: 'pause time (worst port)', moreIsBetter: false },
    ...{ of: ({ pauseTimePs }) => pauseTimePs, format: formatTime },
  },
  {
    ...{
      column: 'recovery_time_ps',
      label: 'recovery time',
      moreIsBetter: false,
      format: formatTime,
    },
    // Without a time after the faults there is no recovery, or not yet.
    of: ({ recoveryPs, goodputAfterBps }) =>
      recoveryPs ?? (goodputAfterBps === null ? null : 'never'),
    never: () => 'not recovered',
  },
  {
    ...{ column: 'fct_p99_ps', label: 'FCT p99', moreIsBetter: false, format: formatTime },
    of: ({ fctP99Ps, fctP99AtLeastPs }) => fctP99Ps ?? (fctP99AtLeastPs === null ? null : 'never'),
    never: ({ fctP99AtLeastPs }) => `> ${formatTime(fctP99AtLeastPs)}`,
  },
  {
    ...{ column: 'dropped_frames', label: 'dropped frames', moreIsBetter: false },
    ...{ of: ({ droppedFrames }) => droppedFrames, format: formatCount },
  },
  {
    ...{ column: 'retransmitted_frames', label: 'retransmitted frames', moreIsBetter: false },
    ...{ of: ({ retransmittedFrames }) => retransmittedFrames, format: formatCount },
  },
  {
    ...{ column: 'stalled_flows', label: 'stalled flows', moreIsBetter: false },
    ...{ of: ({ stalledFlows }) => stalledFlows, format: formatCount },
  },
  {
    ...{ column: 'peak_ingress_bytes', label: 'peak ingress buffer', moreIsBetter: false },
    ...{ of: ({ peakIngressBytes }) => peakIngressBytes, format: formatOctets },
  },
  ...Object.entries<SliceMetric<object>>(MECHANISM_METRICS).flatMap(([name, { inSweeps }]) =>
    inSweeps === undefined
      ? []
      : [
          {
            ...{ ...inSweeps, moreIsBetter: false, format: formatCount },
            of: ({ ofMechanisms }: FaultCost) => ofMechanisms[name]!,
          },
        ],
  ),
];

export function measureText(measure: Measure, cost: FaultCost): string {
  const value = measure.of(cost);
  if (value === null) return NONE;
  return value === 'never' ? measure.never!(cost) : measure.format(value);
}
