import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '../../services/report/story.js';
import { summaryJson } from '../../services/report/summary/summary-json.js';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { fabricOf } from '../kit/emulate.js';

function told(scenario: string, ...set: string[]): { story: string; roles: unknown } {
  const fabric = fabricOf(scenario, ...set);
  const { results, congestion } = repeatRun(fabric, null, null);
  const why = whyOf(fabric, results, congestion);
  const summary = summaryJson({ results, expectations: [], why, wallSeconds: 0 });
  return { story: storyOf(results, why), roles: (summary as { roles: unknown }).roles };
}

describe('the sentence that a run begins with', () => {
  it('says where congestion is rooted, why, what fills it and what waits', () => {
    const { story, roles } = told('examples/compare-incast.yaml');
    assert.match(
      story,
      /^leaf3:p1 priority 3 was congested for 9\d\.\d % of the run, as several ports send more to it than its link carries, filled by 15 flows of burst; a victim: victim\/h1->h24\.$/,
    );
    assert.deepEqual(roles, { culprit: 15, victim: 1, both: 0, bystander: 0 });
  });

  it('counts a flow by its heavy trees: a small share of another makes it no victim', () => {
    const { roles } = told('examples/compare-incast.yaml', 'priorities.3.sfc=true');
    assert.equal((roles as { both: number }).both, 0);
    assert.equal((roles as { culprit: number }).culprit, 15);
  });

  it('says which ports wait for each other', () => {
    const { story } = told('examples/ring-deadlock.yaml');
    assert.match(
      story,
      /^5 flows stopped: s\d:p\d, s\d:p\d, s\d:p\d, … wait for each other \(cyclic buffer dependency\)/,
    );
  });

  it('names a fault, and a host that reads slowly', () => {
    assert.match(
      told('examples/slow-receiver.yaml').story,
      /h3:p1 priority 3 was .*, as fault slow \(slow-receiver\)/,
    );
    assert.match(told('examples/flap.yaml').story, /fault /);
  });

  it('says that nothing happened', () => {
    const { story } = told('examples/pair-line-rate.yaml');
    assert.match(story, /^No congestion/);
  });

  it('counts what was dropped', () => {
    assert.match(told('examples/incast-lossy.yaml').story, /[\d,]+ frames dropped \(/);
  });
});
