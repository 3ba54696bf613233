/** Merged values with their locations, and errors at these. */

import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { ScenarioError } from '../../settings/errors.js';
import { besideFile } from './layers.js';
import type { Path, SourceNode } from '../../settings/source-tree.js';
import { locate, plainValue, positionOf } from '../../settings/source-tree.js';

type Issue = z.core.$ZodIssue;

/** A file that a scenario names. */
export interface NamedFile {
  readonly path: Path;
  /** Relative to the working directory. */
  readonly file: string;
}

export class Located {
  readonly document: unknown;
  /** Those that were requested by `fileAt`. */
  readonly files: NamedFile[] = [];

  constructor(private readonly tree: SourceNode) {
    this.document = plainValue(tree);
  }

  errorAt(path: Path, message: string): ScenarioError {
    return new ScenarioError(positionOf(locate(this.tree, path, 'value')), path, message);
  }

  errorAtKey(path: Path, message: string): ScenarioError {
    return new ScenarioError(positionOf(locate(this.tree, path, 'key')), path, message);
  }

  /** Whether the file has a value at this path. */
  has(path: Path): boolean {
    return valueAt(this.document, path) !== undefined;
  }

  /** Whether the file has a short form there: a word instead of a mapping. */
  isText(path: Path): boolean {
    return typeof valueAt(this.document, path) === 'string';
  }

  /** A file named at `path`, relative to the working directory. */
  fileAt(path: Path, name: string): string {
    const file = this.besideAt(path, name);
    this.files.push({ path, file });
    return file;
  }

  /** Files of which the value at `path` is the common name: they may be listed there instead. */
  filesAt(path: Path, nameOf: (index: number) => string): string[] {
    const found: string[] = [];
    for (;;) {
      const file = this.besideAt(path, nameOf(found.length));
      if (!existsSync(file)) return found;
      this.files.push({ path: [...path, found.length], file });
      found.push(file);
    }
  }

  private besideAt(path: Path, name: string): string {
    const { source } = locate(this.tree, path, 'value');
    return source.lines === null ? name : besideFile(source.name, name);
  }

  /**
   * The first issue, unknown keys before all else, with all others. A key that is missing beside an
   * unknown one is not reported: it is probably the one that was meant.
   */
  errorOf(issues: readonly Issue[]): ScenarioError {
    const plain = issues.flatMap((issue) => this.mostLikely(issue));
    const unknown = plain.filter(({ code }) => code === 'unrecognized_keys');
    const open = new Set(unknown.map(({ path }) => JSON.stringify(path)));
    const rest = plain.filter(
      ({ code, path }) =>
        code !== 'unrecognized_keys' &&
        (this.has(path as Path) || !open.has(JSON.stringify(path.slice(0, -1)))),
    );
    const [first, ...others] = [...unknown, ...rest].flatMap((issue) => this.errorsAt(issue));
    first!.others.push(...others);
    return first!;
  }

  private errorsAt(issue: Issue): ScenarioError[] {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, index) =>
        this.errorAtKey([...path, key], inside(path, messages[index]!)),
      );
    }
    if (issue.code === 'invalid_key') {
      return [this.errorAtKey(path, inside(path.slice(0, -1), issue.issues[0]!.message))];
    }
    return [this.errorAt(path, inside(path, issue.message))];
  }

  /**
   * Of a value that may have several shapes, the issues of the shape it probably has: the one with
   * fewest unknown and missing keys. If none or several fit, the union itself is the issue.
   */
  private mostLikely(issue: Issue): Issue[] {
    if (issue.code !== 'invalid_union') return [issue];
    const path = issue.path as Path;
    const fitting = issue.errors.filter((branch) => !branch.some(rejectsShape));
    const strangers = fitting.map((branch) => this.strangers(branch, path));
    const least = Math.min(...strangers);
    const [best, rival] = fitting.filter((_, index) => strangers[index] === least);
    if (best === undefined || rival !== undefined) return [issue];
    return best.flatMap((inner) => this.mostLikely({ ...inner, path: [...path, ...inner.path] }));
  }

  /** How many keys are unknown to a shape, or missing for it. */
  private strangers(branch: readonly Issue[], path: Path): number {
    let count = 0;
    for (const issue of branch) {
      const key = (issue.path as Path)[0];
      if (issue.code === 'unrecognized_keys' && key === undefined) count += issue.keys.length;
      if (key !== undefined && !this.has([...path, key])) count += 1;
    }
    return count;
  }
}

/** The value is not even of the kind (text, number, mapping, …) that the shape needs. */
function rejectsShape(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code !== 'unrecognized_keys';
}

function inside(path: Path, message: string): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}
