import type { SendSpec } from '../../engine/contract/spec.js';
import { actsForStation } from '../../mechanisms/sfc/machine.js';
import type {
  SfcDetector,
  SfcHostSpec,
  SfcPortSpec,
  SfcSwitchSpec,
} from '../../mechanisms/sfc/spec.js';
import { groupMac, STATION_OCTETS } from '../../engine/notices/stations.js';
import { wireOctets } from '../../engine/units/octets.js';
import { GROUP_FLAG } from '../../engine/frame/frame-pool.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import type { HostAddress } from '../address.js';
import { switchAddress } from '../address.js';
import type { ArbiterSection, SfcSection } from '../scenario/scenario.js';
import { hostCount } from '../topology/topology.js';
import type { AssemblyInput, SfcPath } from './assembly.js';
import type { FlowPaths } from './flow-paths.js';
import { hasPfc, type Methods } from './link-methods.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';

/** An SFCM on IPv4 with 34 octets of the congesting frame, FCS included. */
const MESSAGE_OCTETS = 118;
const PS_PER_NS = 1000;
/** Of the longest frame: no threshold makes sense below these. */
const THRESHOLD_FRAMES = 4;
const TARGET_FRAMES = 2;

/** What devices do about source flow control, and where in the file that is wrong. */
export class SfcPlan {
  /** Some priority of some switch is watched. */
  readonly isUsed: boolean;
  private readonly negotiates: boolean;
  private readonly stations: Uint8Array;
  private readonly hosts: number;

  constructor(
    private readonly input: AssemblyInput,
    private readonly settings: readonly Settings[],
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    /** By device and port. */
    private readonly methods: readonly (readonly Methods[])[],
    /** By priority. */
    private readonly longestFrameOctets: readonly number[],
  ) {
    const { enabled, drives } = input.scenario.discovery;
    this.negotiates = enabled && drives;
    this.hosts = hostCount(input.topology);
    this.stations = stationsOf(input.addresses);
    this.isUsed = settings.some((_, device) => this.watched(device).length > 0);
    settings.forEach((own, device) => {
      this.check(own, this.watched(device));
    });
  }

  ofSwitch(device: number): SfcSwitchSpec | null {
    if (!this.isUsed) return null;
    const { sfc } = this.settings[device]!;
    const watched = this.watched(device);
    const loopPs = this.loopsFrom(device);
    const longest = Math.max(...watched.map((priority) => this.longestFrameOctets[priority]!), 64);
    const ports = this.linkEnds[device]!.map((end) => this.port(end, sfc, loopPs, longest));
    if (watched.length === 0 && !ports.some(({ proxy, obeys }) => actsForStation(proxy, obeys)))
      return null;
    const { transmit } = this.input.scenario.classes;
    return {
      monitorQueues: watched.reduce((mask, priority) => mask | (1 << transmit[priority]!), 0),
      ports,
      minIntervalPs: sfc.minIntervalPs,
      pauseNs: sfc.pausePs === null ? null : Math.ceil(sfc.pausePs / PS_PER_NS),
      pauseMinNs: Math.ceil(sfc.pauseMinPs / PS_PER_NS),
      pauseMaxNs: Math.ceil(sfc.pauseMaxPs / PS_PER_NS),
      resume: sfc.resume,
      maxSources: sfc.maxSources,
      sourceLifePs: sfc.sourceLifePs,
      minHeaderOctets: sfc.quoteBytes,
      txPriority: sfc.priority,
      encapsulation: sfc.encapsulation,
      processingPs: sfc.processingPs,
      address: stationsOf([switchAddress(device)]),
      stations: this.stations,
      loopPs,
    };
  }

  ofHost(host: number, sends: readonly SendSpec[]): SfcHostSpec | null {
    const { sfc } = this.settings[host]!;
    if (!this.isUsed || !sfc.receive) return null;
    const destinations = sends.map(({ frameClass, target }) =>
      (frameClass & GROUP_FLAG) === 0 ? this.macOf(target) : groupMac(target),
    );
    return { scope: sfc.scope, processingPs: sfc.processingPs, destinations };
  }

  /** How a source is stopped when it is told to: by itself, by its edge, or not at all. */
  private reactionOf(host: number, priority: number): 'station' | 'proxy' | 'none' {
    if (this.settings[host]!.sfc.receive) return 'station';
    const [end] = this.linkEnds[host]!;
    if (end === undefined || end.peerDevice < this.hosts) return 'none';
    const { proxy } = this.settings[end.peerDevice]!.sfc;
    return actsForStation(proxy, false) && hasPfc(this.methods[host]![end.port]![priority])
      ? 'proxy'
      : 'none';
  }

  /** Which of the flows' ways are covered. */
  paths(ways: FlowPaths): SfcPath[] {
    if (!this.isUsed) return [];
    return this.input.flows.flatMap((flow, index): SfcPath[] => {
      const { source, priority, destination, group } = flow;
      const switches = group
        ? []
        : ways
            .find(flow, destination)
            .map(({ from }) => from.device)
            .slice(1);
      const telling = switches.filter((device) => this.watched(device).includes(priority));
      if (!group && telling.length === 0) return [];
      const silent = switches.filter((device) => !telling.includes(device));
      return [{ flow: index, reaction: this.reactionOf(source, priority), telling, silent }];
    });
  }

  /** Priorities that a switch watches. */
  private watched(device: number): number[] {
    if (device < this.hosts || !this.settings[device]!.sfc.send) return [];
    return this.settings[device]!.priorities.filter(({ sfc }) => sfc).map((p) => p.priority);
  }

