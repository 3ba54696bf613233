/** Where the queue is looked at: as real chips do, when a frame leaves it. */
export const ECN_MOMENT_DEFAULT = 'dequeue' as const;
