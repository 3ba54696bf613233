/** 2000-01-01T00:00:00Z is where virtual time begins, so that runs lie side by side. */
export const EPOCH_S = 946_684_800;
