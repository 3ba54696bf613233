import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FLOW_MEASURES } from '../../services/measures/flow-measures.js';
import { PORT_MEASURES } from '../../services/measures/port-measures.js';
import {
  SERIES_CHANGES,
  SERIES_LEVELS,
  SNAPSHOT_MEASURES,
} from '../../services/measures/series-measures.js';
import { filesMatching, textOf } from './files.js';

const FILES_MAX = 4;

/**
 * Not figures alone: what analyses reason with (when a flow started, what it was to deliver), or
 * words that others use of their own (spans, traces, queues). The deep check counts figures a second
 * time, on the wires. No more files than these.
 */
const MORE_FILES: Readonly<Record<string, number>> = {
  startPs: Infinity,
  completionPs: 40,
  payloadOctets: 14,
  offeredOctets: 10,
  goodputBps: 18,
  idealPs: 7,
  sentFrames: 8,
  txFrames: 7,
  txOctets: 9,
  wireOctets: 14,
  queueOctets: 24,
  ingressOctets: 7,
  grantedUnits: 10,
};

const DECLARED = [PORT_MEASURES, FLOW_MEASURES, SERIES_CHANGES, SERIES_LEVELS, SNAPSHOT_MEASURES];

/**
 * In the engine and in mechanisms a name may be that of a counter or a hook: their state is read in
 * one place, and shown from there. A plain word, such as `frames`, says nothing of who uses it.
 */
it('a measure is declared once: what shows figures iterates, and does not name them', () => {
  const texts = filesMatching(/^services\/(?!engine|mechanisms).*\.tsx?$/).map(textOf);
  const names = [...new Set(DECLARED.flatMap((own) => Object.keys(own)))];
  const compound = names.filter((name) => /[A-Z]/.test(name));
  assert.ok(compound.length > 20);
  const counts = compound.map((name) => {
    const word = new RegExp(`\\b${name}\\b`);
    return [name, texts.filter((text) => word.test(text)).length] as const;
  });
  const most = (name: string): number => MORE_FILES[name] ?? FILES_MAX;
  assert.deepEqual(
    counts.filter(([name, files]) => files > most(name)),
    [],
  );
  const few = counts.filter(([name, files]) => name in MORE_FILES && files <= FILES_MAX);
  assert.deepEqual(few, [], 'exceptions that are none any more');
});
