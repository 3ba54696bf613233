import type { Engine } from '../../services/engine/device/engine.js';
import { putControl } from '../../services/engine/device/hand-over.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { ciPointOf } from '../../services/mechanisms/ci/results.js';
import { sfcPointOf } from '../../services/mechanisms/sfc/results.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import {
  CIM_IPV4_ADD,
  CIM_L2_ADD,
  CIM_L2_DEL,
  SFCM_IPV4_PAUSE,
  SFCM_L2_PAUSE,
  SFCM_L2_RESUME,
} from '../unit/engine/wire/vectors.js';
import { fabricOf } from '../kit/emulate.js';
import type { Target } from './fuzzer.js';
import { CONTROL, LLDPDUS } from './protocol-targets.js';

/** Between two inputs. */
const STEP_PS = 1e5;

/** A device that counts any input, answers or ignores it, and continues. */
function device(): Target {
  const fabric = fabricOf(`
fabric: { generator: star, hosts: 2 }
priorities: { 3: pfc, 4: credit }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 4, bytes: 1MB }]
`);
  const engine = wholeEngine(fabric);
  const windows = new Windows(engine, fabric.cluster);
  const { counters } = engine.shared;
  const port = engine.devices[2]!.firstPort;
  let nowPs = 0;
  let heard = 0;
  return {
    name: 'device',
    seeds: CONTROL,
    every: 10,
    take: (octets) => {
      // A frame is never shorter on the wire; its sender pads it.
      const frame = new Uint8Array(Math.max(60, octets.length));
      frame.set(octets);
      nowPs += STEP_PS;
      putControl(engine, port, nowPs, frame);
      windows.run(nowPs + 1);
      const isControl = frame[12] === 0x88 && frame[13] === 0x08;
      if (isControl) heard++;
      if (counters.controlReceived[port]! < heard)
        throw new Error('a control frame was not counted');
      if (engine.shared.octets.inUse() > 64) throw new Error('octets are kept for ever');
      return isControl ? 'counted' : 'ignored';
    },
  };
}

/** LLDP and DCBX, with all that they drive: every LLDPDU is counted, and few are kept. */
function discovering(): Target {
  const fabric = fabricOf(`
fabric: { generator: star, hosts: 2 }
discovery: { willing: [pfc, ets] }
priorities: { 3: pfc, 4: credit }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, bytes: 1KB }]
`);
  const engine = wholeEngine(fabric);
  const windows = new Windows(engine, fabric.cluster);
  const port = engine.devices[2]!.firstPort;
  let nowPs = 0;
  return {
    name: 'discovering',
    seeds: LLDPDUS,
    every: 20,
    take: (octets) => {
      const frame = new Uint8Array(Math.max(60, octets.length));
      frame.set(octets);
      const before = lldpCounts(engine, port);
      nowPs += STEP_PS;
      putControl(engine, port, nowPs, frame);
      windows.run(nowPs + 1);
      const after = lldpCounts(engine, port);
      if (after.neighbors > 8) throw new Error(`${after.neighbors} neighbours are kept`);
      if (after.heard === before.heard) return 'ignored';
      return after.errors === before.errors ? 'taken' : 'refused';
    },
  };
}

interface LldpCounts {
  readonly heard: number;
  readonly errors: number;
  readonly neighbors: number;
}

function lldpCounts({ discovery }: Engine, port: number): LldpCounts {
  const { agents } = discovery.ports[port]!;
  const sum = (of: (agent: (typeof agents)[number]) => number): number =>
    agents.reduce((total, agent) => total + of(agent), 0);
  return {
    heard: sum(({ stats }) => stats.statsFramesInTotal),
    errors: sum(({ stats }) => stats.statsFramesInErrorsTotal + stats.statsFramesDiscardedTotal),
    neighbors: sum(({ rx }) => rx.neighbors.length),
  };
}

/** A bridge that isolates flows, with a link partner that sends CIMs. */
function isolating(): Target {
  const engine = wholeEngine(fabricOf('examples/incast-ci.yaml'));
  const place = engine.devices.findIndex(({ spec }) => spec.name === 'leaf1');
  const ci = ciPointOf(engine, place);
  const port = engine.devices[place]!.firstPort + 4;
  return {
    name: 'isolating',
    seeds: [CIM_L2_ADD, CIM_L2_DEL, CIM_IPV4_ADD],
    every: 4,
    take: (octets) => {
      const { counters } = ci!;
      const { ciCimsReceived, ciCimsMalformed, ciCimsRefused } = counters;
      ci!.processCim(port, octets);
      if (counters.ciCimsReceived !== ciCimsReceived + 1) throw new Error('not counted');
      if (ci!.table.ages.count > ci!.spec.maxStreams) throw new Error('too many flows are kept');
      if (counters.ciCimsMalformed > ciCimsMalformed) return 'malformed';
      return counters.ciCimsRefused > ciCimsRefused ? 'refused' : 'taken';
    },
  };
}

/** A station that pauses itself on receipt of an SFCM. */
function pausing(): Target {
  const fabric = fabricOf('examples/incast-sfc.yaml');
  const engine = wholeEngine(fabric);
  const windows = new Windows(engine, fabric.cluster);
  const sfc = sfcPointOf(engine, 0);
  const port = engine.devices[0]!.firstPort;
  const mac = engine.devices[0]!.spec.ports[0]!.mac;
  let nowPs = 0;
  return {
    name: 'pausing',
    seeds: [SFCM_L2_PAUSE, SFCM_L2_RESUME, SFCM_IPV4_PAUSE],
    every: 20,
    take: (octets) => {
      const { station, counters } = sfc!;
      const { sfcSfcmsReceived, sfcSfcmsMalformed, sfcSfcmsForged } = counters;
      nowPs += STEP_PS;
      windows.run(nowPs);
      station!.processSfcmPdu(port, mac, octets, 0);
      if (counters.sfcSfcmsReceived !== sfcSfcmsReceived + 1) throw new Error('not counted');
      if (station!.unprocessed > 1000) throw new Error('messages are kept for ever');
      if (counters.sfcSfcmsMalformed > sfcSfcmsMalformed) return 'malformed';
      return counters.sfcSfcmsForged > sfcSfcmsForged ? 'forged' : 'taken';
    },
  };
}

export const DEVICE_TARGETS: readonly Target[] = [device(), discovering(), isolating(), pausing()];
