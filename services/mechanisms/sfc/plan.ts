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
import type { SfcBufferTerms } from './buffer.js';
import type { SfcQueue } from './size.js';
import { sfcLoop, sfcQueues } from './size.js';
import type { SfcDetector, SfcHostSpec, SfcPortSpec, SfcSwitchSpec } from './spec.js';

/** An SFCM on IPv4 with 34 octets of the congesting frame, FCS included. */
const MESSAGE_OCTETS = 118;
/** Without those octets; tagged where the tag carries its priority. */
const EMPTY_MESSAGE_OCTETS = { ethernet: 60, ipv4: 84, ipv6: 104 } as const;
/** Of the longest frame: lower thresholds are refused. */
const THRESHOLD_FRAMES = 4;
const TARGET_FRAMES = 2;

/** How the source of a flow is paused: it does so itself, its edge does by PFC, or nothing. */
export type SfcReaction = 'station' | 'proxy' | 'none';

/** Whether source flow control reaches a flow's source, from all queues on its path. */
export interface SfcPath {
  readonly flow: number;
  readonly reaction: SfcReaction;
  /** Switches of one shortest path (of several equal ones) that monitor the priority. */
  readonly sending: readonly number[];
  /** And those that do not. */
  readonly silent: readonly number[];
}

/** Buffer that source flow control needs for a queue that flows of the scenario can fill. */
export interface SfcSize extends SfcQueue {
  readonly loop: SfcBufferTerms;
  /** Null where the detector has no fixed threshold. */
  readonly thresholdOctets: number | null;
  readonly targetOctets: number;
  /** Of the ingress port that comes nearest to its XOFF before a source is paused. */
  readonly nearest: SfcIngressSize | null;
}

/** Octets charged to one ingress port until the sources behind it are paused. */
interface SfcIngressSize {
  readonly port: number;
  /** Its part of the queue at the threshold. */
  readonly thresholdOctets: number;
  /** Octets that still arrive there within the loop of the farthest source behind it. */
  readonly loopOctets: number;
  readonly xoffOctets: number;
}

