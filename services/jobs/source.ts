import { CollectedErrors } from '../settings/collected-errors.js';
import { ScenarioError } from '../settings/errors.js';

/** A file of a job: errors in it are collected, so that one pass names them all. */
export class JobSource {
  private readonly errors = new CollectedErrors();

  constructor(readonly file: string) {}

  errorAt(line: number, message: string): ScenarioError {
    return new ScenarioError({ file: this.file, line, column: 1 }, [], message);
  }

  /** Goes on after an error. */
  attempt<Result>(step: () => Result): Result | null {
    return this.errors.attempt(step);
  }

  /** Throws the errors so far, if there are any. */
  settle(): void {
    this.errors.settle();
  }
}

/** Throws the errors of some files, all at once. */
export function settleAll(sources: readonly JobSource[]): void {
  const errors = new CollectedErrors();
  for (const source of sources) {
    errors.attempt(() => {
      source.settle();
    });
  }
  errors.settle();
}
