import assert from 'node:assert/strict';
import type { SpawnSyncReturns } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './emulate.js';

/** A defect of one line in the compiled engine. */
export interface SourceDefect {
  /** Below dist. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

const SHARED = ['node_modules', 'proto', 'package.json', 'examples', 'test', 'CHANGELOG.md'];

/** A copy of the compiled program, in which defects can be planted. */
export class EngineCopy {
  private readonly folder = mkdtempSync(join(tmpdir(), 'selvage-copy-'));

  /** `parts`: folders below dist. */
  constructor(parts: readonly string[]) {
    const isNeeded = (path: string): boolean =>
      !/\.(map|d\.ts|tsbuildinfo)$/.test(path) || statSync(path).isDirectory();
    for (const part of parts) {
      const to = join(this.folder, 'dist', part);
      cpSync(join(ROOT, 'dist', part), to, { recursive: true, filter: isNeeded });
    }
    for (const name of SHARED) symlinkSync(join(ROOT, name), join(this.folder, name));
  }

  /**
   * Runs one of its programs, below dist, with the defect; without one: as it is. Those of
   * `programs` are bundled first, unless nothing has changed since.
   */
  run(
    program: string,
    words: readonly string[],
    defect: SourceDefect | null = null,
  ): SpawnSyncReturns<string> {
    const mend = defect === null ? null : this.plant(defect);
    try {
      if (program.startsWith('programs/')) this.bundle();
      return this.node(join(this.folder, 'dist', program), ...words);
    } finally {
      mend?.();
    }
  }

  /** Plants a defect that all of its programs have from then on. */
  spoil(defect: SourceDefect): void {
    this.plant(defect);
  }

  /** A path below it that nothing else uses. */
  pathOf(name: string): string {
    return join(mkdtempSync(join(this.folder, 'out-')), name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private bundle(): void {
    const { status, stderr } = this.node(join(ROOT, 'services/build/bundle.mjs'), this.folder);
    assert.equal(status, 0, stderr);
  }

  private node(...words: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, words, { cwd: this.folder, encoding: 'utf8' });
  }

  private plant({ file, from, to }: SourceDefect): () => void {
    const path = join(this.folder, 'dist', file);
    const sound = readFileSync(path, 'utf8');
    const defective = sound.replace(from, to);
    assert.notEqual(defective, sound, `${file} has nothing like it`);
    writeFileSync(path, defective);
    return () => {
      writeFileSync(path, sound);
    };
  }
}
