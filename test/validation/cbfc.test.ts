import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run } from '../kit/emulate.js';

interface Link {
  readonly rate: string;
  readonly length: string;
  readonly frame: number;
  readonly bytes: string;
}

/** h1 to h2 over s1. */
function scenario({ rate, length, frame, bytes }: Link, more = ''): string {
  return `
fabric:
  generator: star
  hosts: 2
  hostLink: { rate: ${rate}, length: ${length}, interfaceDelay: 100ns }
switches: { buffer: { size: auto } }
priorities: { 3: cbfc }
load: [{ name: l, stream: { from: h1, to: h2 }, bytes: ${bytes}, frame: ${frame}, priority: 3 }]
${more}`;
}

/** From the first frame to the last arrival. */
function busyPs({ flows: [flow] }: RunResults): number {
  return flow!.lastArrivalPs! - flow!.startPs;
}

function warningsOf(text: string): string[] {
  return fabricOf(text).warnings.map(({ message }) => message);
}

/** Shares of the line: CF_Update, and CC_Update every 256 us. */
const UPDATES = 8 / 6400 + 84 / 32_000;

describe('CBFC runs at line rate by default', () => {
  const rates = ['10G', '100G', '400G', '1.6T'];
  for (const [length, bytes] of [
    ['1m', '200KB'],
    ['1km', '2MB'],
  ] as const) {
    for (const rate of rates) {
      for (const frame of [64, 1518, 9216]) {
        it(`${rate} over ${length}, frames of ${frame} octets`, () => {
          const text = scenario({ rate, length, frame, bytes });
          assert.deepEqual(warningsOf(text), []);
          const results = run(fabricOf(text));
          const free = run(fabricOf(text, 'priorities.3=none'));
          assert.equal(results.status, 'complete');
          assert.deepEqual(results.priorities[0]!.drops, {});
          const slower = busyPs(results) / busyPs(free) - 1;
          assert.ok(slower < 1.2 * UPDATES, `${100 * slower} %`);
        });
      }
    }
  }

  it('also over 100 km, or warns: a channel counts no more than 32,767 credits', () => {
    const slow = scenario({ rate: '10G', length: '100km', frame: 1518, bytes: '3MB' });
    assert.deepEqual(warningsOf(slow), []);
    const ratio = busyPs(run(fabricOf(slow))) / busyPs(run(fabricOf(slow, 'priorities.3=none')));
    assert.ok(ratio - 1 < 1.2 * UPDATES, `${ratio}`);
    const fast = scenario({ rate: '1.6T', length: '100km', frame: 1518, bytes: '3MB' });
    assert.match(warningsOf(fast)[0] ?? '', /counts no more than 32767 credits/);
  });
});

describe('CBFC, by hand', () => {
  it('holds the second frame until an ordered set has brought the credits of the first', () => {
    // 100 Gb/s: 80 ps an octet. A frame of 1,000 octets takes 8 credits, and there are 8.
    const results = run(
      fabricOf(
        `
fabric:
  generator: pair
  hostLink: { rate: 100G, length: 200m, interfaceDelay: 0ns }
priorities: { 3: cbfc }
cbfc: { buffer: 1024 }
load: [{ name: l, stream: { from: h1, to: h2 }, bytes: 1908, frame: 1000, priority: 3 }]
`,
      ),
    );
    // 200 m are 1 us at 5 ns a metre: the frame is in after 8 + 1,000 octets and the way; the
    // update starts at once, and is in after 8 octets and the way; then the second frame starts.
    const octetPs = 80;
    const wayPs = 1_000_000;
    const firstPs = 1008 * octetPs + wayPs;
    const updatePs = 8 * octetPs + wayPs;
    assert.equal(busyPs(results), firstPs + updatePs + firstPs);
  });
});

const INCAST = `
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 20m } }
switches: { buffer: { size: 2MB } }
priorities: { 3: cbfc }
load:
  - { name: l, incast: { from: h2..h4, to: h1 }, bytes: 300KB, priority: 3, transport: reliable }
`;

/** All arrives, and nothing is wrong with any of the books. */
function survives(text: string, ...set: string[]): RunResults {
  const results = run(fabricOf(text, ...set));
  assert.equal(results.status, 'complete');
  for (const flow of results.flows) assert.ok(flow.lastArrivalPs !== null, flow.name);
  return results;
}

