/** What mechanisms show of a run: in the summary and on the page alike. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardsOf, cardText } from '../../../services/report/cards.js';
import { factsOf, pageOfRun } from '../../../services/report/page/page-of-run.js';
import { summaryText } from '../../../services/report/summary-text.js';
import { fabricOf, run } from '../../kit/emulate.js';

const plain = { good: String, bad: String, strong: String };

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'incast-credit': ['Credit, fullest buffer first'],
  'incast-cbfc': ['Credits (CBFC)'],
  'incast-ci': ['Congestion isolation'],
  'incast-sfc': ['Source flow control'],
  'link-retry': ['Link-level retry'],
  'storm-watchdog': ['Watchdogs detected storms'],
  'nic-latency': ['Latency of 82599s (raw frames)'],
};

describe('cards of mechanisms', () => {
  for (const [example, titles] of Object.entries(EXAMPLES)) {
    it(`are in the summary and on the page of ${example}`, () => {
      const fabric = fabricOf(`examples/${example}.yaml`);
      const results = run(fabric);
      const text = summaryText(results, [], plain);
      const page = pageOfRun(
        {
          ...{ results, expectations: [], document: {}, series: { rows: [] } },
          ...{ why: null, traces: null, origin: { scenario: 'x.yaml', set: [], steps: [] } },
        },
        factsOf(fabric),
      );
      const cards = cardsOf(results);
      for (const title of titles) {
        assert.ok(text.includes(`\n\n${title}\n`), title);
        const { rows, head } = page.cards.find((card) => card.title === title)!;
        assert.ok(rows.length > 0 && rows.every((row) => row.length === head.length));
      }
      assert.deepEqual(
        page.cards.map(({ title }) => title),
        cards.map(({ title }) => title),
      );
      for (const card of cards) assert.ok(text.includes(cardText(card, plain)), card.title);
    });
  }

  it('show nothing of a mechanism that did nothing, nor where its results were not kept', () => {
    const results = run(fabricOf('examples/pair-line-rate.yaml'));
    assert.deepEqual(cardsOf(results), []);
    const { credits: _, llr: __, channels: ___, ...kept } = results;
    assert.deepEqual(cardsOf(kept as typeof results), []);
  });

  it('of problems are last, and shorten long tables', () => {
    const results = run(fabricOf('examples/incast-credit.yaml'));
    const port = { port: 'h1:p1', peer: 's1:p1', priority: 3, channel: 0, units: 5 };
    const lost = { ...results, lostCredits: [{ ...port, blockedSincePs: 1e6 }] };
    const cards = cardsOf(lost);
    assert.deepEqual([cards.at(-1)!.title, cards.at(-1)!.isProblem], ['Credit lost', true]);
    assert.match(
      cardText(cards.at(-1)!, plain),
      /^Credit lost\n {2}h1:p1 priority 3 channel 0: 5 units between .*; starved since 1 us$/,
    );
    const rows = Array.from({ length: 20 }, (_, i) => [String(i)]);
    assert.match(cardText({ title: 'x', head: ['n'], rows }, plain), /\n {2}and 12 more$/);
  });
});
