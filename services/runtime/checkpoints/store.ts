import { randomUUID } from 'node:crypto';
import { repeatFor } from './repeat.js';
import { sameOctets } from './snapshots.js';
import { DamagedCheckpoint, StoreError } from './store-error.js';

/**
 * Named objects that survive any process; each is written whole or not at all. All operations are
 * idempotent, since an answer may be lost.
 */
export interface CheckpointStorage {
  put(name: string, octets: Uint8Array): Promise<void>;
  /** Null: there is none. What is damaged is returned as it is, or empty. */
  get(name: string): Promise<Uint8Array | null>;
  names(): Promise<string[]>;
  /**
   * Claims a name once and for all; false if another owner has it. Names of objects are separate.
   */
  claim(name: string, owner: string): Promise<boolean>;
  claims(): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Removes everything of the run. */
  clear(): Promise<void>;
  /** What there is goes by itself after so long; absent: its owner removes it. */
  expire?(afterMs: number): Promise<void>;
}

const MANIFEST = 'manifest';
const EARLIER_MANIFEST = 'manifest-earlier';
const STEPS = 'steps';
const ORIGIN = 'origin';
const OUTCOME = 'outcome';
const EPOCH = /^epoch-(\d+)$/;
/** A run waits while a checkpoint is written, and continues without one that takes longer. */
const CHECKPOINT_MS = 10_000;

const OUTCOME_MS = 7 * 24 * 3600 * 1000;

/** A checkpoint by its name, and the manifest that lists its objects. */
export interface NamedManifest {
  readonly name: string;
  readonly manifest: Uint8Array;
}

/**
 * Stored data of a run: the snapshots of its last two checkpoints, and the state of its
 * coordinator. Operations that fail are repeated up to the patience.
 */
export class CheckpointStore {
  private readonly owner = randomUUID();

  constructor(
    private readonly checkpointStorage: CheckpointStorage,
    private readonly patienceMs = 0,
  ) {}

  /**
   * What the store has of a run of another origin is removed; returns whether there was such a run.
   */
  async adopt(origin: Uint8Array): Promise<boolean> {
    const kept = await this.read(ORIGIN);
    if (kept !== null && sameOctets(kept, origin)) return false;
    await this.attempt(() => this.removeAllBut((name) => name === ORIGIN));
    await this.write(ORIGIN, origin);
    return kept !== null;
  }

  async putSnapshot(checkpoint: string, service: number, octets: Uint8Array): Promise<void> {
    await this.save(() => this.checkpointStorage.put(`${checkpoint}.${service}`, octets));
  }

  async getSnapshot(checkpoint: string, service: number): Promise<Uint8Array> {
    const octets = await this.read(`${checkpoint}.${service}`);
    if (octets !== null) return octets;
    throw new DamagedCheckpoint(
      `checkpoint ${checkpoint} lacks the snapshot of service ${service}, or it is damaged`,
    );
  }

  /**
   * From now on `kept` is the latest checkpoint, and `earlier` the one before it; others are
   * removed.
   */
  async commit(kept: NamedManifest, earlier: NamedManifest | null): Promise<void> {
    const { checkpointStorage } = this;
    if (earlier !== null) {
      await this.save(() => checkpointStorage.put(EARLIER_MANIFEST, earlier.manifest));
    }
    await this.save(() => checkpointStorage.put(MANIFEST, kept.manifest));
    const stay = [kept, ...(earlier === null ? [] : [earlier])].map(({ name }) => `${name}.`);
    const records = [ORIGIN, MANIFEST, EARLIER_MANIFEST, STEPS];
    // Objects that are not removed now are removed with the next checkpoint.
    await this.removeAllBut(
      (name) => records.includes(name) || stay.some((prefix) => name.startsWith(prefix)),
    ).catch(() => undefined);
  }

  /** The last manifest committed, and the one before it; those that exist, the last first. */
  async manifests(): Promise<Uint8Array[]> {
    const kept = [await this.read(MANIFEST), await this.read(EARLIER_MANIFEST)];
    return kept.flatMap((manifest) => manifest ?? []);
  }

  /** Stores the changes that were made to the run from outside. */
  async putSteps(octets: Uint8Array): Promise<void> {
    await this.write(STEPS, octets);
  }

  async steps(): Promise<Uint8Array | null> {
    return this.read(STEPS);
  }

  /** The run has ended, with this outcome. */
  async putOutcome(octets: Uint8Array): Promise<void> {
    await this.write(OUTCOME, octets);
  }

  async outcome(): Promise<Uint8Array | null> {
    return this.read(OUTCOME);
  }

  /** Removes all but the outcome of a run that has ended, which a broker keeps for a week. */
  async keepOutcome(): Promise<void> {
    await this.removeAllBut((name) => [ORIGIN, OUTCOME].includes(name));
    await this.checkpointStorage.expire?.(OUTCOME_MS);
  }

  /** The last epoch that any coordinator of this run began; 0 before the first. */
  async lastEpoch(): Promise<number> {
    const claims = await this.attempt(() => this.checkpointStorage.claims());
    const epochs = claims.map((name) => Number(EPOCH.exec(name)?.[1] ?? 0));
    return Math.max(0, ...epochs);
  }

  /** Begins an epoch, which only one coordinator can do. */
  async beginEpoch(epoch: number): Promise<void> {
    const { checkpointStorage, owner } = this;
    if (await this.attempt(() => checkpointStorage.claim(`epoch-${epoch}`, owner))) return;
    throw new StoreError(`another coordinator drives this run: it has begun epoch ${epoch}`);
  }

  async clear(): Promise<void> {
    await this.checkpointStorage.clear();
  }

  /** Claims are kept: no two coordinators begin one epoch. */
  private async removeAllBut(isKept: (name: string) => boolean): Promise<void> {
    const names = await this.checkpointStorage.names();
    const old = names.filter((name) => !isKept(name));
    await Promise.all(old.map((name) => this.checkpointStorage.remove(name)));
  }

  private read(name: string): Promise<Uint8Array | null> {
    return this.attempt(() => this.checkpointStorage.get(name));
  }

  private write(name: string, octets: Uint8Array): Promise<void> {
    return this.attempt(() => this.checkpointStorage.put(name, octets));
  }

  private attempt<T>(act: () => Promise<T>): Promise<T> {
    return repeatFor(this.patienceMs, NO_ANSWER, act);
  }

  /** For a checkpoint, whose failure is tolerated. */
  private save(act: () => Promise<void>): Promise<void> {
    return repeatFor(Math.min(CHECKPOINT_MS, this.patienceMs), NO_ANSWER, act);
  }
}

const NO_ANSWER = 'the checkpoint store fails';
