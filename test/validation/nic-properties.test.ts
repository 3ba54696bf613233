import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import type { Probe } from '../../services/engine/contract/probe.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../services/engine/frame/frame-pool.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, flowOf } from '../kit/emulate.js';

const OCTET_PS = 800;
const GAP_OCTETS = 20;
const TOP = 7;
const LATENCY_PS = 300_000;

interface Busy {
  readonly pcieGbps: number;
  readonly reads: number;
  /** Octets of the frames of the classes that keep the part busy. */
  readonly frames: readonly number[];
}

/** What h1 sends while the top class, strict or in turn, sends a short frame now and then. */
function busyScenario({ pcieGbps, reads, frames }: Busy, strict: boolean): string {
  const row = '"0x80018000"';
  const regs = strict
    ? `regs: { "RTTDT2C[7]": ${row}, "RTTPT2C[7]": ${row} }`
    : 'regs: { RTTPCS.TPPAC: 0 }';
  const pcie = `pcie: { rate: ${pcieGbps}G, latency: 300ns, reads: ${reads} }`;
  const others = frames.map(
    (frame, tc) => `  - { stream: { from: h1, to: h2 }, priority: ${tc}, frame: ${frame} }\n`,
  );
  return (
    'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 1ms\n' +
    'ports: [{ tag: none }]\n' +
    `devices: { h1: { nic: { model: 82599, ${pcie}, ${regs} } } }\nload:\n${others.join('')}` +
    '  - { stream: { from: h1, to: h2 }, priority: 7, frame: 64, rate: 30M, arrivals: poisson }\n'
  );
}

/** Counts the grants that precede a frame of the top class, plane by plane. */
class Overtaking extends NullProbe {
  /** Frames of the top class in its packet buffer: frames of others that have started since. */
  private readonly inBuffer: number[] = [];
  /** When frames of others came from memory, in order. */
  private readonly reads: number[] = [];
  topFrames = 0;
  mostAhead = 0;
  mostReadsAhead = 0;
  longestPs = 0;
  longestOtherOctets = 0;

  override frameQueued(...heard: Parameters<Probe['frameQueued']>): void {
    const [device, , , now, pool, frame] = heard;
    if (device !== 0) return;
    if ((pool.words[frame + CLASS]! & PRIORITY_MASK) !== TOP) {
      this.longestOtherOctets = Math.max(this.longestOtherOctets, pool.words[frame + LENGTH]!);
      this.reads.push(now);
      return;
    }
    this.inBuffer.push(0);
    const born = pool.born(frame);
    const ahead = this.reads.filter((at) => at > born).length;
    this.mostReadsAhead = Math.max(this.mostReadsAhead, ahead);
    this.reads.splice(0, this.reads.length - 200);
  }

  override frameSent(...heard: Parameters<Probe['frameSent']>): void {
    const [device, , now, pool, frame] = heard;
    if (device !== 0) return;
    if ((pool.words[frame + CLASS]! & PRIORITY_MASK) !== TOP) {
      this.inBuffer.forEach((ahead, i) => (this.inBuffer[i] = ahead + 1));
      return;
    }
    this.topFrames++;
    this.mostAhead = Math.max(this.mostAhead, this.inBuffer.shift()!);
    this.longestPs = Math.max(this.longestPs, now - pool.born(frame));
  }
}

function overtakingOf(busy: Busy, strict: boolean): Overtaking {
  const session = new Session(fabricOf(busyScenario(busy, strict)), { check: true });
  const seen = new Overtaking();
  session.engine.listen(seen);
  session.runTo(Infinity);
  assert.ok(seen.topFrames > 20, `${seen.topFrames} frames of the top class`);
  return seen;
}

describe('a link strict class of an 82599', () => {
  const random = new RandomStream(82599, 'strict');
  const configurations = Array.from({ length: 10 }, (): Busy => ({
    pcieGbps: 4 + random.below(60),
    reads: 1 + random.below(40),
    frames: Array.from({ length: 1 + random.below(6) }, () => 64 + random.below(9000)),
  }));

  configurations.forEach((busy, i) => {
    it(`waits for what each plane has begun, and for nothing else (configuration ${i})`, () => {
      const seen = overtakingOf(busy, true);
      // Packet plane: the frame on the wire had started before it came; none starts until it goes.
      assert.equal(seen.mostAhead, 0);
      // Descriptor plane: of the reads under way when its tail was updated, no more than there are.
      assert.ok(seen.mostReadsAhead <= busy.reads, `${seen.mostReadsAhead} of ${busy.reads}`);
      const pcieOctetPs = 8000 / busy.pcieGbps;
      const memory = busy.reads * seen.longestOtherOctets * pcieOctetPs + 2 * LATENCY_PS;
      const wire = (seen.longestOtherOctets + GAP_OCTETS) * OCTET_PS;
      // Two of its own may follow each other.
      const own = 4 * (64 * pcieOctetPs + (64 + GAP_OCTETS) * OCTET_PS);
      const most = memory + wire + own;
      assert.ok(seen.longestPs <= most, `${seen.longestPs} of ${most} ps`);
    });
  });

  it('waits for others as well where classes take turns', () => {
    const waits = configurations
      .filter(({ frames }) => frames.length > 2)
      .map((busy) => overtakingOf(busy, false).mostAhead);
    assert.ok(Math.max(...waits) > 0);
  });
});

describe('the rate scheduler of an 82599, whatever is configured', () => {
  const FRAMES = 400;
  const STARTED_PS = 2e6;
  const random = new RandomStream(82599, 'rates');
  /** Between two values, evenly by orders of magnitude. */
  const between = (least: number, most: number): number =>
    Math.round(least * (most / least) ** random.uniform());

  for (const linkGbps of [1, 10, 10, 10, 10, 10, 10, 25, 100, 400]) {
    const linkMbps = 1000 * linkGbps;
    const targetMbps = between(linkMbps / 1000, linkMbps);
    const frame = between(64, 9216);
    const windowKb = random.below(64);
    it(`sends ${frame} octets at ${targetMbps} Mb/s of ${linkGbps} Gb/s`, () => {
      const wireMbps = (linkMbps * frame) / (frame + GAP_OCTETS);
      const expected = Math.min(targetMbps, wireMbps);
      const framePs = (frame * 8e6) / expected;
      const session = new Session(
        fabricOf(
          `fabric: { generator: pair, link: { rate: ${linkGbps}G } }\nduration: 20s\n` +
            'ports: [{ tag: none }]\n' +
            `hosts: { nic: { model: 82599, rates: [{ rate: ${targetMbps}M }], ` +
            `memoryWindow: ${windowKb} } }\n` +
            `load: [{ stream: { from: h1, to: h2 }, frame: ${frame} }]\n`,
        ),
        { check: true },
      );
      const arrivedAt = (ps: number): number => {
        session.runTo(Math.round(ps));
        return flowOf(session.results('interrupted'), 'h1->h2').frames;
      };
      const first = arrivedAt(STARTED_PS + 50 * framePs);
      const last = arrivedAt(STARTED_PS + (50 + FRAMES) * framePs);
      const mbps = ((last - first) / FRAMES) * expected;
      assert.ok(Math.abs(mbps / expected - 1) < 0.01, `${mbps} Mb/s for ${expected}`);
    });
  }
});
