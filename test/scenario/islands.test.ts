/** Several flow controls in one fabric: no edge between them loses or blocks a lossless priority. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { flowControlAt, portMethodsOf } from '../../services/report/page/link-methods.js';
import { pageOfFabric } from '../../services/report/page/page-of-fabric.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const CONTROLS = ['pause', 'pfc', 'credit', 'cbfc'] as const;
type Control = (typeof CONTROLS)[number];

/** By both checks. */
function runDeep(scenario: string): RunResults {
  const session = new Session(fabricOf(scenario), { check: true, deep: true });
  while (session.advance(1000) === 'running');
  return session.results('complete');
}

function ruleOf(control: Control): string {
  return control === 'pause' ? 'pause: true' : `priorities: { 2: ${control}, 3: ${control} }`;
}

/** Three hosts fill an island at 100 Gb/s, behind which another one takes a tenth of it. */
function edge(first: Control, second: Control, rest = ''): string {
  return `
duration: 200us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
    - { name: s3, kind: switch }
  links:
    - { between: [h1, s1], rate: 100G, length: 10m }
    - { between: [h2, s1], rate: 100G, length: 10m }
    - { between: [s1, s2], rate: 100G, length: 100m }
    - { between: [s2, s3], rate: 10G, length: 100m }
    - { between: [s3, h3], rate: 10G, length: 10m }
    - { between: [s2, h4], rate: 10G, length: 10m }
switches: { buffer: { size: 1MB } }
classes: { arbiter: round-robin }
ports:
  - { where: { rate: 100G }, ${ruleOf(first)} }
  - { where: { rate: 10G }, ${ruleOf(second)} }
load:
  - { name: two, stream: { from: [h1, h2], to: h3 }, rate: line, frame: 1518, priority: 2 }
  - { name: three, stream: { from: [h1, h2], to: h4 }, rate: line, frame: 700, priority: 3 }
  - { name: back, stream: { from: h4, to: h1 }, rate: line, frame: 9000, priority: 3 }
${rest}`;
}

describe('the edge of two islands', () => {
  for (const first of CONTROLS) {
    for (const second of CONTROLS) {
      it(`passes the stop on and loses nothing: ${first} before ${second}`, () => {
        const results = runDeep(edge(first, second));
        assert.equal(results.failure, null, JSON.stringify(results.failure));
        assert.deepEqual(
          results.priorities.flatMap(({ drops }) => Object.keys(drops)),
          [],
        );
        const octets = (name: string): number =>
          results.flows
            .filter((flow) => flow.name.startsWith(name))
            .reduce((sum, flow) => sum + flow.payloadOctets, 0);
        // Of 250 kB that 10 Gb/s carry. PAUSE stops one for the other.
        for (const name of ['two', 'three', 'back']) assert.ok(octets(name) > 120_000, name);
      });
    }
  }
});

describe('the example of all four documents', () => {
  it('is on the README', () => {
    assert.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), /examples\/four-documents\.yaml/);
  });

  it('names the flow control of every port as it operates, also where DCBX found it', () => {
    const fabric = fabricOf('examples/four-documents.yaml', 'duration=200us');
    const results = run(fabric);
    const methods = portMethodsOf(fabric);
    const shown = new Map(
      results.ports.map(({ port }, place) => [
        port,
        flowControlAt(methods, place, results.discovery!.ports[place]!),
      ]),
    );
    assert.equal(shown.get('a1:p1'), 'PAUSE');
    assert.equal(shown.get('edge1:p1'), 'PAUSE');
    assert.equal(shown.get('n1:p1'), 'PFC');
    assert.equal(shown.get('edge2:p2'), 'PFC');
    for (const port of ['edge1:p4', 'core1:p2', 'core2:p1', 'edge2:p1']) {
      assert.equal(shown.get(port), 'credit', port);
    }
  });

  it('labels the links of its map with them, which a fabric with one flow control does not', () => {
    const labelsOf = (file: string): string[] => {
      const fabric = fabricOf(file);
      const origin = { scenario: file, set: [], steps: [] };
      const page = pageOfFabric(fabric, { document: {}, origin });
      return page.map.links.map(({ label }) => label);
    };
    assert.deepEqual([...new Set(labelsOf('examples/four-documents.yaml'))].sort(), [
      'PAUSE',
      'PFC',
      'credit',
    ]);
    assert.deepEqual([...new Set(labelsOf('examples/incast-pfc.yaml'))], ['']);
  });
});
