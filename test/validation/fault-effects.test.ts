import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { Session } from '../../services/runtime/session.js';
import { whyText } from '../../services/report/why-text.js';
import { whyOf } from '../../services/report/why.js';
import { eventsOf } from '../../services/telemetry/events/event-table.js';
import { runTimeline } from '../../services/telemetry/perfetto/run-timeline.js';
import { fabricOf } from '../kit/emulate.js';

const PLAIN = { strong: (text: string) => text, bad: (text: string) => text } as never;

function whyIn(scenario: string): ReturnType<typeof whyOf> {
  const fabric = fabricOf(scenario);
  const { results, congestion } = repeatRun(fabric, null, null);
  return whyOf(fabric, results, congestion);
}

describe('a fault', () => {
  it('says in results where, when, what it dropped and which flows pass it', () => {
    const session = new Session(fabricOf('examples/flap.yaml'), { check: true });
    while (session.advance(1000) === 'running');
    const [flap] = session.results('complete').faults;
    assert.deepEqual(flap!.at, ['s1:p3', 's2:p3']);
    assert.deepEqual(
      flap!.spells.map(({ startPs, endPs }) => [startPs / 1e6, endPs! / 1e6]),
      [
        [30, 50],
        [130, 150],
        [230, 250],
      ],
    );
    assert.deepEqual(flap!.drops, { 'link-down': flap!.hits });
    assert.equal(flap!.flows, 2);
  });

  it('was active for as long as ports counted, however random it is', () => {
    const session = new Session(fabricOf('examples/chaos.yaml'), { check: true });
    while (session.advance(1000) === 'running');
    const { faults, virtualPs } = session.results('complete');
    for (const { fault, spells, activePs, times } of faults) {
      const sum = spells.reduce((ps, one) => ps + (one.endPs ?? virtualPs) - one.startPs, 0);
      assert.deepEqual([spells.length, sum], [times, activePs], fault);
    }
  });

  it('is in why, with the last congestion that it explains', () => {
    const why = whyIn('examples/storm.yaml');
    const [storm] = why.faults;
    assert.equal(why.trees[0]!.root.fault, storm!.fault);
    assert.equal(why.trees[0]!.root.reason, 'fault');
    assert.equal(storm!.hasEffect, true);
    const text = whyText(why, PLAIN, false);
    assert.match(text, /^ {3}broken-nic \(storm\) at h3:p1: from 50 us to /m);
    assert.match(text, /^1\. s2:p1 priority 3: fault broken-nic \(storm\)$/m);
  });

  it('that makes a link slow is the root, and a link that is slow by design is not', () => {
    const slow = (faults: string): string => `
name: slow
duration: 200us
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
${faults}
load: [{ stream: { from: h1, to: h2 }, rate: 50G, priority: 3 }]
`;
    const where = '{ link: h2 s1 }';
    const [tree] = whyIn(
      slow(`faults: [{ name: tired, kind: slow-link, where: ${where}, rate: 10G, at: 20us }]`),
    ).trees;
    assert.deepEqual([tree!.root.port, tree!.root.reason], ['s1:p2', 'fault']);
    assert.deepEqual(whyIn(slow('')).trees, []);
  });

  it('is in the events and on the timeline of a run', () => {
    const fabric = fabricOf('examples/flap.yaml', 'observe.events=true');
    const { results, congestion } = repeatRun(fabric, null, null);
    const events = eventsOf(fabric, [], results.virtualPs);
    assert.equal(events.filter(({ event }) => event === 'fault-began').length, 6);
    assert.deepEqual(events[0], {
      ...{ timePs: 30e6, event: 'fault-began', device: 's1', port: 's1:p3', reason: 'flap' },
      ...{ priority: null, flow: null, detail: null, units: null, partner: null },
    });
    const sources = { fabric, nowPs: results.virtualPs, congestion, traces: [], operations: [] };
    const { timeline } = runTimeline({ ...sources, series: { columns: [], rows: [] } as never });
    const octets = Buffer.concat([...timeline.octets()]);
    assert.ok(octets.includes('faults') && octets.includes('link-down'));
  });
});
