import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  IngressBuffers,
  MechanismHost,
} from '../../../services/engine/contract/flow-control.js';
import type { OperatingPort } from '../../../services/engine/contract/discovery.js';
import { wholePortPausing } from '../../../services/engine/contract/pausing.js';
import type { MechanismTools } from '../../../services/engine/contract/slice.js';
import type { PausingSpec, PortSpec } from '../../../services/engine/contract/spec.js';
import { rateOfBps } from '../../../services/engine/units/rates.js';
import { PFC_RESPONSE_MOST_PS } from '../../../services/mechanisms/pfc/check.js';
import { PauseMechanism } from '../../../services/mechanisms/pfc/pause-mechanism.js';
import { groupPriorities, groupsOf } from '../../../services/mechanisms/pfc/machine.js';
import { PfcMechanism } from '../../../services/mechanisms/pfc/mechanism.js';
import { Clock } from '../../../services/engine/kernel/clock.js';
import { Tables } from '../../../services/engine/kernel/tables.js';
import { makePorts } from '../../../services/engine/port/ports.js';
import {
  blankPauseFrame,
  decodePause,
  encodePause,
} from '../../../services/engine/wire/mac-control/pause-frame.js';
import {
  blankPfcFrame,
  decodePfc,
  encodePfc,
} from '../../../services/engine/wire/mac-control/pfc-frame.js';

const OCTET_PS = 80;
const QUANTUM_PS = 64 * OCTET_PS;
const OWN_MAC = 0x020000000001;
const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];

/** A device with one port that keeps what its mechanism asks of it. */
class FakeHost implements MechanismHost {
  readonly clock = new Clock();
  blocked = 0;
  requests = 0;
  due = false;
  readonly timers: { readonly timer: number; readonly time: number }[] = [];

  hold(_gate: number, _port: number, priorities: number): void {
    this.blocked = priorities;
  }
  requestControl(): void {
    this.requests++;
    this.due = true;
  }
  controlDue(): boolean {
    return this.due;
  }
  arm(_client: number, _port: number, timer: number, time: number): void {
    this.timers.push({ timer, time });
  }
  disarm(_client: number, _port: number, timer: number, time: number): void {
    const at = this.timers.findIndex((armed) => armed.timer === timer && armed.time === time);
    assert.ok(at >= 0, 'it was armed');
    this.timers.splice(at, 1);
  }
  wake(): void {}
  repeat(): void {}
  wakeAt(): void {}
  dropKept(): void {}
  announceStop(): void {}

  readonly hasListeners = new Uint8Array(1);

  announceNotice(): void {}
  announceQueue(): void {}
  announceGrantStep(): void {}

  announceShort(): void {}
}

/** Accounts that are over or under as the test says. */
class FakeAccounts implements IngressBuffers {
  over = new Set<number>();
  readonly stopped = new Set<number>();

  atXoff(_port: number, group: number): boolean {
    return this.over.has(group);
  }
  atXon(_port: number, group: number): boolean {
    return !this.over.has(group);
  }
  setPaused(_port: number, group: number, stopped: boolean): void {
    if (stopped) this.stopped.add(group);
    else this.stopped.delete(group);
  }
}

function portSpec(overrides: Partial<PortSpec>): PortSpec {
  return {
    name: 's1:p1',
    octetPs: OCTET_PS,
    latencyPs: 0,
    mac: OWN_MAC,
    classOf: IDENTITY,
    groupOf: IDENTITY,
    arbiter: { kind: 'strict' },
    pausing: null,
    grants: null,
    discovery: null,
    faults: [],
    ...overrides,
  };
}

const STOP = { quanta: 1000, refreshFraction: 0.5, responseDelayPs: 0 };
function pfcOn(priorities: number): PausingSpec {
  return { ...wholePortPausing(STOP), mechanism: 'pfc', priorities, wholePort: false };
}

