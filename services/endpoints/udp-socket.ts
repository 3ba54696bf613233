import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { openFault, type SocketAddress, textOf } from './address.js';

/** Room of the kernel for datagrams that come while the engine executes: Linux doubles it. */
const BUFFER_BYTES = 4 * 1024 * 1024;

/** A socket that listens; datagrams go to `take`. */
export async function openUdp(
  listen: SocketAddress,
  take: (octets: Uint8Array, from: RemoteInfo) => void,
): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(listen.host) ? 'udp6' : 'udp4' });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', (error) => {
      reject(openFault('listen', textOf(listen), error));
    });
    socket.bind(listen.port, listen.host, resolve);
  });
  socket.removeAllListeners('error');
  // A remote that is not there yet answers with ICMP: that is no fault of the socket.
  socket.on('error', () => undefined);
  socket.setRecvBufferSize(BUFFER_BYTES);
  socket.on('message', take);
  return socket;
}

/** Datagrams are sent or lost: UDP tells nobody. */
export function sendUdp(socket: Socket, octets: Uint8Array, to: SocketAddress): void {
  socket.send(octets, to.port, to.host, () => undefined);
}
