import type { ForgedMessage } from '../../engine/contract/fault.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { hashOctets } from '../../engine/frame/octet-store.js';
import {
  fillEnvelope,
  messageTags,
  type NoticeEnds,
} from '../../engine/notices/notice-envelope.js';
import { PRIORITY_TAGGED } from '../../engine/units/ethernet.js';
import { LINK_PARTNER } from '../../engine/notices/sampled-message.js';
import { Stations } from '../../engine/notices/stations.js';
import { blankEnvelope, decodeEnvelope } from '../../engine/wire/congestion-message.js';
import { formatMac, NO_TAG, tagPriority, tagVlan } from '../../engine/wire/ethernet.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import type { MessageTemplate } from '../../mechanisms/message-template.js';
import { stationsOf } from './stations.js';
import type { HostAddress } from '../address.js';
import { switchAddress } from '../address.js';
import { DSCP_PER_PRIORITY } from '../../engine/wire/ipv4.js';

const FRAME_OCTETS_MOST = 256;
/** Network control (802.1Q 6.9.4), and its class selector (RFC 4594 3.1). */
const MESSAGE_PRIORITY = 6;
const MESSAGE_DSCP = 48;
/** One of the dynamic ports (RFC 6335 6). */
const SOURCE_PORT = 0xc000;

/** Contents of a spoofed message. */
interface SpoofedMessage {
  readonly template: MessageTemplate;
  /** Hosts, by position: its destination, and its alleged source of congestion. */
  readonly to: number;
  readonly source: number;
  /** Of the flow to pause; null: of the receiver's first. */
  readonly priority: number | null;
  readonly pausePs: number | null;
}

/** Composes spoofed messages that are valid in this fabric. */
export class Injector {
  private readonly stations: Stations;
  private readonly macs: readonly number[];

  constructor(
    private readonly specs: readonly DeviceSpec[],
    private readonly addresses: readonly HostAddress[],
  ) {
    this.stations = new Stations(stationsOf(addresses));
    this.macs = addresses.map(({ mac }) => readU48(mac, 0));
  }

  /** A whole frame without FCS, as a device would send it. */
  make(message: SpoofedMessage, device: number, mac: number): Uint8Array {
    const octets = new Uint8Array(FRAME_OCTETS_MOST);
    return octets.slice(0, this.write(octets, message, this.endsOf(message, device, mac)));
  }

  /** Headers for octets as a frame; a text if they cannot be one of this fabric. */
  around(octets: Uint8Array, peerMac: number): ForgedMessage | string {
    const envelope = blankEnvelope();
    const isRead = decodeEnvelope(octets, 0, envelope) === 'ok';
    const { destination, cTag, sTag } = envelope.ethernet;
    const host = this.macs.indexOf(destination);
    if (host < 0 && destination !== peerMac) {
      return `neither a host nor the link partner has the address ${formatMac(destination)}`;
    }
    const target = host < 0 ? LINK_PARTNER : host;
    const priority = priorityOf(cTag, isRead ? envelope : null);
    const vlan =
      (cTag === NO_TAG ? 0 : tagVlan(cTag) || PRIORITY_TAGGED) |
      (sTag === NO_TAG ? 0 : tagVlan(sTag) << 16);
    return { priority, target, hash: hashOctets(octets, octets.length), vlan };
  }

  private write(octets: Uint8Array, message: SpoofedMessage, ends: NoticeEnds): number {
    const envelope = blankEnvelope();
    fillEnvelope(envelope, ends);
    const { to, source, pausePs } = message;
    const [first] = this.sendsOf(to);
    const priority = first === undefined ? 0 : first.frameClass & PRIORITY_MASK;
    return message.template.encode(octets, envelope, {
      mac: ends.mac,
      source: this.macs[source]!,
      destination: first === undefined ? 0 : this.macs[first.target]!,
      priority: message.priority ?? priority,
      pausePs,
      connectionOf: (control) =>
        Math.max(
          0,
          this.sendsOf(to).findIndex(({ rate }) => rate?.kind === control),
        ),
    });
  }

  private endsOf({ template, to }: SpoofedMessage, device: number, mac: number): NoticeEnds {
    const isHost = device < this.addresses.length;
    const own = isHost ? this.addresses[device]! : switchAddress(device);
    return {
      encapsulation: template.encapsulation,
      priority: MESSAGE_PRIORITY,
      dscp: MESSAGE_DSCP,
      tags: messageTags(0, template.encapsulation),
      mac,
      own: new Stations(stationsOf([own])),
      stations: this.stations,
      position: to,
      sourcePort: SOURCE_PORT,
      destinationPort: 0,
    };
  }

  private sendsOf(host: number): Extract<DeviceSpec, { kind: 'host' }>['sends'] {
    const spec = this.specs[host]!;
    return spec.kind === 'host' ? spec.sends : [];
  }
}

/** Of a tag, or a DSCP; network control without either. */
function priorityOf(cTag: number, packet: ReturnType<typeof blankEnvelope> | null): number {
  if (cTag !== NO_TAG) return tagPriority(cTag);
  switch (packet?.encapsulation) {
    case 'ipv4':
      return Math.floor(packet.ipv4.dscp / DSCP_PER_PRIORITY);
    case 'ipv6':
      return Math.floor(packet.ipv6.dscp / DSCP_PER_PRIORITY);
    default:
      return MESSAGE_PRIORITY;
  }
}