function bench(spec: PortSpec): {
  host: FakeHost;
  accounts: FakeAccounts;
  pfc: PfcMechanism;
  pause: PauseMechanism;
} {
  const tables = new Tables({ device: 1, port: 1, send: 0, receive: 0 });
  const [host, accounts, ports] = [new FakeHost(), new FakeAccounts(), makePorts(tables)];
  ports.configure(0, 0, spec, 0, false);
  const tools = { tables, host, accounts, ports } as unknown as MechanismTools;
  const pause = new PauseMechanism({ ...tools, slot: 0 });
  const pfc = new PfcMechanism({ ...tools, slot: 1 });
  for (const mechanism of [pause, pfc]) mechanism.configurePort(0, spec);
  return { host, accounts, pfc, pause };
}

function pfcOctets(enableVector: number, quanta: readonly number[]): Uint8Array {
  const frame = { ...blankPfcFrame(), source: 2, enableVector, quanta: Uint16Array.from(quanta) };
  const octets = new Uint8Array(64);
  return octets.subarray(0, encodePfc(octets, 0, frame));
}

describe('PFC, responding', () => {
  const spec = portSpec({ pausing: pfcOn(0b0001_1000) });

  it('holds a named priority for its time, lets the others go, and a new time replaces the old', () => {
    const { host, pfc } = bench(spec);
    const first = pfcOctets(0b1000, [0, 0, 0, 100, 0, 0, 0, 0]);
    assert.ok(pfc.receiveControl(0, first, first.length));
    assert.equal(host.blocked, 0b1000);
    assert.equal(pfc.holdReason(0, 3)!.untilPs, 100 * QUANTUM_PS);
    assert.equal(pfc.holdReason(0, 4), null);
    host.clock.now = 40 * QUANTUM_PS;
    const second = pfcOctets(0b1000, [0, 0, 0, 10, 0, 0, 0, 0]);
    pfc.receiveControl(0, second, second.length);
    assert.equal(pfc.holdReason(0, 3)!.untilPs, 50 * QUANTUM_PS);
  });

  it('lets go when the time is over, and not at the time of a stop that was replaced', () => {
    const { host, pfc } = bench(spec);
    const stop = pfcOctets(0b1000, [0, 0, 0, 100, 0, 0, 0, 0]);
    pfc.receiveControl(0, stop, stop.length);
    host.clock.now = 60 * QUANTUM_PS;
    pfc.receiveControl(0, stop, stop.length);
    const [armed, ...others] = host.timers.splice(0);
    assert.deepEqual(others, []);
    assert.equal(armed!.time, 160 * QUANTUM_PS);
    assert.equal(host.blocked, 0b1000);
    host.clock.now = armed!.time;
    pfc.onTimer(0, armed!.timer);
    assert.equal(host.blocked, 0);
    assert.equal(pfc.blockedPs(0, 3, host.clock.now), 160 * QUANTUM_PS);
    assert.equal(pfc.holdCount(0, 3), 1);
    pfc.receiveControl(0, stop, stop.length);
    const release = pfcOctets(0b1000, [0, 0, 0, 0, 0, 0, 0, 0]);
    pfc.receiveControl(0, release, release.length);
    assert.deepEqual(host.timers, []);
  });

  it('lets go at once on time zero, and leaves alone what a frame does not name', () => {
    const { host, pfc } = bench(spec);
    const both = pfcOctets(0b11000, [0, 0, 0, 9, 9, 0, 0, 0]);
    pfc.receiveControl(0, both, both.length);
    assert.equal(host.blocked, 0b11000);
    const release = pfcOctets(0b1000, [0, 0, 0, 0, 0, 0, 0, 0]);
    pfc.receiveControl(0, release, release.length);
    assert.equal(host.blocked, 0b10000);
  });

  it('ignores priorities for which it does not run', () => {
    const { host, pfc } = bench(spec);
    const stop = pfcOctets(0b1, [9, 0, 0, 0, 0, 0, 0, 0]);
    assert.ok(pfc.receiveControl(0, stop, stop.length));
    assert.equal(host.blocked, 0);
  });
});

