import type { Socket } from 'node:dgram';
import { integer, mapping } from '../../settings/parts.js';
import { type SocketAddress, socketAddress, textOf } from '../address.js';
import type { Endpoint, EndpointKind, EndpointListener, EndpointOpener } from '../endpoint.js';
import { openUdp, sendUdp } from '../udp-socket.js';
import { readVxlan, writeVxlan } from './header.js';

/** Ends of a veth pair that the printed commands make: no other machine reaches them. */
const HERE = '169.254.77.1';
const THERE = '169.254.77.2';
/** By IANA; the old default of Linux was 8472. */
const VXLAN_PORT = 4789;
const UNDERLAY_NAME = 'selvage-underlay';
/** Of jumbo frames, with what an outer IPv4 header, UDP, VXLAN and an inner header add: 50. */
const UNDERLAY_MTU = 9300;
/**
 * Linux hands VXLAN to an address of its own namespace to another VXLAN device, or drops it: so the
 * other end is in a namespace that has nothing else.
 */
const UNDERLAY = [
  `ip netns add ${UNDERLAY_NAME}`,
  `ip link add svu type veth peer name svu netns ${UNDERLAY_NAME}`,
  `ip addr add ${HERE}/30 dev svu`,
  `ip link set svu mtu ${UNDERLAY_MTU} up`,
  `ip -n ${UNDERLAY_NAME} addr add ${THERE}/30 dev svu`,
  `ip -n ${UNDERLAY_NAME} link set svu mtu ${UNDERLAY_MTU} up`,
];

const keys = mapping({
  vni: integer(0, 0xffffff).describe('Network identifier: which live port frames are of.'),
  listen: socketAddress()
    .describe('Where this process listens. Live ports may share it.')
    .prefault(`${HERE}:${VXLAN_PORT}`),
  remote: socketAddress()
    .describe('The VXLAN device of the host: only what comes from this address enters.')
    .prefault(`${THERE}:${VXLAN_PORT}`),
});

interface VxlanSettings {
  readonly vni: number;
  readonly listen: SocketAddress;
  readonly remote: SocketAddress;
}

interface Peer {
  readonly settings: VxlanSettings;
  readonly listener: EndpointListener;
}

/** A socket and the networks that come in by it. */
class VxlanSocket {
  private readonly peers = new Map<number, Peer>();
  private socket: Promise<Socket> | null = null;

  constructor(private readonly listen: SocketAddress) {}

  async add(peer: Peer): Promise<Socket> {
    this.peers.set(peer.settings.vni, peer);
    this.socket ??= openUdp(this.listen, (octets, from) => {
      this.take(octets, from.address);
    });
    return this.socket;
  }

  /** True where nobody else needs the socket. */
  remove(vni: number): boolean {
    this.peers.delete(vni);
    return this.peers.size === 0;
  }

  private take(octets: Uint8Array, address: string): void {
    const read = readVxlan(octets);
    // What belongs to none is counted at the first.
    const [first] = this.peers.values();
    if (typeof read === 'string') {
      first?.listener.refused(read);
      return;
    }
    const peer = this.peers.get(read.vni);
    if (peer === undefined) first?.listener.refused('wrong-vni');
    else if (address !== peer.settings.remote.host) peer.listener.refused('stranger');
    else peer.listener.frame(read.frame);
  }
}

class VxlanOpener implements EndpointOpener<VxlanSettings> {
  private readonly sockets = new Map<string, VxlanSocket>();

  async open(settings: VxlanSettings, listener: EndpointListener): Promise<Endpoint> {
    const place = textOf(settings.listen);
    const shared = this.sockets.get(place) ?? new VxlanSocket(settings.listen);
    this.sockets.set(place, shared);
    const socket = await shared.add({ settings, listener });
    const { vni, remote } = settings;
    return {
      send: (octets) => {
        sendUdp(socket, writeVxlan(vni, octets), remote);
        return true;
      },
      hold: () => undefined,
      close: () => {
        if (shared.remove(vni)) socket.close();
      },
    };
  }
}

export const vxlan: EndpointKind<VxlanSettings> = {
  kind: 'vxlan',
  help: 'VXLAN over UDP (RFC 7348): Linux, Open vSwitch, containerlab.',
  settings: keys,
  pushesBack: false,
  place: ({ listen, vni }) => ({ name: `VNI ${vni} at ${textOf(listen)}`, key: 'vni' }),
  makeOpener: () => new VxlanOpener(),
  takesNamespaces: true,
  prepare: ({ listen, remote }) => (listen.host === HERE && remote.host === THERE ? UNDERLAY : []),
  attach: ({ vni, listen, remote }, { namespace, mtu, mac, ipv4 }) => [
    `ip -n ${UNDERLAY_NAME} link add sv${vni} type vxlan id ${vni} local ${remote.host} ` +
      `remote ${listen.host} dstport ${listen.port} nolearning`,
    `ip -n ${UNDERLAY_NAME} link set sv${vni} netns ${namespace}`,
    // Super-frames of segmentation offload do not fit a link.
    `ip -n ${namespace} link set sv${vni} address ${mac} mtu ${mtu} gso_max_segs 1 up`,
    `ip -n ${namespace} addr add ${ipv4} dev sv${vni}`,
  ],
};
