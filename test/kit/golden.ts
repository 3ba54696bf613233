import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, ROOT, run } from './emulate.js';

/** What is kept of an example; test/golden/README.md says what each kind covers. */
export const KINDS = ['wire', 'state', 'results'] as const;

export type Kind = (typeof KINDS)[number];
export type Fingerprints = Readonly<Record<Kind, string>>;

/** The setting without which a run has no fingerprint of its wires. */
export const RECORD_WIRE = 'observe.wire=true';

const FOLDER = join(ROOT, 'test/golden');

export function goldenFile(example: string): string {
  return join(FOLDER, `${example.replace(/\.yaml$/, '')}.txt`);
}

/** An example as it is compared: `set` must not change what happens. */
export function goldenFabric(example: string, ...set: string[]): Fabric {
  return fabricOf(`examples/${example}`, RECORD_WIRE, ...set);
}

/** Of a run with `observe.wire`. */
export function fingerprintsOf(results: RunResults): Fingerprints {
  const { wire, digest, deviceDigests: _, ...others } = results;
  if (wire === null) throw new Error(`a run without ${RECORD_WIRE} has no fingerprint of its wire`);
  return {
    wire: wire.fingerprint,
    state: digest,
    results: hash(JSON.stringify(canonical(others))),
  };
}

/**
 * As they are kept; null where there is no file, or two branches each put their own lines into it.
 */
export function keptFingerprints(example: string): Fingerprints | null {
  const file = goldenFile(example);
  return existsSync(file) ? parsed(readFileSync(file, 'utf8')) : null;
}

export function parsed(text: string): Fingerprints | null {
  const lines = text.trimEnd().split('\n');
  const kept = new Map(lines.map((line) => line.split(/ +/, 2) as [string, string]));
  const isWhole = lines.length === KINDS.length && KINDS.every((kind) => kept.has(kind));
  return isWhole ? (Object.fromEntries(kept) as Fingerprints) : null;
}

export function textOf(fingerprints: Fingerprints): string {
  return KINDS.map((kind) => `${kind.padEnd(7)} ${fingerprints[kind]}\n`).join('');
}

export function changedKinds(kept: Fingerprints | null, fingerprints: Fingerprints): Kind[] {
  return KINDS.filter((kind) => kept?.[kind] !== fingerprints[kind]);
}

/**
 * Fails unless a run of an example left the fingerprints that are kept of it. What differs is found
 * by a run in this thread, which costs nothing as long as all is well.
 */
export function assertGolden(example: string, results: RunResults): void {
  const kept = keptFingerprints(example);
  const changed = changedKinds(kept, fingerprintsOf(results));
  if (changed.length === 0) return;
  assert.deepEqual(results, run(goldenFabric(example)), `${example}: not as in one thread`);
  const why = kept === null ? 'has no fingerprints' : `differs in: ${changed.join(', ')}`;
  assert.fail(`${example} ${why}. If it should: npm run golden -- --accept "why"`);
}

/** Without what is empty, so that a new counter changes only the runs in which it counts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, canonical(inner)] as const)
    .filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === 0 || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
