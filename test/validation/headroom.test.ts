import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

/**
 * h1 sends through s1 and s2 to h2, at whose port h3 and h4 fill the queue: s2 pauses s1, s1's
 * egress is paused for long, and s1 must store all that h1 sends until its own pause takes effect.
 */
function chain(options: { rate: string; length: string; frame: number; headroom: string }): string {
  const { rate, length, frame, headroom } = options;
  return `
duration: 1200us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: ${rate}, length: ${length}, interfaceDelay: 300ns }
    - { between: [s1, s2], rate: ${rate}, length: 2m }
    - { between: [s2, h2], rate: ${rate}, length: 2m }
    - { between: [s2, h3], rate: ${rate}, length: 2m }
    - { between: [s2, h4], rate: ${rate}, length: 2m }
switches: { pipeline: 500ns, buffer: { size: 64MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, xoff: 60KB, xonGap: 30KB } }
devices:
  s1: { priorities: { 3: { headroom: ${headroom} } } }
  s2: { priorities: { 3: { xoff: 1MB, xonGap: 990KB } } }
load:
  - { name: s, stream: { from: [h1, h3, h4], to: h2 }, rate: line, frame: ${frame}, priority: 3 }
`;
}

const cases = [
  { rate: '100G', length: '100m', frame: 1522 },
  { rate: '100G', length: '1km', frame: 9216 },
  { rate: '400G', length: '100m', frame: 9216 },
  { rate: '25G', length: '300m', frame: 700 },
];

describe('PFC headroom', () => {
  for (const { rate, length, frame } of cases) {
    const at = { rate, length, frame };
    const name = `${rate}, ${length}, frames of ${frame}`;

    it(`as computed loses nothing and is used to within three frames (${name})`, () => {
      const results = runScenario(chain({ ...at, headroom: 'auto' }));
      assert.equal(results.status, 'complete');
      const margin = results.margins.find((m) => m.port === 's1:p1')!;
      assert.equal(margin.headroomOctets, margin.needed.totalOctets);
      const idle = margin.headroomOctets - margin.headroomUsedOctets;
      // The control frame need not wait for a frame of s1, which sends none to h1; the pool is
      // never full; and the wire's preambles and gaps need no memory.
      const slack = margin.needed.waitOctets + margin.needed.fullPoolOctets + frame + 20;
      const gaps = margin.needed.totalOctets * (20 / (frame + 20));
      assert.ok(idle >= 0 && idle <= slack + gaps, `${idle} of ${slack + gaps}`);
    });

    it(`smaller than that by more than the slack loses, and the run says where (${name})`, () => {
      const { margins } = runScenario(chain({ ...at, headroom: 'auto' }));
      const used = margins.find((m) => m.port === 's1:p1')!.headroomUsedOctets;
      const results = runScenario(chain({ ...at, headroom: `${used - 1}` }));
      assert.equal(results.status, 'failed');
      assert.equal(results.failure?.device, 's1');
      assert.equal(results.failure.port, 's1:p1');
      assert.equal(results.failure.priority, 3);
    });
  }

  it('as computed loses nothing at any size of incast', () => {
    for (let senders = 2; senders <= 16; senders++) {
      const results = runScenario(`
fabric: { generator: star, hosts: ${senders + 1}, hostLink: { rate: 100G, length: 100m, interfaceDelay: 300ns } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, xoff: 20KB } }
load:
  - { name: burst, incast: { from: h2..h${senders + 1}, to: h1 }, bytes: 150KB, priority: 3 }
`);
      assert.equal(results.status, 'complete');
      assert.deepEqual(results.priorities[0]!.drops, {});
      assert.equal(
        results.flows.every((flow) => flow.completionPs !== null),
        true,
      );
    }
  });

  it('is enough for multicast and flooded frames, which are stored once', () => {
    const group = `
switches: { buffer: { size: 400KB } }
groups: { members: h1..h9 }
load: [{ name: m, stream: { from: [h1, h7, h8], to: members }, bytes: 150KB }]
`;
    // Hosts that have not sent yet are not known to the bridges: their frames are flooded.
    const flooded = `
switches: { forwarding: bridged, buffer: { size: 400KB } }
load: [{ name: f, stream: { from: [h1, h7, h8, h9], to: h5 }, bytes: 37500B }]
`;
    for (const load of [group, flooded]) {
      for (const method of ['pause: {}', 'priorities: { 0: pfc }']) {
        const results = runScenario(`
fabric: { generator: dumbbell, left: 5, right: 4 }
${method}
${load}`);
        assert.equal(results.failure, null);
        const { drops } = results.priorities[0]!;
        assert.deepEqual({ ...drops, 'not-addressed': 0 }, { 'not-addressed': 0 });
      }
    }
  });

  it('holds a frame that waits at one of its ports once, and until it has left there', () => {
    const results = runScenario(`
duration: 40us
fabric:
  generator: star
  hosts: 6
  hostLink: { rate: 100G, length: 10m }
devices: { h6: { nic: { model: 82599, pcie: { rate: 1G } } } }
groups: { members: h1..h6 }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, xoff: 20KB } }
load: [{ name: m, stream: { from: h1, to: members }, priority: 3, frame: 1000, rate: line }]
`);
    const s1 = results.ports.find(({ port }) => port === 's1:p1')!.priorities[0]!;
    assert.ok(s1.peakIngressOctets >= 20_000 && s1.peakIngressOctets < 30_000);
    // The memory that is charged is what the port to the slowest member has queued.
    const toSlowest = results.ports.find(({ port }) => port === 's1:p6')!.priorities[0]!;
    assert.ok(Math.abs(toSlowest.peakQueueOctets - s1.peakIngressOctets) <= 2000);
    assert.ok(s1.stopsSent > 0);
  });

  it('as computed loses nothing although a dynamic threshold finds the pool taken by others', () => {
    for (const alpha of [0.5, 2, 8]) {
      const results = runScenario(`
fabric: { generator: star, hosts: 9, hostLink: { rate: 100G, length: 100m, interfaceDelay: 300ns } }
switches: { pipeline: 500ns, buffer: { size: 420KB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, alpha: ${alpha} } }
load:
  - { name: burst, incast: { from: h2..h9, to: h1 }, bytes: 200KB, priority: 3 }
`);
      assert.equal(results.status, 'complete');
      assert.ok(results.buffers[0]!.peakPoolOctets > 0.6 * results.buffers[0]!.poolOctets);
    }
  });
});