function overflows({ ports }: RunResults): number {
  return ports
    .flatMap(({ priorities }) => priorities)
    .reduce((sum, { drops }) => sum + (drops['headroom-exhausted'] ?? 0), 0);
}

describe('CBFC survives', () => {
  const fault = (text: string): string => `${INCAST}faults: [{ ${text}, at: 5us, for: 60us }]\n`;
  for (const frames of ['cf-update', 'cc-update']) {
    for (const action of ['lose', 'duplicate', 'corrupt', 'delay']) {
      it(`${frames}: ${action}`, () => {
        const delay = action === 'delay' ? ', delay: 3us' : '';
        for (const at of ['h2:p1', 's1:p2']) {
          const kind = `kind: control, frames: ${frames}, action: ${action}${delay}`;
          const results = survives(fault(`where: { port: '${at}' }, ${kind}, probability: 40%`));
          if (action !== 'corrupt') assert.equal(overflows(results), 0);
          for (const { limit, statistics, ofPort } of results.channels) {
            assert.ok(statistics['SENDER_CREDITS_USED_WATERMARK']! <= limit);
            assert.ok(ofPort['CBFC_SENDER_CREDITS_USED_WATERMARK']! <= limit);
          }
        }
      });
    }
  }

  it('data frames that are lost: CC_Update brings their credits back', () => {
    const results = survives(fault(`where: { port: 's1:p2' }, kind: loss, probability: 20%`));
    const leaked = results.channels.reduce((sum, { ofPort }) => {
      return sum + ofPort['cbfcCreditsLeaked']!;
    }, 0);
    assert.ok(leaked > 0);
  });

  it('credits that are stolen, again and again: CC_Update brings them back', () => {
    const steal = "kind: steal-credit, where: { port: 'h2:p1' }, size: 16KB, interval: 5us";
    // The run ends with its load: what is stolen last is found by a CC_Update before that.
    const results = survives(fault(steal), 'cbfc.ccInterval=10us');
    const leaked = results.channels.map(({ ofPort }) => ofPort['cbfcCreditsLeaked']!);
    assert.ok(Math.max(...leaked) > 0);
    assert.equal(overflows(results), 0);
  });

  it('a counter of credits that is stuck', () => {
    const results = survives(fault("kind: stuck-credit, where: { port: 'h2:p1' }"));
    assert.equal(overflows(results), 0);
    const [stuck, free] = [results, survives(INCAST)].map((own) => own.flows[0]!.completionPs!);
    assert.ok(stuck! > free!, `${stuck} ${free}`);
  });

  it('messages of others, and those that are none: each is counted for what it is', () => {
    const head = '0180c200000102000000000a8808';
    const frame = (rest: string): string => `${head}${rest}`.padEnd(120, '0');
    const pair = `
fabric: { generator: pair, link: { rate: 100G, length: 10m } }
priorities: { 3: cbfc }
duration: 100us
load: [{ name: a, stream: { from: h1, to: h2 }, rate: 40%, priority: 3 }]
`;
    for (const [counter, octets] of [
      ['cbfcBadCompanyId', frame('fffe00112201')],
      ['cbfcBadOpcode', frame('1234')],
      ['cbfcUnknownMessage', frame('fffe02ce7000')],
      ['cbfcUnknownMessage', frame('fffe02ce7003')],
      ['cbfcUnknownMessage', '4b10180016180011'],
      ['cbfcUnknownChannel', '4b10f80016f80010'],
      // All totals are 0: the receiver, which believes that in the end, keeps its row.
      ['cbfcImplausibleTotals', frame('fffe02ce7001')],
    ] as const) {
      const send = `where: { port: 'h1:p1' }, kind: forge, octets: '${octets}', interval: 10us`;
      const { channels } = run(fabricOf(`${pair}faults: [{ ${send}, at: 10us, for: 50us }]\n`));
      const { ofPort } = channels.find(({ port }) => port === 'h2:p1')!;
      const errors = Object.entries(ofPort).filter(([name, n]) => name.startsWith('cbfc') && n > 0);
      const names = errors.map(([name]) => name).filter((name) => name !== 'cbfcCreditsLeaked');
      assert.deepEqual(names, [counter], octets);
      if (counter !== 'cbfcImplausibleTotals') assert.equal(ofPort[counter], 5, octets);
    }
  });

  it('neither where there are no credits', () => {
    for (const kind of ['stuck-credit', 'steal-credit, size: 1KB, interval: 5us']) {
      const text = `${INCAST}faults: [{ kind: ${kind}, where: { port: 'h2:p1' } }]\n`;
      assert.throws(() => fabricOf(text, 'priorities.3=pfc'), /hits has credit exchange or cbfc/);
    }
  });

  it('a link that flaps, so that both ends restart', () => {
    const down = `where: { port: 'h2:p1' }, kind: link-down`;
    const results = survives(
      `${INCAST}faults: [{ ${down}, at: 5us, for: 3us, every: 20us, times: 3 }]\n`,
    );
    assert.equal(overflows(results), 0);
  });

  it('the first messages after a restart lost, again and again', () => {
    const down = `{ where: { port: 'h2:p1' }, kind: link-down, at: 5us, for: 3us }`;
    const lost = ['cc-update', 'cf-update'].map(
      (frames) =>
        `{ where: { link: h2 s1 }, kind: control, frames: ${frames}, action: lose, ` +
        'probability: 100%, at: 8us, for: 30us }',
    );
    survives(`${INCAST}faults: [${[down, ...lost].join(', ')}]\n`);
  });

  it('a switch that reboots', () => {
    survives(`${INCAST}faults: [{ where: { device: s1 }, kind: reboot, at: 20us, for: 10us }]\n`);
  });

  it('a total that is forged: it is not believed for ever', () => {
    const counters = 'fffff'.repeat(16);
    const octets = `0180c200000102000000000a8808fffe02ce7001${counters}`;
    const send = `where: { port: 'h2:p1' }, kind: forge, octets: '${octets}', interval: 50us`;
    const results = run(
      fabricOf(`${INCAST}faults: [{ ${send}, at: 5us, for: 100us }]\nduration: 2ms\n`),
    );
    const implausible = results.channels.map(({ ofPort }) => ofPort['cbfcImplausibleTotals']!);
    assert.ok(Math.max(...implausible) > 0);
    for (const flow of results.flows) assert.ok(flow.lastArrivalPs !== null, flow.name);
  });
});

