/** The store lacks something or cannot be used; the message says which. */
export class StoreError extends Error {
  constructor(
    message: string,
    /** Trying again would not help. */
    readonly isFinal = true,
  ) {
    super(message);
  }
}

/** A stored object is incomplete, or does not match its manifest. */
export class DamagedCheckpoint extends StoreError {}
