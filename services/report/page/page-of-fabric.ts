import type { Fabric } from '../../fabric/assembly/fabric.js';
import { readVersion } from '../../runtime/version.js';
import { flowControlAt, portMethodsOf } from './link-methods.js';
import type { PortView, RunPage } from './page-data.js';
import { mapOf } from './page-map.js';
import { FLOW_FIGURES, PORT_FIGURES, portFigures } from './figures.js';
import type { MeasuredRun } from './page-of-run.js';
import { reproduceText } from './page-of-run.js';

/** The page of a run of which nothing has been measured yet. */
export function pageOfFabric(
  fabric: Fabric,
  run: Pick<MeasuredRun, 'document' | 'origin'>,
): RunPage {
  const { scenario, topology, linkEnds } = fabric;
  const methods = portMethodsOf(fabric);
  const ports = linkEnds.flat().map(({ name, link, peerDevice, peerPort }, port) => ({
    ...idlePort(name, linkEnds[peerDevice]![peerPort]!.name, link.rateBps),
    flowControl: flowControlAt(methods, port, null),
  }));
  return {
    title: scenario.name,
    description: scenario.description,
    story: '',
    status: 'running',
    failure: null,
    digest: '',
    plugins: [],
    seed: scenario.seed,
    version: readVersion(),
    virtualPs: 0,
    frameHops: 0,
    devices: topology.devices.length,
    links: topology.links.length,
    reproduce: reproduceText(run),
    goodputBps: 0,
    finished: { done: 0, total: 0 },
    priorities: [],
    loads: [],
    standstill: null,
    unreachable: null,
    expectations: [],
    faults: [],
    map: mapOf(topology, ports),
    ports,
    portFigures: PORT_FIGURES,
    heat: null,
    plots: [],
    completions: [],
    slowdown: { bins: [], points: [] },
    spread: { queues: null, pauses: null, slowdown: null },
    margins: [],
    panels: [],
    cards: [],
    trees: null,
    jobs: [],
    flows: { total: 0, rows: [], figures: FLOW_FIGURES, timesPs: [] },
    episodes: null,
    discovery: null,
    shares: [],
    rates: [],
  };
}

function idlePort(name: string, peer: string, rateBps: number): Omit<PortView, 'flowControl'> {
  return {
    ...{ name, peer, rateBps, busy: 0, blocked: 0, txOctets: 0, drops: 0 },
    ...portFigures([]),
  };
}
