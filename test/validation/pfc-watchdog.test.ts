import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import { stormHoldsNothing } from '../../services/mechanisms/pfc/invariants.js';
import { OPCODE_PFC } from '../../services/engine/wire/mac-control/opcodes.js';
import { macControlOpcode } from '../../services/engine/wire/mac-control/mac-control-header.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { pfcOf } from '../kit/pfc.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

const [DETECTION_PS, RESTORATION_PS] = [50e6, 50e6];

/** The ring of the example, with a watchdog in some of its switches. */
const ring = (watchdog: string): string => `
extends: ${process.cwd()}/examples/ring-deadlock.yaml
expect: [{ metric: deadlocks, min: 0 }]
${watchdog}
`;

function dropsOf({ priorities }: RunResults): Readonly<Record<string, number>> {
  return priorities[0]!.drops;
}

/** Actions of the watchdog of storm-watchdog.yaml, and pauses received by its port. */
class Witness extends NullProbe {
  readonly acted: { readonly on: boolean; readonly atPs: number }[] = [];
  blockedSincePs = 0;
  lastStopPs = 0;

  constructor(private readonly session: Session) {
    super();
    session.engine.listen(this);
  }

  private isWatched(device: number, port: number): boolean {
    return this.session.engine.devices[device]!.spec.ports[port]!.name === 's2:p1';
  }

  override blockedChanged(device: number, port: number, now: number, blocked: number): void {
    if (this.isWatched(device, port) && blocked !== 0) this.blockedSincePs = now;
  }

  override controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    const { engine } = this.session;
    const { devices } = engine;
    assert.ok(stormHoldsNothing(pfcOf(engine), devices[device]!.firstPort + port));
    const isPfc = macControlOpcode(octets, octets.length) === OPCODE_PFC;
    if (isPfc && this.isWatched(device, port)) this.lastStopPs = now;
  }

  override watchdogActed(
    device: number,
    port: number,
    now: number,
    _priority: number,
    on: boolean,
  ): void {
    assert.ok(this.isWatched(device, port));
    this.acted.push({ on, atPs: now });
  }
}

describe('a watchdog of PFC', () => {
  it('steps in and back at the picosecond that its two times say', () => {
    const session = new Session(fabricOf('examples/storm-watchdog.yaml'), { check: true });
    const witness = new Witness(session);
    while (session.advance(1000) === 'running');
    const [steppedIn, steppedBack] = witness.acted;
    assert.equal(witness.acted.length, 2);
    assert.deepEqual(steppedIn, { on: true, atPs: witness.blockedSincePs + DETECTION_PS });
    // Its last frame asks for 1000 quanta of 5.12 ns.
    const quietPs = witness.lastStopPs + 1000 * 5120;
    assert.deepEqual(steppedBack, { on: false, atPs: quietPs + RESTORATION_PS });
  });

  it('lets the victim of a broken NIC go on, and says what that costs', () => {
    const [without, with_] = ['storm', 'storm-watchdog'].map((name) =>
      runScenario(`examples/${name}.yaml`),
    ) as [RunResults, RunResults];
    const victim = (results: RunResults): number => flowOf(results, 'h4').frames;
    assert.ok(victim(with_) > 2 * victim(without));
    const [watch] = with_.watchdogs;
    assert.deepEqual(
      { port: watch!.port, peer: watch!.peer, action: watch!.action, storms: watch!.storms },
      { port: 's2:p1', peer: 'h3:p1', action: 'drop', storms: 1 },
    );
    assert.equal(with_.status, 'complete');
    assert.deepEqual(dropsOf(with_), { watchdog: watch!.droppedFrames });
    assert.deepEqual(without.watchdogs, []);
  });

  it('opens a cycle in which nothing would ever move again', () => {
    const delivered = (name: string): number =>
      runScenario(`examples/${name}.yaml`).priorities[0]!.deliveredFrames;
    assert.ok(delivered('ring-deadlock-watchdog') > 2 * delivered('ring-deadlock'));
  });

  it('names the cycle as open from the moment that it steps in', () => {
    const session = new Session(fabricOf('examples/ring-deadlock-watchdog.yaml'), { check: true });
    const opened: number[] = [];
    class Listener extends NullProbe {
      override watchdogActed(...[, , now, , on]: Parameters<NullProbe['watchdogActed']>): void {
        if (on) opened.push(now);
      }
    }
    session.engine.listen(new Listener());
    while (session.advance(1000) === 'running');
    const { deadlocks } = session.results('complete');
    assert.ok(deadlocks.length > 0);
    for (const { openedPs } of deadlocks) assert.ok(opened.includes(openedPs!));
  });

  it('that forwards turns the whole cycle without a loss', () => {
    const all = 'priorities: { 3: { watchdog: { detection: 100us, action: forward } } }';
    const results = runScenario(ring(all));
    assert.equal(results.status, 'complete');
    assert.deepEqual(dropsOf(results), {});
    assert.ok(results.watchdogs.every(({ action, storms }) => action === 'forward' && storms > 0));
    assert.equal(results.watchdogs.length, 5);
  });

  it('that forwards alone loses frames where no room is left, which is no failed headroom', () => {
    const one = `
devices:
  s1: { priorities: { 3: { watchdog: { detection: 100us, action: forward } } } }
`;
    const results = runScenario(ring(one));
    assert.equal(results.status, 'complete');
    assert.deepEqual(Object.keys(dropsOf(results)), ['overflow-by-watchdog']);
  });

  it('does not hide a headroom that is too small', () => {
    const short = `
priorities: { 3: { headroom: 2KB, watchdog: { detection: 100us, action: forward } } }
`;
    const results = runScenario(ring(short));
    assert.equal(results.status, 'failed');
    assert.ok(dropsOf(results)['headroom-exhausted']! > 0);
  });

  it('ignores pauses that are shorter than its time, and those for which no frame waits', () => {
    const patient = runScenario(ring('priorities: { 3: { watchdog: { detection: 490us } } }'));
    assert.deepEqual(patient.watchdogs, []);
    const idle = runScenario(`
fabric: { generator: star, hosts: 2 }
priorities: { 3: { flowControl: pfc, watchdog: { detection: 20us } } }
duration: 500us
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, bytes: 1KB, transport: raw }]
faults: [{ kind: storm, where: { device: h2 }, priority: 3, at: 50us, for: 300us }]
`);
    assert.deepEqual(idle.watchdogs, []);
  });

  it('drops only its own priority from a queue that several share', () => {
    const results = runScenario(`
fabric: { generator: star, hosts: 2, link: { rate: 10G, length: 5m } }
classes: { transmit: [0, 0, 0, 0, 0, 0, 0, 0] }
priorities: { 3: { flowControl: pfc, watchdog: { detection: 20us, restoration: 20us } } }
duration: 500us
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 3, rate: 4G, transport: raw }
  - { name: b, stream: { from: h1, to: h2 }, priority: 1, rate: 4G, transport: raw }
faults:
  - { kind: storm, where: { device: h2 }, priority: 3, quanta: 1000, at: 50us, for: 300us }
`);
    const [low, high] = results.priorities;
    assert.equal(low!.drops['watchdog'], undefined);
    assert.ok(high!.drops['watchdog']! > 10);
    assert.ok(low!.deliveredFrames > 2 * high!.deliveredFrames);
  });
});
