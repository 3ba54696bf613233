import {
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import type { CompiledModule } from './modules.js';
import type { Mutation } from './mutations.js';
import { planted } from './mutations.js';

/** A copy of the compiled programs and tests in which one defect at a time is planted. */
export class EngineTree {
  readonly folder = mkdtempSync(join(tmpdir(), 'selvage-mutants-'));

  constructor(modules: readonly CompiledModule[]) {
    const isNeeded = (path: string): boolean =>
      !/\.(map|d\.ts|tsbuildinfo)$/.test(path) || statSync(path).isDirectory();
    for (const part of ['services', 'test']) {
      const from = join(ROOT, 'dist', part);
      cpSync(from, join(this.folder, 'dist', part), { recursive: true, filter: isNeeded });
    }
    for (const module of modules) writeFileSync(this.pathOf(module), module.text);
    for (const name of readdirSync(ROOT)) {
      if (name === 'dist' || name.startsWith('.')) continue;
      symlinkSync(join(ROOT, name), join(this.folder, name));
    }
  }

  /** The way back. */
  plant(module: CompiledModule, mutation: Mutation): () => void {
    writeFileSync(this.pathOf(module), planted(module.text, mutation));
    return () => {
      writeFileSync(this.pathOf(module), module.text);
    };
  }

  pathOf({ name }: Pick<CompiledModule, 'name'>): string {
    return join(this.folder, 'dist/services', `${name}.js`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
