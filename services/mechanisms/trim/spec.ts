/** What a switch does to frames of a priority. */
export interface TrimSpec {
  /** Octets that are left of a frame. */
  readonly octets: number;
  readonly priority: number;
  readonly dscp: number;
  readonly lastHopDscp: number;
  /** Longest queue, of frames and of trimmed ones; Infinity: as the buffer admits. */
  readonly queueOctets: number;
  readonly limitOctets: number;
}

export interface TrimSwitchSpec {
  /** By priority; null: nothing is trimmed. */
  readonly priorities: readonly (TrimSpec | null)[];
  /** By port: it leads to a host. */
  readonly isLastHop: readonly boolean[];
}
