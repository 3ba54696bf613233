import type { NatsConnection } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { Objm } from '@nats-io/obj';
import type { Shelf } from './store.js';
import { StoreError } from './store.js';

/** An object store of the broker's JetStream, a bucket per run. */
export class JetStreamShelf implements Shelf {
  private constructor(private readonly bucket: ObjectStore) {}

  static async open(broker: NatsConnection, run: string): Promise<JetStreamShelf> {
    try {
      await jetstreamManager(broker);
    } catch {
      throw new StoreError(
        'the broker has no JetStream, where checkpoints should go: start it with -js, ' +
          'or keep them in a folder (--checkpoints <dir>)',
      );
    }
    return new JetStreamShelf(await new Objm(broker).create(`selvage-${run}`));
  }

  async put(name: string, octets: Uint8Array): Promise<void> {
    await this.bucket.putBlob({ name }, octets);
  }

  async get(name: string): Promise<Uint8Array | null> {
    return this.bucket.getBlob(name);
  }

  async names(): Promise<string[]> {
    return (await this.bucket.list()).map(({ name }) => name);
  }

  async remove(name: string): Promise<void> {
    await this.bucket.delete(name);
  }

  async clear(): Promise<void> {
    await this.bucket.destroy();
  }
}
