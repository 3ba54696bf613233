/** A state that the engine must never reach; the code names the rule that is broken. */
export class BrokenAssertion extends Error {
  constructor(readonly code: string) {
    super(`assertion failed: ${code}`);
  }
}

/** Stops the run unless the condition holds. Cheap enough for the doors of the data path. */
export function assert(condition: boolean, code: string): asserts condition {
  if (!condition) throw new BrokenAssertion(code);
}
