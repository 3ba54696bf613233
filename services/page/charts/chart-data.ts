import type { Theme } from '../colours.js';

export interface ChartLine {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly kind?: 'area' | 'dots' | 'steps' | 'dashed' | 'bars';
  /** Of bars: where each begins, and where the last one ends. */
  readonly edges?: readonly number[];
  /** Null means that there is nothing, rather than nothing known. */
  readonly gaps?: boolean;
}

/** A level at which something happens, as a line across the chart. */
export interface ChartLimit {
  readonly label: string;
  readonly value: number;
}

export interface ChartProps {
  readonly title: string;
  /** What its file is called, where it has no title. */
  readonly name?: string;
  readonly theme: Theme;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly limits?: readonly ChartLimit[];
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  /** What its axes are; of an x over time that is known. */
  readonly xTitle?: string;
  readonly yTitle?: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** Else from the first to the last value. */
  readonly rangeX?: readonly [number, number];
  /** Its y counts: marks between two whole numbers mean nothing. */
  readonly wholeY?: boolean;
  readonly minY?: number;
  readonly maxY?: number;
  readonly height?: number;
  /** Its x is virtual time: it shows the same moment and window as all others of time. */
  readonly overTime?: boolean;
  /** Where a line marks the chosen time. */
  readonly mark?: number | null;
  readonly onPick?: (x: number) => void;
}

export const CHART_HEIGHT = 226;

/** A sample is of the time since the one before it: the first one's time began at 0. */
export function startOf(x: ArrayLike<number>): number {
  const { 0: first = 0, 1: second = Infinity } = x;
  return 2 * first <= second * 1.01 ? 0 : first;
}
