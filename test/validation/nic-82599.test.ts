import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { describe, it } from 'node:test';
import { creditsOf } from '../../services/engine/arbiter/credits.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { LatencyRow, Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { flowOf, runScenario } from '../kit/emulate.js';

/** Lengths of the data sheet are those of frames as they are. */
const UNTAGGED = 'ports: [{ tag: none }]\n';
const PAIR = `fabric: { generator: pair, link: { rate: 10G, length: 10m } }\n${UNTAGGED}`;
const OCTET_PS = 800;
const GAP_OCTETS = 20;
const PCIE_OCTET_PS = 250;
const PCIE_LATENCY_PS = 500_000;

interface Stream {
  readonly tc: number;
  readonly frame: number;
  readonly rest?: string;
}

/** h1 with an 82599 sends streams to h2, named by their classes. */
function sending(durationUs: number, nic: string, streams: readonly Stream[]): RunResults {
  const load = streams.map(
    ({ tc, frame, rest = '' }) =>
      `  - { name: tc${tc}, stream: { from: h1, to: h2 }, priority: ${tc}, frame: ${frame}${rest} }`,
  );
  return runScenario(
    `${PAIR}duration: ${durationUs}us\n` +
      `devices: { h1: { nic: { model: 82599, ${nic} } } }\nload:\n${load.join('\n')}\n`,
  );
}

function arrivedFrames(results: RunResults, tc: number): number {
  return results.flows.find(({ load }) => load === `tc${tc}`)!.frames;
}

function nicOf(results: RunResults): Nic82599Result {
  return nicsOf(results)[0]!;
}

function latencyOf(
  nic: Nic82599Result,
  direction: LatencyRow['direction'],
  tc: number,
): LatencyRow {
  return nic.latencies.find((row) => row.direction === direction && row.tc === tc)!;
}

function assertNear(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual / expected - 1) < 0.01, `${what}: ${actual} against ${expected}`);
}

/** Rows of both transmit tables, by class. */
function rows(classes: readonly (readonly [tc: number, bwg: number, refill: number])[]): string {
  const fields = classes.flatMap(([tc, bwg, refill]) =>
    ['RTTDT2C', 'RTTPT2C'].flatMap((table) => [
      `'${table}[${tc}].CRQ': ${refill}`,
      `'${table}[${tc}].BWG': ${bwg}`,
      `'${table}[${tc}].MCL': ${2 * Math.max(refill, 24)}`,
    ]),
  );
  return `regs: { ${fields.join(', ')} }`;
}

describe('shares of the 82599', () => {
  const random = new RandomStream(82599, 'configurations');

  for (let round = 0; round < 6; round++) {
    it(`are those of the refills for every class, all backlogged (configuration ${round})`, () => {
      const classes = Array.from({ length: 8 }, (_, tc) => {
        return [tc, random.below(8), 24 + random.below(80)] as const;
      });
      const frames = classes.map(() => 64 + random.below(1455));
      const streams = classes.map(([tc], i) => ({ tc, frame: frames[i]! }));
      const results = sending(15_000, rows(classes), streams);
      const spent = classes.map(([tc], i) => arrivedFrames(results, tc) * creditsOf(frames[i]!));
      const total = spent.reduce((sum, credits) => sum + credits, 0);
      const refills = classes.reduce((sum, [, , refill]) => sum + refill, 0);
      classes.forEach(([tc, , refill], i) => {
        assertNear(spent[i]! / total, refill / refills, `share of class ${tc}`);
      });
      for (const row of nicOf(results).T2.packet) {
        assert.ok(row.credit <= row.most, `class ${row.tc} has more than its limit`);
        const floor = -creditsOf(frames[row.tc]!);
        assert.ok(row.lowest > floor, `class ${row.tc} owed ${row.lowest}`);
      }
    });
  }

  it('that a class leaves go to its group, and what a group leaves to all', () => {
    const config = rows([
      [0, 0, 30],
      [1, 0, 30],
      [2, 1, 40],
      [3, 2, 100],
    ]);
    const frame = 1500;
    const results = sending(10_000, config, [
      { tc: 0, frame },
      { tc: 2, frame },
    ]);
    // Class 1 is idle and its group keeps 60 to 40; class 3 is idle and leaves its 100 to both.
    const share =
      arrivedFrames(results, 0) / (arrivedFrames(results, 0) + arrivedFrames(results, 2));
    assertNear(share, 0.6, 'share of class 0');
  });

  it('among virtual machines are those of their weights', () => {
    const vms = [1, 2, 5].map((_, vm) => ({ tc: vm, frame: 1518, rest: `, vm: ${vm}` }));
    const load = vms.map(({ rest }, vm) => {
      return `  - { name: vm${vm}, stream: { from: h1, to: h2 }, priority: 3${rest} }`;
    });
    const results = runScenario(
      `${PAIR}duration: 20ms\nhosts: { nic: { model: 82599, vms: [1, 2, 5] } }\n` +
        `load:\n${load.join('\n')}\n`,
    );
    const frames = [0, 1, 2].map((vm) => {
      return results.flows.find(({ load: own }) => own === `vm${vm}`)!.frames;
    });
    const total = frames.reduce((sum, own) => sum + own, 0);
    [1, 2, 5].forEach((weight, vm) => {
      assertNear(frames[vm]! / total, weight / 8, `share of VM ${vm}`);
    });
  });

  it('follow a register that is written while frames are under way', () => {
    const writes = 'writes: [{ at: 5ms, regs: { "RTTPT2C[0].CRQ": 72, "RTTPT2C[0].MCL": 144 } }]';
    const streams = [0, 1].map((tc) => ({ tc, frame: 1500 }));
    const half = sending(
      5_000,
      rows([
        [0, 0, 24],
        [1, 1, 24],
      ]),
      streams,
    );
    const whole = sending(
      10_000,
      `${rows([
        [0, 0, 24],
        [1, 1, 24],
      ])}, ${writes}`,
      streams,
    );
    const first = arrivedFrames(half, 0) / (arrivedFrames(half, 0) + arrivedFrames(half, 1));
    const later = [0, 1].map((tc) => arrivedFrames(whole, tc) - arrivedFrames(half, tc));
    assertNear(first, 0.5, 'share before');
    assertNear(later[0]! / (later[0]! + later[1]!), 0.75, 'share after');
    assert.equal(nicOf(whole).T2.packet[0]!.refill, 72);
  });
});

