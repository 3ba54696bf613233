import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkLedger } from '../../services/engine/analysis/ledger/ledger.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { fabricOf, run } from '../kit/emulate.js';

const EXAMPLE = 'examples/shared-headroom.yaml';
const UNTIL_PS = 100e6;

describe('a switch with pools', () => {
  it('has the watermarks of its pools and groups, each within its size', () => {
    const [buffer] = run(fabricOf(EXAMPLE)).buffers;
    const { pools = [], groups = [] } = buffer!;
    assert.deepEqual(
      pools.map(({ pool, slice }) => `${pool} ${slice}`),
      ['ingress 0', 'egress 0', 'headroom 0', 'ingress 1', 'egress 1', 'headroom 1'],
    );
    for (const { sizeOctets, peakOctets } of pools) assert.ok(peakOctets <= sizeOctets!);
    // All frames leave by a port of the first slice.
    assert.deepEqual(
      pools.filter(({ pool }) => pool === 'egress').map(({ peakOctets }) => peakOctets > 0),
      [true, false],
    );
    const senders = groups.filter(({ port, group }) => group === 3 && port !== 's1:p1');
    assert.equal(senders.length, 11);
    const headroom = pools.filter(({ pool }) => pool === 'headroom');
    for (const own of senders) {
      assert.ok(own.peakHeadroomOctets > 0);
      assert.ok(own.peakHeadroomOctets <= Math.max(...headroom.map((one) => one.peakOctets)));
      assert.ok(own.peakOctets >= own.peakSharedOctets);
    }
  });

  it('has what it holds at the end, within its watermarks', () => {
    const [{ pools = [], groups = [], queues = [] } = {}] = run(
      fabricOf(EXAMPLE, 'duration=30us'),
    ).buffers;
    for (const all of [pools, groups, queues]) {
      assert.ok(all.some(({ usedOctets }) => usedOctets > 0));
      assert.ok(all.every(({ usedOctets, peakOctets }) => usedOctets <= peakOctets));
    }
    const inGroups = groups.reduce((sum, { usedOctets }) => sum + usedOctets, 0);
    const inQueues = queues.reduce((sum, { usedOctets }) => sum + usedOctets, 0);
    assert.equal(inGroups, inQueues);
  });

  it('has what its link needs as headroom where that is auto', () => {
    const profile = 'switches.buffer.profiles.lossless.headroom=auto';
    const of = (...set: string[]): number => {
      const { margins } = run(fabricOf(EXAMPLE, profile, ...set));
      return margins.find(({ port, priority }) => port === 's1:p2' && priority === 3)!
        .headroomOctets;
    };
    // 100 m of 100 Gb/s there and back, 394 quanta of 64 octets (802.3 31B.3.7), in cells of 254.
    const waste = 254 / 84;
    const usual = of();
    assert.equal(usual % 254, 0);
    assert.ok(usual > (12_500 + 394 * 64) * waste && usual < (12_500 + 394 * 64 + 15_000) * waste);
    const longer = of('fabric.hostLink.length=200m');
    assert.ok(Math.abs(longer - usual - 12_500 * waste) <= 254);
  });

  it('loses a lossless frame when the shared headroom is used up, and not before', () => {
    const small = (octets: number) =>
      run(fabricOf(EXAMPLE, `switches.buffer.pools.ingress.headroom=${octets}`));
    const least = small(400_000);
    assert.equal(least.status, 'complete');
    const lost = small(100_000);
    assert.equal(lost.status, 'failed');
    assert.match(lost.failure!.reason, /its headroom was full/);
    // All that was lost was refused by a group or by a queue.
    const { groups = [], queues = [] } = lost.buffers[0]!;
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    const [byGroups, byQueues] = [groups, queues].map((own) =>
      sum(own.map(({ refusedFrames }) => refusedFrames)),
    );
    const drops = lost.priorities.flatMap((own) => Object.values(own.drops));
    assert.ok(byGroups! > 0);
    assert.equal(byGroups! + byQueues!, sum(drops));
    const used = lost.buffers[0]!.pools!.filter(({ pool }) => pool === 'headroom');
    // What is left of one slice is less than a frame.
    assert.ok(used.some(({ sizeOctets, peakOctets }) => sizeOctets! - peakOctets < 1270));
  });

  it('whose pool holds what nobody took is found by the ledger', () => {
    const fabric = fabricOf(EXAMPLE);
    const engine = wholeEngine(fabric);
    new Windows(engine, fabric.cluster).run(UNTIL_PS);
    assert.deepEqual(checkLedger(engine), []);
    const { firstPort } = engine.devices.find(({ spec }) => spec.name === 's1')!;
    engine.shared.buffer.pools.queued(firstPort, 0, 254);
    const wrong = checkLedger(engine).map(({ what }) => what);
    assert.ok(wrong.includes('octets charged to a queue = octets queued'));
  });
});
