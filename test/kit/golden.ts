import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { MergedRun } from '../../services/runtime/merge.js';
import { Session } from '../../services/runtime/session.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { eventsOf } from '../../services/telemetry/events/event-table.js';
import { frameTraces } from '../../services/telemetry/traces/frame-traces.js';
import { captureOctets } from './captures.js';
import { fabricOf, ROOT } from './emulate.js';

/** What is kept of an example; test/golden/README.md says what each kind covers. */
export const KINDS = [
  'wire',
  'state',
  'results',
  'episodes',
  'traces',
  'captures',
  'events',
] as const;

export type Kind = (typeof KINDS)[number];
export type Fingerprints = Readonly<Record<Kind, string>>;

/** What a run recorded, whichever runner executed it. */
export type Recorded = Pick<MergedRun, 'results' | 'congestion' | 'hops' | 'captures' | 'events'>;

/**
 * What has to be recorded for fingerprints: some of the traces and captures, as the rest says the
 * same again and goes from process to process.
 */
export const RECORD: readonly string[] = [
  'observe.wire=true',
  'observe.episodes=true',
  'observe.traces.share=10%',
  'observe.captures.ports=["*"]',
  'observe.captures.frames=300',
  'observe.events=steps',
];

const FOLDER = join(ROOT, 'test/golden');

export function goldenFile(example: string): string {
  return join(FOLDER, `${example.replace(/\.yaml$/, '')}.txt`);
}

/** An example as it is compared: `set` must not change what happens. */
export function goldenFabric(example: string, ...set: string[]): Fabric {
  return fabricOf(`examples/${example}`, ...RECORD, ...set);
}

/** Runs to the end with every check on. */
export function recordedRun(fabric: Fabric): Recorded {
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  return recordedBy(session);
}

/** The same run, continued half way in another session from what was saved of the first. */
export function resumedRun(fabric: Fabric, { results }: Recorded): Recorded {
  const first = new Session(fabric, { check: true });
  first.runTo(results.virtualPs / 2);
  const second = new Session(fabric, { check: true });
  second.restore(unpackWhole(packWhole(first.save())));
  while (second.advance(1000) === 'running');
  return recordedBy(second);
}

/** Of a session that has ended. */
export function recordedBy(session: Session): Recorded {
  return {
    results: session.results('complete'),
    congestion: session.congestion(),
    hops: session.hops(),
    captures: session.captures(),
    events: session.events(),
  };
}

/** Of a run with all that `RECORD` sets. */
export function fingerprintsOf(fabric: Fabric, recorded: Recorded): Fingerprints {
  const { results, congestion, hops, captures, events } = recorded;
  const { wire, digest, deviceDigests: _, deadlocks: _d, storms: _s, ...others } = results;
  if (wire === null || congestion === null || hops === null || captures === null || !events) {
    throw new Error(`a run has these fingerprints if it records: ${RECORD.join(' ')}`);
  }
  return {
    wire: wire.fingerprint,
    state: digest,
    results: hash(JSON.stringify(canonical(others))),
    episodes: hash(JSON.stringify(congestion)),
    traces: hash(JSON.stringify([...frameTraces(fabric, hops, results.virtualPs)])),
    captures: hash(captureOctets(fabric, captures)),
    events: hash(JSON.stringify(eventsOf(fabric, events, results.virtualPs))),
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
export function assertGolden(example: string, recorded: Recorded): void {
  const kept = keptFingerprints(example);
  const fabric = goldenFabric(example);
  const changed = changedKinds(kept, fingerprintsOf(fabric, recorded));
  if (changed.length === 0) return;
  const alone = recordedRun(fabric);
  assert.deepEqual(recorded.results, alone.results, `${example}: not as in one thread`);
  assert.deepEqual(
    fingerprintsOf(fabric, recorded),
    fingerprintsOf(fabric, alone),
    `${example}: not as in one thread`,
  );
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

function hash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32);
}
