/** 2000-01-01T00:00:00Z is the origin of virtual time, so that runs can be compared. */
export const EPOCH_S = 946_684_800;
