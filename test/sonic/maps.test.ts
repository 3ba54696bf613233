/** Maps of ports in the data path: DSCP and PCP to class, group and queue, and PFC to these. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, run } from '../kit/emulate.js';

/** To the address of MAC Control: priority 4, for the longest time (802.3 31D). */
const PFC_OF_4 = `0180c2000001020000000004880801010010${'0000'.repeat(4)}ffff${'0000'.repeat(3)}${'00'.repeat(26)}`;

/** Four hosts at a switch, whose ports have these rules. */
const switchWith = (rules: readonly string[], loads: readonly string[], more = ''): string => `
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 10m } }
switches:
  buffer:
    asic: { cell: 256 }
    pools: { ingress: { size: 200KB, headroom: 800KB } }
    profiles: { lossless: { pool: ingress, alpha: 1, headroom: 100KB } }
    assign: [{ groups: [0, 1, 2, 3, 4, 5, 6, 7], profile: lossless }]
priorities:
  3: { flowControl: pfc }
  4: { flowControl: pfc }
ports:
${rules.map((rule) => `  - ${rule}`).join('\n')}
load:
${loads.map((load) => `  - ${load}`).join('\n')}
${more}`;

const measured = (text: string, ...set: string[]): RunResults => run(fabricOf(text, ...set));

/** Groups of a port of the switch that held anything. */
function groupsOf(results: RunResults, port: number): number[] {
  const [name] = results.buffers.map(({ device }) => device);
  const groups = results.buffers.flatMap(({ groups: own = [] }) => own);
  return groups.filter((one) => one.port === `${name!}:p${port}`).map(({ group }) => group);
}

function queuesOf(results: RunResults, port: number): number[] {
  const queues = results.buffers.flatMap(({ queues: own = [] }) => own);
  return queues.filter((one) => one.port.endsWith(`:p${port}`)).map(({ queue }) => queue);
}

const flow = (from: number, dscp: number, to = 4): string =>
  `{ stream: { from: h${from}, to: h${to} }, transport: raw, bytes: 20KB, dscp: ${dscp} }`;

