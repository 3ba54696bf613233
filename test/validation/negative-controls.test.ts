import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { POOL } from '../../services/engine/buffer/shared-buffer.js';
import { WORDS_SHIFT } from '../../services/mechanisms/credit/records.js';
import type { SfcSwitchSpec } from '../../services/mechanisms/sfc/spec.js';
import type { Session } from '../../services/runtime/session.js';
import { Session as RealSession } from '../../services/runtime/session.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { pfcOf } from '../kit/pfc.js';
import { fabricOf } from '../kit/emulate.js';
import { CbfcMechanism } from '../../services/mechanisms/cbfc/mechanism.js';
import { RX_CONSUMED } from '../../services/mechanisms/cbfc/machine.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

/** A checker that never went red is no evidence: each is shown a defect that it must notice. */

const SCENARIO = `
duration: 150us
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 100m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, xoff: 60KB } }
load:
  - { name: s, stream: { from: h2..h4, to: h1 }, rate: line, priority: 3 }
`;

function sessionOf(scenario: string, ...set: string[]): Session {
  return new RealSession(fabricOf(scenario, ...set), { check: true });
}

function finish(session: Session): RunResults {
  while (session.advance(1000) === 'running');
  return session.results('complete');
}

/** Runs half-way, damages the engine once, and runs to the end. */
function damaged(damage: (engine: Session['engine']) => void, ...set: string[]): RunResults {
  const session = sessionOf(SCENARIO, ...set);
  session.runTo(70e6);
  damage(session.engine);
  return finish(session);
}

/** A run without checks, damaged from its beginning: what is always on has to end it. */
function asserted(damage: (shared: Session['engine']['shared']) => void): RunResults {
  const session = new RealSession(fabricOf(SCENARIO), { check: false });
  damage(session.engine.shared);
  const results = finish(session);
  assert.equal(results.status, 'failed');
  assert.notEqual(results.failure!.device, '');
  assert.ok(results.failure!.timePs > 0);
  return results;
}

