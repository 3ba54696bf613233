import { ASICS } from '../../../../services/fabric/buffers/asics.js';
import { NEAREST_BRIDGE } from '../../../../services/engine/wire/lldp/lldpdu.js';
import { OUI_SELVAGE } from '../../../../services/engine/wire/lldp/tlv.js';
import { Engine } from '../../../../services/engine/device/engine.js';
import { FRAMES, PAYLOAD } from '../../../../services/engine/device/host/receivers.js';
import type { FlowEnd } from '../../../../services/fabric/assembly/assembly.js';
import type { Fabric } from '../../../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../../../services/fabric/assembly/fabric.js';
import type { PausingSettings } from '../../../../services/mechanisms/pausing-settings.js';
import type { SlotsSection } from '../../../../services/mechanisms/mvtx2802/section.js';
import {
  ENGINE_KINDS,
  MECHANISMS,
  RATE_CONTROLS,
} from '../../../../services/mechanisms/registry.js';
import { mapping } from '../../../../services/settings/parts.js';
import type {
  DeviceOverride,
  PauseSection,
  PrioritySection,
  Scenario,
  SwitchSection,
} from '../../../../services/fabric/scenario/scenario.js';
import { Windows } from '../../../../services/runtime/embedded/windows.js';
import { fail, section } from '../topology/fabrics.js';

export const PAUSING: PausingSettings = {
  xoff: 'dynamic',
  xonGap: 3000,
  headroom: 'auto',
  quanta: 65535,
  refresh: 0.5,
  responseDelay: 200_000,
};

/** As they come out of an empty section. */
export const REGISTERS: SlotsSection = {
  memory: '1MB',
  temporarySlots: 8,
  classes: { 2: 8, 3: 8, 4: 8, 5: 8, 6: 8, 7: 8 },
  sourceSlots: 64,
  xoffSlots: null,
  allocationOrder: 'shared-first',
  flowControl: true,
  normalQos: false,
  multicast: 'unmanaged',
  mcc: 64,
  multicastStops: 'source',
  congestionFrames: 16,
  vlanCongestionFrames: {},
  scheduler: 'classes',
  weights: {},
  shaper: null,
  cpuPort: null,
  responseDelayPs: 0,
  wred: {
    sum: 'delay-bound',
    levels: [245_760, 286_720, 327_680],
    thresholds: { 2: 65_536, 3: 32_768, 4: 16_384, 5: 8192, 6: 4096, 7: 4096 },
    firstHigh: 0.25,
    secondHigh: 0.5,
    secondLow: 0.25,
  },
};

export const SWITCHES: SwitchSection = {
  model: 'shared-buffer',
  slots: REGISTERS,
  pipelinePs: 500_000,
  cutThrough: false,
  forwarding: 'routed',
  ecmp: { name: 'flow', settings: {} },
  buffer: {
    sizeBytes: 32e6,
    cellBytes: 1,
    egressReservedBytes: 0,
    egressAlpha: 1,
    asic: ASICS.th5,
    pools: {},
    profiles: {},
    wred: {},
    assign: [],
    portLimits: [],
  },
  ports: [],
  arbiter: null,
  ageingPs: 300e12,
  failover: { enabled: true, detectionPs: 100e6, reconvergencePs: 100e6, queued: 'move' },
};

export const DISCOVERY: Scenario['discovery'] = {
  enabled: false,
  start: 'live',
  drives: true,
  secondPs: 1e12,
  timers: {
    msgTxInterval: 30,
    msgTxHold: 4,
    msgFastTx: 1,
    txFastInit: 4,
    txCreditMax: 5,
    reinitDelay: 2,
  },
  neighborsMost: 4,
  destinations: [NEAREST_BRIDGE],
  end: {
    status: 'both',
    identifier: OUI_SELVAGE,
    dcbx: 'auto',
    willing: [],
    recommend: false,
    pfcCapability: 8,
    applications: [],
    classes: null,
    grantCapable: [],
    driftPpm: 0,
  },
  changes: [],
};

/** The settings of every rate control, by default. */
const RATE_CONTROL_DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  RATE_CONTROLS.map(({ kind, settings }) => [kind, settings.parse({})]),
);

/** The settings of every mechanism: by default, or as given under its name. */
export function mechanisms(given: Readonly<Record<string, object>> = {}): Scenario['mechanisms'] {
  return Object.fromEntries(
    MECHANISMS.map(({ name, section }) => [
      name,
      {
        ...(section === undefined
          ? (RATE_CONTROL_DEFAULTS[name] as object)
          : mapping(section.keys).parse({})),
        ...given[name],
      },
    ]),
  );
}

