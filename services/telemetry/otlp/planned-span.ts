import { PS_PER_NS, PS_PER_S } from '../../engine/units/time.js';
import { createHash } from 'node:crypto';
import { EPOCH_S } from '../epoch.js';

/** A span before anybody knows how it will be sent. Its times are virtual, in ps. */
export interface PlannedSpan {
  readonly trace: string;
  readonly id: string;
  /** Null: the first of its trace. */
  readonly parent: string | null;
  readonly name: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Spans of other traces that have to do with it. */
  readonly links: readonly { readonly trace: string; readonly id: string }[];
}

/** Runs with one digest have the same names for the same things, and so the same traces. */
export function traceIdOf(digest: string, what: string): string {
  return hexOf(`${digest} trace ${what}`, 16);
}

export function spanIdOf(digest: string, what: string): string {
  return hexOf(`${digest} span ${what}`, 8);
}

function hexOf(text: string, octets: number): string {
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * octets);
}

/** Rounded down, which keeps what lies inside of something inside; exact ps ride as attributes. */
export function virtualTime(ps: number): [number, number] {
  const seconds = Math.floor(ps / PS_PER_S);
  return [EPOCH_S + seconds, Math.floor((ps - seconds * PS_PER_S) / PS_PER_NS)];
}
