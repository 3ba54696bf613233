/** Defects that change nothing that anyone can notice, by hand: a reason for each. */
export const EQUIVALENT: Readonly<Record<string, string>> = {};
