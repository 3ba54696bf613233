import { rmSync } from 'node:fs';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { mapping, text } from '../../settings/parts.js';
import { openFault, type SocketAddress, socketAddress, textOf } from '../address.js';
import {
  type Endpoint,
  EndpointError,
  type EndpointKind,
  type EndpointListener,
  type EndpointOpener,
} from '../endpoint.js';
import { StreamFrames, writeStreamFrame } from './frames.js';

/** So much may wait in a connection that nobody reads: more is lost, as at a full ring. */
const UNSENT_BYTES = 4 * 1024 * 1024;

const keys = mapping({
  unix: text('a path', /^.{1,100}$/, 'a path of at most 100 letters')
    .describe('A Unix socket to listen at.')
    .exactOptional(),
  listen: socketAddress().describe('Or an address and a port, for TCP.').exactOptional(),
});

interface StreamSettings {
  readonly unix?: string;
  readonly listen?: SocketAddress;
}

/** One QEMU connects; another one takes its place. */
class StreamEndpoint implements Endpoint {
  private connection: Socket | null = null;
  private isHeld = false;

  constructor(
    private readonly server: Server,
    private readonly listener: EndpointListener,
  ) {
    server.on('connection', (socket) => {
      this.accept(socket);
    });
  }

  send(octets: Uint8Array): boolean {
    const { connection } = this;
    if (connection === null || connection.writableLength > UNSENT_BYTES) return false;
    connection.write(writeStreamFrame(octets));
    return true;
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) this.connection?.pause();
    else this.connection?.resume();
  }

  close(): void {
    this.connection?.destroy();
    this.server.close();
  }

  private accept(socket: Socket): void {
    this.connection?.destroy();
    this.connection = socket;
    const frames = new StreamFrames();
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.connection === socket) this.connection = null;
    });
    socket.on('data', (octets: Uint8Array) => {
      const isRead = frames.push(octets, (frame) => {
        this.listener.frame(frame);
      });
      if (isRead) return;
      this.listener.refused('header');
      socket.destroy();
    });
    if (this.isHeld) socket.pause();
  }
}

class StreamOpener implements EndpointOpener<StreamSettings> {
  async open(settings: StreamSettings, listener: EndpointListener): Promise<Endpoint> {
    const server = createServer();
    const { key, name, at } = placeOf(settings);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        reject(openFault(key, name, error));
      });
      server.listen(at, resolve);
    });
    if (settings.unix !== undefined) {
      const path = settings.unix;
      server.on('close', () => {
        rmSync(path, { force: true });
      });
    }
    return new StreamEndpoint(server, listener);
  }
}

function placeOf({ unix, listen }: StreamSettings): {
  readonly key: string;
  readonly name: string;
  readonly at: ListenOptions;
} {
  if (unix !== undefined && listen === undefined) {
    return { key: 'unix', name: unix, at: { path: unix } };
  }
  if (listen !== undefined && unix === undefined) {
    return { key: 'listen', name: textOf(listen), at: listen };
  }
  const what = unix === undefined ? 'no place to listen at' : 'two places to listen at';
  throw new EndpointError('', `${what}; write unix: PATH, or listen: 127.0.0.1:7000`);
}

export const stream: EndpointKind<StreamSettings> = {
  kind: 'stream',
  help: 'QEMU -netdev stream, over a Unix socket or TCP: it can be pushed back.',
  settings: keys,
  pushesBack: true,
  place: (settings) => placeOf(settings),
  takesNamespaces: false,
  prepare: () => [],
  makeOpener: () => new StreamOpener(),
  attach: (settings, { mac }) => {
    const { unix, listen } = settings;
    const address =
      listen === undefined
        ? `addr.type=unix,addr.path=${unix ?? ''}`
        : `addr.type=inet,addr.host=${listen.host},addr.port=${listen.port}`;
    return [
      `qemu-system-x86_64 … -device virtio-net-pci,netdev=n0,mac=${mac} ` +
        `-netdev stream,id=n0,${address},server=off`,
    ];
  },
};