describe('negative controls', () => {
  it('the scenario is sound as it is', () => {
    const results = finish(sessionOf(SCENARIO));
    assert.equal(results.failure, null);
    assert.equal(results.status, 'complete');
  });

  it('headroom that is frames short loses a lossless frame and fails the run', () => {
    const results = finish(sessionOf(SCENARIO.replace('xoff: 60KB', 'xoff: 60KB, headroom: 9000')));
    assert.equal(results.status, 'failed');
    assert.match(results.failure!.reason, /lossless/);
    assert.equal(results.failure!.device, 's1');
    assert.ok(results.failure!.timePs > 0);
  });

  it('a control frame that is not counted is noticed', () => {
    const { failure } = damaged(({ devices, shared: { counters } }) => {
      const s1 = devices.find((device) => device.spec.name === 's1')!;
      counters.controlSent[s1.firstPort + 1]!--;
    });
    assert.match(failure!.reason, /control frames sent = received at the peer and in flight/);
  });

  it('an octet of memory released twice is noticed', () => {
    const { failure } = damaged((engine) => {
      const s1 = engine.devices.find((device) => device.spec.name === 's1')!;
      engine.shared.buffer.release(s1.firstPort + 1, 3, 1518);
    });
    assert.match(failure!.reason, /octets charged = octets stored/);
    assert.equal(failure!.device, 's1');
  });

  it('a port that is faster than its link is noticed', () => {
    const session = sessionOf(SCENARIO);
    const { ports } = session.engine.shared;
    const { octetPs } = ports;
    const s1 = session.engine.devices.find((device) => device.spec.name === 's1')!;
    ports.octetPs = (port) => octetPs(port) - (port === s1.firstPort ? 1 : 0);
    const { status, failure } = finish(session);
    assert.equal(status, 'failed');
    assert.match(failure!.reason, /sent more than its link carries|line was busy with another/);
    assert.equal(failure!.port, 's1:p1');
  });

  it('a port that was blocked for longer than the run is noticed', () => {
    const { failure } = damaged((engine) => {
      const pfc = pfcOf(engine);
      const blockedPs = pfc.blockedPs.bind(pfc);
      pfc.blockedPs = (port, priority, now) => blockedPs(port, priority, now) + 80e6;
    });
    assert.match(failure!.reason, /blocked for longer than the run/);
  });

  it('an octet of memory that is never released is noticed', () => {
    const { failure } = damaged((engine) => {
      const s1 = engine.devices.find((device) => device.spec.name === 's1')!;
      engine.shared.buffer.admit(s1.firstPort + 1, 3, 1, 0);
    });
    assert.match(failure!.reason, /octets charged = octets stored/);
  });

  it('books are compared at the end of a run without checks, too', () => {
    const session = new RealSession(fabricOf(SCENARIO), { check: false });
    session.runTo(70e6);
    const { engine } = session;
    const s1 = engine.devices.find((device) => device.spec.name === 's1')!;
    engine.shared.buffer.admit(s1.firstPort + 1, 3, 1, 0);
    const { status, failure } = finish(session);
    assert.equal(status, 'failed');
    assert.match(failure!.reason, /octets charged = octets stored/);
    assert.equal(failure!.device, 's1');
  });

  it('a frame that vanishes from a queue is noticed', () => {
    const { failure } = damaged((engine) => {
      const s1 = engine.devices.find((device) => device.spec.name === 's1')!;
      engine.shared.queues.shift(s1.firstPort, 3);
    });
    assert.match(failure!.reason, /frames in = frames out, dropped, consumed and buffered/);
  });

  it('a frame record that leaks is noticed', () => {
    const { failure } = damaged((engine) => void engine.shared.pool.allocate());
    assert.match(failure!.reason, /frame records in use/);
  });

  it('a frame record released twice ends the run, with every check off, too', () => {
    const { failure } = asserted(({ pool }) => {
      const release = pool.release.bind(pool);
      let released = 0;
      pool.release = (frame) => {
        release(frame);
        if (++released === 1000) release(frame);
      };
    });
    assert.match(failure!.reason, /^assertion pool\.release failed: a frame record is given back/);
  });

  it('memory of which too much is given back ends the run, too', () => {
    const { failure } = asserted(({ buffer }) => {
      const release = buffer.release.bind(buffer);
      buffer.release = (port, group, stored) => {
        release(port, group, stored + 9);
      };
    });
    assert.match(failure!.reason, /^assertion buffer\.release failed/);
  });

  it('an arbiter that chooses a class without a frame ends the run, too', () => {
    const session = new RealSession(fabricOf(SCENARIO), { check: false });
    for (const { arbiters } of session.engine.devices) {
      for (const own of arbiters) own.pick = (): number => 5;
    }
    assert.match(finish(session).failure!.reason, /^assertion arbiter\.choice failed/);
  });

  it('time that runs back in a device ends the run, too', () => {
    const { failure } = asserted(({ inFlightQueues, pool, ports }) => {
      const push = inFlightQueues.push.bind(inFlightQueues);
      inFlightQueues.push = (port, frame) => {
        if (port === ports.count - 1) pool.setArrival(frame, 1);
        return push(port, frame);
      };
    });
    assert.match(
      failure!.reason,
      /^assertion (link\.occupied|(arrival|timer|transmission)\.past) failed/,
    );
  });

  it('a counter that counts a frame twice is noticed', () => {
    const { failure } = damaged((engine) => {
      engine.shared.counters.received(engine.devices[0]!.firstPort, 3, 1518);
    });
    assert.match(
      failure!.reason,
      /sent, and repeated by faults = received at the peer and in flight/,
    );
  });

  it('a port that forgets a stop and sends is noticed', () => {
    const { failure } = damaged((engine) => {
      const { ports } = engine.shared;
      // From now on the port's gates are cleared behind the mechanism's back at every change.
      const h2 = engine.devices.find((device) => device.spec.name === 'h2')!;
      const hold = engine.hold.bind(engine);
      engine.hold = (gate, port, priorities) => {
        hold(gate, port, priorities);
        if (port === h2.firstPort) ports.hold(gate, port, 0);
      };
    });
    assert.match(failure!.reason, /started while its priority was paused/);
    assert.equal(failure!.device, 'h2');
  });

  it('a fabric that stands still is noticed', () => {
    // Five switches in a ring, every flow two hops clockwise: each waits for the next one.
    const hop = (from: number): string => `h${from}`;
    const links = [1, 2, 3, 4, 5].flatMap((s) => [
      `    - { between: [${hop(s)}, s${s}], rate: 100G, length: 10m }`,
      `    - { between: [s${s}, s${(s % 5) + 1}], rate: 100G, length: 10m }`,
    ]);
    const devices = [1, 2, 3, 4, 5].flatMap((s) => [
      `    - { name: h${s}, kind: host }`,
      `    - { name: s${s}, kind: switch }`,
    ]);
    const ring = `
fabric:
  devices:
${devices.join('\n')}
  links:
${links.join('\n')}
switches: { buffer: { size: 1MB } }
priorities: { 3: { flowControl: pfc, xoff: 20KB } }
load:
  - { name: s, stream: { from: [h1, h2, h3, h4, h5], to: [h3, h4, h5, h1, h2] }, rate: line, bytes: 2MB, priority: 3 }
`;
    const unchecked = finish(new RealSession(fabricOf(ring), { check: false }));
    assert.equal(unchecked.status, 'deadlocked');
    assert.match(unchecked.failure!.reason, /^deadlock: s1:p\d waits for /);
    // With every check on it does not take so long.
    const checked = finish(sessionOf(ring));
    assert.match(checked.failure!.reason, /^deadlock: s1:p\d waits for s2:p\d waits for .* round$/);
    assert.ok(checked.failure!.timePs < unchecked.failure!.timePs);
    const known = `${ring}expect: [{ metric: deadlocks, min: 0 }]\nduration: 1ms\n`;
    assert.equal(finish(sessionOf(known)).status, 'deadlocked');
  });

  for (const transport of ['raw', 'reliable']) {
    it(`a frame that overtakes another of its flow is noticed (${transport})`, () => {
      const { failure } = damaged(({ shared, devices }) => {
        const s1 = devices.find(({ spec }) => spec.name === 's1')!;
        const { queues } = shared;
        const waiting: number[] = [];
        queues.forEach(s1.firstPort, (frame) => waiting.push(frame));
        queues.relink(s1.firstPort, 3, waiting.reverse());
      }, `load.0.transport=${transport}`);
      assert.match(failure!.reason, /overtaken by a later one of its flow/);
      assert.equal(failure!.device, 'h1');
    });
  }

  it('time that runs back is noticed', () => {
    const { failure } = damaged(({ shared, devices }) => {
      const h1 = devices.find(({ spec }) => spec.name === 'h1')!;
      const frame = shared.inFlightQueues.head(h1.firstPort);
      shared.pool.setArrival(frame, 50e6);
      shared.arrivals.set(h1.place, h1.firstPort, 50e6);
      shared.horizon[h1.place] = 50e6;
    });
    assert.match(failure!.reason, /virtual time ran back|assertion receiver\./);
    assert.equal(failure!.device, 'h1');
  });

  const highest = (eligible: number): number => 31 - Math.clz32(eligible);
  const lowest = (eligible: number): number => highest(eligible & -eligible);
  for (const [arbiter, wrong, reason] of [
    ['{ ets: { 1: 30%, 2: 70% } }', highest, /a class got more than its share/],
    ['{ dwrr: { 1: 3, 2: 7 } }', highest, /a class got more than its share/],
    ['round-robin', lowest, /a class got more than its share/],
    ['strict', lowest, /a class went before one that goes first/],
  ] as const) {
    it(`a class with more than its share of ${arbiter} is noticed`, () => {
      const shared = (): Session =>
        sessionOf(`
duration: 150us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
classes: { arbiter: ${arbiter} }
priorities: { 1: pfc, 2: pfc }
load:
  - { name: a, stream: { from: h2, to: h1 }, priority: 1, transport: raw }
  - { name: b, stream: { from: h3, to: h1 }, priority: 2, transport: raw }
`);
      assert.equal(finish(shared()).failure, null);
      const session = shared();
      for (const { arbiters } of session.engine.devices) {
        for (const own of arbiters) own.pick = wrong;
      }
      assert.match(finish(session).failure!.reason, reason);
    });
  }

  const QUICK = SCENARIO.replace('xoff: 60KB', 'xoff: 60KB, quanta: 300');

  it('a pause that ends early is noticed, although its mechanism knows of none', () => {
    assert.equal(finish(sessionOf(QUICK)).failure, null);
    const session = sessionOf(QUICK);
    const { responder } = pfcOf(session.engine);
    const load = responder.load.bind(responder);
    responder.load = (port, timer, quanta) => {
      load(port, timer, Math.floor(quanta / 10));
    };
    assert.match(finish(session).failure!.reason, /a frame started before its pause was over/);
  });

  it('a stop that stands and is not repeated is noticed', () => {
    const session = sessionOf(QUICK);
    const initiator = pfcOf(session.engine).initiator as unknown as {
      refreshArmed: Uint8Array;
      onTimer(port: number): void;
    };
    initiator.onTimer = (port) => {
      initiator.refreshArmed[port] = 0;
    };
    assert.match(finish(session).failure!.reason, /a pause is not refreshed/);
  });

  it('a receiver that counts more units than are stored is noticed', () => {
    const session = sessionOf(SCENARIO.replace('{ flowControl: pfc, xoff: 60KB }', 'credit'));
    session.runTo(70e6);
    const { receiver, accounts } = mechanismOf(session.engine);
    const s1 = session.engine.devices.find(({ spec }) => spec.name === 's1')!;
    const row = accounts.row(s1.firstPort + 1, 0, 3);
    receiver.storeCopy(row, 1000);
    const reason =
      /units of frames stored = units that receivers count|more credit than the buffer/;
    assert.match(finish(session).failure!.reason, reason);
  });

  it('a pool that is fuller than its size is noticed', () => {
    const { failure } = damaged(({ shared: { buffer } }) => {
      const memoryOf = buffer.memoryOfDevice;
      buffer.memoryOfDevice = (device, field) => (field === POOL ? 0 : memoryOf(device, field));
    });
    assert.match(failure!.reason, /octets of the pool beyond its size/);
  });

  it('credit that was never granted is noticed', () => {
    const session = sessionOf(SCENARIO.replace('{ flowControl: pfc, xoff: 60KB }', 'credit'));
    const { sender } = mechanismOf(session.engine);
    const spend = sender.spend.bind(sender);
    sender.spend = (row, units) => {
      spend(row, units - 1);
    };
    assert.match(finish(session).failure!.reason, /credit/);
  });

  it('a link that does not recover within its bound is noticed', () => {
    const lossy = `${SCENARIO.replace('{ flowControl: pfc, xoff: 60KB }', 'credit')}
credit: { counts: incremental }
faults:
  - kind: control
    where: { device: h2 }
    frames: ce-grant
    action: lose
    probability: 50%
    at: 20us
    for: 50us
    recover: 20us
`;
    const { failure } = finish(sessionOf(lossy));
    assert.match(failure!.reason, /no recovery in time: .* credit are lost/);
  });
});