/** Half the line rate each way; what discovery does. */
function negotiated(discovery: string, more = ''): RunResults {
  return run(
    fabricOf(`
duration: 300us
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 20m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: cbfc }
load: [{ name: a, stream: { from: [h1, h2], to: [h2, h1] }, rate: 50%, priority: 3 }]
discovery: { second: 1us${discovery} }
${more}`),
  );
}

describe('CBFC is agreed on over LLDP', () => {
  const offered = (300 * 50_000) / (8 * 1500);

  it('and frames start when both ends have advertised it', () => {
    const results = negotiated('');
    assert.equal(results.failure, null, results.failure?.reason);
    for (const { frames } of results.flows) assert.ok(frames > 0.9 * offered, `${frames}`);
  });

  it('by ports with and without retry', () => {
    const results = negotiated('', 'llr: { enabled: true }');
    assert.equal(results.failure, null, results.failure?.reason);
    for (const { frames } of results.flows) assert.ok(frames > 0.9 * offered, `${frames}`);
  });

  it('and waits while one end is silent, and goes on when it speaks', () => {
    const silent = negotiated(', changes: [{ at: 1ns, devices: h2, status: receive }]');
    const drops = silent.ports.flatMap((port) => port.priorities.map((own) => own.drops));
    assert.deepEqual(drops.flatMap(Object.keys), []);
    assert.equal(silent.flows[0]!.frames, 0, 's1 starts nothing towards h2');
    const later = negotiated(
      ', changes: [{ at: 1ns, devices: h2, status: receive }, ' +
        '{ at: 100us, devices: h2, status: both }]',
    );
    const { frames, latencyMaxPs } = later.flows[0]!;
    assert.ok(frames > 0.5 * offered, `${frames}`);
    assert.ok(latencyMaxPs! > 50e6, 'those that waited have come, too');
  });
});

describe('CBFC that no end advertises', () => {
  it('stalls, and is no failure of its credits', () => {
    const often = 'cbfc: { ccInterval: 1us, cfMaxSpacing: 16384 }';
    const results = negotiated(', status: disabled, interval: 5, fastInterval: 2', often);
    assert.equal(results.failure, null, results.failure?.reason);
    assert.equal(results.status, 'stalled');
    assert.equal(results.flows[0]!.frames, 0);
  });
});

