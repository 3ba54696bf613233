import type { NatsConnection } from '@nats-io/transport-node';
import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { Kvm } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import { Objm } from '@nats-io/obj';
import type { CheckpointStorage } from './store.js';
import { StoreError } from './store.js';

/** An object store of the broker's JetStream, and keys for claims; a bucket of each per run. */
export class JetStreamCheckpointStorage implements CheckpointStorage {
  private constructor(
    private readonly bucket: ObjectStore,
    private readonly keys: KV,
  ) {}

  static async open(broker: NatsConnection, run: string): Promise<JetStreamCheckpointStorage> {
    try {
      await jetstreamManager(broker);
    } catch {
      throw new StoreError(
        'the broker has no JetStream, where checkpoints should go: start it with -js, ' +
          'or keep them in a folder (--checkpoints <dir>)',
      );
    }
    const name = `selvage-${run}`;
    return new JetStreamCheckpointStorage(
      await new Objm(broker).create(name),
      await new Kvm(broker).create(name),
    );
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

  async claims(): Promise<string[]> {
    const claims: string[] = [];
    for await (const key of await this.keys.keys()) claims.push(key);
    return claims;
  }

  async claim(name: string): Promise<boolean> {
    try {
      await this.keys.create(name, '');
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError) return false;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await this.bucket.delete(name);
  }

  async clear(): Promise<void> {
    await this.bucket.destroy();
    await this.keys.destroy();
  }
}
