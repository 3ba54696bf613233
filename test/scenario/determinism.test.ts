import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Probe } from '../../services/engine/contract/probe.js';
import type { DeviceState } from '../../services/engine/device/checkpoint.js';
import { restoreDevice, saveDevice } from '../../services/engine/device/checkpoint.js';
import { checkLedger } from '../../services/engine/analysis/ledger/ledger.js';
import type { Engine } from '../../services/engine/device/engine.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { outcomeOf } from '../../services/runtime/results/outcome.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { keptFingerprints } from '../kit/golden.js';
import { isLong } from '../kit/long-suite.js';
import { narrowWindows } from '../kit/narrow-windows.js';
import { replaced } from '../kit/replaced.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

/** At 100 Gb/s: far enough to see every mechanism at work, short enough to repeat. */
const UNTIL_PS = 120e6;
const USUAL_BPS = 100e9;

/** Slow fabrics need longer for as many frames. */
function untilOf({ topology }: Fabric): number {
  const fastest = Math.max(...topology.links.map(({ rateBps }) => rateBps));
  return UNTIL_PS * Math.max(1, USUAL_BPS / fastest);
}

function digests(engine: Engine): string[] {
  return engine.devices.map((_, d) => engine.shared.digests.hex(d));
}

/** As the results have it. */
function digestOfRun(fabric: Fabric, engine: Engine): string {
  return outcomeOf(fabric, engine, 'complete', null, { congestion: null, wire: null }).digest;
}

function reference(fabric: Fabric): string[] {
  const engine = wholeEngine(fabric);
  narrowWindows(engine, fabric.lookaheadPs).run(untilOf(fabric));
  assert.deepEqual(checkLedger(engine), []);
  return digests(engine);
}

/** Windows of random legal lengths, and the devices of each in random order. */
function runRandomly(engine: Engine, fabric: Fabric, until: number, random: RandomStream): void {
  const { horizon } = engine.shared;
  const order = engine.devices.map((_, d) => d);
  for (;;) {
    const next = Math.min(...horizon);
    if (next >= until) return;
    const length = 1 + random.below(fabric.lookaheadPs);
    const bound = Math.min(next + length, until);
    random.shuffle(order);
    for (const d of order) if (horizon[d]! < bound) engine.run(d, bound);
  }
}

class Listener implements Probe {
  heard = 0;
  private readonly hear = (): void => {
    this.heard++;
  };
  readonly frameReceived = this.hear;
  readonly frameDropped = this.hear;
  readonly frameMarked = this.hear;
  readonly frameQueued = this.hear;
  readonly noticeActed = this.hear;
  readonly queueActed = this.hear;
  readonly queueLong = this.hear;
  readonly frameSent = this.hear;
  readonly frameSentAgain = this.hear;
  readonly frameRejected = this.hear;
  readonly frameDiscarded = this.hear;
  readonly frameKept = this.hear;
  readonly frameTaken = this.hear;
  readonly watchdogActed = this.hear;
  readonly controlSent = this.hear;
  readonly tagSent = this.hear;
  readonly controlReceived = this.hear;
  readonly stopAsked = this.hear;
  readonly grantStep = this.hear;
  readonly blockedChanged = this.hear;
  readonly grantShort = this.hear;
  readonly liveSent = this.hear;
  readonly messageDelivered = this.hear;
  readonly nicGranted = this.hear;
  readonly ledChanged = this.hear;
}

for (const name of examples) {
  describe(`determinism of ${name}`, () => {
    let fabric: Fabric;
    let untilPs: number;
    let expected: string[];
    before(() => {
      fabric = fabricOf(`examples/${name}`);
      untilPs = untilOf(fabric);
      expected = reference(fabric);
    });

    it('gives the same digests with a probe, in random windows and in random order of actors', () => {
      const engine = wholeEngine(fabric);
      const listener = new Listener();
      engine.listen(listener);
      const random = new RandomStream(7, name);
      runRandomly(engine, fabric, untilPs, random);
      assert.deepEqual(digests(engine), expected);
      assert.ok(listener.heard > 100);
      // To its end it is the example as it is, and the digest is known.
      const { durationPs } = fabric.scenario;
      if (!isLong || durationPs === null) return;
      runRandomly(engine, fabric, durationPs, random);
      assert.equal(digestOfRun(fabric, engine), keptFingerprints(name)!.state);
    });

    it('gives the same digests with its actors in other places, restored from elsewhere too', () => {
      const random = new RandomStream(3, name);
      const first = replaced(fabric, random);
      narrowWindows(first.engine, fabric.lookaheadPs).run(untilPs / 3);
      const { engine, placeOf } = replaced(fabric, random);
      placeOf.forEach((place, d) => {
        restoreDevice(engine, place, saveDevice(first.engine, first.placeOf[d]!));
      });
      narrowWindows(engine, fabric.lookaheadPs).run(untilPs);
      const moved = digests(engine);
      assert.deepEqual(
        placeOf.map((place) => moved[place]),
        expected,
      );
    });

    it('gives the same digests after a return to a saved state, and in fresh actors', () => {
      const random = new RandomStream(11, name);
      const first = wholeEngine(fabric);
      const windows = new Windows(first, fabric.cluster);
      // Early, in the middle or late: what is there to be saved differs among the examples.
      const share = [0.2, 0.5, 0.7][random.below(3)]!;
      windows.run(Math.floor(untilPs * share) + random.below(1e6));
      const saved = statesOf(first);
      windows.run(untilPs * (share + 0.1));
      restoreAll(first, saved);
      windows.run(untilPs * (share + 0.2));
      const engine = wholeEngine(fabric);
      restoreAll(engine, structuredClone(statesOf(first)));
      new Windows(engine, fabric.cluster).run(untilPs);
      assert.deepEqual(digests(engine), expected);
      assert.deepEqual(checkLedger(engine), []);
    });
  });
}

function statesOf(engine: Engine): DeviceState[] {
  return engine.devices.map((_, d) => saveDevice(engine, d));
}

function restoreAll(engine: Engine, states: readonly DeviceState[]): void {
  states.forEach((state, d) => {
    restoreDevice(engine, d, state);
  });
}