describe('CBFC agreed on over LLDP where links differ', () => {
  const between = (more: string): RunResults =>
    run(
      fabricOf(`
duration: 300us
fabric:
  generator: leaf-spine
  leaves: 2
  spines: 1
  hostsPerLeaf: 1
  hostLink: { rate: 100G, length: 2m }
  fabricLink: { rate: 400G, length: 2km }
switches: { buffer: { size: 64MB } }
priorities: { 3: cbfc }
load: [{ name: a, stream: { from: h1, to: h2 }, rate: line, priority: 3, start: 100us }]
${more}`),
    );

  it('grants each link what its own round trip takes', () => {
    const advertised = between('discovery: { second: 1us }');
    assert.equal(advertised.failure, null, advertised.failure?.reason);
    const [there, configured] = [advertised, between('')].map(({ flows }) => flows[0]!.frames);
    assert.ok(there! > 0.99 * configured!, `${there} of ${configured}`);
  });
});

describe('A checkpoint in the middle of CBFC', () => {
  it('goes on as if there had been none', () => {
    const fabric = fabricOf(INCAST);
    const whole = new Session(fabric, { check: true });
    while (whole.advance(1000) === 'running');
    for (const timePs of [1e6, 17_123_456, 40e6]) {
      const first = new Session(fabric, { check: true });
      first.runTo(timePs);
      const second = new Session(fabric, { check: true });
      second.restore(first.save());
      while (second.advance(1000) === 'running');
      assert.deepEqual(second.results('complete'), whole.results('complete'));
    }
  });
});

/** All hosts of a ring send to all others; channels have room for one frame. */
const RING = `
fabric: { generator: ring, switches: 4, hostsPerSwitch: 2 }
duration: 1500us
observe: { episodes: true }
priorities: { 3: cbfc }
cbfc: { buffer: 1200 }
load: [{ all-to-all: {}, bytes: 8000B, priority: 3 }]
`;

describe('Waits under CBFC', () => {
  it('that go round are a cyclic buffer dependency, with its ports', () => {
    // What is left beside an acknowledgement is less than a data frame takes, and not nothing.
    for (const buffer of [1200, 2000]) {
      const { status, failure, deadlocks } = run(fabricOf(RING, `cbfc.buffer=${buffer}`));
      assert.equal(status, 'deadlocked', `${buffer}`);
      assert.match(failure!.reason, /^deadlock: s\d:p\d waits for s\d:p\d .*, and so round$/);
      const [deadlock] = deadlocks;
      assert.equal(deadlock!.openedPs, null);
      const devices = deadlock!.ring.map(({ device }) => device).sort();
      assert.deepEqual(devices, ['s1', 's2', 's3', 's4']);
    }
  });

  it('that go round are named by a run that expects them', () => {
    const { deadlocks, failure } = run(
      fabricOf(`${RING}expect: [{ metric: deadlocks, min: 1 }]\n`),
    );
    assert.equal(failure, null);
    assert.equal(deadlocks[0]!.ring.length, 4);
  });

  it('are none where credits are only on their way', () => {
    const tree = 'fabric={ generator: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2 }';
    const { status, failure } = run(fabricOf(RING, tree));
    assert.equal(failure, null, failure?.reason);
    assert.equal(status, 'complete');
  });

  it('are blocked times of the mechanism, whose root is the slowest queue', () => {
    const session = new Session(fabricOf(`${INCAST}observe: { episodes: true }\n`), {
      check: true,
    });
    while (session.advance(1000) === 'running');
    const blocked = session.congestion()!.episodes.filter(({ kind }) => kind === 'blocked');
    assert.ok(blocked.length > 0);
    assert.ok(blocked.every(({ mechanism }) => mechanism === 'cbfc'));
    assert.ok(blocked.some(({ parent }) => parent !== null));
  });
});