describe('what the ends of a link negotiate', () => {
  it('is the same: an end that exchanges grants which the other does not is noticed', () => {
    const text = `
fabric: { generator: pair }
duration: 60us
priorities: { 3: credit }
discovery: { second: 100ns }
load: [ { stream: { from: h1, to: h2 }, priority: 3, start: 10us, bytes: 10KB } ]
`;
    assert.equal(finish(sessionOf(text)).failure, null);
    const session = sessionOf(text);
    session.runTo(40e6);
    session.engine.discovery.ports[0]!.starts[3] = 'none';
    assert.match(
      finish(session).failure!.reason,
      /^the ends of a link negotiated different grants$/,
    );
  });
});

describe('work of a link', () => {
  const SHARED = `
fabric: { generator: dumbbell, left: 1, right: 2 }
duration: 200us
priorities: { 5: { flowControl: pfc, sfc: true } }
classes: { arbiter: { ets: { 4: 90%, 5: 10% } } }
load: [ { stream: { from: [ h2, h3 ], to: h1 }, priority: 5 } ]
`;

  it('that is left undone while its sources are paused is noticed', () => {
    assert.equal(finish(sessionOf(SHARED)).failure, null);
    const session = sessionOf(SHARED);
    for (const { spec } of session.engine.devices) {
      const own = spec.kind === 'switch' ? spec.slices['sfc'] : undefined;
      // Ten times as long as the queue takes: as if it had its configured share alone.
      for (const port of (own as SfcSwitchSpec | undefined)?.ports ?? []) {
        (port as { octetPs: number }).octetPs *= 10;
      }
    }
    const { failure } = finish(session);
    assert.match(failure!.reason, /^a host was paused for .* every port on its way was idle$/);
    assert.match(failure!.device, /^h[23]$/);
  });

  it("is no one's fault where another class had most of the link when the pause was stated", () => {
    const text = `
duration: 250us
fabric: { generator: star, hosts: 4, link: { rate: 10G, length: 1m } }
switches: { arbiter: { ets: { 0: 10%, 7: 90% } } }
priorities: { 0: { flowControl: pfc, sfc: true } }
load:
  - { incast: { from: [h1, h2], to: h4 }, bytes: 30000, priority: 7 }
  - { stream: { from: [h1, h2, h3], to: h4 }, priority: 0 }
`;
    assert.equal(finish(sessionOf(text)).failure, null);
  });
});

