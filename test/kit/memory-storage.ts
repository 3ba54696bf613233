import type { CheckpointStorage } from '../../services/runtime/checkpoints/store.js';

/** Checkpoints in memory, to be looked into and changed. */
export class MemoryStorage implements CheckpointStorage {
  readonly files = new Map<string, Uint8Array>();
  readonly claimed = new Map<string, string>();

  put(name: string, octets: Uint8Array): Promise<void> {
    this.files.set(name, octets);
    return Promise.resolve();
  }

  get(name: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.files.get(name) ?? null);
  }

  names(): Promise<string[]> {
    return Promise.resolve([...this.files.keys()]);
  }

  claim(name: string, owner: string): Promise<boolean> {
    if (!this.claimed.has(name)) this.claimed.set(name, owner);
    return Promise.resolve(this.claimed.get(name) === owner);
  }

  claims(): Promise<string[]> {
    return Promise.resolve([...this.claimed.keys()]);
  }

  remove(name: string): Promise<void> {
    this.files.delete(name);
    return Promise.resolve();
  }

  clear(): Promise<void> {
    this.files.clear();
    this.claimed.clear();
    return Promise.resolve();
  }
}
