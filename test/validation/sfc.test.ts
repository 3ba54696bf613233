import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sfcBufferTerms } from '../../services/mechanisms/sfc/buffer.js';
import { NullProbe } from '../../services/engine/contract/probe.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import { CLASS, KIND_MASK, KIND_NOTICE, LENGTH } from '../../services/engine/frame/frame-pool.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, flowOf, run, runScenario } from '../kit/emulate.js';

const OCTET_PS: Readonly<Record<string, number>> = { '100G': 80, '400G': 20 };
const METRE_PS = 5_000;
const INTERFACE_PS = 300_000;
const PIPELINE_PS = 500_000;
const PROCESSING_PS = 300_000;
/** On IPv4, untagged, with 34 octets of the congesting frame. */
const MESSAGE_OCTETS = 118;
const FRAME_OCTETS = 1522;
const THRESHOLD_OCTETS = 20_000;

interface Case {
  readonly rate: string;
  readonly metres: number;
  readonly links: 1 | 2;
  readonly senders: number;
}

/** Senders, each over so many links of its own, to one port of s1; they pause once, for good. */
function incast({ rate, metres, links, senders }: Case, memoryOctets: number): string {
  const hosts = Array.from({ length: senders }, (_, i) => i + 2);
  const link = `rate: ${rate}, length: ${metres}m, interfaceDelay: 300ns`;
  const device = (name: string, kind: string): string => `    - { name: ${name}, kind: ${kind} }`;
  const ways = hosts.flatMap((n) =>
    links === 1
      ? [`    - { between: [h${n}, s1], ${link} }`]
      : [`    - { between: [h${n}, t${n}], ${link} }`, `    - { between: [t${n}, s1], ${link} }`],
  );
  return `
duration: 150us
fabric:
  devices:
${[1, ...hosts].map((n) => device(`h${n}`, 'host')).join('\n')}
    - { name: s1, kind: switch }
${links === 1 ? '' : hosts.map((n) => device(`t${n}`, 'switch')).join('\n')}
  links:
    - { between: [h1, s1], rate: ${rate}, length: 2m }
${ways.join('\n')}
switches: { pipeline: 500ns, buffer: { size: ${memoryOctets}, egressAlpha: 1000000 } }
priorities: { 3: { sfc: true, alpha: 1000000 } }
sfc: { detect: ${THRESHOLD_OCTETS}, target: 1KB, pause: 1ms, minInterval: 10ms, processing: 300ns }
load:
  - { name: s, stream: { from: h2..h${senders + 1}, to: h1 }, rate: line, frame: ${FRAME_OCTETS}, priority: 3 }
`;
}

function neededOctets({ rate, metres, links, senders }: Case): number {
  const octetPs = OCTET_PS[rate]!;
  const latencyPs = metres * METRE_PS + INTERFACE_PS;
  const link = { octetPs, latencyPs, inTheWayOctets: 0 };
  return sfcBufferTerms({
    senders,
    octetPs,
    links: new Array<typeof link>(links).fill(link),
    pipelinePs: PIPELINE_PS,
    processingPs: PROCESSING_PS,
    messageOctets: MESSAGE_OCTETS,
    frameOctets: FRAME_OCTETS,
  }).totalOctets;
}

function lostFrames(results: RunResults): number {
  return Object.values(results.priorities[0]!.drops).reduce((a, b) => a + b, 0);
}

describe('the buffer that source flow control needs', () => {
  for (const rate of ['100G', '400G']) {
    for (const metres of [100, 1000]) {
      for (const links of [1, 2] as const) {
        const at = { rate, metres, links };
        const name = `${rate}, ${links} x ${metres} m`;

        it(`loses nothing as computed, and loses when undercut by more than a frame (${name})`, () => {
          const two = { ...at, senders: 2 };
          const enough = THRESHOLD_OCTETS + neededOctets(two);
          assert.equal(lostFrames(runScenario(incast(two, enough))), 0);
          const less = enough - Math.ceil(1.1 * FRAME_OCTETS);
          assert.ok(lostFrames(runScenario(incast(two, less))) > 0);
        });

        it(`loses nothing as computed for many, and loses when each lacks a frame (${name})`, () => {
          const many = { ...at, senders: 6 };
          const enough = THRESHOLD_OCTETS + neededOctets(many);
          assert.equal(lostFrames(runScenario(incast(many, enough))), 0);
          const less = enough - many.senders * FRAME_OCTETS;
          assert.ok(lostFrames(runScenario(incast(many, less))) > 0);
        });
      }
    }
  }

  it('is what the worked examples of the delay model say, with their rounding', () => {
    // 100G, two senders, one link of 100 m: 1.649 us up with 0.614 us of reaction, 0.623 us down.
    const link = { octetPs: 80, latencyPs: 500_000, inTheWayOctets: FRAME_OCTETS };
    const terms = sfcBufferTerms({
      senders: 2,
      octetPs: 80,
      links: [link],
      pipelinePs: 0,
      processingPs: 300_000 + 100_000 + 614_400,
      messageOctets: MESSAGE_OCTETS,
      frameOctets: FRAME_OCTETS,
    });
    assert.ok(Math.abs(terms.upPs - 1_649_000) < 2_000, String(terms.upPs));
    assert.ok(Math.abs(terms.downPs - 623_000) < 2_000, String(terms.downPs));
    // It counts wire octets, and no frame for detection.
    const inLoop = ((terms.upPs + terms.downPs) / 80) * 1;
    assert.ok(Math.abs(inLoop - 28_402) < 60, String(inLoop));
  });
});

