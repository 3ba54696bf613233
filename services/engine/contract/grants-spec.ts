/**
 * Frames of some priorities start with what the link partner has granted. A port has an account
 * of that for each channel and priority, with a row in the tables, used by both directions of the
 * link.
 */
export interface GrantsSpec {
  /** Priorities with accounts, one bit each. */
  readonly priorities: number;
  /** The first is the default channel: it has the frames that match no other. */
  readonly channels: readonly ChannelSpec[];
}

/** A tenant's slice of a port. */
interface ChannelSpec {
  readonly channel: number;
  /** VLANs whose frames it has, by service tag or else by customer tag. */
  readonly vlans: readonly number[];
  /** Its weight among the channels of a priority. */
  readonly share: number;
}

/**
 * Rows of the table of accounts: at each port, by channel and then by priority. Priorities without
 * accounts have none, so the others are adjacent.
 */
export function accountRows(spec: GrantsSpec | null): number {
  return spec === null ? 0 : spec.channels.length * countOf(spec.priorities);
}

function countOf(priorities: number): number {
  let count = 0;
  for (let rest = priorities; rest !== 0; rest &= rest - 1) count++;
  return count;
}
