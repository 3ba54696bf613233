import type { Client, ClientDuplexStream } from '@grpc/grpc-js';
import type { selvage } from '#contracts';
import { controlClient, STREAM_MS, tokenMetadata } from '../links/control-channel.js';
import { SERVE } from '../links/methods.js';
import type { Log } from '../log.js';
import type { RunIdentity } from './settings.js';

type Up = selvage.v1.FromService.$Properties;
type Down = selvage.v1.ToService;

const RETRY_MS = 100;

/** A service's stream to the coordinator, opened again while the coordinator is unavailable. */
export class CoordinatorLink {
  private readonly client: Client;
  private stream: ClientDuplexStream<Up, Down> | null = null;
  private lostAt: number | null = performance.now();
  private closed = false;

  constructor(
    private readonly identity: RunIdentity,
    private readonly fail: (error: Error) => void,
    private readonly log: Log,
    /** How long a stream lasts at most. */
    private readonly streamMs = STREAM_MS,
  ) {
    const { coordinator, tls } = identity;
    this.client = controlClient(coordinator, tls);
  }

  isOpen(): boolean {
    return this.stream !== null && this.lostAt === null;
  }

  /** `greeting` is the first message of every stream. */
  open(greeting: () => Up, listener: (message: Down) => void): void {
    if (this.closed) return;
    const { path, requestSerialize, responseDeserialize } = SERVE.client;
    const metadata = tokenMetadata(this.identity.keys.token);
    const stream = this.client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
      { deadline: Date.now() + this.streamMs },
    );
    this.stream = stream;
    stream.on('data', (message: Down) => {
      if (this.lostAt !== null) this.log.info('the coordinator is there');
      this.lostAt = null;
      listener(message);
    });
    let ended = false;
    const again = (): void => {
      if (ended || this.closed) return;
      ended = true;
      this.stream = null;
      if (this.lostAt === null) this.log.warn('the coordinator is away');
      this.lostAt ??= performance.now();
      if (performance.now() - this.lostAt > this.identity.patienceMs) {
        const seconds = this.identity.patienceMs / 1000;
        this.fail(new Error(`the coordinator has been away for ${seconds} s`));
      } else {
        setTimeout(() => {
          this.open(greeting, listener);
        }, RETRY_MS);
      }
    };
    stream.on('error', again).on('end', again).on('close', again);
    stream.write(greeting());
  }

  /** Messages without a connection are lost: the coordinator begins a new epoch anyway. */
  send(message: Up): void {
    this.stream?.write(message);
  }

  close(): void {
    this.closed = true;
    this.stream?.end();
    this.client.close();
  }
}
