/** Answers of a forwarding decision that are not a port. */
export const NOWHERE = -1;
/** Copies go to every port of `copies`. */
export const SEVERAL = -2;
export const FILTERED = -3;

/** Where a frame goes: one port, several, or none. */
export interface Forwarding {
  /** Ports of the last decision that was SEVERAL; the first `copyCount` count. */
  readonly copies: Uint16Array;
  copyCount: number;
  egress(port: number, frame: number): number;
  /** Changes a frame's tags for its egress; returns the octets by which it becomes longer. */
  rewrite(frame: number, egress: number): number;
  /** Tags that an answer to a frame bears on the link it came by, once it is rewritten. */
  answerTags(frame: number, egress: number): number;
  /** It learns no more addresses than this at a time. */
  limit(entries: number): void;
  /** What was learned is lost. */
  forget(): void;
}
