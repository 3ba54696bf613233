/** What the second oracle found wrong in generated worlds, and was not, made small. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { Session } from '../../services/runtime/session.js';
import { parse } from 'yaml';

describe('link-level retry that is not ready', () => {
  it('discards new frames and begins all the same: the second oracle agrees', () => {
    const fabric = buildFabric(
      scenarioOfDocument(
        'world.yaml',
        parse(`
selvage: 1
duration: 5ms
fabric: { generator: pair, link: { rate: 10M, length: 5m } }
priorities: { 3: none }
llr: { enabled: true, whileInit: discard }
load: [{ incast: { from: [h1], to: h2 }, bytes: 3000, priority: 3, transport: { reliable: { timeout: 200us } } }]
`),
      ),
    );
    const session = new Session(fabric, { check: true, deep: true });
    while (session.advance(1000) === 'running');
    const { failure, ports } = session.results('complete');
    assert.equal(failure, null);
    const discarded = ports.flatMap(({ priorities }) => priorities.map(({ drops }) => drops));
    assert.ok(discarded.some((drops) => (drops['link-not-ready'] ?? 0) > 0));
  });
});