/** Source flow control of devices, and errors about it in the file. */
export class SfcPlan implements MechanismPlan<SfcSwitchSpec, SfcHostSpec> {
  /** Of every flow on a priority with source flow control. */
  readonly paths: readonly SfcPath[];
  /** Some priority of some switch is monitored. */
  private readonly isUsed: boolean;
  private readonly stations: Stations;
  /** Of switches that `ofSwitch` was called for. */
  private readonly ports = new Map<number, readonly SfcPortSpec[]>();
  private queues: readonly SfcQueue[] | null = null;

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
    this.ports.set(device, ports);
    if (
      watched.length === 0 &&
      !ports.some(({ proxy, responds }) => actsForStation(proxy, responds))
    )
      return null;
    this.warnOfLateDetection(device);
    return {
      monitorQueues: maskOf(watched.map((priority) => transmit[priority])),
      ports,
      minIntervalPs: own.minInterval,
      queueIntervalPs: own.queueInterval,
      pauseNs: own.pause === 'auto' ? null : Math.ceil(own.pause / PS_PER_NS),
      pauseMinNs: Math.ceil(own.pauseMin / PS_PER_NS),
      pauseMaxNs: Math.ceil(own.pauseMax / PS_PER_NS),
      sendsWhilePaused: own.whilePaused === 'longest',
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

  /** Of every monitored queue of a switch to which flows can bring more than leaves. */
  sizesOf(device: number): SfcSize[] {
    if (!this.ports.has(device)) return [];
    this.queues ??= sfcQueues(this.context, (own) => this.watched(own));
    return this.queues
      .filter((queue) => queue.device === device)
      .map((queue) => this.sizeOf(queue));
  }

  private sizeOf(queue: SfcQueue): SfcSize {
    const own = this.section(queue.device);
    const { detector, targetOctets } = this.ports.get(queue.device)![queue.port];
    const times = {
      messageOctets: EMPTY_MESSAGE_OCTETS[encapsulationOf(own)] + own.quote,
      processingPs: (host: number) => Math.max(own.processing, this.section(host).processing),
    };
    const thresholdOctets = thresholdOf(detector);
    const loop = sfcLoop(this.context, queue, queue.ingresses, times);
    const ingresses = queue.ingresses.flatMap((ingress): SfcIngressSize[] => {
      const link = this.context.devices[queue.device].links[ingress.port];
      const xoffOctets = link.xoffOctets(queue.priority);
      if (xoffOctets === null || thresholdOctets === null) return [];
      const { detectionPs, upPs, downPs } = sfcLoop(this.context, queue, [ingress], times);
      const { octetPs } = this.context.devices[queue.device].links[queue.port];
      const loopOctets = Math.ceil(((detectionPs + upPs + downPs) * ingress.arrivals) / octetPs);
      const part = Math.ceil((thresholdOctets * ingress.arrivals) / queue.arrivals);
      return [{ port: ingress.port, thresholdOctets: part, loopOctets, xoffOctets }];
    });
    const nearest = ingresses.reduce<SfcIngressSize | null>(
      (a, b) => (a === null || beyondXoff(b) > beyondXoff(a) ? b : a),
      null,
    );
    return { ...queue, loop, thresholdOctets, targetOctets, nearest };
  }

  /** Warns of the queue for which PFC acts the longest before source flow control does. */
  private warnOfLateDetection(device: number): void {
    const late = this.sizesOf(device).flatMap(({ priority, port, thresholdOctets, nearest }) =>
      nearest === null || beyondXoff(nearest) <= 0
        ? []
        : [{ priority, port, thresholdOctets: thresholdOctets!, nearest }],
    );
    if (late.length === 0) return;
    const worst = late.reduce((a, b) => (beyondXoff(b.nearest) > beyondXoff(a.nearest) ? b : a));
    const { priority, port, thresholdOctets, nearest } = worst;
    const { links, placeOf } = this.context.devices[device];
    const share = nearest.thresholdOctets / thresholdOctets;
    const most = Math.floor((nearest.xoffOctets - nearest.loopOctets) / share);
    this.context.warn(
      placeOf('detect'),
      links[port].name,
      `priority ${priority}: PFC acts before source flow control: an ingress port is charged ` +
        `${nearest.thresholdOctets} bytes of the threshold (${thresholdOctets}) and ` +
        `${nearest.loopOctets} more until its sources pause, and its XOFF is ` +
        `${nearest.xoffOctets}; ` +
        (most > 0
          ? `detect: ${most}B or less, or a higher xoff`
          : 'a higher xoff, or shorter links'),
    );
  }

  /** Whether the path of a flow is covered. */
  private pathOf(flow: FlowContext, index: number): SfcPath[] {
    const { source, priority, isGroup } = flow;
    const switches = flow.switches();
    const sending = switches.filter((device) => this.watched(device).includes(priority));
    if (!isGroup && sending.length === 0) return [];
    const silent = switches.filter((device) => !sending.includes(device));
    return [{ flow: index, reaction: this.reactionOf(source, priority), sending, silent }];
  }

  private reactionOf(host: number, priority: number): SfcReaction {
    if (this.section(host).receive) return 'station';
    const [link] = this.context.devices[host].links;
    if (link === undefined || link.peerDevice < this.context.hostCount) return 'none';
    const { proxy } = this.section(link.peerDevice);
    const hasPfc = (link.pausable & (1 << priority)) !== 0;
    return actsForStation(proxy, false) && hasPfc ? 'proxy' : 'none';
  }

  private section(device: number): SfcSettings {
    return this.context.devices[device].section;
  }

  /** Priorities that a switch monitors. */
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
    const { hostCount, negotiates } = this.context;
    const isEdge = link.peerDevice < hostCount;
    const longestPs = loopPs.reduce((a, b) => Math.max(a, b), 0);
    const loopOctets = Math.ceil(longestPs / link.octetPs);
    const room = this.belowXoff(device, longestPs);
    const detector = detectorOf(
      own,
      Math.max(Math.min(2 * loopOctets, room), THRESHOLD_FRAMES * longest),
    );
    const usual = Math.max(loopOctets, TARGET_FRAMES * longest);
    const most = Math.floor((thresholdOf(detector) ?? Infinity) / 2);
    return {
      detector,
      targetOctets: own.target === 'auto' ? Math.min(usual, most) : own.target,
      octetPs: link.octetPs,
      station: isEdge ? this.stations.mac(link.peerDevice) : 0,
      proxy: isEdge ? own.proxy : 'off',
      // Where link partners negotiate, a station has to advertise it first.
      responds: isEdge && !negotiates && this.section(link.peerDevice).receive,
    };
  }

  /**
   * Octets of a queue that leave room below XOFF, whichever their ingress, for what arrives there
   * within a loop; Infinity where no link partner is paused.
   */
  private belowXoff(device: number, loopPs: number): number {
    const { links } = this.context.devices[device];
    const rooms = links.flatMap((link) =>
      this.watched(device).map((priority) => {
        const xoff = link.xoffOctets(priority);
        return xoff === null ? Infinity : xoff - Math.ceil(loopPs / link.octetPs);
      }),
    );
    return Math.min(...rooms, Infinity);
  }

  /** By host: time of a message to it, and of a frame of the longest kind back, over idle links. */
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
          device.priorities[priority].path,
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
        `target ${target} is not below the threshold, ${detect} bytes`,
      );
    }
    if (pauseMin > pauseMax) {
      throw fail(device.placeOf('pauseMin'), 'pauseMin is more than pauseMax');
    }
  }
}

/** The queue length from which on every frame is congesting; null if that is not fixed. */
function thresholdOf(detector: SfcDetector): number | null {
  switch (detector.kind) {
    case 'threshold':
      return detector.octets;
    case 'marking':
      return detector.maxOctets;
    case 'dynamic':
    case 'predicted':
      return null;
  }
}

function beyondXoff({ thresholdOctets, loopOctets, xoffOctets }: SfcIngressSize): number {
  return thresholdOctets + loopOctets - xoffOctets;
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