describe('CBFC is refused', () => {
  for (const [what, text, message] of [
    [
      'sizes that are no power of two',
      'cbfc: { creditSize: 100 }',
      /not a credit size: 100; write auto, or a power of two/,
    ],
    ['channels that are not eight', 'cbfc: { channels: [0, 1] }', /2 channels; one for each/],
    ['a buffer below one frame', 'cbfc: { buffer: 512 }', /would wait for ever/],
    ['uneven spacings', 'cbfc: { cfMaxSpacing: 20000 }', /a multiple of 16384/],
    [
      'spacings of a device that contradict each other',
      'devices: { h1: { cbfc: { cfMinSpacing: 300000 } } }',
      /cfMinSpacing 300000 is more than cfMaxSpacing 262144 of h1/,
    ],
    [
      'a channel in two pools',
      'cbfc: { limit: port, pools: [{ channels: [3], size: 9KB }, { channels: [3], size: 9KB }] }',
      /channel 3 is in pools twice/,
    ],
    ['one end alone', 'devices: { s1: { priorities: { 3: pfc } } }', /has pfc|has cbfc at/],
    ['different channels', 'devices: { s1: { cbfc: { channels: [9,9,9,9,9,9,9,9] } } }', /channel/],
    ['PAUSE beside it', 'pause: true', /cbfc while pause is on/],
    ['an 82599', 'hosts: { nic: { model: 82599 } }', /the model of h\d+ has no credits/],
    [
      'an MVTX2802',
      'devices: { s1: { model: mvtx2802 } }',
      /cbfc of priority 3 rules no link: .* one end is a four-port MVTX2802/,
    ],
  ] as const) {
    it(what, () => {
      assert.throws(() => fabricOf(`${INCAST}${text}\n`), message);
    });
  }

  it('but falls back where the scenario says so', () => {
    const devices = 'devices: { s1: { priorities: { 3: pfc } } }';
    const results = survives(`${INCAST}cbfc: { fallback: pfc }\n${devices}\n`);
    assert.equal(results.channels.length, 0);
  });
});

describe('Credits of a port', () => {
  for (const sharing of ['none', 'static', 'dynamic']) {
    it(`are divided by the sender: ${sharing}`, () => {
      const text = `${INCAST.replace('{ 3: cbfc }', '{ 3: cbfc, 4: cbfc }')}
  - { name: m, incast: { from: h2..h4, to: h1 }, bytes: 100KB, priority: 4, transport: reliable }
cbfc: { limit: port, sharing: ${sharing}, reserved: 16KB, sharedStatic: 8KB }
`;
      const results = survives(text);
      assert.equal(overflows(results), 0);
    });
  }

  const warned = (keys: string): string =>
    warningsOf(`${INCAST}cbfc: { limit: port, ${keys} }\n`)[0] ?? '';

  it('are too few for line rate by the profile of the sender: that is the remedy', () => {
    const profile = /; the port has \d+: a larger reserved, or more sharing, at (h1|s1)$/;
    assert.match(warned('sharing: none'), profile);
    assert.match(warned('buffer: 64KB, sharing: static, sharedStatic: 4KB'), profile);
    assert.match(warned('buffer: 64KB, sharing: dynamic, sharedDynamic: -7'), profile);
    assert.equal(warned('buffer: 64KB, sharing: dynamic, sharedDynamic: 1'), '');
    assert.match(warned('buffer: 64KB, pools: [{ channels: [3], size: 8KB }]'), /a larger pool at/);
    assert.match(warned('buffer: 8KB'), /; buffer: auto, or \d+ bytes or more$/);
  });

  it('of which 2^n of what is free may be used, and the warning says how many that are', () => {
    // 64 KB are 500 credits: 12 reserved, 488 in the pool. A frame of one credit starts while what
    // is used of the pool, with it, is at most 2^n of what is free before it: (488 + 1) / (1 + 2^-n).
    for (const [n, most] of [
      [-7, 12 + 3],
      [-3, 12 + 54],
      [-1, 12 + 163],
    ] as const) {
      const text = `
fabric: { generator: pair, link: { rate: 100G, length: 100m } }
priorities: { 3: cbfc }
cbfc: { limit: port, buffer: 64KB, reserved: 1600, sharing: dynamic, sharedDynamic: ${n} }
duration: 50us
load: [{ name: l, stream: { from: h1, to: h2 }, rate: line, priority: 3, frame: 64 }]
`;
      assert.match(warningsOf(text)[0]!, new RegExp(` a sender has ${most} credits of 128 bytes`));
      const { statistics } = run(fabricOf(text)).channels.find(({ port }) => port === 'h1:p1')!;
      assert.equal(statistics['SENDER_CREDITS_USED_WATERMARK'], most);
    }
  });
});
