import type { ChannelTerms } from '../../engine/contract/discovery.js';
import { CHARGE_MOST } from '../../engine/buffer/charges.js';
import { wireOctets } from '../../engine/units/ethernet.js';
import { VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import type {
  DeviceContext,
  FabricContext,
  LinkContext,
  MechanismPlan,
} from '../fabric-context.js';
import type { MemorySize, Shortage, SizeTerm } from '../mechanism-slice.js';
import { CHANNEL_CREDITS_MOST, costOf } from './machine.js';
import type { Path } from '../../settings/source-tree.js';
import { directionOf, type Direction } from './direction.js';
import type { CbfcSettings } from './settings.js';
import type { CbfcPortSpec, CbfcSpec } from './spec.js';

/** A sender asks again for an answer after so many round trips, and a little. */
const RETRY_ROUND_TRIPS = 2;
const RETRY_MARGIN_PS = 1_000_000;

type Device = DeviceContext<CbfcSettings>;

/** What the ports of a fabric are given, and where in the file that is wrong. */
export class CbfcPlan implements MechanismPlan<CbfcSpec, CbfcSpec> {
  /** By device and port: what its receiver grants, and its link partner's sender uses. */
  private readonly directions: (Direction | null)[][];

  constructor(private readonly context: FabricContext<CbfcSettings>) {
    this.directions = context.devices.map((own, device) =>
      own.links.map((link, port) => {
        const priorities = prioritiesOf(link);
        if (priorities.length === 0) return null;
        this.check(own, link, priorities);
        return this.direction(own, device, port, priorities);
      }),
    );
  }

  ofSwitch(device: number): CbfcSpec | null {
    return this.specOf(device);
  }

  ofHost(device: number): CbfcSpec | null {
    return this.specOf(device);
  }

  /** By priority: octets to reserve behind a port for all that it grants. */
  backing(device: number, port: number, cellOctets: number): readonly number[] {
    const direction = this.directions[device]?.[port] ?? null;
    const { receive } = this.context;
    const seen = new Set<string>();
    return receive.map((group, priority) => {
      if (direction?.priorities.includes(priority) !== true) return 0;
      const channel = direction.channelOf[priority];
      // Priorities of one channel and account share its memory.
      const key = `${channel} ${group}`;
      if (seen.has(key)) return 0;
      seen.add(key);
      const { shift, overhead, limits } = direction.receiver;
      const octets = (1 << shift) + Math.max(0, -overhead);
      return limits[channel] * Math.ceil(octets / cellOctets) * cellOctets;
    });
  }

  hasOrderedSets(device: number, port: number): boolean {
    return (this.directions[device]?.[port] ?? null) !== null;
  }

  grantMessages(device: number, port: number): string | null {
    return this.hasOrderedSets(device, port) ? 'cf-update' : null;
  }

  sizes(device: number): MemorySize[] {
    return (this.directions[device] ?? []).flatMap((direction, port) =>
      direction === null
        ? []
        : direction.priorities.map((priority) => sizeOf(direction, port, priority)),
    );
  }

  /** Why the link partner of a port may lack credits while the port stores little. */
  shortage(device: number, port: number, priority: number): Shortage {
    const size = this.sizes(device).find((one) => one.port === port && one.priority === priority);
    const hasOctets = size?.givenOctets ?? 0;
    const needsOctets = size?.neededOctets ?? 0;
    return { kind: hasOctets < needsOctets ? 'below-loop' : 'under-way', hasOctets, needsOctets };
  }

  /** What the receiver of a port grants; null where it does not run. */
  directionAt(device: number, port: number): Direction | null {
    return this.directions[device]?.[port] ?? null;
  }

  /** Credits that the sender of a port needs; null where it does not run. */
  termsAt(device: number, port: number): ChannelTerms | null {
    const spec = this.portSpec(device, port);
    if (spec === null) return null;
    const { priorities, channelOf, sender } = spec;
    const { shift, overhead } = sender;
    return { name: 'CBFC', priorities, channelOf, creditOctets: 1 << shift, overhead };
  }

  private specOf(device: number): CbfcSpec | null {
    const { links } = this.context.devices[device];
    const ports = links.map((_, port) => this.portSpec(device, port));
    return ports.some((spec) => spec !== null) ? { ports } : null;
  }

  /** What a port is given; null where it does not run. */
  portSpec(device: number, port: number): CbfcPortSpec | null {
    const link = this.context.devices[device].links[port];
    const own = this.directions[device][port]!;
    const peers = this.directions[link.peerDevice][link.peerPort] ?? null;
    if (own === null || peers === null) return null;
    const { section } = this.context.devices[device];
    return {
      priorities: own.priorities.reduce((mask, priority) => mask | (1 << priority), 0),
      channelOf: section.channels,
      receiver: own.receiver,
      sender: peers.sender,
      frameCredits: own.frameCredits,
      stepCredits: own.stepCredits,
      leastSpacingPs: section.cfMinSpacing * link.octetPs,
      mostSpacingPs: section.cfMaxSpacing * link.octetPs,
      consumedPs: section.ccInterval,
      retryPs: RETRY_ROUND_TRIPS * this.roundTripPs(device, link) + RETRY_MARGIN_PS,
      negotiates: this.context.negotiates,
    };
  }

  private direction(
    own: Device,
    device: number,
    port: number,
    priorities: readonly number[],
  ): Direction {
    const link = own.links[port];
    const peer = this.context.devices[link.peerDevice];
    const longest = Math.max(...link.longestFrameOctets);
    const direction = directionOf({
      receiver: own.section,
      sender: peer.section,
      priorities,
      frameLengths: link.frameLengths,
      longestOctets: longest,
      octetPs: link.octetPs,
      latencyPs: link.latencyPs,
      pipelinesPs: this.pipelinePs(device) + this.pipelinePs(link.peerDevice),
      fail: (key, message) => this.context.fail(own.placeOf(key), message),
      failOfSender: (key, message) => this.context.fail(peer.placeOf(key), message),
    });
    this.checkFrames(own, direction, longest);
    this.warnOfLimits(own, link, direction);
    return direction;
  }

  private roundTripPs(device: number, link: LinkContext): number {
    const longestPs = wireOctets(Math.max(...link.longestFrameOctets)) * link.octetPs;
    const pipelinesPs = this.pipelinePs(device) + this.pipelinePs(link.peerDevice);
    return 2 * (link.latencyPs + longestPs) + pipelinesPs;
  }

  private pipelinePs(device: number): number {
    const { hostCount, devices } = this.context;
    return device < hostCount ? 0 : devices[device].pipelinePs;
  }

  private check(own: Device, link: LinkContext, priorities: readonly number[]): void {
    const { fail, transmit, receive, devices } = this.context;
    const [first] = priorities as readonly [number];
    if (own.hasOwnMemory) {
      throw fail(
        own.priorities[first].path,
        `priority ${first} has cbfc at ${link.name}, and the model of ${own.name} has no ` +
          'credits; ' +
          'another flow control, or model: plain (a switch: shared-buffer)',
      );
    }
    const { cfMinSpacing, cfMaxSpacing } = own.section;
    if (cfMinSpacing > cfMaxSpacing) {
      throw fail(
        own.placeOf('cfMinSpacing'),
        `cfMinSpacing ${cfMinSpacing} is more than cfMaxSpacing ${cfMaxSpacing} of ${own.name}; ` +
          'a smaller cfMinSpacing, or a larger cfMaxSpacing',
      );
    }
    for (const [map, what] of [
      [transmit, 'traffic class'],
      [receive, 'receive account'],
    ] as const) {
      for (const priority of priorities) {
        const other = map.findIndex(
          (place, p) => place === map[priority] && !priorities.includes(p),
        );
        if (other < 0) continue;
        throw fail(
          own.priorities[priority].path,
          `priorities ${priority} and ${other} share the ${what} ${map[priority]}, but only ` +
            `${priority} has cbfc at ${link.name}; make them alike or change classes`,
        );
      }
    }
    const peer = devices[link.peerDevice];
    const differs = priorities.find((p) => own.section.channels[p] !== peer.section.channels[p]);
    if (differs === undefined) return;
    throw fail(
      own.placeOf('channels'),
      `priority ${differs} has virtual channel ${own.section.channels[differs]} at ${link.name}, ` +
        `and ${peer.section.channels[differs]} at the other end of the link; the same at both`,
    );
  }

  private checkFrames(own: Device, { receiver }: Direction, longest: number): void {
    const credits = costOf(longest, receiver.overhead, receiver.shift);
    if (credits <= CHARGE_MOST) return;
    throw this.context.fail(
      own.placeOf('creditSize'),
      `a frame of ${longest} bytes takes ${credits} credits of ${1 << receiver.shift}; ` +
        `at most ${CHARGE_MOST}, so a larger creditSize`,
    );
  }

  /** Less than line rate, whether for the buffer, the profile, or the width of a count. */
  private warnOfLimits(own: Device, link: LinkContext, direction: Direction): void {
    const { receiver, needed } = direction;
    for (const priority of direction.priorities) {
      const channel = direction.channelOf[priority];
      const most = mostInUse(direction, channel);
      if (most >= needed[channel]) continue;
      const { place, remedy } = this.remedyOf(own, link, direction, channel);
      this.context.warn(
        place,
        link.name,
        `priority ${priority}: a sender has ${most} credits of ${1 << receiver.shift} bytes, ` +
          'and ' +
          `the round trip of its link takes ${needed[channel]}: about ` +
          `${Math.floor((100 * most) / needed[channel])} % of line rate; ${remedy}`,
      );
    }
  }

  private remedyOf(
    own: Device,
    { peerDevice }: LinkContext,
    { receiver, sender, needed, wanted }: Direction,
    channel: number,
  ): { readonly place: Path; readonly remedy: string } {
    const neededOctets = needed[channel] << receiver.shift;
    const terms = sender.channels[channel]!;
    const shared = terms.pool < 0 ? Infinity : sender.pools[terms.pool];
    const peer = this.context.devices[peerDevice];
    const has = `the port has ${receiver.total}`;
    if (receiver.total > 0 && terms.reserved + shared >= needed[channel]) {
      const remedy = `${has}: a larger reserved, or more sharing, at ${peer.name}`;
      return { place: peer.placeOf('sharing'), remedy };
    }
    if (receiver.total >= needed[channel] && peer.section.pools.length > 0) {
      return { place: peer.placeOf('pools'), remedy: `${has}: a larger pool at ${peer.name}` };
    }
    if (own.section.buffer !== 'auto' || wanted[channel] <= CHANNEL_CREDITS_MOST) {
      const remedy = `buffer: auto, or ${neededOctets} bytes or more`;
      return { place: own.placeOf('buffer'), remedy };
    }
    const remedy =
      `a channel counts no more than ${CHANNEL_CREDITS_MOST} credits, ` + 'so a shorter link';
    return { place: own.placeOf('creditSize'), remedy };
  }
}

/** Credits that a channel can have in use while it has its pool to itself. */
function mostInUse({ sender, frameCredits }: Direction, channel: number): number {
  const { limit, pool, reserved, sharing, threshold } = sender.channels[channel]!;
  if (pool < 0 || sharing !== 'dynamic') return limit;
  // A frame starts while what is used of the pool is at most 2^n of what is free before it.
  const factor = 2 ** threshold;
  const shared = (factor * (sender.pools[pool] + frameCredits[channel])) / (1 + factor);
  return Math.min(limit, reserved + Math.floor(shared));
}

function prioritiesOf({ flowControl }: LinkContext): number[] {
  return flowControl.flatMap((method, priority) => (method === 'cbfc' ? [priority] : []));
}

function sizeOf(direction: Direction, port: number, priority: number): MemorySize {
  const { receiver, needed, terms, channelOf, octetPs } = direction;
  const channel = channelOf[priority];
  const creditOctets = 1 << receiver.shift;
  const inCredits = needed[channel] * creditOctets - terms.totalOctets;
  const term = (name: string, meaning: string, octets: number): SizeTerm => ({
    ...{ term: name, meaning, octets, ps: Math.round(octets * octetPs) },
  });
  return {
    title: 'credits (CBFC)',
    port,
    priority,
    terms: [
      term('F', 'longest frame of the priority, whole', terms.frameOctets),
      term('2C + 2ID', 'link and interfaces, there and back', terms.roundTripOctets),
      term('pipelines', 'of both ends', terms.pipelineOctets),
      term('W', 'longest frame that the receiver may just have begun', terms.waitOctets),
      term('S', 'least spacing of CF_Update', terms.spacingOctets),
      term('U', 'CF_Update', terms.updateOctets),
      {
        ...{ term: 'credits', meaning: `whole frames, in credits of ${creditOctets} bytes` },
        ...{ ps: null, octets: inCredits },
      },
    ],
    neededOctets: needed[channel] * creditOctets,
    givenOctets: receiver.limits[channel] * creditOctets,
    thresholds: {},
  };
}

/** Which channels a port has, for discovery. */
export function channelCount(channelOf: readonly number[]): number {
  return Math.min(VIRTUAL_CHANNELS, Math.max(...channelOf) + 1);
}