/** Sees a message start at a switch, and every start of data at a host. */
class ReactionWatch extends NullProbe {
  toldPs = Infinity;
  readonly starts: number[] = [];

  constructor(private readonly host: number) {
    super();
  }

  override frameSent(device: number, _: number, now: number, pool: FramePool, frame: number): void {
    const isNotice = (pool.words[frame + CLASS]! & KIND_MASK) === KIND_NOTICE;
    if (isNotice) this.toldPs = Math.min(this.toldPs, now);
    else if (device === this.host) this.starts.push(now);
    assert.ok(!isNotice || pool.words[frame + LENGTH] === MESSAGE_OCTETS);
  }
}

describe('the reaction of a source', () => {
  for (const encapsulation of ['ethernet', 'ipv4', 'ipv6'] as const) {
    it(`comes one path delay and the processing after detection, to the picosecond (${encapsulation})`, () => {
      const results = runScenario(
        incast({ rate: '100G', metres: 100, links: 2, senders: 3 }, 4_000_000),
        `sfc.encapsulation=${encapsulation}`,
      );
      const octets = { ethernet: 94, ipv4: 118, ipv6: 138 }[encapsulation];
      const hopPs = (8 + octets) * 80 + 100 * METRE_PS + INTERFACE_PS;
      const pathPs = 2 * hopPs + PIPELINE_PS + PROCESSING_PS;
      for (const station of results.sfc.filter(({ role }) => role === 'station')) {
        assert.equal(station.reactionMinPs, pathPs);
        assert.equal(station.reactionMaxPs, pathPs);
      }
      assert.equal(results.sfc.filter(({ role }) => role === 'station').length, 3);
    });
  }

  it('stops the first frame that would start after it, and none before', () => {
    const fabric = fabricOf(incast({ rate: '100G', metres: 100, links: 1, senders: 2 }, 4_000_000));
    const session = new Session(fabric, { check: true });
    const host = 1;
    const watch = new ReactionWatch(host);
    session.engine.listen(watch);
    while (session.advance(1000) === 'running');
    const pathPs = (8 + MESSAGE_OCTETS) * 80 + 100 * METRE_PS + INTERFACE_PS + PROCESSING_PS;
    const gapPs = (FRAME_OCTETS + 20) * 80;
    const last = watch.starts[watch.starts.length - 1]!;
    const pausedAt = watch.toldPs + pathPs;
    // Sources are paused one after the other, at most a frame apart.
    assert.ok(last < pausedAt + gapPs && last > pausedAt - gapPs, `${last} at ${pausedAt}`);
  });
});

describe('a victim of congestion that is not its own', () => {
  it('keeps its throughput with SFC, while PFC alone spreads and takes it away', () => {
    const pfc = run(fabricOf('examples/victim-behind-pfc.yaml'));
    const sfc = run(fabricOf('examples/victim-behind-sfc.yaml'));
    const victim = (results: RunResults): number => flowOf(results, 'h4->h6').goodputBps;
    assert.ok(victim(pfc) < 40e9, String(victim(pfc)));
    assert.ok(victim(sfc) > 93e9, String(victim(sfc)));
    const blocked = (results: RunResults, ports: RegExp): number =>
      results.ports
        .filter(({ port }) => ports.test(port))
        .flatMap(({ priorities }) => priorities.map(({ blockedPs }) => blockedPs))
        .reduce((a, b) => Math.max(a, b), 0);
    // Upstream of spine1, which is the first hop before the congested switch.
    assert.ok(blocked(pfc, /^leaf1:p5$/) > 100e6);
    assert.equal(blocked(sfc, /^leaf1:p5$/), 0);
    assert.ok(blocked(pfc, /^h4:/) > 100e6);
    // Some of the frames that find a queue long are its own.
    assert.ok(blocked(sfc, /^h4:/) < 10e6);
  });
});

