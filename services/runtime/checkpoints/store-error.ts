/** The store lacks something or cannot be used; the message says what. */
export class StoreError extends Error {
  constructor(
    message: string,
    /** Trying again would not help. */
    readonly isFinal = true,
  ) {
    super(message);
  }
}

/** What is kept is not whole, or not what its manifest says. */
export class DamagedCheckpoint extends StoreError {}
