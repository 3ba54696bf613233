import { basename } from 'node:path';
import { CollectedErrors } from '../settings/collected-errors.js';
import { ScenarioError } from '../settings/errors.js';

/** What became of something that a file says. */
type Fate = 'used' | 'changed' | 'ignored';

export interface ImportNote {
  readonly fate: Fate;
  readonly what: string;
  /** What is done instead, or why not; empty of what is used as it is. */
  readonly how: string;
}

/** A scenario made of files of another program, and the tables that it names. */
export interface Imported {
  /** Of which programs the files are. */
  readonly formats: readonly string[];
  readonly document: object;
  /** Files beside the scenario, by their names there. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly notes: readonly ImportNote[];
}

/** A file of another program: lines of words. Errors are collected, so one pass names them all. */
export class WordFile {
  /** Lines that have words, with their numbers. */
  readonly lines: readonly WordLine[];
  /** What is not read, of lines that are there. */
  readonly notes: ImportNote[] = [];
  private readonly errors = new CollectedErrors();

  constructor(
    readonly file: string,
    text: string,
  ) {
    this.lines = text.split('\n').flatMap((written, i) => {
      const words = written.split('#', 1)[0]!.trim().split(/\s+/);
      return words[0] === '' ? [] : [{ line: i + 1, words }];
    });
  }

  errorAt(line: number, message: string): ScenarioError {
    return new ScenarioError({ file: this.file, line, column: 1 }, [], message);
  }

  /** As many of the lines as the first of the file says: what follows them may be anything. */
  counted(lines: readonly WordLine[], count: number, what: string): readonly WordLine[] {
    if (lines.length < count) {
      const { line } = this.lines[0]!;
      throw this.errorAt(line, `it says ${count} ${what}, and the file has ${lines.length}`);
    }
    const behind = lines[count];
    if (behind !== undefined) {
      const name = `${basename(this.file)} from line ${behind.line} on`;
      this.notes.push({ fate: 'ignored', what: name, how: `its first line says ${count} ${what}` });
    }
    return lines.slice(0, count);
  }

  attempt<Result>(step: () => Result): Result | null {
    return this.errors.attempt(step);
  }

  settle(): void {
    this.errors.settle();
  }
}

export interface WordLine {
  readonly line: number;
  readonly words: readonly string[];
}

/** A whole number that is not below 0; null: it is none, or too large to be exact. */
export function wholeNumber(word: string): number | null {
  const value = /^\d{1,16}$/.test(word) ? Number(word) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}

/** A decimal of a unit as so many smaller units, exact; null: it is no such number. */
export function scaledDecimal(word: string, digits: number): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(word);
  if (match === null) return null;
  const [, whole, fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(digits))) return null;
  const value = Number(`${whole!}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  return Number.isSafeInteger(value) ? value : null;
}
