import { createHash } from 'node:crypto';

/** Which end of an exchange a span is, as OpenTelemetry tells them apart. */
export type SpanRole = 'internal' | 'producer' | 'consumer';

/** A span before it is known how it will be sent. Its times are virtual, in ps. */
export interface PlannedSpan {
  readonly trace: string;
  readonly id: string;
  /** Null: the first of its trace. */
  readonly parent: string | null;
  /** The service that it belongs to. */
  readonly device: string;
  readonly name: string;
  readonly role: SpanRole;
  /** Why it is an error; null: it is none. */
  readonly error: string | null;
  readonly startPs: number;
  readonly endPs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Related spans of other traces. */
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
