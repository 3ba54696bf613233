import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import type { FaultRequest } from '../../services/runtime/live-faults.js';
import { LiveFaults } from '../../services/runtime/live-faults.js';
import { Session } from '../../services/runtime/session.js';
import { ROOT, run } from '../kit/emulate.js';

const AT_PS = 30e6;

function underway(example: string): { session: Session; live: LiveFaults } {
  const loaded = loadScenario(join(ROOT, 'examples', example));
  const live = new LiveFaults(loaded, buildFabric(loaded));
  const session = new Session(live.fabric, { check: true });
  session.runTo(AT_PS);
  return { session, live };
}

function request(session: Session, live: LiveFaults, wanted: FaultRequest): number {
  live.check(wanted);
  const { step, change } = live.take(wanted, session.boundPs);
  session.change(change, live.fabric);
  return step.atPs;
}

function digestOf(session: Session): string {
  while (session.advance(1000) === 'running');
  return session.results('complete').digest;
}

const INJECTED: readonly (readonly [string, FaultRequest])[] = [
  [
    'chaos.yaml',
    { kind: 'inject', fault: { kind: 'link-down', for: '5us', where: { kind: 'host' } } },
  ],
  [
    'incast-pfc.yaml',
    { kind: 'inject', fault: { kind: 'freeze', for: '7us', where: { device: 'h1' } } },
  ],
  [
    'incast-pfc.yaml',
    {
      kind: 'inject',
      fault: {
        kind: 'loss',
        probability: '5%',
        at: '40us',
        for: '9us',
        every: '20us',
        random: true,
      },
    },
  ],
  [
    'incast-credit.yaml',
    { kind: 'inject', fault: { kind: 'steal-credit', size: '6KB', interval: '5us' } },
  ],
  [
    'slow-receiver.yaml',
    { kind: 'inject', fault: { kind: 'host-pause', for: '9us', where: { device: 'h3' } } },
  ],
  [
    'incast-pfc.yaml',
    { kind: 'inject', fault: { kind: 'host-pause', for: '20us', where: { device: 'h1' } } },
  ],
  [
    'incast-credit.yaml',
    { kind: 'inject', fault: { kind: 'slow-receiver', rate: '10G', where: { device: 'h1' } } },
  ],
  [
    'incast-sfc.yaml',
    {
      kind: 'inject',
      fault: {
        ...{ kind: 'forge', frames: 'sfcm', to: 'h3', interval: '5us', for: '40us' },
        where: { device: 'h1' },
      },
    },
  ],
  ['flap.yaml', { kind: 'clear', name: 'flap' }],
];

describe('a fault that is injected into a run', () => {
  for (const [example, wanted] of INJECTED) {
    const what = wanted.kind === 'clear' ? 'cleared' : String(wanted.fault['kind']);
    it(`does what it would have done, had ${example} declared it: ${what}`, () => {
      const { session, live } = underway(example);
      const plain = run(buildFabric(loadScenario(join(ROOT, 'examples', example)))).digest;
      const atPs = request(session, live, wanted);
      assert.ok(atPs >= AT_PS);
      const digest = digestOf(session);
      assert.equal(run(buildFabric(live.loaded)).digest, digest);
      assert.notEqual(digest, plain);
    });
  }

  it('is over at its end, after all of its times, or when it is cleared', () => {
    const { session, live } = underway('incast-pfc.yaml');
    const freeze = { kind: 'freeze', for: '7us', where: { device: 'h1' } };
    const faults = [freeze, { ...freeze, every: '20us', times: 3 }, { ...freeze, for: undefined }];
    const starts = faults.map((fault) => request(session, live, { kind: 'inject', fault }));
    const ends = (): number[] => live.list().map(({ untilPs }) => untilPs);
    assert.deepEqual(ends(), [starts[0]! + 7e6, starts[1]! + 2 * 20e6 + 7e6, Infinity]);
    const clearedPs = request(session, live, { kind: 'clear', name: live.list()[2]!.name });
    assert.equal(ends()[2], clearedPs);
  });

  it('is part of what is saved, and goes on from there', () => {
    const { session, live } = underway('incast-pfc.yaml');
    request(session, live, {
      kind: 'inject',
      fault: { kind: 'delay', delay: '1us', jitter: '1us' },
    });
    session.runTo(2 * AT_PS);
    const state = session.save();
    const expected = digestOf(session);
    const other = new Session(live.fabric, { check: false });
    other.restore(state);
    assert.equal(digestOf(other), expected);
  });

  it('is refused where the scenario would be', () => {
    const { live } = underway('incast-pfc.yaml');
    const refuse = (fault: Record<string, unknown>, reason: RegExp): void => {
      assert.throws(() => {
        live.check({ kind: 'inject', fault });
      }, reason);
    };
    refuse({ kind: 'lost' }, /^ScenarioError: injected fault: faults\.0\.kind: /);
    refuse({ kind: 'loss' }, /^ScenarioError: injected fault: loss needs probability/);
    refuse({ kind: 'freeze', where: { device: 'h99' } }, /no port matches/);
    refuse({ kind: 'host-pause', where: { device: 's1' } }, /hits has a plain NIC/);
    assert.throws(() => {
      live.check({ kind: 'clear', name: 'fault7' });
    }, /no fault is called fault7; there are: none/);
  });
});
