/** What a run says to a script. */
export const EXIT = {
  COMPLETE: 0,
  EXPECTATIONS_FAILED: 1,
  BAD_INPUT: 2,
  RUN_FAILED: 3,
  INTERRUPTED: 130,
} as const;

/** Something that the user gave is wrong; the message is the one line that is printed. */
export class InputError extends Error {}
