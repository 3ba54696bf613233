/** A sentence of a document in short, and what shows that it holds. */
export interface Claim {
  /** The document. */
  readonly of: string;
  readonly clause: string;
  readonly says: string;
  /** Of a scenario, as `explain` knows it. */
  readonly key: string;
  /** A scenario in `examples`, without extension. */
  readonly example: string;
  /** File, and how the name of one of its tests begins. */
  readonly test: readonly [string, string];
  /** Title of the wire format that it is about. */
  readonly octets?: string;
  /** Ports of the example whose capture has it, and what is set for that. */
  readonly capture?: readonly [string, string?];
}

/** What one part claims: a page of the book of conformance. */
export interface Conformance {
  /** Of its file. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly claims: readonly Claim[];
}
