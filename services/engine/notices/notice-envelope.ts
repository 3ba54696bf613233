import { C_TAG_MASK, PRIORITY_TAGGED, VID_MASK } from '../units/ethernet.js';
import type { Encapsulation, Envelope } from '../wire/congestion-message.js';
import { type EthernetHeader, NO_TAG, tagControl } from '../wire/ethernet.js';
import type { Stations } from './stations.js';
import type { Priority } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

const S_TAG_SHIFT = 16;

/** Source, destination and headers of a message. */
export interface NoticeEnds {
  readonly encapsulation: Encapsulation;
  readonly priority: Priority;
  readonly dscp: number;
  /** VLANs as frames have them: C-TAG in the low half, S-TAG in the high half. */
  readonly tags: number;
  /** MAC address of the port that sends it. */
  readonly mac: number;
  readonly own: Stations;
  /** The receiver is the one at a position. */
  readonly stations: Stations;
  readonly position: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

/** Fills in the headers of a message except for what depends on its length. */
export function fillEnvelope(into: Envelope, ends: NoticeEnds): void {
  const { dscp, own, stations, position } = ends;
  assert(dscp >= 0 && dscp < 64 && ends.priority < 8, 'notice.class-of-traffic');
  into.encapsulation = ends.encapsulation;
  fillEthernet(into.ethernet, ends.mac, stations.mac(position), ends.tags, ends.priority);
  into.ipv4.dscp = dscp;
  into.ipv4.source = own.ipv4(0);
  into.ipv4.destination = stations.ipv4(position);
  into.ipv6.dscp = dscp;
  into.ipv6.source.set(own.ipv6(0));
  into.ipv6.destination.set(stations.ipv6(position));
  into.udp.sourcePort = ends.sourcePort;
  into.udp.destinationPort = ends.destinationPort;
}

export function fillEthernet(
  into: EthernetHeader,
  source: number,
  destination: number,
  tags: number,
  priority: Priority,
): void {
  into.source = source;
  into.destination = destination;
  into.cTag = tagOf(tags & C_TAG_MASK, priority);
  into.sTag = tagOf(tags >>> S_TAG_SHIFT, priority);
}

/** Tags of a message: on layer 2 its priority is in a tag; IP has a DSCP. */
export function messageTags(tags: number, encapsulation: Encapsulation): number {
  return tags === 0 && encapsulation === 'ethernet' ? PRIORITY_TAGGED : tags;
}

function tagOf(tag: number, priority: Priority): number {
  if (tag === 0) return NO_TAG;
  return tagControl({ priority, dropEligible: false, vlan: tag & VID_MASK });
}
