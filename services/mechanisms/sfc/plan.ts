import { PS_PER_NS } from '../../engine/units/time.js';
import type { SendSpec } from '../../engine/contract/spec.js';
import { GROUP_FLAG } from '../../engine/frame/frame-pool.js';
import { groupMac, Stations } from '../../engine/notices/stations.js';
import { wireOctets } from '../../engine/units/ethernet.js';
import type {
  DeviceContext,
  FabricContext,
  FlowContext,
  LinkContext,
  MechanismPlan,
} from '../fabric-context.js';
import { maskOf, watchedOf } from '../mechanism-slice.js';
import { actsForStation } from './machine.js';
import type { SfcSettings } from './settings.js';
import type { SfcDetector, SfcHostSpec, SfcPortSpec, SfcSwitchSpec } from './spec.js';

/** An SFCM on IPv4 with 34 octets of the congesting frame, FCS included. */
const MESSAGE_OCTETS = 118;
/** Of the longest frame: no threshold makes sense below these. */
const THRESHOLD_FRAMES = 4;
const TARGET_FRAMES = 2;

/** What stops the source of a flow: it does so itself, its edge does by PFC, or nothing. */
export type SfcReaction = 'station' | 'proxy' | 'none';

/** Whether source flow control reaches a flow's source, from all queues on its way. */
export interface SfcPath {
  readonly flow: number;
  readonly reaction: SfcReaction;
  /** Switches of one shortest path (of several equal ones) that monitor the priority. */
  readonly telling: readonly number[];
  /** And those that do not. */
  readonly silent: readonly number[];
}

/** What devices do about source flow control, and where in the file that is wrong. */
export class SfcPlan implements MechanismPlan<SfcSwitchSpec, SfcHostSpec> {
  /** Of every flow on a priority with source flow control. */
  readonly paths: readonly SfcPath[];
  /** Some priority of some switch is watched. */
  private readonly isUsed: boolean;
  private readonly stations: Stations;

  constructor(private readonly context: FabricContext<SfcSettings>) {
    const { devices } = context;
    this.stations = new Stations(context.stations);
    this.isUsed = devices.some((_, device) => this.watched(device).length > 0);
    devices.forEach((own, device) => {
      this.check(own, this.watched(device));
    });
    this.paths = this.isUsed ? context.flows.flatMap((flow, f) => this.pathOf(flow, f)) : [];
  }

  ofSwitch(device: number): SfcSwitchSpec | null {
    if (!this.isUsed) return null;
    const { transmit, longestFrameOctets, stations } = this.context;
    const { links, address } = this.context.devices[device];
    const own = this.section(device);
    const watched = this.watched(device);
    const loopPs = this.loopsFrom(device);
    const longest = Math.max(...watched.map((priority) => longestFrameOctets[priority]), 64);
    const ports = links.map((link) => this.port(device, link, loopPs, longest));
    if (watched.length === 0 && !ports.some(({ proxy, obeys }) => actsForStation(proxy, obeys)))
      return null;
    return {
      monitorQueues: maskOf(watched.map((priority) => transmit[priority])),
      ports,
      minIntervalPs: own.minInterval,
      pauseNs: own.pause === 'auto' ? null : Math.ceil(own.pause / PS_PER_NS),
      pauseMinNs: Math.ceil(own.pauseMin / PS_PER_NS),
      pauseMaxNs: Math.ceil(own.pauseMax / PS_PER_NS),
      resume: own.resume,
      maxSources: own.sources,
      sourceLifePs: own.sourceLife,
      minHeaderOctets: own.quote,
      txPriority: own.priority,
      encapsulation: encapsulationOf(own),
      processingPs: own.processing,
      address: address(),
      stations,
      loopPs,
    };
  }

  ofHost(host: number, sends: readonly SendSpec[]): SfcHostSpec | null {
    const { receive, scope, processing } = this.section(host);
    if (!this.isUsed || !receive) return null;
    const destinations = sends.map(({ frameClass, target }) =>
      (frameClass & GROUP_FLAG) === 0 ? this.stations.mac(target) : groupMac(target),
    );
    return { scope, processingPs: processing, destinations };
  }

  /** Whether the path of a flow is covered. */
  private pathOf(flow: FlowContext, index: number): SfcPath[] {
    const { source, priority, isGroup } = flow;
    const switches = flow.switches();
    const telling = switches.filter((device) => this.watched(device).includes(priority));
    if (!isGroup && telling.length === 0) return [];
    const silent = switches.filter((device) => !telling.includes(device));
    return [{ flow: index, reaction: this.reactionOf(source, priority), telling, silent }];
  }

