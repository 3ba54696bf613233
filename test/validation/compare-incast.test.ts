import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { variantOf, settingsFor } from '../../services/fabric/scenario/variants.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { compare } from '../../services/report/comparison/comparison.js';
import { comparisonText } from '../../services/report/comparison/comparison-text.js';
import { contendersOf } from '../../services/report/comparison/contenders.js';
import { duelMetrics, type DuelMetrics } from '../../services/report/duel.js';
import { DuelWatch } from '../../services/report/duel-watch.js';
import { whyOf } from '../../services/report/why.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { observersOf } from '../../services/runtime/observers.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { Session } from '../../services/runtime/session.js';
import { PLAIN } from '../../services/report/style.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const EXAMPLE = 'examples/compare-incast.yaml';
const LINE_BPS = 100e9;
/** Of 100 Gb/s, for payload: 1 024 of 1 106 bytes, and what its acknowledgements leave. */
const VICTIM_ALONE_BPS = 91e9;
/** Six links there and back, five pipelines each way, and a frame on each link. */
const ROUND_TRIP_PS = 9e6;

const loaded = loadScenario(join(ROOT, EXAMPLE));
const { topology } = fabricOf(EXAMPLE);

function fabricUnder(name: string): Fabric {
  return fabricOf(EXAMPLE, ...settingsFor(variantOf(name), loaded, topology));
}

interface Measured extends DuelMetrics {
  readonly results: RunResults;
  readonly trees: readonly CongestionTree[];
}

function metricsOf(variant: string): Measured {
  const fabric = fabricUnder(variant);
  const session = new Session(fabric, { check: true }, { ...observersOf(fabric), episodes: true });
  const watch = new DuelWatch(fabric, session.engine);
  while (session.advance(1000) === 'running');
  const results = session.results('complete');
  const { devices } = fabric.topology;
  const tierOf = new Map(devices.map((device) => [device.name, device.tier]));
  const why = whyOf(fabric, results, session.congestion()!);
  const run = { variant, set: [], results, expectations: [], why, watch, folder: '' };
  return { ...duelMetrics(run, tierOf), results, trees: why.trees };
}

describe('an incast that a victim shares a fabric with', () => {
  const [pfc, sfc, ci, dcqcn] = ['pfc', 'pfc+sfc', 'pfc+ci', 'pfc+dcqcn'].map(metricsOf) as [
    Measured,
    Measured,
    Measured,
    Measured,
  ];
  const all = [pfc, sfc, ci, dcqcn];

  it('loses nothing and ends under all of them', () => {
    for (const metrics of all) {
      assert.equal(metrics.status, 'complete', metrics.variant);
      assert.equal(metrics.droppedFrames, 0);
      assert.deepEqual(metrics.finished, { done: 16, total: 16 });
    }
  });

  it('spreads under PFC alone, to hosts and to the victim', () => {
    assert.ok(pfc.goodputBps['victim']! < 0.6 * VICTIM_ALONE_BPS);
    assert.equal(pfc.victims, 1);
    for (const tier of ['host', 'leaf', 'spine']) assert.ok(pfc.blockedPs[tier]! > 1e9, tier);
  });

  it('is stopped at its sources by SFC: no PFC anywhere, and the victim is not touched', () => {
    assert.ok(sfc.goodputBps['victim']! >= VICTIM_ALONE_BPS);
    assert.equal(sfc.victims, 0);
    assert.deepEqual([sfc.blockedPs['leaf'], sfc.blockedPs['spine']], [0, 0]);
    assert.ok(sfc.peakQueueOctets < pfc.peakQueueOctets / 4);
    // Sources that share a switch with the first congested queue are paused within a microsecond.
    assert.ok(sfc.reactionPs !== null && sfc.reactionPs < 1e6);
  });

  it('waits apart from the victim under CI', () => {
    assert.ok(ci.goodputBps['victim']! >= VICTIM_ALONE_BPS);
    assert.equal(ci.victims, 0);
  });

  it('pauses hosts less with DCQCN, which is slower than SFC and faster than PFC alone', () => {
    assert.ok(dcqcn.blockedPs['host']! < 0.5 * pfc.blockedPs['host']!);
    assert.ok(dcqcn.reactionPs! > 5 * sfc.reactionPs!);
    assert.ok(dcqcn.reactionPs! < pfc.reactionPs!);
  });

  it('is too much for several round trips until DCQCN has slowed its senders down', () => {
    const fabric = fabricUnder('pfc+dcqcn');
    const session = new Session(fabric, { check: false });
    const { engine } = session;
    const burst = fabric.flows.flatMap(({ load }, flow) => (load === 0 ? [flow] : []));
    const offeredBps = (): number =>
      burst.reduce((sum, flow) => {
        const { device, connection } = fabric.flowEnds[flow]!.send;
        const send = engine.devices[device]!.rows.send.first + connection;
        return sum + engine.rates.status(send)!.rateBps;
      }, 0);
    let fitsPs = 0;
    while (offeredBps() > LINE_BPS && fitsPs < 1e9) session.runTo((fitsPs += 5e6));
    assert.ok(fitsPs > 4 * ROUND_TRIP_PS, String(fitsPs));
    assert.ok(fitsPs < 1e9);
  });

  it('is one sentence and one table', () => {
    const sides = all.map(({ variant, results, trees }) => ({
      name: variant,
      runs: [{ results, trees }],
    }));
    const text = comparisonText(compare(contendersOf(sides)), PLAIN);
    assert.match(
      text,
      /^\S+ comes first: goodput of victim 9\d.\d Gb\/s against \d+.\d Gb\/s of pfc\S*$/m,
    );
    for (const line of [
      /^ +pfc +pfc\+sfc +pfc\+ci +pfc\+dcqcn$/m,
      /goodput of burst( +\S+ Gb\/s( \*)?){4}$/m,
      /FCT p50 of burst( +\S+ (ms|us)( \*)?){4}$/m,
      /FCT p99 of burst( +\S+ ms( \*)?){4}$/m,
      /first complete of burst( +\S+ (us|ms)){4}$/m,
      /last complete of burst( +\S+ ms( \*)?){4}$/m,
      /goodput of victim +47.6 Gb\/s +9\d.\d Gb\/s \* +9\d.\d Gb\/s \*/,
      /goodput per victim .*Gb\/s/,
      /^ +victims +1 +0 +0 +\d+$/m,
      /time paused or blocked \(worst port\)/,
      /longest queue .*MB/,
      /^ +0 in all: .*drops/m,
    ]) {
      assert.match(text, line);
    }
    assert.doesNotMatch(text, /control|reserved/);
  });
});
