/** A priority that link partners never agree on over LLDP: the link, what it lacks, a remedy. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryText } from '../../services/report/summary-text.js';
import { whyText } from '../../services/report/why-text.js';
import { whyOf } from '../../services/report/why.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

const PLAIN = { good: String, bad: String, strong: String };

/** h1 and h3 send to h2; LLDP of h1 has this status. */
function texts(flowControl: string, status: string): Record<'status' | 'summary' | 'why', string> {
  const fabric = fabricOf(`
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 5m } }
duration: 1ms
priorities: { 3: ${flowControl} }
discovery: true
observe: { episodes: true }
devices: { h1: { discovery: { status: ${status} } } }
load:
  - { name: a, stream: { from: h1, to: h2 }, bytes: 1MB, priority: 3 }
  - { name: b, stream: { from: h3, to: h2 }, bytes: 1MB, priority: 3 }
`);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  const results = session.results('complete');
  const why = whyOf(fabric, results, session.congestion()!);
  return {
    status: results.status,
    summary: summaryText(results, [], PLAIN),
    why: whyText(why, PLAIN, true),
  };
}

describe('a priority that link partners do not agree on over LLDP', () => {
  for (const flowControl of ['cbfc', 'credit']) {
    for (const status of ['disabled', 'send']) {
      it(`stalls, and says which link lacks what: ${flowControl}, status: ${status}`, () => {
        const { status: ended, summary, why } = texts(flowControl, status);
        assert.equal(ended, 'stalled');
        assert.match(summary, /^ {2}a\/h1->h2 +0 +h1:p1 +s1:p1$/m);
        const lacks =
          'h1:p1 > s1:p1, priority 3: h1:p1 receives no LLDPDU from s1:p1: nothing is sent without it';
        assert.ok(
          summary.includes(`  blocked ${lacks}\n  remedy: discovery.status: both`),
          summary,
        );
        assert.ok(why.includes(`no agreement over LLDP:\n   ${lacks}`), why);
        assert.match(why, /^\d\. h1:p1 priority 3: its link partner has not agreed over LLDP/m);
      });
    }
  }

  it('is none where the sender receives what it needs', () => {
    const { status, summary, why } = texts('cbfc', 'receive');
    assert.equal(status, 'complete');
    assert.doesNotMatch(summary, /remedy/);
    assert.doesNotMatch(why, /no agreement/);
  });
});