  private port(end: LinkEnd, sfc: SfcSection, loopPs: Float64Array, longest: number): SfcPortSpec {
    const isEdge = end.peerDevice < this.hosts;
    const loopOctets = Math.ceil(loopPs.reduce((a, b) => Math.max(a, b), 0) / end.octetPs);
    const targetOctets = sfc.targetBytes ?? Math.max(loopOctets, TARGET_FRAMES * longest);
    const own = this.settings[end.device]!.switch.arbiter;
    return {
      detector: detectorOf(sfc, Math.max(2 * loopOctets, THRESHOLD_FRAMES * longest)),
      targetOctets,
      drainOctetPs: sharesOf(own ?? this.input.scenario.classes.arbiter).map((share) =>
        share === 0 ? Infinity : end.octetPs / share,
      ),
      station: isEdge ? this.macOf(end.peerDevice) : 0,
      proxy: isEdge ? sfc.proxy : 'off',
      // Where neighbours negotiate, a station has yet to say so.
      obeys: isEdge && !this.negotiates && this.settings[end.peerDevice]!.sfc.receive,
    };
  }

  private macOf(host: number): number {
    return readU48(this.input.addresses[host]!.mac, 0);
  }

  /** By host: a message there, and a frame of the longest kind back, over idle links. */
  private loopsFrom(device: number): Float64Array {
    const { settings, linkEnds, hosts } = this;
    const frame = Math.max(...this.longestFrameOctets);
    const loops = new Float64Array(linkEnds.length).fill(Infinity);
    loops[device] = 0;
    const reached = [device];
    for (let next = 0; next < reached.length; next++) {
      const here = reached[next]!;
      if (here < hosts) continue;
      const pipelinePs = settings[here]!.switch.pipelinePs * (here === device ? 1 : 2);
      for (const { peerDevice, latencyPs, octetPs } of linkEnds[here]!) {
        if (loops[peerDevice] !== Infinity) continue;
        const wirePs = (wireOctets(frame) + wireOctets(MESSAGE_OCTETS)) * octetPs;
        loops[peerDevice] = loops[here]! + pipelinePs + 2 * latencyPs + wirePs;
        reached.push(peerDevice);
      }
    }
    return loops.slice(0, hosts).map((loop) => (loop === Infinity ? 0 : loop));
  }

  private check(own: Settings, watched: readonly number[]): void {
    const { scenario, fail } = this.input;
    const { transmit } = scenario.classes;
    for (const priority of watched) {
      const stranger = own.priorities.find(
        (other) => !other.sfc && transmit[other.priority] === transmit[priority],
      );
      if (stranger !== undefined) {
        throw fail(
          placeOfPriority(own, priority),
          `priorities ${priority} and ${stranger.priority} share the traffic class ` +
            `${transmit[priority]!}, but only ${priority} has sfc; make them alike or change ` +
            'classes.transmit',
        );
      }
      if (own.sfc.priority === priority) {
        throw fail(
          placeOfSfc(own, 'priority'),
          `priority ${priority} is watched itself: its messages would wait in the queues that ` +
            'they tell of; take another',
        );
      }
    }
    const { detect, targetBytes, pauseMinPs, pauseMaxPs } = own.sfc;
    if (detect.kind === 'threshold' && targetBytes !== null && targetBytes >= detect.bytes) {
      throw fail(
        placeOfSfc(own, 'target'),
        `target ${targetBytes} is not below the threshold, ${detect.bytes} octets`,
      );
    }
    if (pauseMinPs > pauseMaxPs) {
      throw fail(placeOfSfc(own, 'pauseMin'), 'pauseMin is more than pauseMax');
    }
  }
}

/** Where the file says something of source flow control: in the last override that does, or all. */
function placeOfSfc(settings: Settings, key: 'priority' | 'target' | 'pauseMin'): string[] {
  const keyOf = { priority: 'priority', target: 'targetBytes', pauseMin: 'pauseMinPs' } as const;
  const change = settings.changes.findLast(({ sfc }) => sfc[keyOf[key]] !== undefined);
  return change === undefined ? ['sfc', key] : ['devices', change.match, 'sfc', key];
}

function detectorOf({ detect }: SfcSection, autoOctets: number): SfcDetector {
  switch (detect.kind) {
    case 'auto':
      return { kind: 'threshold', octets: autoOctets };
    case 'threshold':
      return { kind: 'threshold', octets: detect.bytes };
    case 'dynamic':
      return detect;
    case 'marking': {
      const { kind, minBytes, maxBytes, probability } = detect;
      return { kind, minOctets: minBytes, maxOctets: maxBytes, probability };
    }
    case 'predicted':
      return { kind: 'predicted', octets: detect.bytes, horizonPs: detect.horizonPs };
  }
}

/** By traffic class: the share of a port that is a class's own when all have frames to send. */
function sharesOf(arbiter: ArbiterSection): number[] {
  switch (arbiter.kind) {
    case 'strict':
    case 'round-robin':
      return new Array<number>(8).fill(1);
    case 'dwrr': {
      const sum = arbiter.weights.reduce((a, b) => a + b, 0);
      return arbiter.weights.map((weight) => weight / sum);
    }
    case 'ets':
      return arbiter.shares.map((share) => (share === null ? 1 : share / 100));
  }
}

export function stationsOf(addresses: readonly HostAddress[]): Uint8Array {
  const octets = new Uint8Array(addresses.length * STATION_OCTETS);
  addresses.forEach(({ mac, ipv4, ipv6 }, i) => {
    octets.set([...mac, ...ipv4, ...ipv6], i * STATION_OCTETS);
  });
  return octets;
}
