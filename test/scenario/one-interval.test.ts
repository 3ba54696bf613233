import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryText } from '../../services/report/summary-text.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { SERIES_COLUMNS } from '../../services/runtime/series.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run, runScenario } from '../kit/emulate.js';

/** Counters, times and shares of a run are of one interval: that of its virtual time. */

const US = 1e6;
const PLAIN = { good: String, bad: String, strong: String };

/** Of an idle fabric: what a flow would have taken, were it alone. */
const NOT_OF_THE_RUN = new Set(['idealPs']);

/** Acknowledgements are lost while retransmissions go on. */
const ACKS_LOST = `
fabric: { generator: pair, link: { rate: 10G, length: 10m } }
load:
  - stream: { from: h1, to: h2 }
    bytes: 10KB
    transport: { reliable: { timeout: 20us, maxTimeout: 20us } }
faults:
  - { kind: loss, where: { port: "h1:p1" }, probability: 100%, for: 1ms }
`;

/** A forged pause lasts longer than the load. */
const PAUSED_BEHIND = `
fabric: { generator: star, hosts: 3, link: { rate: 100G } }
priorities: { 7: { flowControl: pfc, quanta: 2000 } }
load:
  - { stream: { from: h2, to: h1 }, bytes: 40000B, priority: 2 }
faults:
  - { kind: storm, where: { device: h1 }, quanta: 2000, interval: 1us, at: 500ns, for: 1us }
`;

const ODD: Readonly<Record<string, string>> = {
  'acknowledgements are lost': ACKS_LOST,
  'a pause outlasts the load': PAUSED_BEHIND,
  'a pause outlasts the duration': `duration: 3us${PAUSED_BEHIND}`,
  'a storm has no end': PAUSED_BEHIND.replace(', for: 1us', ''),
  'the run ends within a frame': `duration: 50ns\n${ACKS_LOST}`,
  'faults go on behind the load': `
fabric: { generator: pair, link: { rate: 10G } }
load:
  - { stream: { from: h1, to: h2 }, bytes: 10KB }
faults:
  - { kind: link-down, where: { port: "h1:p1" }, at: 100us, for: 20us, every: 50us, times: 10 }
`,
  'credit goes on behind the load': `
fabric: { generator: star, hosts: 5, link: { rate: 25G } }
priorities: { 3: credit }
load:
  - { incast: { from: h2..h5, to: h1 }, bytes: 50KB, priority: 3 }
`,
  'discovery goes on behind the load, and a fault': `
fabric: { generator: star, hosts: 3, link: { rate: 10G } }
priorities: { 3: cbfc }
discovery: { second: 10us }
load:
  - { incast: { from: h2..h3, to: h1 }, bytes: 50KB, priority: 3, start: 100us }
faults:
  - { kind: control, where: { port: "h1:p1" }, frames: cc-update, action: lose, at: 200us, for: 300us }
`,
  'frames are late': `
fabric: { generator: pair, link: { rate: 100G } }
load:
  - { stream: { from: h1, to: h2 }, bytes: 1KB, transport: raw }
faults:
  - { kind: delay, where: { port: "h2:p1" }, delay: 100us }
`,
  'a frame is dropped before it has arrived': `
fabric: { generator: star, hosts: 2, link: { rate: 1G, delay: 1ns } }
switches: { cutThrough: true, pipeline: 0ns, buffer: { size: 20KB } }
load:
  - { stream: { from: h1, to: h2 }, bytes: 1KB, transport: raw }
faults:
  - { kind: link-down, where: { port: "s1:p2" } }
`,
};

function walkFigures(value: unknown, path: string, see: (path: string, figure: number) => void) {
  if (typeof value === 'number') see(path, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) walkFigures(part, `${path}.${key}`, see);
}

function assertOneInterval(results: RunResults): void {
  const { virtualPs } = results;
  let times = 0;
  walkFigures(results, 'results', (path, figure) => {
    const key = path.slice(path.lastIndexOf('.') + 1);
    if (/share/i.test(key)) assert.ok(figure <= 1, `${path}: ${figure}`);
    if (!key.endsWith('Ps') || NOT_OF_THE_RUN.has(key)) return;
    times++;
    const most = key === 'durationPs' ? Math.max(virtualPs, figure) : virtualPs;
    assert.ok(figure <= most, `${path}: ${figure} of ${virtualPs} ps`);
  });
  assert.ok(times > 5);
  for (const { port, rateBps, controlSent, priorities } of results.ports) {
    const sent = priorities.reduce((sum, { txOctets }) => sum + txOctets, 0);
    const received = priorities.reduce((sum, { rxOctets }) => sum + rxOctets, 0);
    // With a duration, the frame that is sent at the end counts.
    const begun = results.durationPs === null ? 0 : 1538;
    const most = (rateBps * virtualPs) / 8e12 + begun;
    assert.ok(sent <= most && received <= most, `${port}: ${sent}, ${received} of ${most}`);
    if (results.durationPs === null) assert.ok(controlSent * 8 <= most, port);
  }
  for (const [percent] of summaryText(results, [], PLAIN).matchAll(/[\d.,]+(?= %)/g)) {
    assert.ok(Number(percent.replaceAll(',', '')) <= 100, `${percent} %`);
  }
}

