/**
 * Examples crossed with each other: whatever is written down of a run, it is one wherever it runs.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { capturesWanted } from '../../services/cli/captured.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { ScenarioError } from '../../services/settings/errors.js';
import { loadScenario, scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import type { MergedRun } from '../../services/runtime/merge.js';
import { Session } from '../../services/runtime/session.js';
import { captureFile } from '../../services/telemetry/captures/capture-file.js';
import { frameTraces } from '../../services/telemetry/traces/frame-traces.js';
import { Cluster, KIND } from '../../services/hunt/worlds/services-in-memory.js';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

type Document = Record<string, unknown>;
type Outcome = Pick<MergedRun, 'results' | 'rows' | 'congestion' | 'hops' | 'captures' | 'events'>;

const CROSSINGS = isLong ? 16 : 8;
const MOST_DEVICES = 16;
const DURATION_US = 180;
const UNKIND = { lose: 0.03, repeat: 0.03, reorder: 0.2 };
/** Traffic ends before the run: that is part of the series. */
const OBSERVE = {
  episodes: true,
  events: true,
  traces: { share: '10%' },
  series: '13us',
  captures: { ports: ['*'], frames: 1000 },
};

const EXAMPLES = join(ROOT, 'examples');
const DOCUMENTS = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.yaml'))
  .sort()
  .map((name) => loadScenario(join(EXAMPLES, name)).document as Document);

/** An example with one to three sections of others, or with what they add to its own. */
function crossing(random: RandomStream): Document {
  const drawn = (): Document => DOCUMENTS[random.below(DOCUMENTS.length)]!;
  const { expect: _, ...document } = drawn();
  for (let left = 1 + random.below(3); left > 0; left--) {
    const { name: _name, duration: _duration, expect: _expect, ...sections } = drawn();
    const keys = Object.keys(sections);
    const key = keys[random.below(keys.length)]!;
    const both = [document[key], sections[key]];
    const isAdded = random.below(2) === 0;
    if (isAdded && both.every(Array.isArray)) document[key] = both.flat();
    else document[key] = isAdded && both.every(isMapping) ? Object.assign({}, ...both) : both[1];
  }
  return { ...document, duration: `${DURATION_US}us`, observe: OBSERVE };
}

function isMapping(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The next crossing that is sound, and small. */
function soundFabric(random: RandomStream): Fabric {
  for (;;) {
    try {
      const document = structuredClone(crossing(random));
      const fabric = buildFabric(scenarioOfDocument(join(EXAMPLES, 'crossed.yaml'), document));
      if (fabric.specs.length <= MOST_DEVICES) return fabric;
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
    }
  }
}

/** A run in one process, from its beginning or from a state. */
function sessionOf(fabric: Fabric, from: Session | null): Session {
  const session = new Session(fabric, { check: true });
  if (from !== null) session.restore(structuredClone(from.save()));
  return session;
}

function outcomeOf(session: Session): Outcome {
  while (session.advance(1000) === 'running');
  return {
    results: session.results('complete'),
    rows: [...session.series().rows],
    congestion: session.congestion(),
    hops: session.hops(),
    captures: session.captures(),
    events: session.events(),
  };
}

/** What people see of it: each kind by its hash, since all of it is long. */
function seen(fabric: Fabric, outcome: Outcome): Record<string, string> {
  const { results, rows, congestion, hops, events } = outcome;
  const traces = frameTraces(fabric, hops!, results.virtualPs);
  const captures = [...captureFile(fabric, capturesWanted(fabric, outcome.captures)!)];
  const plain = { results, rows, congestion, traces: [...traces], events };
  const hash = (parts: readonly (string | Uint8Array)[]): string => {
    const sum = createHash('sha256');
    for (const part of parts) sum.update(part);
    return sum.digest('hex');
  };
  const hashes = Object.entries(plain).map(([kind, data]) => [kind, hash([JSON.stringify(data)])]);
  return Object.fromEntries([...hashes, ['captures', hash(captures)]]) as Record<string, string>;
}

describe('a crossing of examples', () => {
  for (let seed = 0; seed < CROSSINGS; seed++) {
    it(`is seen as the same in one process, in several, and after a return: ${seed}`, () => {
      const random = new RandomStream(seed, 'crossing');
      const fabric = soundFabric(random);
      const outcome = outcomeOf(sessionOf(fabric, null));
      const isDeadlock = outcome.results.failure?.reason.startsWith('deadlock') === true;
      assert.ok(outcome.results.failure === null || isDeadlock, JSON.stringify(outcome.results));
      if (isDeadlock) return;
      const one = seen(fabric, outcome);

      const stopped = sessionOf(fabric, null);
      stopped.runTo(random.below(DURATION_US) * 1e6);
      assert.deepEqual(seen(fabric, outcomeOf(sessionOf(fabric, stopped))), one);

      const services = Math.min(2 + random.below(3), fabric.specs.length);
      const placement = placeInServices(fabric, services);
      for (const unkindness of [KIND, UNKIND]) {
        const cluster = new Cluster(fabric, placement, random, { unkindness });
        if (unkindness === UNKIND) {
          cluster.run(random.below(DURATION_US) * 1e6);
          const saved = random.below(2) === 0 ? null : cluster.save();
          cluster.recover(saved);
        }
        cluster.run();
        assert.deepEqual(seen(fabric, cluster.merged()), one);
      }
    });
  }
});