describe('strict classes and latency of the 82599', () => {
  const busy = [0, 1, 2].map((tc) => ({ tc, frame: 1518 }));
  // Once the packet buffers are full, reads under way are as few as frames that leave.
  const top = { tc: 7, frame: 64, rest: ', rate: 50M, start: 100us' };
  const strict = 'regs: { "RTTDT2C[7]": "0x80018000", "RTTPT2C[7]": "0x80018000" }';

  it('a link strict class waits for one frame in transmission at most', () => {
    const nic = nicOf(sending(10_000, strict, [...busy, top]));
    const { mostPs, leastPs, frames } = latencyOf(nic, 'transmit', 7);
    const oneFrame = (1518 + GAP_OCTETS) * OCTET_PS;
    const memory = PCIE_LATENCY_PS + (1518 + 64) * PCIE_OCTET_PS;
    assert.ok(frames > 900, String(frames));
    assert.ok(leastPs >= PCIE_LATENCY_PS + 64 * PCIE_OCTET_PS, String(leastPs));
    assert.ok(mostPs <= memory + oneFrame, `${mostPs} of ${memory + oneFrame}`);
  });

  it('on an idle part is the read from memory, and on receive the write to it', () => {
    const results = runScenario(
      `${PAIR}duration: 1ms\nhosts: { nic: { model: 82599 } }\n` +
        'load: [{ stream: { from: h1, to: h2 }, priority: 7, frame: 64, rate: 10M }]\n',
    );
    const [sender, receiver] = results.nics as unknown as [Nic82599Result, Nic82599Result];
    const sent = latencyOf(sender, 'transmit', 7);
    assert.equal(sent.leastPs, PCIE_LATENCY_PS + 64 * PCIE_OCTET_PS);
    assert.equal(sent.mostPs, sent.leastPs);
    // The data, and its descriptor of 16 octets.
    assert.equal(latencyOf(receiver, 'receive', 7).mostPs, (64 + 16) * PCIE_OCTET_PS);
  });
});

