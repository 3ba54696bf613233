/** What a summary says of ports that could not send, and which commands it ends with. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockedText } from '../../../services/report/blocked-text.js';
import { nextSteps } from '../../../services/report/next-steps.js';
import { summaryText } from '../../../services/report/summary-text.js';
import type { RunResults } from '../../../services/runtime/results/results.js';
import { runScenario } from '../../kit/emulate.js';

const PLAIN = { good: String, bad: String, strong: String };

function incast(...flowControls: string[]): RunResults {
  const priorities = flowControls.map((flowControl, i) => `${3 + i}: ${flowControl}`).join(', ');
  const load = flowControls.map(
    (_, i) => `{ name: l${i}, incast: { from: h2..h4, to: h1 }, bytes: 200KB, priority: ${3 + i} }`,
  );
  return runScenario(`
fabric: { generator: star, hosts: 4, link: { rate: 100G, length: 10m } }
switches: { buffer: { size: 300KB } }
priorities: { ${priorities} }
load: [${load.join(', ')}]
`);
}

function headingOf(results: RunResults): string[] {
  const text = summaryText(results, [], PLAIN);
  const at = text.indexOf(', worst first\n');
  const [title, head] = text.slice(text.lastIndexOf('\n', at) + 1).split('\n');
  return [title!, ...head!.trim().split(/ {2,}/).slice(0, 3)];
}

describe('ports that could not send', () => {
  it('are paused by PFC, and blocked on credit', () => {
    assert.deepEqual(headingOf(incast('pfc')), [
      ...['Pause, worst first', 'paused port', 'priority', 'time'],
    ]);
    for (const flowControl of ['credit', 'cbfc']) {
      assert.deepEqual(headingOf(incast(flowControl)), [
        ...['Blocked on credit, worst first', 'blocked port', 'priority', 'time'],
      ]);
    }
    assert.deepEqual(headingOf(incast('pfc', 'credit')), [
      ...['Paused or blocked on credit, worst first', 'port', 'priority', 'state'],
    ]);
  });

  it('are named alike wherever they are', () => {
    assert.equal(blockedText('pfc'), 'paused by PFC');
    assert.equal(blockedText('credit'), 'blocked on credit');
    assert.equal(blockedText('cbfc'), 'blocked by CBFC');
  });

  it('lead to the command that names the root', () => {
    assert.match(nextSteps(incast('pfc'), 'f.yaml', 'r'), /why r +congestion roots, blocked ports/);
  });
});
