/** What generated worlds found, made small: each in every runner, with one digest. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { parse } from 'yaml';

const SEEDS = [1, 2, 3];

/** Of several choices of windows, cuts and placements; null if nothing is. */
function wrongWith(yaml: string): (string | null)[] {
  const document: unknown = parse(`selvage: 1\n${yaml}`);
  const fabric = buildFabric(scenarioOfDocument('world.yaml', document));
  return SEEDS.map((seed) => whatIsWrong(fabric, seed));
}

const fine = SEEDS.map(() => null);

describe('a control frame at a port without PFC and PAUSE', () => {
  it('takes effect after the pipeline, and in no runner within a window', () => {
    const spoofed = `0180c20000010200000000018808000101ff${'00'.repeat(42)}`;
    const wrong = wrongWith(`
duration: 4us
fabric: { generator: dumbbell, left: 1, right: 2, link: { rate: 100G, length: 50m },
  fabricLink: { rate: 100G, length: 1m } }
switches: { pipeline: 500ns }
load: [{ all-to-all: { hosts: all }, bytes: 36000, priority: 5 }]
faults: [{ kind: forge, where: { kind: switch }, interval: 400ns, octets: '${spoofed}' }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('recovery from a fault', () => {
  it('does not shorten the pauses of a storm at the same link', () => {
    const wrong = wrongWith(`
duration: 72us
fabric: { generator: star, hosts: 3 }
priorities: { 5: pfc }
load: [{ incast: { from: [h1, h2], to: h3 }, bytes: 21000, priority: 5 }]
faults:
  - { kind: storm, until: 16us, where: { tier: switch } }
  - { kind: slow-receiver, rate: 10G, for: 500ns, recover: 48us }
`);
    assert.deepEqual(wrong, fine);
  });
});
