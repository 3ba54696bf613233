/**
 * Checkpoints in the object store of JetStream. It relies on the broker for copies and on
 * signatures (signed-storage) for content: whoever may write to the broker may change what is
 * stored. Damage of a record or of its chunks must read as a damaged object, and never as an absent
 * one: a run would begin anew where it should return to an older checkpoint.
 */

import type { NatsConnection } from '@nats-io/transport-node';
import { nanos, PermissionViolationError, RequestError } from '@nats-io/transport-node';
import type { StreamAPI } from '@nats-io/jetstream';
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { Kvm } from '@nats-io/kv';
import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import { Objm } from '@nats-io/obj';
import { Reconnects } from '../links/reconnects.js';
import type { CheckpointStorage } from './store.js';
import { StoreError } from './store-error.js';

interface Buckets {
  readonly objects: ObjectStore;
  readonly claims: KV;
  /** Below both. */
  readonly streams: StreamAPI;
}

/** Copies of a bucket where the cluster has as many brokers: it survives the loss of one. */
const REPLICAS = 3;

/** Errors of a broker that has fewer servers than replicas requested; by their numbers. */
const NO_PEERS = 10_005;
const NO_PLACE = [NO_PEERS, 10_074, 10_023];
/** For which a broker of a cluster that starts is awaited before there is one copy alone. */
const LATE_BROKER_MS = 30_000;

/** No object of a run is empty: each is signed. */
const DAMAGED = new Uint8Array(0);
const NUID = /^[0-9A-Z]+$/;

/** An object store of the broker's JetStream, and keys for claims; a bucket of each per run. */
export class JetStreamCheckpointStorage implements CheckpointStorage {
  private buckets: Promise<Buckets> | null = null;
  private readonly reconnects: Reconnects;
  private readonly loneFromMs: number;

  constructor(
    private readonly broker: NatsConnection,
    private readonly run: string,
    lateBrokerMs = LATE_BROKER_MS,
  ) {
    this.reconnects = new Reconnects(broker);
    this.loneFromMs = performance.now() + lateBrokerMs;
  }

  /** Fails if the broker has no JetStream, or does not permit its use. */
  async open(): Promise<void> {
    await this.use(() => Promise.resolve());
  }

  /** The client reads the record of an object that it replaces, and fails if that is damaged. */
  put(name: string, octets: Uint8Array): Promise<void> {
    return this.use(async ({ objects, streams }) => {
      try {
        await objects.putBlob({ name }, octets);
      } catch (error) {
        if (!isDamage(error as Error)) throw error;
        await this.forget(name, streams);
        await objects.putBlob({ name }, octets);
      }
    });
  }

  /** Empty if the object is damaged. */
  get(name: string): Promise<Uint8Array | null> {
    return this.use(async ({ objects, streams }) => {
      try {
        const info = await objects.info(name);
        if (info === null || info.deleted) return null;
        return (await isWhole(info, streams)) ? await objects.getBlob(name) : DAMAGED;
      } catch (error) {
        if (isDamage(error as Error)) return DAMAGED;
        throw error;
      }
    });
  }

  /** By the subjects of records: the client's list fails if one of them is damaged. */
  names(): Promise<string[]> {
    return this.use(async ({ streams }) => {
      const { state } = await streams.info(this.stream, { subjects_filter: this.subjectOf('>') });
      const subjects = Object.keys(state.subjects ?? {});
      return subjects.map((subject) => {
        const [last = ''] = subject.split('.').slice(-1);
        return Buffer.from(last, 'base64url').toString();
      });
    });
  }

  claim(name: string, owner: string): Promise<boolean> {
    return this.use(async ({ claims }) => {
      try {
        await claims.create(name, owner);
        return true;
      } catch (error) {
        if (!isTaken(error)) throw error;
        return (await claims.get(name))?.string() === owner;
      }
    });
  }

  claims(): Promise<string[]> {
    return this.use(async ({ claims }) => {
      const names: string[] = [];
      for await (const key of await claims.keys()) names.push(key);
      return names;
    });
  }

  remove(name: string): Promise<void> {
    return this.use(async ({ objects, streams }) => {
      try {
        await objects.delete(name);
      } catch (error) {
        if (!isDamage(error as Error)) throw error;
      }
      await this.forget(name, streams);
    });
  }

