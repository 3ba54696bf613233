import type { Duration, Outcome } from '../../sweep/outcome.js';
import { COMPARED } from '../../measures/run-totals.js';
import { formatCount, formatOf, formatRate, formatTime } from '../format.js';

/** Whether people decide by it, it breaks a tie between those that are alike, or is only shown. */
type Weight = 'decides' | 'breaks-ties' | 'shown';

/** What contenders are compared by, of one of them. */
export interface Measured {
  /** The same in all contenders. */
  readonly label: string;
  /** Null: it has nothing of the kind. */
  readonly value: number | null;
  /** It is only known to be more. */
  readonly isOpen?: boolean;
  /** In place of `> value`. */
  readonly openText?: string;
  readonly lessIsBetter: boolean;
  readonly weight: Weight;
  readonly format: (value: number) => string;
}

/** In the order of the table. */
export function measuresOf(outcome: Outcome): Measured[] {
  const { roles } = outcome;
  return [
    ...outcome.jobs.flatMap(({ job, iteration, rooflineRatio, busBps }) => [
      fct(`iteration of ${job}`, iteration),
      { ...ratio(`over roofline of ${job}`, rooflineRatio), weight: 'shown' as const },
      { ...rate(`busbw of ${job}`, busBps), weight: 'shown' as const },
    ]),
    ...outcome.loads.flatMap(({ load, flows, goodputBps, fctP50, fctP99, first, last }) => [
      rate(`goodput${of(load)}`, goodputBps),
      ...(flows > 1 ? [fct(`FCT p50${of(load)}`, fctP50)] : []),
      fct(`FCT ${flows > 1 ? 'p99' : ''}`.trim() + of(load), fctP99),
      ...(first === null
        ? []
        : [{ ...fct(`first complete${of(load)}`, first), weight: 'shown' as const }]),
      ...(last === null ? [] : [fct(`last complete${of(load)}`, last)]),
    ]),
    {
      ...rate('goodput per victim', outcome.victimsBps),
      // What a job's messages suffer is in its iteration.
      weight: outcome.jobs.length > 0 ? 'shown' : 'decides',
    },
    ...(roles === null
      ? []
      : [
          shown('victims', roles.victim),
          shown('victims and culprits', roles.both),
          shown('culprits', roles.culprit),
        ]),
    ...COMPARED.map(({ key, label, unit }): Measured => ({
      ...{ label, value: outcome.totals[key]!, lessIsBetter: true, weight: 'breaks-ties' },
      format: formatOf(unit),
    })),
  ];
}

function of(load: string): string {
  return load === '' ? '' : ` of ${load}`;
}

function rate(label: string, value: number | null): Measured {
  return { label, value, lessIsBetter: false, weight: 'decides', format: formatRate };
}

function ratio(label: string, value: number | null): Measured {
  const format = (one: number): string => one.toFixed(2);
  return { label, value, lessIsBetter: true, weight: 'decides', format };
}

function fct(label: string, duration: Duration | null): Measured {
  return {
    ...{ label, value: duration?.ps ?? null, isOpen: duration?.isOpen ?? false },
    ...{ lessIsBetter: true, weight: 'decides', format: formatTime },
  };
}

function shown(label: string, value: number): Measured {
  return { label, value, lessIsBetter: true, weight: 'shown', format: formatCount };
}
