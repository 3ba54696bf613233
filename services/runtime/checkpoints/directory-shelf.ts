import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shelf } from './store.js';

/** A folder that all processes of a run can reach. */
export class DirectoryShelf implements Shelf {
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
    return (await readdir(this.folder)).filter((name) => !name.endsWith('.new'));
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
