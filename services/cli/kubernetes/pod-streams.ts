import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { Exec, PortForward } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { FolderReader, SEND_FOLDER } from './folder-stream.js';

/** Where a container is: they are named like the role of their pod. */
interface PodPlace {
  readonly pod: string;
  readonly container: string;
}

/** The copy of a folder broke off. */
export class CopyError extends ClusterError {}

/** What is used of the client's web sockets, whose types it does not ship. */
interface WebSocket {
  on(event: 'close' | 'error', listener: () => void): void;
  terminate(): void;
}

/** Copies a folder out of a running pod; its files belong to the user of this process. */
export async function copyOut(
  { config, namespace }: Cluster,
  { pod, container }: PodPlace,
  folder: string,
  into: string,
): Promise<number> {
  const reader = new FolderReader(into);
  let complaints = '';
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      reader.take(piece);
      done();
    },
  });
  const errors = new Writable({
    write(piece: Buffer, _encoding, done) {
      complaints += piece.toString();
      done();
    },
  });
  const words = ['node', '-e', SEND_FOLDER, folder];
  const failure = await new Promise<string>((resolve, reject) => {
    new Exec(config)
      .exec(namespace, pod, container, words, output, errors, null, false, (status) => {
        resolve(status.status === 'Success' ? '' : (status.message ?? 'no reason given'));
      })
      .then((socket: unknown) => {
        (socket as WebSocket).on('close', () => {
          resolve('the connection was lost');
        });
      }, reject);
  }).catch((error: unknown) => messageOf(error));
  if (failure !== '' || !reader.isComplete()) {
    const why = complaints.trim() || failure || 'the stream ended early';
    throw new CopyError(`${folder} of pod ${pod} cannot be copied: ${why}`);
  }
  return reader.files;
}

/** A port of this machine that leads to one of a pod, through the API server. */
export class Forwarding {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(
    cluster: Cluster,
    podOf: () => Promise<string>,
    target: number,
    port = 0,
  ): Promise<Forwarding> {
    const server = createServer();
    const forwarding = new Forwarding(server);
    server.on('connection', (socket) => {
      forwarding.sockets.add(socket);
      socket.on('close', () => forwarding.sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      // The pod may be another one by now.
      podOf()
        .then((pod) => forward(cluster, pod, target, socket))
        .catch(() => socket.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return forwarding;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

async function forward(
  { config, namespace }: Cluster,
  pod: string,
  target: number,
  socket: Socket,
): Promise<void> {
  const input = new PassThrough();
  socket.pipe(input);
  const forwarder = new PortForward(config);
  const opened: unknown = await forwarder.portForward(
    namespace,
    pod,
    [target],
    socket,
    null,
    input,
  );
  const link = opened as WebSocket;
  link.on('close', () => socket.destroy());
  link.on('error', () => socket.destroy());
  // A closing handshake that a server does not answer would keep the command for 30 s.
  socket.on('close', () => {
    link.terminate();
  });
}

function messageOf(error: unknown): string {
  return (error as { message?: string }).message ?? 'the connection failed';
}
