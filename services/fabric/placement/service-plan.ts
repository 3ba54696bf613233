import type { Fabric } from '../assembly/fabric.js';
import type { ChannelPlan, PartitionPlan } from './partition-plan.js';
import { planPartitions } from './partition-plan.js';
import type { Placement } from './placement.js';
import { placeInThreads } from './parts.js';

/** The input of a service: its partitions, one a thread, and its channels to other services. */
export interface ServicePlan {
  readonly service: number;
  readonly parts: readonly PartitionPlan[];
  readonly channels: readonly ServiceChannel[];
}

/** To and from another service: the links of all partitions, in one order at both ends. */
interface ServiceChannel {
  readonly peer: number;
  readonly lookaheadOutPs: number;
  readonly lookaheadInPs: number;
  readonly links: readonly LinkPlace[];
}

/** A link, by its partition in the service, the channel there, and its index in that. */
export interface LinkPlace {
  readonly part: number;
  readonly channel: number;
  readonly link: number;
}

interface ServiceLayout {
  readonly placement: Placement;
  /** Of each service, at most: a service has no more than it has devices. */
  readonly threads: number;
  /** See `planPartitions`. */
  readonly jams: boolean;
}

/** Cuts a fabric in two levels: into services, and the devices of each into its threads. */
export function planServices(
  fabric: Fabric,
  { placement, threads, jams }: ServiceLayout,
): ServicePlan[] {
  const groups = placeInThreads(fabric, placement, threads);
  const plans = planPartitions(fabric, groups.flat(), jams);
  const serviceOf = groups.flatMap((parts, service) => parts.map(() => service));
  return groups.map((_, service) => {
    const own = plans.filter((_plan, part) => serviceOf[part] === service);
    const parts = own.map((plan) => {
      return { ...plan, channels: joinedByService(plan.channels, service, serviceOf) };
    });
    return { service, parts, channels: serviceChannels(service, own, serviceOf) };
  });
}

/** The devices of a service, partition by partition. */
export function devicesOf({ parts }: ServicePlan): number[] {
  return parts.flatMap(({ devices }) => devices);
}

/** The channels of a partition: one to each other of its service, and one to each other service. */
function joinedByService(
  channels: readonly ChannelPlan[],
  service: number,
  serviceOf: readonly number[],
): ChannelPlan[] {
  const inside = channels.filter(({ peer }) => serviceOf[peer] === service);
  const outside = channels.filter(({ peer }) => serviceOf[peer] !== service);
  const services = [...new Set(outside.map(({ peer }) => serviceOf[peer]!))];
  const joined = services.map((peer) =>
    joinedTo(
      peer,
      outside.filter((channel) => serviceOf[channel.peer] === peer),
    ),
  );
  return [...inside, ...joined];
}

function joinedTo(peer: number, channels: readonly ChannelPlan[]): ChannelPlan {
  const links = channels.map(({ linksOutPs }) => linksOutPs);
  return {
    peer,
    inside: false,
    lookaheadOutPs: Math.min(...channels.map(({ lookaheadOutPs }) => lookaheadOutPs)),
    lookaheadInPs: Math.min(...channels.map(({ lookaheadInPs }) => lookaheadInPs)),
    linksOutPs: links.includes(null) ? null : links.flatMap((ps) => ps ?? []),
    outPorts: channels.flatMap(({ outPorts }) => outPorts),
    inPorts: channels.flatMap(({ inPorts }) => inPorts),
  };
}

/** A link to another service, with the partitions at both ends. */
interface PlacedEnds extends LinkPlace {
  readonly own: number;
  readonly peer: number;
}

function serviceChannels(
  service: number,
  parts: readonly PartitionPlan[],
  serviceOf: readonly number[],
): ServiceChannel[] {
  const joined = parts.map(({ channels }) => joinedByService(channels, service, serviceOf));
  const peers = new Set(
    joined.flatMap((channels) => channels.flatMap(({ inside, peer }) => (inside ? [] : peer))),
  );
  return [...peers]
    .sort((a, b) => a - b)
    .map((peer) => {
      const isOfPeer = (channel: ChannelPlan): boolean => !channel.inside && channel.peer === peer;
      const own = joined.flatMap((channels) => channels.filter(isOfPeer));
      const links = parts.flatMap((plan, part) => {
        const channel = joined[part]!.findIndex(isOfPeer);
        const ends = plan.channels.filter((end) => serviceOf[end.peer] === peer);
        const partners = ends.flatMap((end) => end.inPorts.map(() => end.peer));
        return partners.map((partner, link): PlacedEnds => {
          return { part, channel, link, own: plan.service, peer: partner };
        });
      });
      return {
        peer,
        lookaheadOutPs: Math.min(...own.map(({ lookaheadOutPs }) => lookaheadOutPs)),
        lookaheadInPs: Math.min(...own.map(({ lookaheadInPs }) => lookaheadInPs)),
        links: links
          .sort(service < peer ? byOwn : byPeer)
          .map(({ part, channel, link }) => ({ part, channel, link })),
      };
    });
}

/** Both ends sort their links by the partition in the service of lower number. */
function byOwn(a: PlacedEnds, b: PlacedEnds): number {
  return a.own - b.own || a.peer - b.peer || a.link - b.link;
}

function byPeer(a: PlacedEnds, b: PlacedEnds): number {
  return a.peer - b.peer || a.own - b.own || a.link - b.link;
}