describe('a bridge in proxy mode', () => {
  const star = (more: string): string => `
duration: 200us
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostLink: { rate: 100G, length: 10m }, fabricLink: { rate: 400G, length: 50m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
sfc: { detect: 30KB, target: 20KB, minInterval: 5us, receive: false${more} }
load:
  - { name: s, stream: { from: [h1, h2, h3], to: h4 }, rate: line, frame: 1518, priority: 3 }
`;
  const pfc = 'priorities: { 3: { flowControl: pfc, responseDelay: 200ns, sfc: true } }';
  const bridge = (results: RunResults, name: string): RunResults['sfc'][number] =>
    results.sfc.find(({ device }) => device === name)!;

  it('takes messages and stops its stations by PFC for the time in the message', () => {
    const results = runScenario(star('') + pfc);
    const leaf1 = bridge(results, 'leaf1').counters;
    assert.ok(leaf1['sfcSfcmsReceived']! > 10);
    assert.equal(leaf1['sfcPfcInvoked'], leaf1['sfcSfcmsReceived']);
    assert.deepEqual(
      results.sfc.filter(({ role }) => role === 'station'),
      [],
    );
    const hosts = results.ports.filter(({ port }) => /^h[123]:/.test(port));
    for (const { priorities } of hosts) assert.ok(priorities[0]!.blockedPs > 50e6);
    assert.ok(results.sfcPaths.every(({ reaction }) => reaction === 'proxy'));
  });

  it('takes the processing time for it', () => {
    const at = (processing: string): number =>
      bridge(runScenario(star(`, processing: ${processing}`) + pfc), 'leaf1').reactionMinPs!;
    assert.equal(at('700ns') - at('0ns'), 700_000);
  });

  it('forwards a message where PFC does not run, and counts that', () => {
    const results = runScenario(star('') + 'priorities: { 3: { sfc: true } }');
    const leaf1 = bridge(results, 'leaf1').counters;
    assert.ok(leaf1['sfcProxyNoPfc']! > 0);
    assert.equal(leaf1['sfcPfcInvoked'], 0);
    assert.ok(results.sfcPaths.every(({ reaction }) => reaction === 'none'));
  });

  it('stops a source on its own edge without a message', () => {
    const results = runScenario(`
duration: 200us
fabric: { generator: star, hosts: 4 }
switches: { buffer: { size: 4MB } }
sfc: { detect: 30KB, target: 20KB, receive: false }
load:
  - { name: s, stream: { from: [h2, h3, h4], to: h1 }, rate: line, frame: 1518, priority: 3 }
${pfc}
`);
    const s1 = bridge(results, 's1').counters;
    assert.equal(s1['sfcSfcmsTransmitted'], 0);
    assert.ok(s1['sfcPfcInvoked']! > 3);
  });
});

describe('a source that is paused', () => {
  const dumbbell = (arbiter: string, other: string): string => `
fabric: { generator: dumbbell, left: 1, right: 4 }
duration: 400us
priorities: { 5: { flowControl: pfc, sfc: true } }
classes: { arbiter: ${arbiter} }
load:
  - { name: a, stream: { from: [ h2, h3 ], to: h1 }, priority: 5 }
${other === '0G' ? '' : `  - { name: b, stream: { from: [ h4, h5 ], to: h1 }, priority: 4, rate: ${other} }`}
`;
  const framesOf = (text: string, send: boolean): number => {
    const results = runScenario(text, `sfc.send=${send}`);
    assert.equal(results.failure, null, JSON.stringify(results.failure));
    return results.priorities.find(({ priority }) => priority === 5)!.deliveredFrames;
  };

  const ARBITERS = [
    '{ ets: { 4: 50%, 5: 50% } }',
    '{ ets: { 4: 90%, 5: 10% } }',
    '{ dwrr: { 4: 1000, 5: 1 } }',
    '{ ets: { 4: strict, 5: 100% } }',
  ];
  for (const arbiter of ARBITERS) {
    it(`leaves no time of the port unused, whatever its share is: ${arbiter}`, () => {
      for (const other of ['0G', '10G', '40G']) {
        const text = dumbbell(arbiter, other);
        const [withSfc, without] = [framesOf(text, true), framesOf(text, false)];
        assert.ok(withSfc > 0.98 * without, `${other}: ${withSfc} frames, ${without} without SFC`);
      }
    });
  }

  for (const fabric of [
    '{ generator: star, hosts: 9 }',
    '{ generator: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 4 }',
  ]) {
    it(`does not make an incast of 8:1 longer: ${fabric}`, () => {
      const incast = `
fabric: ${fabric}
priorities: { 5: { flowControl: pfc, sfc: true } }
classes: { arbiter: { ets: { 4: 90%, 5: 10% } } }
load: [ { incast: { from: h2..h9, to: h1 }, priority: 5, bytes: 500KB } ]
`;
      const time = (send: boolean): number =>
        runScenario(incast, `sfc.send=${send}`).priorities.find(({ priority }) => priority === 5)!
          .completionPs!.p999!;
      assert.ok(time(true) <= 1.01 * time(false), `${time(true)} ps, ${time(false)} without SFC`);
    });
  }
});