describe('credits of CBFC', () => {
  const cbfc = SCENARIO.replace('{ flowControl: pfc, xoff: 60KB }', 'cbfc');

  /** Some of the frames that s1 receives from h2 are never counted. */
  const leaking = (cc: string): RunResults => {
    const session = sessionOf(cbfc, 'cbfc.ccInterval=' + cc);
    const { port } = endOf(session);
    const { receiver } = cbfcOf(session).portAt(port)!;
    const at = receiver.at(3);
    session.runTo(70e6);
    receiver.words[at + RX_CONSUMED]! -= 12;
    return finish(session);
  };

  it('are all freed, stored or under way', () => {
    assert.equal(finish(sessionOf(cbfc)).failure, null);
  });

  for (const cc of ['256us', '1us']) {
    it(`that leak although nothing was lost are noticed (CC_Update every ${cc})`, () => {
      const { failure } = leaking(cc);
      assert.match(
        failure!.reason,
        /a link is out of balance: cbfc\.(creditsDoNotLeak|noneIsLost)/,
      );
      assert.equal(failure!.device, 's1');
    });
  }
});

function endOf({ engine }: Session): { readonly port: number } {
  const s1 = engine.devices.find((device) => device.spec.name === 's1')!;
  return { port: s1.firstPort + 1 };
}

