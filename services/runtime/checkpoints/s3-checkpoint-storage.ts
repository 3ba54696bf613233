import type { S3Bucket } from '../object-storage/s3-bucket.js';
import type { CheckpointStorage } from './store.js';
import { StoreError } from './store-error.js';

const OBJECTS = 'objects/';
const CLAIMS = 'claims/';

/** A bucket that all processes of a run can reach; keys begin with the name of the run. */
export class S3CheckpointStorage implements CheckpointStorage {
  constructor(
    private readonly bucket: S3Bucket,
    private readonly run: string,
  ) {}

  /** Fails if there is no such bucket, or no permission to list it. */
  async open(): Promise<void> {
    await this.names();
  }

  put(name: string, octets: Uint8Array): Promise<void> {
    return this.bucket.put(this.keyOf(OBJECTS, name), octets);
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.bucket.get(this.keyOf(OBJECTS, name));
  }

  names(): Promise<string[]> {
    return this.list(OBJECTS);
  }

  async claim(name: string, owner: string): Promise<boolean> {
    const key = this.keyOf(CLAIMS, name);
    const octets = Buffer.from(owner);
    const isNew = await this.bucket.create(key, octets);
    // Storage that ignores the condition would let every coordinator have every claim.
    if (isNew && (await this.bucket.create(key, octets))) {
      throw new StoreError(
        'this object storage ignores If-None-Match, without which two coordinators could ' +
          'execute one run: keep checkpoints elsewhere (--checkpoints <where>)',
      );
    }
    if (isNew) return true;
    const kept = await this.bucket.get(key);
    return kept !== null && Buffer.from(kept).toString() === owner;
  }

  claims(): Promise<string[]> {
    return this.list(CLAIMS);
  }

  remove(name: string): Promise<void> {
    return this.bucket.remove(this.keyOf(OBJECTS, name));
  }

  async clear(): Promise<void> {
    const keys = await this.bucket.list(`${this.run}/`);
    await Promise.all(keys.map((key) => this.bucket.remove(key)));
  }

  private async list(kind: string): Promise<string[]> {
    const begin = this.keyOf(kind, '');
    return (await this.bucket.list(begin)).map((key) => key.slice(begin.length));
  }

  private keyOf(kind: string, name: string): string {
    return `${this.run}/${kind}${name}`;
  }
}
