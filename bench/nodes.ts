import type { Fabric } from '../services/fabric/assembly/fabric.js';
import { planServices } from '../services/fabric/placement/service-plan.js';
import { placeInServices } from '../services/fabric/placement/parts.js';
import { fabricOf, permutation } from './fabrics.js';
import { inThreads } from './in-threads.js';

// What nodes of eight cores would make of large fabrics: a service a node, a partition a core. A
// window, the least lookahead, takes as long as the busiest core of the busiest node. What is
// computed here has not been measured; its constants have.

const CORES = 8;
const NODES = [2, 4, 8, 16, 32, 64] as const;
const PS_PER_US = 1e6;

/** In seconds, as this machine has just measured them. */
export interface MeasuredConstants {
  /** Of a frame-hop of k=16 in one process; by so much more beside another process. */
  readonly hop: number;
  readonly crowding: number;
  /** Frame-hops that a host causes in a virtual microsecond, when all send. */
  readonly hopsPerHost: number;
  /** A service that wakes up; a message; a frame that crosses. */
  readonly step: number;
  readonly message: number;
  readonly frame: number;
  /** Of a window in threads beside its frame-hops. */
  readonly barrier: number;
  /** From a service over the broker to another, on one machine. */
  readonly latency: number;
}

/** Of a window, by the node and the core that have most to do. */
interface Window {
  readonly engine: number;
  readonly messages: number;
  readonly peers: number;
  readonly cut: number;
}

/** A large fabric in which all hosts send; hops are spread as its ports are. */
class LargeFabric {
  readonly ports: number;
  private readonly fabric: Fabric;
  private readonly hopsPerPort: number;

  constructor(
    k: number,
    private readonly constants: MeasuredConstants,
  ) {
    this.fabric = fabricOf(permutation(k, 1));
    const { topology, specs, lookaheadPs } = this.fabric;
    this.ports = topology.links.length * 2;
    const hosts = specs.filter(({ kind }) => kind === 'host').length;
    const hops = (constants.hopsPerHost * hosts * lookaheadPs) / PS_PER_US;
    this.hopsPerPort = hops / this.ports;
  }

  /** Seconds of a window in one process. */
  get alone(): number {
    return this.ports * this.hopsPerPort * this.constants.hop;
  }

  windowOf(nodes: number): Window {
    const { fabric, hopsPerPort, ports } = this;
    const { hop, crowding, barrier, step, message, frame } = this.constants;
    const placement = placeInServices(fabric, nodes);
    const plans = planServices(fabric, { placement, threads: CORES, jams: false });
    const portsOf = (specs: Fabric['specs']): number =>
      specs.reduce((sum, spec) => sum + spec.ports.length, 0);
    const busiest = Math.max(...plans.flatMap(({ parts }) => parts.map((p) => portsOf(p.specs))));
    const cuts = plans.map(({ channels }) => channels.reduce((sum, c) => sum + c.links.length, 0));
    const peers = Math.max(...plans.map(({ channels }) => channels.length));
    return {
      engine: busiest * hopsPerPort * hop * crowding + barrier,
      messages: step + message * peers + frame * Math.max(...cuts) * hopsPerPort,
      peers,
      cut: cuts.reduce((sum, links) => sum + links, 0) / ports,
    };
  }
}

/** Lines of a table: what is expected of so many nodes, over one process. */
export function predictions(k: number, constants: MeasuredConstants): string[][] {
  const fabric = new LargeFabric(k, constants);
  const ms = (seconds: number): string => (seconds * 1e3).toFixed(2);
  return NODES.map((nodes) => {
    const { engine, messages, peers, cut } = fabric.windowOf(nodes);
    // Frames and promises are on their way while the rest of a window is executed.
    const seconds = Math.max(engine, constants.latency) + messages;
    const share = `${(100 * cut).toFixed(0)} %`;
    const speedUp = (fabric.alone / seconds).toFixed(1);
    return [`k=${k}`, `${nodes} x ${CORES}`, `${peers}`, share, ms(engine), ms(messages), speedUp];
  });
}

/** Virtual time of a run with almost nothing to do, in windows of a microsecond. */
const BARRIER_US = 4000;

/** Seconds of a window of two threads that have almost nothing to do. */
export async function barrierNow(): Promise<number> {
  const text = permutation(4, BARRIER_US).replace('rate: 90G', 'rate: 2G');
  const { windowsMs } = await inThreads(text, 2);
  return windowsMs / 1e3 / BARRIER_US;
}
