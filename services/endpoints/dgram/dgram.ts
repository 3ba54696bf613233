import { mapping } from '../../settings/parts.js';
import { type SocketAddress, socketAddress, textOf } from '../address.js';
import type { Endpoint, EndpointKind, EndpointListener, EndpointOpener } from '../endpoint.js';
import { openUdp, sendUdp } from '../udp-socket.js';

const keys = mapping({
  listen: socketAddress().describe('Where this process listens.'),
  remote: socketAddress().describe('Where QEMU listens: only what comes from there enters.'),
});

interface DgramSettings {
  readonly listen: SocketAddress;
  readonly remote: SocketAddress;
}

/** A datagram is a frame, and nothing else. */
class DgramOpener implements EndpointOpener<DgramSettings> {
  async open(settings: DgramSettings, listener: EndpointListener): Promise<Endpoint> {
    const { listen, remote } = settings;
    const socket = await openUdp(listen, (octets, from) => {
      if (from.address !== remote.host || from.port !== remote.port) listener.refused('stranger');
      else listener.frame(octets);
    });
    return {
      send: (octets) => {
        // The octets are a view that is used again before the socket has sent them.
        sendUdp(socket, octets.slice(), remote);
        return true;
      },
      hold: () => undefined,
      close: () => socket.close(),
    };
  }
}

export const dgram: EndpointKind<DgramSettings> = {
  kind: 'dgram',
  help: 'QEMU -netdev dgram: a UDP datagram is a frame.',
  settings: keys,
  pushesBack: false,
  place: ({ listen }) => ({ name: textOf(listen), key: 'listen' }),
  takesNamespaces: false,
  prepare: () => [],
  makeOpener: () => new DgramOpener(),
  attach: ({ listen, remote }, { mac }) => [
    `qemu-system-x86_64 … -device virtio-net-pci,netdev=n0,mac=${mac} ` +
      '-netdev dgram,id=n0,' +
      `local.type=inet,local.host=${remote.host},local.port=${remote.port},` +
      `remote.type=inet,remote.host=${listen.host},remote.port=${listen.port}`,
  ],
};