const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];

/** All eight priorities; what is given holds for those named, or for all. */
export function priorities(
  part: Partial<PrioritySection> = {},
  which: readonly number[] = IDENTITY,
): PrioritySection[] {
  return IDENTITY.map((priority) => ({
    priority,
    path: ['priorities', String(priority)],
    flowControl: 'none',
    fallback: 'auto',
    pausing: PAUSING,
    watchdog: false,
    ingressReservedBytes: 0,
    ingressAlpha: 1,
    mechanisms: { ecn: 'off', trim: 'off' },
    ...(which.includes(priority) ? part : {}),
  }));
}

/** A star of three hosts at 100 Gb/s without load, unless the test says otherwise. */
export function scenario(part: Partial<Scenario> = {}): Scenario {
  return {
    name: 'test',
    description: '',
    seed: 1,
    durationPs: null,
    fabric: section({ kind: 'star', hosts: 3 }),
    hosts: { mac: null, ipv4: null, ipv6: null, nic: null, arbiter: null },
    switches: SWITCHES,
    overrides: [],
    priorities: priorities(),
    pause: pauseSection(false),
    ports: [],
    discovery: DISCOVERY,
    mechanisms: mechanisms(),
    plugins: [],
    switchPlugins: {},
    rateControls: RATE_CONTROL_DEFAULTS,
    classes: { transmit: IDENTITY, receive: IDENTITY, arbiter: { kind: 'strict' } },
    groups: [],
    live: null,
    faults: [],
    infrastructure: [],
    placement: [],
    load: [],
    observe: {
      series: null,
      ports: [],
      episodes: false,
      queue: null,
      stormPs: 1e9,
      traces: null,
      captures: null,
      events: false,
      wire: false,
    },
    expect: [],
    ...part,
  };
}

export function override(match: string, part: Partial<DeviceOverride>): DeviceOverride {
  return {
    match,
    host: {},
    switch: {},
    priorities: [],
    mechanisms: {},
    discovery: {},
    ...part,
  };
}

/** `pause`, on or off. */
export function pauseSection(enabled: boolean): PauseSection {
  return {
    ...{ path: ['pause'], enabled, pausing: PAUSING },
    ...{ ingressReservedBytes: 0, ingressAlpha: 1 },
  };
}

export function fabric(part: Partial<Scenario>): Fabric {
  return buildFabric({ scenario: scenario(part), errorAt: fail, has: () => false });
}

/** A fabric after all its load has gone. */
export interface Outcome {
  readonly engine: Engine;
  /** By flow and message: when it arrived (at the last member, of a group). */
  readonly arrivedPs: ReadonlyMap<string, number>;
  /** Frames and payload octets at a receiving end. */
  received(end: FlowEnd): { frames: number; payload: number };
}

const IGNORED = (): void => undefined;

export function run(built: Fabric): Outcome {
  const engine = new Engine(built.specs, ENGINE_KINDS);
  for (const { a, b } of built.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  const arrivedPs = new Map<string, number>();
  engine.listen({
    frameReceived: IGNORED,
    frameDropped: IGNORED,
    frameMarked: IGNORED,
    frameQueued: IGNORED,
    noticeActed: IGNORED,
    queueActed: IGNORED,
    queueLong: IGNORED,
    frameSent: IGNORED,
    frameSentAgain: IGNORED,
    frameRejected: IGNORED,
    frameDiscarded: IGNORED,
    frameKept: IGNORED,
    frameTaken: IGNORED,
    watchdogActed: IGNORED,
    controlSent: IGNORED,
    tagSent: IGNORED,
    controlReceived: IGNORED,
    stopAsked: IGNORED,
    grantStep: IGNORED,
    blockedChanged: IGNORED,
    grantShort: IGNORED,
    liveSent: IGNORED,
    messageDelivered: (_, now, flow, message) => arrivedPs.set(`${flow}/${message}`, now),
    nicGranted: IGNORED,
    ledChanged: IGNORED,
  });
  new Windows(engine, built.cluster).run(Infinity);
  const received = ({ device, connection }: FlowEnd): { frames: number; payload: number } => {
    const at = engine.devices[device]!.rows.receive.first + connection;
    return { frames: engine.receivers.get(at, FRAMES), payload: engine.receivers.get(at, PAYLOAD) };
  };
  return { engine, arrivedPs, received };
}