describe('PFC, asking', () => {
  const spec = portSpec({ pausing: pfcOn(0b0001_1000) });

  it('restates every stop in each frame, and names a release once', () => {
    const { accounts, pfc } = bench(spec);
    const octets = new Uint8Array(64);
    const said = (): { enable: number; quanta: number[] } => {
      const frame = blankPfcFrame();
      assert.equal(decodePfc(octets.subarray(0, pfc.compose(0, 1e6, octets)), 0, frame), 'ok');
      assert.equal(frame.source, OWN_MAC);
      return { enable: frame.enableVector, quanta: [...frame.quanta.slice(3, 5)] };
    };
    accounts.over.add(3);
    pfc.admitted(0, 3);
    assert.deepEqual(said(), { enable: 0b1000, quanta: [1000, 0] });
    accounts.over.add(4);
    pfc.admitted(0, 4);
    assert.deepEqual(said(), { enable: 0b11000, quanta: [1000, 1000] });
    accounts.over.delete(3);
    pfc.released(0, 3);
    assert.deepEqual(said(), { enable: 0b11000, quanta: [0, 1000] });
    assert.deepEqual(said(), { enable: 0b10000, quanta: [0, 1000] });
    assert.deepEqual([...accounts.stopped], [4]);
  });

  it('asks once when an account goes over, and again after half the time', () => {
    const { host, accounts, pfc } = bench(spec);
    accounts.over.add(3);
    pfc.admitted(0, 3);
    pfc.admitted(0, 3);
    assert.equal(host.requests, 1);
    pfc.compose(0, 700, new Uint8Array(64));
    const [refresh] = host.timers.splice(0);
    assert.equal(refresh!.time, 700 + 500 * QUANTUM_PS);
    host.clock.now = refresh!.time;
    pfc.onTimer(0, refresh!.timer);
    assert.equal(host.requests, 2);
    pfc.compose(0, refresh!.time + 700, new Uint8Array(64));
    assert.equal(host.timers.length, 1);
    accounts.over.delete(3);
    pfc.released(0, 3);
    assert.deepEqual(host.timers, []);
  });

  it('sends nothing for a remote stop that expires before the wire is free', () => {
    const { host, pfc } = bench(spec);
    pfc.stopFor(0, 3, 10 * QUANTUM_PS);
    assert.equal(host.requests, 1);
    const [expiry] = host.timers.splice(0);
    host.clock.now = expiry!.time;
    pfc.onTimer(0, expiry!.timer);
    assert.equal(pfc.compose(0, 0, new Uint8Array(64)), 0);
    assert.equal(pfc.stopsSent(0, 3), 0);
  });

  it('restates remote stops when the link is up again, and ends them with PFC', () => {
    const { host, pfc } = bench(spec);
    const octets = new Uint8Array(64);
    const frame = blankPfcFrame();
    const said = (): number[] => {
      assert.equal(decodePfc(octets.subarray(0, pfc.compose(0, 1e6, octets)), 0, frame), 'ok');
      return [frame.enableVector, frame.quanta[3]!];
    };
    pfc.stopFor(0, 3, 10 * QUANTUM_PS);
    assert.deepEqual(said(), [0b1000, 10]);
    assert.ok(pfc.isStopping(0));
    host.clock.now = 4 * QUANTUM_PS;
    pfc.linkUp(0);
    assert.equal(host.requests, 2);
    assert.deepEqual(said(), [0b1000, 6]);
    pfc.operate(0, { pfc: 0b10000 } as OperatingPort);
    assert.ok(!pfc.isStopping(0));
    assert.equal(host.requests, 3);
    assert.deepEqual(said(), [0b1000, 0]);
  });

  it('names all priorities of a group together', () => {
    const groupOf = [0, 1, 2, 3, 3, 5, 6, 7];
    const { accounts, pfc } = bench(portSpec({ groupOf, pausing: pfcOn(0b11000) }));
    accounts.over.add(3);
    pfc.admitted(0, 3);
    const octets = new Uint8Array(64);
    const frame = blankPfcFrame();
    decodePfc(octets.subarray(0, pfc.compose(0, 1e6, octets)), 0, frame);
    assert.equal(frame.enableVector, 0b11000);
  });
});

