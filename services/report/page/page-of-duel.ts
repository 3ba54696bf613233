import type { DuelMetrics } from '../duel.js';
import { formatCount, formatOctets, formatTime } from '../format.js';
import type { ContestView } from './page-data.js';

interface Measure {
  readonly label: string;
  readonly lessIsBetter: boolean;
  readonly value: (metrics: DuelMetrics) => number | null;
  readonly format: (value: number) => string;
}

const MEASURES: readonly Measure[] = [
  { label: 'victims', lessIsBetter: true, value: (f) => f.victims, format: formatCount },
  { label: 'time to react', lessIsBetter: true, value: (f) => f.reactionPs, format: formatTime },
  {
    ...{ label: 'fairness', lessIsBetter: false },
    value: ({ fairness }) => {
      const indices = Object.values(fairness);
      return indices.length === 0 ? null : Math.min(...indices);
    },
    format: (index) => index.toFixed(3),
  },
  {
    ...{ label: 'buffer reserved', lessIsBetter: true },
    ...{ value: (f) => f.neededOctets, format: formatOctets },
  },
  {
    ...{ label: 'bytes of control frames', lessIsBetter: true },
    ...{ value: (f) => f.controlOctets, format: formatOctets },
  },
  {
    ...{ label: 'retransmitted frames', lessIsBetter: true },
    ...{ value: (f) => f.retransmittedFrames, format: formatCount },
  },
];

/** What a duel measures and its runs do not have; by variant, in their order. */
export function contestsOfDuel(metrics: readonly DuelMetrics[]): ContestView[] {
  return MEASURES.map(({ label, lessIsBetter, value, format }) => {
    const values = metrics.map(value);
    const texts = values.map((one) => (one === null ? 'none' : one === 0 ? '0' : format(one)));
    return { label, lessIsBetter, values, texts };
  });
}
