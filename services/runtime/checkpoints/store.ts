/** The store lacks something or cannot be used; the message says what. */
export class StoreError extends Error {}

/** Named octets that outlive any process; each appears whole or not at all. */
export interface CheckpointStorage {
  put(name: string, octets: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  names(): Promise<string[]>;
  /** Takes a name once and for all; false if it is taken. Names of octets are others. */
  claim(name: string): Promise<boolean>;
  claims(): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Forgets the run. */
  clear(): Promise<void>;
}

const MANIFEST = 'manifest';
const STEPS = 'steps';
const OUTCOME = 'outcome';
const EPOCH = /^epoch-(\d+)$/;

/** What a run keeps: the snapshots of its last checkpoint, and what a coordinator must remember. */
export class CheckpointStore {
  constructor(private readonly checkpointStorage: CheckpointStorage) {}

  async putSnapshot(checkpoint: string, service: number, octets: Uint8Array): Promise<void> {
    await this.checkpointStorage.put(`${checkpoint}.${service}`, octets);
  }

  async getSnapshot(checkpoint: string, service: number): Promise<Uint8Array> {
    const octets = await this.checkpointStorage.get(`${checkpoint}.${service}`);
    if (octets !== null) return octets;
    throw new StoreError(`checkpoint ${checkpoint} lacks the snapshot of service ${service}`);
  }

  /** From now on this is the checkpoint to return to; snapshots of others go. */
  async commit(checkpoint: string, manifest: Uint8Array): Promise<void> {
    await this.checkpointStorage.put(MANIFEST, manifest);
    await this.removeAllBut(
      (name) => name === MANIFEST || name === STEPS || name.startsWith(`${checkpoint}.`),
    );
  }

  /** The last manifest committed, if any. */
  async manifest(): Promise<Uint8Array | null> {
    return this.checkpointStorage.get(MANIFEST);
  }

  /** Remembers what was done to the run from outside. */
  async putSteps(octets: Uint8Array): Promise<void> {
    await this.checkpointStorage.put(STEPS, octets);
  }

  async steps(): Promise<Uint8Array | null> {
    return this.checkpointStorage.get(STEPS);
  }

  /** The run has ended, with this. */
  async putOutcome(octets: Uint8Array): Promise<void> {
    await this.checkpointStorage.put(OUTCOME, octets);
  }

  async outcome(): Promise<Uint8Array | null> {
    return this.checkpointStorage.get(OUTCOME);
  }

  /** What a run that has ended leaves behind is all that stays. */
  async keepOutcome(): Promise<void> {
    await this.removeAllBut((name) => name === OUTCOME);
  }

  /** What another run of this name left behind goes. */
  async forgetOutcome(): Promise<void> {
    await this.removeAllBut(() => false);
  }

  /** The last epoch that any coordinator of this run began; 0 before the first. */
  async lastEpoch(): Promise<number> {
    const epochs = (await this.checkpointStorage.claims()).map((name) =>
      Number(EPOCH.exec(name)?.[1] ?? 0),
    );
    return Math.max(0, ...epochs);
  }

  /** Begins an epoch, which only one coordinator can do. */
  async beginEpoch(epoch: number): Promise<void> {
    if (await this.checkpointStorage.claim(`epoch-${epoch}`)) return;
    throw new StoreError(`another coordinator drives this run: it has begun epoch ${epoch}`);
  }

  async clear(): Promise<void> {
    await this.checkpointStorage.clear();
  }

  /** Claims stay: no two coordinators begin one epoch. */
  private async removeAllBut(isKept: (name: string) => boolean): Promise<void> {
    const names = await this.checkpointStorage.names();
    const old = names.filter((name) => !isKept(name));
    await Promise.all(old.map((name) => this.checkpointStorage.remove(name)));
  }
}
