import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointStorage } from './store.js';

/** The folder of claims in it. */
const CLAIMS = 'claims';

/** A folder that all processes of a run can reach. */
export class DirectoryCheckpointStorage implements CheckpointStorage {
  constructor(private readonly folder: string) {}

  async put(name: string, octets: Uint8Array): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const target = join(this.folder, name);
    const fresh = `${target}.new`;
    try {
      await writeFile(fresh, octets);
      await rename(fresh, target);
    } catch (error) {
      // A part of it must not take the room that is missing.
      await rm(fresh, { force: true });
      throw error;
    }
  }

  async get(name: string): Promise<Uint8Array | null> {
    return readFile(join(this.folder, name)).catch(absent);
  }

  async names(): Promise<string[]> {
    const names = await readdir(this.folder).catch(absent);
    return (names ?? []).filter((name) => name !== CLAIMS && !name.endsWith('.new'));
  }

  async claim(name: string, owner: string): Promise<boolean> {
    await mkdir(join(this.folder, CLAIMS), { recursive: true });
    const target = join(this.folder, CLAIMS, name);
    // A claim appears with its owner in it: one without would be of another owner for ever.
    const fresh = join(this.folder, CLAIMS, `${owner}.new`);
    try {
      await writeFile(fresh, owner);
      await link(fresh, target);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await readFile(target, 'utf8')) === owner;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  async claims(): Promise<string[]> {
    const names = await readdir(join(this.folder, CLAIMS)).catch(absent);
    return (names ?? []).filter((name) => !name.endsWith('.new'));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  async clear(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
