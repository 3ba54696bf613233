/**
 * What a run will come to, before it starts: from a scenario, without executing it. Estimates are
 * for decisions of the kind "minutes or days": `test/scenario/preflight.test.ts` compares hops and
 * memory with those of runs. Time depends on the machine; its constants are rounded up.
 */

import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../assembly/fabric.js';
import { pacePsPerOctet } from '../assembly/framing.js';
import { seriesIntervalOf } from '../assembly/series-interval.js';
import type { Flow } from '../load/flow.js';
import { meanGapPs } from '../load/release.js';
import type { FabricCount } from './fabric-count.js';

/** The program itself, with nothing to run. */
const BASE_OCTETS = 100e6;
/** A port with its specification, tables and results; a flow with both of its ends. */
const OCTETS_OF_PORT = 13e3;
const OCTETS_OF_FLOW = 5e3;
/** The route of a switch to a host. */
const OCTETS_OF_ROUTE = 4;

/** A sample of one priority of one port, until it is written. */
const OCTETS_OF_ROW = 250;
/** An event of a frame at a hop, where they are recorded. */
const OCTETS_OF_EVENT = 100;

const SECONDS_OF_HOP = 0.5e-6;
/** A port is read at each sample, also where it has nothing to show. */
const SECONDS_OF_SAMPLE = 50e-9;

/** Memory that a fabric needs before its first event. */
export function assemblyOctets({ hosts, switches, links }: FabricCount, flows = hosts): number {
  const ports = 2 * links * OCTETS_OF_PORT;
  return BASE_OCTETS + ports + flows * OCTETS_OF_FLOW + switches * hosts * OCTETS_OF_ROUTE;
}

interface RunEstimate {
  /** Transmissions of frames, over all links. */
  readonly hops: number;
  /** Times at which the series is sampled, and rows that come of it. */
  readonly samples: number;
  readonly rows: number;
  /** Memory of what is recorded beside the fabric. */
  readonly recordedOctets: number;
  /** In one thread. */
  readonly seconds: number;
}

/** Of what links can carry: what waits, is paused or dropped makes it less. */
export function runEstimate(fabric: Fabric): RunEstimate {
  const { scenario, flows, linkEnds } = fabric;
  const framesOf = framesByHost(fabric);
  const frames = framesOf.reduce((sum, own) => sum + own.frames, 0);
  const endPs = scenario.durationPs ?? framesOf.reduce((end, own) => Math.max(end, own.endPs), 0);
  const hops = frames * hopsOf(fabric);
  const ports = linkEnds.flat().length;
  const interval = seriesIntervalOf(fabric);
  const isDoubling = interval !== null && interval.most !== null;
  const samples =
    interval === null
      ? 0
      : Math.min(endPs / interval.firstPs, isDoubling ? interval.most : Infinity);
  const used = Math.min(ports, 2 * flows.length * hopsOf(fabric));
  const priorities = new Set(flows.map(({ priority }) => priority)).size;
  // A port whose numbers are all 0 has no row: frames bound the rows of a short interval.
  const rows = Math.min(samples * used * priorities, samples * priorities + 4 * hops);
  const events = scenario.observe.events === false ? 0 : hops;
  return {
    hops,
    samples,
    rows,
    recordedOctets: rows * OCTETS_OF_ROW + events * OCTETS_OF_EVENT,
    seconds: hops * SECONDS_OF_HOP + samples * ports * SECONDS_OF_SAMPLE,
  };
}

interface HostLoad {
  readonly frames: number;
  /** When its link has carried them. */
  readonly endPs: number;
}

/** What the link of each sending host carries until its flows, or the run, end. */
function framesByHost({ scenario, flows, linkEnds }: Fabric): HostLoad[] {
  const bySource = new Map<number, Flow[]>();
  for (const flow of flows) {
    const own = bySource.get(flow.source);
    if (own === undefined) bySource.set(flow.source, [flow]);
    else own.push(flow);
  }
  return [...bySource].map(([source, own]) => {
    const { octetPs } = linkEnds[source]![0]!;
    let frames = 0;
    let busyPs = 0;
    let startPs = Infinity;
    for (const flow of own) {
      const volume = volumeOf(flow, octetPs, scenario.durationPs ?? Infinity);
      frames += volume.frames;
      busyPs += volume.busyPs;
      startPs = Math.min(startPs, flow.startPs);
    }
    const leftPs = (scenario.durationPs ?? Infinity) - startPs;
    // Flows that share a link have its rate together.
    const share = busyPs > leftPs ? Math.max(0, leftPs) / busyPs : 1;
    return { frames: frames * share, endPs: startPs + busyPs * share };
  });
}

interface Volume {
  /** Those of the flow, and their acknowledgements. */
  readonly frames: number;
  /** Time for which its own occupy a link. */
  readonly busyPs: number;
}

/** By what the flow has to send, or by the time that it has at the rate of the link. */
function volumeOf(flow: Flow, octetPs: number, durationPs: number): Volume {
  const { transport, messages, messageBytes } = flow;
  const raw = transport.kind === 'raw';
  const frame = raw ? transport.frameBytes : transport.mtuBytes + transport.overheadBytes;
  const payload = raw ? transport.frameBytes : transport.mtuBytes;
  const leftPs = Math.max(0, Math.min(flow.endPs, durationPs) - flow.startPs);
  const wirePs = (frame + WIRE_OVERHEAD_OCTETS) * octetPs;
  const pacedPs = (frame + WIRE_OVERHEAD_OCTETS) * pacePsPerOctet(flow);
  const possible = leftPs / Math.max(wirePs, pacedPs, meanGapPs(flow.release));
  const count = Math.min(messages * Math.max(1, messageBytes / payload), possible);
  const answers = raw ? 0 : count / transport.ackEvery;
  return { frames: count + answers, busyPs: count * wirePs };
}

/** Links on the way of a frame: of the tiers of the fabric, up and down. */
function hopsOf({ topology }: Fabric): number {
  const tiers = new Set(topology.devices.map(({ tier }) => tier)).size;
  return Math.max(1, 2 * (tiers - 1));
}
