/** Outcome of decoding: the octets are a valid record, or why they are not. */
export type Decoded =
  | 'ok'
  /** The octets end before the record does. */
  | 'too-short'
  /** A length field contradicts the octets at hand, or the standard. */
  | 'bad-length'
  | 'bad-checksum'
  /** Parts with a required order are missing or out of it. */
  | 'bad-order'
  /** A part that must occur once is repeated. */
  | 'repeated'
  /** Shares do not sum to the whole. */
  | 'bad-sum'
  /** A field has a value that the standard excludes. */
  | 'bad-value'
  /** Not the expected EtherType, block type or magic number. */
  | 'wrong-type'
  | 'wrong-version'
  | 'wrong-destination'
  /** A known opcode, but of another frame. */
  | 'wrong-opcode'
  /** An opcode that this emulator does not know; a receiver discards such a frame. */
  | 'unsupported-opcode'
  /** A piece of an IP packet; nothing here fragments. */
  | 'fragmented';
