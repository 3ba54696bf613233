import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
    await writeFile(`${target}.new`, octets);
    await rename(`${target}.new`, target);
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
    try {
      await writeFile(target, owner, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await readFile(target, 'utf8')) === owner;
    }
  }

  async claims(): Promise<string[]> {
    return (await readdir(join(this.folder, CLAIMS)).catch(absent)) ?? [];
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