  clear(): Promise<void> {
    return this.use(async ({ objects, claims }) => {
      await objects.destroy();
      await claims.destroy();
      this.buckets = null;
    });
  }

  /** Streams of a run would stay for ever with the broker. */
  expire(afterMs: number): Promise<void> {
    return this.use(async ({ streams }) => {
      const max_age = nanos(afterMs);
      await Promise.all(
        [this.stream, `KV_${this.bucket}`].map((name) => streams.update(name, { max_age })),
      );
    });
  }

  /** Leaves no record of an object, not even that it was deleted. */
  private async forget(name: string, streams: StreamAPI): Promise<void> {
    const padded = Buffer.from(name).toString('base64');
    const token = padded.replaceAll('+', '-').replaceAll('/', '_');
    await streams.purge(this.stream, { filter: this.subjectOf(token) });
  }

  private get bucket(): string {
    return `selvage-${this.run}`;
  }

  private get stream(): string {
    return `OBJ_${this.bucket}`;
  }

  /** Of the record of an object, by its encoded name. */
  private subjectOf(token: string): string {
    return `$O.${this.bucket}.M.${token}`;
  }

  /** A broker that restarted without its store gets new buckets. */
  private async use<T>(act: (buckets: Buckets) => Promise<T>): Promise<T> {
    try {
      this.buckets ??= this.openBuckets();
      return await this.reconnects.interrupt(this.buckets.then(act));
    } catch (error) {
      this.buckets = null;
      throw this.explained(error as Error);
    }
  }

  private async openBuckets(): Promise<Buckets> {
    const { streams } = await jetstreamManager(this.broker);
    const isCluster = this.broker.info?.cluster !== undefined;
    try {
      return { ...(await this.create(isCluster ? REPLICAS : 1)), streams };
    } catch (error) {
      const isRoomless = error instanceof JetStreamApiError && NO_PLACE.includes(error.code);
      if (!isRoomless || !isCluster) throw error;
      if (error.code === NO_PEERS && performance.now() < this.loneFromMs) throw error;
      return { ...(await this.create(1)), streams };
    }
  }

  private async create(replicas: number): Promise<Omit<Buckets, 'streams'>> {
    const { bucket } = this;
    return {
      objects: await new Objm(this.broker).create(bucket, { replicas }),
      claims: await new Kvm(this.broker).create(bucket, { replicas }),
    };
  }

  /** A timeout may be temporary; without JetStream, or permission to use it, there is no answer. */
  private explained(error: Error): Error {
    const { cause } = error;
    if (error instanceof PermissionViolationError || cause instanceof PermissionViolationError) {
      return new StoreError(
        `the broker gives this user no rights to its JetStream (${error.message}): let it ` +
          'publish to $JS.API.>, $O.> and $KV.>, or keep checkpoints in a folder ' +
          '(--checkpoints <dir>)',
      );
    }
    const request = error instanceof RequestError ? error : cause;
    const isSilent = request instanceof RequestError && request.isNoResponders();
    if (isSilent && this.broker.info?.jetstream !== true && !this.broker.isClosed()) {
      return new StoreError(
        'the broker has no JetStream, where checkpoints should go: start it with -js, ' +
          'or keep them in a folder (--checkpoints <dir>)',
      );
    }
    return error;
  }
}

/** The client waits for ever for the chunks of an object that has lost all of them. */
async function isWhole(info: ObjectInfo, streams: StreamAPI): Promise<boolean> {
  const { bucket, nuid, chunks, options } = info;
  if (options?.link !== undefined || !NUID.test(nuid)) return false;
  const subject = `$O.${bucket}.C.${nuid}`;
  const { state } = await streams.info(`OBJ_${bucket}`, { subjects_filter: subject });
  return (state.subjects?.[subject] ?? 0) === chunks;
}

/** What the record of an object says is wrong, or is no record. */
function isDamage(error: Error): boolean {
  if (error instanceof SyntaxError || error instanceof TypeError) return true;
  return /^(received a corrupt object|unknown digest type|unable to parse digest)/.test(
    error.message,
  );
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
  const { code } = error;
  return code === StreamWrongLastSequence || code === StreamWrongLastSequenceUnknown;
}
