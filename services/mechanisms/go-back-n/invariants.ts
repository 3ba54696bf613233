/** What was not acknowledged has arrived. */
export function unacknowledgedHasCome(expected: number, unacknowledged: number): boolean {
  return unacknowledged <= expected;
}

/** An acknowledgement is never overdue. */
export function acknowledgesInTime(_: number, unacknowledged: number, ackEvery: number): boolean {
  return unacknowledged < ackEvery;
}
