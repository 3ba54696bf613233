import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import { CLASS, PRIORITY_MASK } from '../../services/engine/frame/frame-pool.js';
import {
  blankPauseFrame,
  decodePause,
} from '../../services/engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run } from '../kit/emulate.js';

interface Heard {
  readonly time: number;
  readonly quanta: number;
}

/** Frames that one host sends on a priority, and the pauses it receives. */
class HostWatch extends NullProbe {
  readonly starts: number[] = [];
  readonly told: Heard[] = [];

  constructor(
    private readonly device: number,
    private readonly priority: number,
    private readonly quantaOf: (octets: Uint8Array) => number | null,
  ) {
    super();
  }

  override frameSent(
    device: number,
    _port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const priority = pool.words[frame + CLASS]! & PRIORITY_MASK;
    if (device === this.device && priority === this.priority) this.starts.push(now);
  }

  override controlReceived(device: number, _port: number, now: number, octets: Uint8Array): void {
    const quanta = this.quantaOf(octets);
    if (device === this.device && quanta !== null) this.told.push({ time: now, quanta });
  }
}

function pfcQuanta(octets: Uint8Array): number | null {
  const frame = blankPfcFrame();
  if (decodePfc(octets, 0, frame) !== 'ok' || (frame.enableVector & 8) === 0) return null;
  return frame.quanta[3]!;
}

function pauseQuanta(octets: Uint8Array): number | null {
  const frame = blankPauseFrame();
  return decodePause(octets, 0, frame) === 'ok' ? frame.quanta : null;
}

function scenario(method: string, rate = '100G', duration = '300us'): string {
  return `
duration: ${duration}
fabric: { generator: star, hosts: 4, hostLink: { rate: ${rate}, length: 100m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
${method}
load:
  - { name: s, stream: { from: h2..h4, to: h1 }, rate: line, frame: 1518, priority: 3 }
`;
}

const methods = [
  {
    name: 'PFC',
    section:
      'priorities: { 3: { flowControl: pfc, responseDelay: 600ns, xoff: 60KB, quanta: 900, refresh: 30% } }',
    quantaOf: pfcQuanta,
  },
  {
    name: 'PAUSE',
    section: 'pause: { xoff: 60KB, responseDelay: 600ns, quanta: 900, refresh: 30% }',
    quantaOf: pauseQuanta,
  },
];

for (const { name, section, quantaOf } of methods) {
  describe(`a port stopped by ${name}`, () => {
    const session = new Session(fabricOf(scenario(section)), { check: true });
    const watch = new HostWatch(1, 3, quantaOf);
    session.engine.listen(watch);
    while (session.advance(1000) === 'running');

    it('was paused, refreshed and resumed many times', () => {
      assert.equal(session.results('complete').status, 'complete');
      assert.ok(watch.told.filter(({ quanta }) => quanta === 900).length > 5);
      assert.ok(watch.told.filter(({ quanta }) => quanta === 0).length > 3);
    });

    it('starts nothing from the moment the stop acts until it expires or is lifted', () => {
      const quantumPs = 64 * 80;
      watch.told.forEach(({ time, quanta }, i) => {
        const next = watch.told[i + 1]?.time ?? Infinity;
        const until = Math.min(time + quanta * quantumPs, next);
        const inside = watch.starts.filter((start) => start >= time && start < until);
        assert.deepEqual(inside, []);
      });
    });

    it('is refreshed before it expires, so that no frame slips through', () => {
      const quantumPs = 64 * 80;
      watch.told.forEach(({ time, quanta }, i) => {
        const next = watch.told[i + 1];
        if (quanta === 0 || next === undefined) return;
        assert.ok(next.time <= time + quanta * quantumPs);
      });
    });
  });
}