  private reactionOf(host: number, priority: number): SfcReaction {
    if (this.section(host).receive) return 'station';
    const [link] = this.context.devices[host].links;
    if (link === undefined || link.peerDevice < this.context.hostCount) return 'none';
    const { proxy } = this.section(link.peerDevice);
    const hasPfc = (link.pfc & (1 << priority)) !== 0;
    return actsForStation(proxy, false) && hasPfc ? 'proxy' : 'none';
  }

  private section(device: number): SfcSettings {
    return this.context.devices[device].section;
  }

  /** Priorities that a switch watches. */
  private watched(device: number): readonly number[] {
    if (device < this.context.hostCount || !this.section(device).send) return [];
    return watchedOf(this.context.devices[device]);
  }

  private port(
    device: number,
    link: LinkContext,
    loopPs: Float64Array,
    longest: number,
  ): SfcPortSpec {
    const own = this.section(device);
    const { hostCount, negotiates, devices } = this.context;
    const isEdge = link.peerDevice < hostCount;
    const loopOctets = Math.ceil(loopPs.reduce((a, b) => Math.max(a, b), 0) / link.octetPs);
    const autoOctets = Math.max(loopOctets, TARGET_FRAMES * longest);
    return {
      detector: detectorOf(own, Math.max(2 * loopOctets, THRESHOLD_FRAMES * longest)),
      targetOctets: own.target === 'auto' ? autoOctets : own.target,
      drainOctetPs: devices[device].shares.map((share) =>
        share === 0 ? Infinity : link.octetPs / share,
      ),
      station: isEdge ? this.stations.mac(link.peerDevice) : 0,
      proxy: isEdge ? own.proxy : 'off',
      // Where link partners negotiate, a station has yet to advertise it.
      obeys: isEdge && !negotiates && this.section(link.peerDevice).receive,
    };
  }

  /** By host: a message there, and a frame of the longest kind back, over idle links. */
  private loopsFrom(device: number): Float64Array {
    const { devices, hostCount, longestFrameOctets } = this.context;
    const frame = Math.max(...longestFrameOctets);
    const loops = new Float64Array(devices.length).fill(Infinity);
    loops[device] = 0;
    const reached = [device];
    for (let next = 0; next < reached.length; next++) {
      const here = reached[next];
      if (here < hostCount) continue;
      const pipelinePs = devices[here].pipelinePs * (here === device ? 1 : 2);
      for (const { peerDevice, latencyPs, octetPs } of devices[here].links) {
        if (loops[peerDevice] !== Infinity) continue;
        const wirePs = (wireOctets(frame) + wireOctets(MESSAGE_OCTETS)) * octetPs;
        loops[peerDevice] = loops[here] + pipelinePs + 2 * latencyPs + wirePs;
        reached.push(peerDevice);
      }
    }
    return loops.slice(0, hostCount).map((loop) => (loop === Infinity ? 0 : loop));
  }

  private check(device: DeviceContext<SfcSettings>, watched: readonly number[]): void {
    const { transmit, fail } = this.context;
    const own = device.section;
    for (const priority of watched) {
      const stranger = device.priorities.find(
        (other) => !other.isOn && transmit[other.priority] === transmit[priority],
      );
      if (stranger !== undefined) {
        throw fail(
          device.placeOfPriority(priority),
          `priorities ${priority} and ${stranger.priority} share the traffic class ` +
            `${transmit[priority]}, but only ${priority} has sfc; make them alike or change ` +
            'classes.transmit',
        );
      }
      if (own.priority === priority) {
        throw fail(
          device.placeOf('priority'),
          `priority ${priority} is watched itself: its messages would wait in the queues that ` +
            'whose congestion they signal; take another',
        );
      }
    }
    const { detect, target, pauseMin, pauseMax } = own;
    if (typeof detect === 'number' && target !== 'auto' && target >= detect) {
      throw fail(
        device.placeOf('target'),
        `target ${target} is not below the threshold, ${detect} octets`,
      );
    }
    if (pauseMin > pauseMax) {
      throw fail(device.placeOf('pauseMin'), 'pauseMin is more than pauseMax');
    }
  }
}

/** Of messages; those of flows are on IPv4. */
export function encapsulationOf({ encapsulation }: SfcSettings): SfcSwitchSpec['encapsulation'] {
  return encapsulation === 'auto' ? 'ipv4' : encapsulation;
}

function detectorOf({ detect }: SfcSettings, autoOctets: number): SfcDetector {
  if (detect === 'auto') return { kind: 'threshold', octets: autoOctets };
  if (typeof detect === 'number') return { kind: 'threshold', octets: detect };
  if ('dynamic' in detect) return { kind: 'dynamic', alpha: detect.dynamic };
  if ('predicted' in detect) {
    return { kind: 'predicted', octets: detect.predicted, horizonPs: detect.horizon };
  }
  const { min, max, probability } = detect;
  return { kind: 'marking', minOctets: min, maxOctets: max, probability };
}
