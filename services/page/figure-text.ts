import { formatOf } from '../report/format.js';
import type { Figure } from '../report/page/page-flow-data.js';

/** A figure in words; a dash where there is nothing of the kind. */
export function figureText({ unit }: Figure, value: number | null | undefined): string {
  if (value == null) return '–';
  return formatOf(unit)(unit === 'ps' ? Math.round(value) : value);
}
