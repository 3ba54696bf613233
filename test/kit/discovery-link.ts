/** Two ports with LLDP and DCBX on a link that loses, repeats and delays. */

import type {
  DcbxAdmin,
  DiscoveryAdmin,
  DiscoveryPortSpec,
} from '../../services/engine/contract/discovery.js';
import type { PortSpec } from '../../services/engine/contract/spec.js';
import {
  type DiscoveryHost,
  DiscoveryMechanism,
} from '../../services/engine/discovery/discovery-mechanism.js';
import type { PortDiscovery } from '../../services/engine/discovery/port-discovery.js';
import { TimerQueue, timerQueueKey, keyId } from '../../services/engine/kernel/timer-queue.js';
import { Clock } from '../../services/engine/kernel/clock.js';
import { Tables } from '../../services/engine/kernel/tables.js';
import { makeCounters } from '../../services/engine/port/counters.js';
import { blankEts, blankPfcConfiguration } from '../../services/engine/wire/lldp/dcbx-ieee.js';
import { LLDP_FRAME_MOST, NEAREST_BRIDGE } from '../../services/engine/wire/lldp/lldpdu.js';
import { OUI_SELVAGE } from '../../services/engine/wire/lldp/tlv.js';
import { creditNegotiation } from '../../services/mechanisms/credit/capability.js';

export const TICK_PS = 1e12;
export const TIMERS = {
  msgTxInterval: 30,
  msgTxHold: 4,
  msgFastTx: 1,
  txFastInit: 4,
  txCreditMax: 5,
  reinitDelay: 2,
};

const ARRIVAL = 63;
const TIMER_BITS = 6;

export function adminOf(
  dcbx: Partial<DcbxAdmin>,
  part: Partial<DiscoveryAdmin> = {},
): DiscoveryAdmin {
  return {
    status: 'both',
    dcbx: {
      mode: 'auto',
      ets: blankEts(),
      recommendation: null,
      pfc: blankPfcConfiguration(),
      applications: [],
      fixedClasses: 0,
      ...dcbx,
    },
    exchange: null,
    sourceFlowControl: null,
    congestionIsolation: null,
    linkLayer: null,
    channelCredits: null,
    congestionNotification: null,
    ...part,
  };
}

export function specOf(
  mac: number,
  stages: DiscoveryPortSpec['stages'],
  part: Partial<DiscoveryPortSpec> = {},
): DiscoveryPortSpec {
  return {
    tickPs: TICK_PS,
    timers: TIMERS,
    neighborsMost: 4,
    destinations: [NEAREST_BRIDGE],
    identifier: OUI_SELVAGE,
    identity: {
      chassisMac: mac,
      mac,
      portId: 'p1',
      portDescription: 'port 1',
      systemName: `s${mac % 256}`,
      systemDescription: 'a switch',
      isBridge: true,
      portNumber: 1,
      ipv4: null,
      vlan: 0,
      maximumFrameOctets: 1522,
    },
    stages,
    drives: false,
    epochsPs: [0],
    built: { wholePort: false, pausable: 0xff, grants: 0xff, grantsOnly: 0xff, channels: null },
    learned: [null],
    ...part,
  };
}

/** One port, its timers, and what was handed to it. */
export class DiscoveryEnd implements DiscoveryHost {
  readonly clock = new Clock();
  readonly sent: { readonly atPs: number; readonly octets: Uint8Array }[] = [];
  mechanism: DiscoveryMechanism;
  private timerQueue = new TimerQueue();
  private readonly arriving: Uint8Array[] = [];
  private due = false;

  constructor(readonly spec: DiscoveryPortSpec) {
    this.mechanism = this.boot();
  }

  get port(): PortDiscovery {
    return this.mechanism.ports[0]!;
  }

  get nextPs(): number {
    return this.timerQueue.time;
  }

  /** The device loses all that it knew, and begins anew a second later. */
  restart(nowPs: number): void {
    this.timerQueue = new TimerQueue();
    this.due = false;
    this.clock.now = nowPs;
    this.mechanism = this.boot(nowPs + TICK_PS);
  }

  deliver(atPs: number, octets: Uint8Array): void {
    this.arriving.push(octets);
    this.timerQueue.push(atPs, timerQueueKey(1, ARRIVAL), this.arriving.length - 1);
  }

  /** Executes the next event; returns the LLDPDU that it led to. */
  step(): Uint8Array | null {
    const { timerQueue, clock, mechanism } = this;
    const [key, value] = [timerQueue.nextKey(), timerQueue.nextValue()];
    clock.now = timerQueue.time;
    timerQueue.pop();
    if (key >= timerQueueKey(1, 0)) {
      const octets = this.arriving[value]!;
      mechanism.receiveControl(0, octets, octets.length);
    } else mechanism.onTimer(0, keyId(key) & ((1 << TIMER_BITS) - 1));
    if (!this.due) return null;
    this.due = false;
    const octets = new Uint8Array(LLDP_FRAME_MOST);
    const length = mechanism.compose(0, 0, octets);
    if (length === 0) return null;
    this.sent.push({ atPs: clock.now, octets: octets.slice(0, length) });
    return this.sent[this.sent.length - 1]!.octets;
  }

  requestControl(): void {
    this.due = true;
  }

  arm(_client: number, port: number, timer: number, time: number): void {
    const at = Math.max(time, this.beginPs);
    this.timerQueue.push(at, timerQueueKey(0, (port << TIMER_BITS) | timer), 0);
  }

  hold(): void {}

  private beginPs = 0;

  private boot(beginPs = 0): DiscoveryMechanism {
    this.beginPs = beginPs;
    const counters = makeCounters(new Tables({ port: 1, device: 1 }));
    const mechanism = new DiscoveryMechanism(this, counters, 0, creditNegotiation);
    mechanism.configurePort(0, { discovery: this.spec, grants: null } as PortSpec);
    return mechanism;
  }
}

/** Says when the copies of an LLDPDU arrive, counted from its sending; none: it is lost. */
export type Medium = () => readonly number[];

/** Runs both ends up to a time. */
export function runLink(
  ends: readonly [DiscoveryEnd, DiscoveryEnd],
  medium: Medium,
  untilPs: number,
): void {
  for (;;) {
    const [a, b] = ends;
    const [first, other] = a.nextPs <= b.nextPs ? [a, b] : [b, a];
    const atPs = first.nextPs;
    if (atPs >= untilPs) return;
    // A restart of its own makes no event, so what follows a step goes by its time.
    const octets = first.step();
    if (octets !== null) for (const delay of medium()) other.deliver(atPs + delay, octets);
  }
}