describe('a port stopped by PAUSE after the longest response time of its rate', () => {
  const rates = [
    { rate: '2.5G', psPerOctet: 3200, mostNs: '1024', duration: '12ms' },
    { rate: '5G', psPerOctet: 1600, mostNs: '1024', duration: '6ms' },
    { rate: '1T', psPerOctet: 8, mostNs: '1158.144', duration: '60us' },
  ];
  for (const { rate, psPerOctet, mostNs, duration } of rates) {
    const paused = (delayNs: string): string =>
      scenario(
        `pause: { xoff: 60KB, responseDelay: ${delayNs}ns, quanta: 900, refresh: 30% }`,
        ...([rate, duration] as const),
      );

    it(`starts nothing until it may go on, and nothing is lost: ${rate}`, () => {
      const session = new Session(fabricOf(paused(mostNs)), { check: true, deep: true });
      const watch = new HostWatch(1, 3, pauseQuanta);
      session.engine.listen(watch);
      while (session.advance(1000) === 'running');
      const results = session.results('complete');
      assert.equal(results.failure, null, JSON.stringify(results.failure));
      assert.deepEqual(results.priorities[0]!.drops, {});
      assert.ok(watch.told.filter(({ quanta }) => quanta === 900).length > 5);
      assert.ok(watch.starts.length > 100);
      // Heard when it takes effect, which is the response time after its last bit.
      watch.told.forEach(({ time, quanta }, i) => {
        const next = watch.told[i + 1]?.time ?? Infinity;
        const until = Math.min(time + quanta * 64 * psPerOctet, next);
        assert.ok(watch.starts.every((start) => start < time || start >= until));
      });
    });

    it(`is no later than that: ${rate}`, () => {
      const longer = `${Number(mostNs) + 1}`;
      assert.throws(
        () => fabricOf(paused(longer)),
        new RegExp(`responseDelay too long: ${longer}ns; at most ${mostNs}ns .* at ${rate}\\)`),
      );
    });
  }
});

describe('a pause that is sent again only after it has expired', () => {
  const expiring = (refresh: string, buffer: string): string =>
    scenario(
      `priorities: { 3: { flowControl: pfc, xoff: 60KB, headroom: ${buffer}, quanta: 400, ` +
        `refresh: ${refresh} } }`,
    );

  it('lets its sender go on until the next one, in each period', () => {
    const session = new Session(fabricOf(expiring('200%', '900KB')), { check: true });
    const watch = new HostWatch(1, 3, pfcQuanta);
    session.engine.listen(watch);
    while (session.advance(1000) === 'running');
    assert.equal(session.results('complete').status, 'complete');
    const pausePs = 400 * 64 * 80;
    const pauses = watch.told.filter(({ quanta }) => quanta === 400).slice(0, -1);
    const slipped = pauses.map(({ time }, i) => {
      const next = watch.told[watch.told.indexOf(pauses[i]!) + 1]!.time;
      assert.ok(
        watch.starts.every((start) => start < time || start >= Math.min(time + pausePs, next)),
      );
      return watch.starts.filter((start) => start >= time + pausePs && start < next).length;
    });
    const expired = slipped.filter((frames) => frames > 0);
    assert.ok(expired.length > 10, `${slipped.join()} frames after pauses`);
    // As long as the pause itself: 2.048 us are 16.6 frames.
    assert.ok(expired.every((frames) => frames <= 17));
  });

  it('loses frames where the headroom is for a pause that does not expire', () => {
    const lost = (refresh: string): number =>
      Object.values(run(fabricOf(expiring(refresh, 'auto'))).priorities[0]!.drops).length;
    assert.equal(lost('50%'), 0);
    assert.ok(lost('400%') > 0);
  });
});

describe('a pause on a link that is longer than it', () => {
  const links = [
    ['400G', '40km'],
    ['800G', '9km'],
    ['200G', '40km'],
    ['800G', '100km'],
  ];
  for (const [rate, length] of links) {
    it(`is refreshed before it ends at ${rate} over ${length}`, () => {
      const fabric = fabricOf(`
duration: 1500us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: ${rate} }
    - { between: [h3, s1], rate: ${rate} }
    - { between: [s1, s2], rate: ${rate}, length: ${length}, interfaceDelay: 300ns }
    - { between: [s2, h2], rate: 25G }
switches: { pipeline: 500ns, buffer: { size: 512MB } }
priorities: { 3: { flowControl: pfc, quanta: 2000, xoff: 1MB, xonGap: 30KB } }
load: [ { name: s, stream: { from: [h1, h3], to: h2 }, rate: line, frame: 4096, priority: 3 } ]
`);
      const results = run(fabric);
      assert.equal(results.status, 'complete');
      assert.deepEqual(results.priorities[0]!.drops, {});
      const far = results.ports.find(({ port }) => port === 's1:p3')!;
      // One pause that lasts to the end, and not one per frame.
      assert.equal(far.priorities[0]!.blockedCount, 1);
    });
  }
});
