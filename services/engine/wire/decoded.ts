/** What became of an attempt to read octets: they are a valid record, or why they are not. */
export type Decoded =
  | 'ok'
  /** The octets end before the record does. */
  | 'too-short'
  /** A length field contradicts the octets at hand, or the standard. */
  | 'bad-length'
  | 'bad-checksum'
  /** Parts that must come in an order are missing or out of it. */
  | 'bad-order'
  /** A part that must be there once is there again. */
  | 'repeated'
  /** Shares of a whole do not make it up. */
  | 'bad-sum'
  /** A field has a value that the standard excludes. */
  | 'bad-value'
  /** Not the EtherType, block type or magic number that was looked for. */
  | 'wrong-type'
  | 'wrong-version'
  | 'wrong-destination'
  /** A known opcode, but of another frame. */
  | 'wrong-opcode'
  /** An opcode that this emulator does not know; a receiver discards such a frame. */
  | 'unsupported-opcode'
  /** A piece of an IP packet; nothing here fragments. */
  | 'fragmented';