describe('maps of ports', () => {
  it('give frames the class, group and queue of the port that they come in by', () => {
    const results = measured(
      switchWith(
        [
          '{ where: { kind: switch }, maps: { dscp: { 10: 3, 11: 4, other: 1 }, groups: [0, 0, 0, 3, 4, 0, 0, 7] } }',
          '{ where: { link: s1 h2 }, maps: { dscp: { 10: 5 }, groups: [0, 0, 0, 3, 4, 6, 0, 7] } }',
          '{ where: { link: s1 h4 }, maps: { queues: [0, 2, 1, 7, 4, 5, 6, 3] } }',
        ],
        [flow(1, 10), flow(2, 10), flow(3, 12)],
      ),
    );
    assert.deepEqual(
      [1, 2, 3].map((port) => groupsOf(results, port)),
      [[3], [6], [0]],
    );
    // Classes 3, 5 and 1.
    assert.deepEqual(queuesOf(results, 4), [2, 5, 7]);
  });

  it('by PCP where a port goes by that', () => {
    const results = measured(
      switchWith(
        [
          '{ where: { kind: switch }, regeneration: { 1: 5 }, maps: { groups: [0, 0, 0, 3, 4, 5, 0, 7] } }',
        ],
        ['{ stream: { from: h1, to: h4 }, transport: raw, bytes: 20KB, priority: 1, vlan: 0 }'],
      ),
    );
    assert.deepEqual(groupsOf(results, 1), [5]);
  });

  it('have loads without a DSCP sent with one that stands for their priority', () => {
    const load = '{ stream: { from: h1, to: h4 }, transport: raw, bytes: 20KB, priority: 3 }';
    const results = measured(
      switchWith(['{ where: { kind: switch }, maps: { dscp: { 10: 3, other: 1 } } }'], [load]),
    );
    assert.deepEqual(groupsOf(results, 1), [3]);
  });

  it('send PFC of the priorities of a group', () => {
    const loads = [1, 2].map(
      (from) => `{ stream: { from: h${from}, to: h4 }, transport: raw, bytes: 400KB, priority: 3 }`,
    );
    const paused = (groups: string): number[] => {
      const rule = `{ where: { kind: switch }, maps: { groups: [0, 1, 2, 4, 3, 5, 6, 7], pfcGroups: ${groups} } }`;
      const results = measured(switchWith([rule], loads), 'duration=100us');
      const sent = results.ports.filter(({ peer }) => peer.startsWith('h1'));
      return sent.flatMap(({ priorities }) =>
        priorities.filter((own) => own.stopsSent > 0).map(({ priority }) => priority),
      );
    };
    // Class 3 is charged to group 4.
    assert.deepEqual(paused('[0, 1, 2, 4, 3, 5, 6, 7]'), [3]);
    assert.deepEqual(paused('[0, 1, 2, 3, 4, 5, 6, 7]'), [4]);
  });

  it('pause the queue of a priority of PFC, whatever is in it', () => {
    const load = '{ stream: { from: h1, to: h4 }, transport: raw, bytes: 40KB, priority: 3 }';
    const delivered = (queues: string): number => {
      const rule = `{ where: { kind: switch }, maps: { pfcQueues: ${queues} } }`;
      const faults = `faults: [{ kind: forge, where: { device: h4 }, octets: '${PFC_OF_4}', interval: 1us }]`;
      return flowOf(measured(switchWith([rule], [load], faults), 'duration=50us'), 'h1->h4').frames;
    };
    assert.ok(delivered('[0, 1, 2, 3, 4, 5, 6, 7]') > 10);
    assert.equal(delivered('[0, 1, 2, 3, 3, 5, 6, 7]'), 0);
  });

  it('are refused where no port of a switch is, and where DCBX decides', () => {
    const refused = (rule: string, ...set: string[]): string => {
      try {
        fabricOf(switchWith([rule], [flow(1, 3)]), ...set);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.match(
      refused('{ where: { kind: host }, maps: { dscp: { 3: 3 } } }'),
      /of switches only/,
    );
    const rule = '{ where: { kind: switch }, maps: { queues: [1, 0, 2, 3, 4, 5, 6, 7] } }';
    assert.equal(refused(rule), '');
    assert.match(refused(rule, 'discovery=true'), /DCBX decides on queues here/);
    assert.match(refused('{ where: {}, maps: { dscp: { 64: 3 } } }'), /0 to 63, or other/);
    assert.match(refused('{ where: {}, maps: { groups: [0] } }'), /not eight groups/);
  });
});

describe('WRED of queues', () => {
  const congested = (curve: string, load: string, loads = 2): RunResults =>
    measured(`
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 10m } }
switches:
  buffer:
    asic: { cell: 256 }
    pools: { ingress: { size: 20MB } }
    profiles: { lossy: { pool: ingress, alpha: 8 } }
    wred: { early: ${curve} }
    assign: [{ groups: [0], profile: lossy }, { queues: [0], wred: early }]
load:
${Array.from({ length: loads }, (_, i) => `  - { stream: { from: h${i + 1}, to: h4 }, ${load.includes('transport') ? '' : 'transport: raw, '}${load} }`).join('\n')}
`);
  const marks = (results: RunResults): number =>
    results.flows.reduce((sum, own) => sum + own.markedFrames, 0);
  const drops = (results: RunResults): number =>
    results.priorities.reduce((sum, own) => sum + (own.drops['wred'] ?? 0), 0);
  const ALL = 'frame: 1500, bytes: 3MB, ect: true';

  it('marks the share that it should, and drops what cannot be marked', () => {
    const curve = '{ green: { min: 0B, max: 100MB, probability: 100% }, mark: [green] }';
    // The queue grows to 3 MB, and is half of that on the mean: 1.5 % of all frames.
    const marked = congested(curve, ALL);
    const frames = marked.flows.reduce((sum, own) => sum + own.frames, 0);
    const share = marks(marked) / frames;
    assert.ok(share > 0.01 && share < 0.02, `${share}`);
    assert.equal(drops(marked), 0);
    const dropped = congested(curve, ALL.replace('true', 'false'));
    assert.equal(marks(dropped), 0);
    assert.ok(drops(dropped) > 0.005 * frames && drops(dropped) < 0.02 * frames);
    assert.equal(
      drops(
        congested(curve.replace('100% }', '100%, drop: false }'), ALL.replace('true', 'false')),
      ),
      0,
    );
  });

  it('is what slows dcqcn down, as marking of a priority is', () => {
    const load = 'bytes: 3MB, congestion: dcqcn, transport: reliable';
    const { flows, rates } = congested('{ green: { min: 5KB, max: 20KB }, mark: [green] }', load);
    assert.ok(flows.every(({ markedFrames }) => markedFrames > 0));
    assert.ok(rates.every(({ leastBps, lineBps }) => leastBps < lineBps));
  });

  it('does nothing below min, and everything from max on', () => {
    const never = '{ green: { min: 10MB, max: 20MB }, mark: [green] }';
    assert.equal(marks(congested(never, ALL)), 0);
    const always = '{ green: { min: 1KB, max: 100KB, probability: 0% }, mark: [green] }';
    const results = congested(always, ALL);
    const frames = results.flows.reduce((sum, own) => sum + own.frames, 0);
    // But for those of the first and the last 100 KB.
    assert.ok(marks(results) > 0.9 * frames);
  });

  it('goes by colour', () => {
    const curve = '{ green: { min: 10MB }, yellow: { min: 1KB, max: 2KB } }';
    assert.equal(drops(congested(curve, ALL)), 0);
    assert.ok(drops(congested(curve, `${ALL}, vlan: { inner: 5, dei: true }`)) > 100);
  });

  it('goes by the average, the slower the higher its weight', () => {
    const of = (weight: number): number =>
      marks(
        congested(`{ green: { min: 1KB, max: 200KB }, mark: [green], weight: ${weight} }`, ALL),
      );
    assert.ok(of(0) > of(9) && of(9) > of(15), `${of(0)} ${of(9)} ${of(15)}`);
  });
});