describe('one interval for times, counters and shares', () => {
  for (const [what, scenario] of Object.entries(ODD)) {
    it(`where ${what}`, () => {
      assertOneInterval(run(fabricOf(scenario)));
    });
  }

  it('retransmissions behind the last new octet belong to the run', () => {
    const { virtualPs, flows, faults, status } = runScenario(ACKS_LOST);
    assert.equal(status, 'complete');
    assert.ok(flows[0]!.lastArrivalPs! < 10 * US);
    assert.ok(virtualPs > 1000 * US && virtualPs < 1050 * US);
    assert.equal(faults[0]!.activePs, 1000 * US);
  });

  it('a pause belongs to the run until it is over', () => {
    const { virtualPs, flows, ports } = runScenario(PAUSED_BEHIND);
    assert.ok(flows[0]!.lastArrivalPs! < 5 * US);
    const [paused] = ports
      .find(({ port }) => port === 's1:p1')!
      .priorities.filter(({ priority }) => priority === 7);
    // 2,000 quanta of 512 bits.
    assert.equal(paused!.blockedPs, 2000 * 5120);
    assert.ok(virtualPs > 10.7 * US && virtualPs < 11 * US);
  });

  it('the series has the pause of a priority that has no frames', () => {
    const session = new Session(fabricOf(PAUSED_BEHIND, 'observe.series=100ns'), { check: false });
    while (session.advance(1000) === 'running');
    const blocked = SERIES_COLUMNS.findIndex(({ name }) => name === 'blocked_ps');
    let [frames, blockedPs] = [0, 0];
    for (const row of session.series().rows) {
      if (row[1] !== 's1:p1' || row[2] !== 7) continue;
      frames += row[3] as number;
      blockedPs += row[blocked] as number;
    }
    assert.equal(frames, 0);
    assert.ok(blockedPs > 2000 * 5120 - 0.1 * US && blockedPs <= 2000 * 5120, `${blockedPs}`);
  });

  it('a retransmission timer that has nothing to retransmit does not belong to the run', () => {
    const { virtualPs, flows } = runScenario(`
fabric: { generator: pair, link: { rate: 100G, length: 10m } }
load:
  - { stream: { from: h1, to: h2 }, bytes: 10KB }
`);
    const behindPs = virtualPs - flows[0]!.lastArrivalPs!;
    assert.ok(behindPs >= 0 && behindPs < 1 * US, String(behindPs));
  });

  it('messages that are repeated forever keep a run for a sixteenth of its time', () => {
    const { virtualPs, flows } = runScenario(
      ODD['credit goes on behind the load']!.replace('50KB', '500KB'),
    );
    const loadPs = Math.max(...flows.map(({ lastArrivalPs }) => lastArrivalPs!));
    assert.ok(loadPs > 600 * US);
    assert.ok(virtualPs >= loadPs && virtualPs < loadPs * 1.07, `${virtualPs} of ${loadPs}`);
  });

  it('declared faults happen before a run ends, whatever flow control it has', () => {
    for (const flowControl of ['pfc', 'credit']) {
      const { faults, virtualPs } = runScenario(`
fabric: { generator: pair }
priorities: { 3: ${flowControl} }
load:
  - { stream: { from: h1, to: h2 }, bytes: 10KB, priority: 3 }
faults:
  - { kind: loss, where: { port: "h1:p1" }, probability: 100%, at: 300us, for: 10us }
`);
      assert.equal(faults[0]!.times, 1);
      assert.ok(virtualPs >= 310 * US && virtualPs < 340 * US, `${flowControl}: ${virtualPs}`);
    }
  });

  it('a run that is interrupted comes as far as its counters', () => {
    const session = new Session(fabricOf(ACKS_LOST), { check: true });
    session.runTo(100 * US);
    const results = session.results('interrupted');
    assert.ok(results.virtualPs >= 100 * US);
    assertOneInterval(results);
  });
});
