import { ScenarioError } from './errors.js';

/** Continues after an error of a scenario, so that one pass finds the errors of every section. */
export class CollectedErrors {
  private readonly errors: ScenarioError[] = [];

  /** The result of `job`, or null after an error in the scenario. */
  attempt<Result>(job: () => Result): Result | null {
    try {
      return job();
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      // Devices that are alike have the same.
      if (!this.errors.some(({ message }) => message === error.message)) this.errors.push(error);
      return null;
    }
  }

  /** Throws the first error, which has the others; nothing if there is none. */
  settle(): void {
    const [first, ...others] = this.errors;
    if (first === undefined) return;
    first.others.push(...others.flatMap((error) => [error, ...error.others]));
    throw first;
  }
}