describe('PAUSE', () => {
  const pauseOctets = (quanta: number, destination?: number): Uint8Array => {
    const blank = blankPauseFrame();
    const frame = { ...blank, source: 2, quanta, destination: destination ?? blank.destination };
    const octets = new Uint8Array(64);
    return octets.subarray(0, encodePause(octets, 0, frame));
  };

  it('holds every priority, at the group address and at its own, but not at another', () => {
    for (const destination of [undefined, OWN_MAC]) {
      const { host, pause } = bench(portSpec({ pausing: wholePortPausing(STOP) }));
      const stop = pauseOctets(5, destination);
      assert.ok(pause.receiveControl(0, stop, stop.length));
      assert.equal(host.blocked, 0xff);
    }
    const { host, pause } = bench(portSpec({ pausing: wholePortPausing(STOP) }));
    const foreign = pauseOctets(5, 0x020000000009);
    assert.ok(!pause.receiveControl(0, foreign, foreign.length));
    assert.equal(host.blocked, 0);
  });

  it('is ignored by a port that runs PFC', () => {
    const { host, pause } = bench(portSpec({ pausing: pfcOn(8) }));
    const stop = pauseOctets(5);
    assert.ok(pause.receiveControl(0, stop, stop.length));
    assert.equal(host.blocked, 0);
  });

  it('asks with its full time while its account is over, and with zero when it is not', () => {
    const { accounts, pause } = bench(portSpec({ pausing: wholePortPausing(STOP) }));
    const octets = new Uint8Array(64);
    const said = (): number => {
      const frame = blankPauseFrame();
      decodePause(octets.subarray(0, pause.compose(0, 1e6, octets)), 0, frame);
      return frame.quanta;
    };
    accounts.over.add(0);
    pause.admitted(0, 0);
    assert.equal(said(), 1000);
    accounts.over.delete(0);
    pause.released(0, 0);
    assert.equal(said(), 0);
  });
});

describe('a frame that neither knows', () => {
  it('is claimed by no mechanism', () => {
    const { pfc, pause } = bench(portSpec({ pausing: wholePortPausing(STOP) }));
    const octets = new Uint8Array(60);
    assert.ok(!pfc.receiveControl(0, octets, octets.length));
    assert.ok(!pause.receiveControl(0, octets, octets.length));
  });
});

it('the response limit of PFC is 12 quanta at 10 Gb/s and 480 at 400 Gb/s', () => {
  assert.equal(12 * rateOfBps(10e9)!.pauseQuantumPs, PFC_RESPONSE_MOST_PS);
  assert.equal(480 * rateOfBps(400e9)!.pauseQuantumPs, PFC_RESPONSE_MOST_PS);
});

it('the groups of priorities are those alone that have one of them', () => {
  const groupOf = [0, 0, 2, 2, 2, 5, 5, 7];
  const prioritiesOf = groupPriorities({ groupOf } as unknown as PortSpec, 0b0111_1110);
  assert.deepEqual([...prioritiesOf], [0b10, 0, 0b1_1100, 0, 0, 0b110_0000, 0, 0]);
  assert.equal(groupsOf(prioritiesOf, 0), 0);
  assert.equal(groupsOf(prioritiesOf, 0b1000), 1 << 2);
  assert.equal(groupsOf(prioritiesOf, 0b100_0010), (1 << 5) | 1);
});
