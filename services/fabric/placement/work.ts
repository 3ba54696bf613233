/**
 * What devices will have to do, as far as it is known before a run: frames that arrive at their
 * ports and leave them, with acknowledgements. A flow takes all its equal-cost paths alike. Nothing
 * depends on it but how even the parts of a run are.
 */

import { Distances } from '../../engine/routing/distances.js';
import { NO_ROUTE } from '../../engine/routing/shortest-paths.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import type { Fabric } from '../assembly/fabric.js';
import type { Flow } from '../load/flow.js';
import { meanGapPs } from '../load/release.js';

/** Of all work: what ports have without a flow, such as timers and discovery. */
const IDLE_SHARE = 0.02;
/** Of a run that is as long as its load, for a flow without an end. */
const USUAL_PS = 1e9;

type Site = Pick<Fabric, 'topology' | 'routes' | 'flows' | 'flowEnds' | 'scenario'>;

/** By device. Without a flow it is the number of ports. */
export function workOf(site: Site): number[] {
  const { firstSlot } = site.routes.adjacency;
  const ports = site.topology.devices.map(
    (_, device) => firstSlot[device + 1]! - firstSlot[device]!,
  );
  const work = new WorkOfFlows(site).all();
  const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
  const busy = sum(work);
  if (busy === 0) return ports;
  const idle = (busy * IDLE_SHARE) / sum(ports);
  return ports.map((count, device) => work[device]! + count * idle);
}

class WorkOfFlows {
  private readonly work: Float64Array;
  /** By device: frames that come to a switch on their way to the present destination. */
  private readonly passing: Float64Array;
  private readonly distances: Distances;

  constructor(private readonly site: Site) {
    const { length } = site.topology.devices;
    this.work = new Float64Array(length);
    this.passing = new Float64Array(length);
    this.distances = new Distances(site.routes.adjacency, null);
  }

  all(): Float64Array {
    const { adjacency } = this.site.routes;
    const bySwitch = new Map<number, [source: number, frames: number][]>();
    const hostAt = new Map<number, number>();
    for (const { source, destination, frames } of this.trips()) {
      this.work[source]! += frames;
      this.work[destination]! += frames;
      const last = adjacency.peer[adjacency.firstSlot[destination]!]!;
      const first = adjacency.peer[adjacency.firstSlot[source]!]!;
      if (last < adjacency.hosts || first < adjacency.hosts) continue;
      hostAt.set(last, destination);
      bySwitch.set(last, bySwitch.get(last) ?? []);
      bySwitch.get(last)!.push([first, frames]);
    }
    // Hosts of one switch have their paths in common but for the last link.
    for (const [last, comings] of bySwitch) {
      for (const [first, frames] of comings) this.passing[first]! += frames;
      this.pass(last, hostAt.get(last)!);
    }
    return this.work;
  }

  /** Frames go on to a switch, and to its host, over all shortest paths. */
  private pass(last: number, host: number): void {
    const { passing, work, distances } = this;
    const { adjacency } = this.site.routes;
    distances.measureFrom(last);
    for (let i = distances.reachedCount - 1; i >= 0; i--) {
      const device = distances.reached[i]!;
      const frames = passing[device]!;
      passing[device] = 0;
      work[device]! += 2 * frames;
      if (frames === 0 || device === last) continue;
      const { setOfHost, sets } = this.site.routes.of(device);
      const set = setOfHost[host]!;
      if (set === NO_ROUTE) continue;
      const ports = sets[set]!;
      for (const port of ports) {
        passing[adjacency.peer[adjacency.firstSlot[device]! + port]!]! += frames / ports.length;
      }
    }
  }

  /** Frames from host to host, acknowledgements included. */
  private trips(): { source: number; destination: number; frames: number }[] {
    const { flows, flowEnds } = this.site;
    const rates = flows.map((flow) => this.octetsPerPs(flow));
    const wanted = new Map<number, number>();
    const note = (end: number, rate: number): void => {
      wanted.set(end, (wanted.get(end) ?? 0) + rate);
    };
    const outOf = (flow: number): number => flowEnds[flow]!.send.device;
    const into = (flow: number): number[] => flowEnds[flow]!.receives.map(({ device }) => device);
    // Both directions of a host's link, told apart by the sign.
    rates.forEach((rate, flow) => {
      note(outOf(flow), rate);
      for (const host of into(flow)) note(~host, rate);
    });
    const fitting = (end: number): number =>
      Math.min(1, this.lineOctetsPerPs(end < 0 ? ~end : end) / wanted.get(end)!);
    return flows.flatMap((flow, f) => {
      const source = outOf(f);
      const reached = into(f).filter((host) => this.site.routes.reachable(source, host));
      return reached.map((destination) => {
        const share = Math.min(fitting(source), fitting(~destination));
        return { source, destination, frames: this.framesOf(flow, rates[f]! * share) };
      });
    });
  }

  private framesOf({ transport, ...flow }: Flow, octetsPerPs: number): number {
    const endPs = Math.min(flow.endPs, this.site.scenario.durationPs ?? Infinity);
    const octets = Math.min(
      flow.messages * flow.messageBytes,
      octetsPerPs * Math.max(0, endPs - flow.startPs),
    );
    const isEndless = octets === Infinity;
    const payload = transport.kind === 'raw' ? transport.frameBytes : transport.mtuBytes;
    const frames = (isEndless ? octetsPerPs * USUAL_PS : octets) / payload;
    return transport.kind === 'raw' ? frames : frames * (1 + 1 / transport.ackEvery);
  }

  /** As if it were alone. */
  private octetsPerPs({ transport, release, source }: Flow): number {
    const payload = transport.kind === 'raw' ? transport.frameBytes : transport.mtuBytes;
    const line = this.lineOctetsPerPs(source);
    const released = payload / meanGapPs(release);
    const paced = transport.kind === 'raw' ? Infinity : transport.rateBps / OCTET_BITS_PS;
    return Math.min(line, released, paced);
  }

  private lineOctetsPerPs(host: number): number {
    const { adjacency } = this.site.routes;
    const link = this.site.topology.links[adjacency.link[adjacency.firstSlot[host]!]!]!;
    return link.rateBps / OCTET_BITS_PS;
  }
}