function cbfcOf({ engine }: Session): CbfcMechanism {
  return engine.mechanisms.find((own): own is CbfcMechanism => own instanceof CbfcMechanism)!;
}

/** The least of its kind that goes wrong: a device that writes row 0, whosever that is. */
function writesRowZero(session: Session): void {
  const credit = mechanismOf(session.engine);
  const { words } = credit.accounts.records;
  const { sender } = credit;
  const spend = sender.spend.bind(sender);
  sender.spend = (row, units): void => {
    spend(row, units);
    // The peak of occupancy, which only results show: nothing else goes wrong.
    if (row !== 0) words[(1 << WORDS_SHIFT) - 1]!++;
  };
}

describe('rows of devices', () => {
  const credit = SCENARIO.replace('{ flowControl: pfc, xoff: 60KB }', 'credit');
  const ran = (checkRows: boolean, damage: (session: Session) => void): RunResults => {
    const session = new RealSession(fabricOf(credit, 'duration=20us'), { check: true, checkRows });
    damage(session);
    return finish(session);
  };

  it('are changed by their own device only, and a run that is watched is the same', () => {
    const watched = ran(true, () => undefined);
    assert.equal(watched.failure, null);
    assert.deepEqual(
      watched,
      ran(false, () => undefined),
    );
  });

  it('of another device that are changed fail a run that is watched, with both names', () => {
    assert.equal(ran(false, writesRowZero).failure, null);
    const { failure } = ran(true, writesRowZero);
    assert.match(
      failure!.reason,
      /^assertion rows\.foreign failed: a device changed a row of another device: a row of h1, by credit \((h[2-4]|s1), at \d+ ps\)$/,
    );
    assert.notEqual(failure!.device, 'h1');
    assert.ok(failure!.timePs >= 0);
  });

  for (const name of ['discovery-credit-change', 'mixed-methods', 'reboot-leaf', 'nic-pools']) {
    it(`are changed by their own device only: ${name}`, () => {
      const fabric = fabricOf(`examples/${name}.yaml`, 'duration=60us');
      const session = new RealSession(fabric, { check: true, checkRows: true });
      assert.equal(finish(session).failure, null);
    });
  }
});