describe('the rate scheduler of the 82599', () => {
  const rateOf = (mbps: number, frame: number, link = 10_000): number => {
    const bits = frame * 8;
    const durationUs = Math.max(1000, Math.ceil((400 * bits) / mbps));
    const results = runScenario(
      `fabric: { generator: pair, link: { rate: ${link / 1000}G } }\n${UNTAGGED}duration: ${durationUs}us\n` +
        `hosts: { nic: { model: 82599, rates: [{ rate: ${mbps}M }], memoryWindow: 0 } }\n` +
        `load: [{ stream: { from: h1, to: h2 }, frame: ${frame} }]\n`,
    );
    return (flowOf(results, 'h1->h2').frames * bits) / durationUs;
  };

  for (const frame of [64, 512, 1518, 9000]) {
    for (const mbps of [10, 333, 1000, 5000, 10_000]) {
      it(`sends ${frame} octets at ${mbps} Mb/s`, () => {
        const wireMbps = (10_000 * frame) / (frame + GAP_OCTETS);
        assertNear(rateOf(mbps, frame), Math.min(mbps, wireMbps), 'Mb/s');
      });
    }
  }

  it('scales with the link: 100 Mb/s of a link of 1 Gb/s, and 20 Gb/s of 100 Gb/s', () => {
    assertNear(rateOf(100, 1518, 1_000), 100, 'Mb/s');
    assertNear(rateOf(20_000, 1518, 100_000), 20_000, 'Mb/s');
  });

  it('lets a delayed queue catch up by its window and one distance, and no more', () => {
    // A strict class holds the link for 200 us; the limited queue may make good 16 KB of it.
    const burst = { tc: 7, frame: 1500, rest: ', start: 500us, end: 700us' };
    const limited = { tc: 0, frame: 1500 };
    const strict = 'regs: { "RTTDT2C[7]": "0x80018000", "RTTPT2C[7]": "0x80018000" }';
    const framesAt = (window: number): number => {
      const nic = `${strict}, rates: [{ tc: 0, rate: 5G }], memoryWindow: ${window}`;
      return arrivedFrames(sending(2_000, nic, [limited, burst]), 0);
    };
    const none = framesAt(0);
    const some = framesAt(16) - none;
    assert.ok(some > 0, 'nothing was made good');
    assert.ok(some <= (16 * 1024) / 1500 + 1, `${some} frames were made good`);
    assert.ok(framesAt(64) - none > some, 'a wider window makes more good');
  });

  it('drifts back to the rate of the line in 78 intervals of 3 percent, from a tenth of it', () => {
    const at = (us: number): Nic82599Result =>
      nicOf(
        sending(us, 'rates: [{ rate: 1G }], drift: { every: 10us, by: 3% }', [
          { tc: 0, frame: 1500 },
        ]),
      );
    assert.equal(at(779).rates[0]!.enabled, true);
    assertNear(at(779).rates[0]!.rateBps, 9784.413e6, 'rate after 77 intervals');
    assert.equal(at(781).rates[0]!.enabled, false);
  });
});

describe('the receive side of the 82599', () => {
  const slow = (more = ''): RunResults =>
    runScenario(
      `${PAIR}duration: 10ms\npriorities: { 3: { flowControl: pfc, responseDelay: 500ns } }\n` +
        `hosts: { nic: { model: 82599 } }\n` +
        `devices: { h2: { nic: { model: 82599, pcie: { rate: 4G }${more} } } }\n` +
        `load:\n  - { name: tc0, stream: { from: h1, to: h2 }, priority: 0 }\n` +
        `  - { name: tc3, stream: { from: h1, to: h2 }, priority: 3 }\n`,
    );

  it('stops a lossless class at its high mark when the host is slower than the wire', () => {
    const results = slow();
    const [, receiver] = results.nics as unknown as [Nic82599Result, Nic82599Result];
    const buffer = receiver.buffers.find((b) => b.direction === 'receive' && b.tc === 3)!;
    const drops = results.priorities.map(({ priority, drops: own }) => [
      priority,
      Object.keys(own),
    ]);
    assert.deepEqual(drops, [
      [0, ['buffer-full']],
      [3, []],
    ]);
    assert.ok(buffer.peakOctets > 48 * 1024 && buffer.peakOctets <= 64 * 1024);
    const blocked = results.ports[0]!.priorities.find(({ priority }) => priority === 3)!;
    assert.ok(blocked.blockedCount > 10);
    assert.equal(receiver.T4.length, 8);
    // Its arbiter gives both buffers the same.
    const octets = results.flows.map(({ payloadOctets }) => payloadOctets);
    assertNear(octets[0]! / octets[1]!, 1, 'taken in by software');
  });

  it('gives the buffers of receive their shares by RTRPT4C', () => {
    const regs = ', regs: { "RTRPT4C[0].CRQ": 72, "RTRPT4C[0].MCL": 144 }';
    const octets = slow(regs).flows.map(({ payloadOctets }) => payloadOctets);
    assert.ok(Math.abs(octets[0]! / octets[1]! / 3 - 1) < 0.02, octets.join());
  });
});
